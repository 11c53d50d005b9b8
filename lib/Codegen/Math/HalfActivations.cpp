//===- HalfActivations.cpp - Activations of bf16's accuracy ---------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coefficients come from scripts/fit_activations.py.
//
//===----------------------------------------------------------------------===//

#include "HalfActivations.h"
#include <cmath>

using namespace mlir;
using namespace mlir::xfmr;

static constexpr double kLog2E = 0x1.71547652b82fep+0;
/// The leading coefficient of the polynomial below is 2^kShift.
static constexpr double kShift = -6.20703125;
/// 1 + 2^t is 1 to all digits from here down.
static constexpr double kSmallExponent = -60.0;
/// 2^t is infinite as `Power` has it: within 1/2 of this.
static constexpr double kInfiniteExponent = 128.5 - kShift;

namespace {

/// 2^t as the product of a power of two and of a polynomial of the fraction.
/// A fixed-point number t has its integer where an exponent belongs after a
/// shift, and its fraction where the mantissa does.
struct Power {
  Value scale, mantissa;
};

} // namespace

/// `shifted` is t plus a constant that makes the integer an exponent when it is
/// shifted left by `bits`; the last bit of `shifted` is worth 2^(bits - 23).
static Power buildPower(FloatBuilder &f, Value shifted, int bits) {
  Value fixed = f.shiftLeft(f.toBits(shifted), bits);
  Value scale = f.fromBits(f.andInt(fixed, 0x7f800000));
  Value m = f.fromBits(f.orInt(f.andInt(fixed, 0x7fffff), 0x3f800000));
  // 2^(m - 1 - kShift), 1 <= m < 2, error 2^-18.5. The highest power has the
  // coefficient 1 and takes no multiplication.
  Value mantissa = f.add(m, -0x1.434d5p-3);
  for (double c : {0x1.89efaep+3, 0x1.70c7eep+4, 0x1.2d6596p+5})
    mantissa = f.fma(mantissa, m, c);
  return {scale, mantissa};
}

/// What to add to t so that a shift by 8 makes it an exponent: t is kept to
/// 2^-15, and goes from -127 to infinity.
static constexpr double kWideOffset = 256.0 + 127.0 + kShift;
/// By 7: to 2^-16, from -127 to 0.
static constexpr double kNarrowOffset = 128.0 + 127.0 + kShift;

/// y / (1 + 2^t) for t = shifted - kWideOffset.
static Value divideByOnePlusPower(FloatBuilder &f, Value y, Value shifted) {
  auto [scale, mantissa] = buildPower(f, shifted, 8);
  return f.div(y, f.fma(scale, mantissa, 1.0));
}

Value mlir::xfmr::buildHalfSwish(FloatBuilder &f, Value x, double beta) {
  double slope = beta * kLog2E;
  // From the least on the result is zero, of -inf too.
  Value y = f.max(x, -kInfiniteExponent / slope);
  Value clamped = f.limitAbove(y, -kSmallExponent / slope);
  return divideByOnePlusPower(f, y, f.fma(clamped, -slope, kWideOffset));
}

Value mlir::xfmr::buildHalfGeluTanh(FloatBuilder &f, Value x) {
  // x sigmoid(x (a + b x^2)), with 2^t for the exponential.
  constexpr double a = 2 * 0.79788456080286536 * kLog2E, b = 0.044715 * a;
  // Where t is kInfiniteExponent, and less than -24.
  Value y = f.max(x, -10.25721);
  Value clamped = f.limitAbove(y, 6.0);
  Value slope = f.fma(f.mul(clamped, clamped), -b, -a);
  return divideByOnePlusPower(f, y, f.fma(slope, clamped, kWideOffset));
}

Value mlir::xfmr::buildHalfGeluErf(FloatBuilder &f, Value x) {
  // max(x, 0) - a Q with Q = erfc(a / sqrt(2)) / 2, a = |x|; see buildGeluErf.
  // From the limit on 2^t is zero, as its exponent is.
  Value a = f.min(f.abs(x), 12.64266);
  // log2 Q, minimax up to a = 11.9, where the result is below 2^-100, error
  // 2^-16.
  Value denominator = f.fma(f.add(a, 0x1.6faa02p+2), a, 0x1.30da5ep+3);
  Value quotient = f.div(f.fma(a, 0x1.370472p+3, 0x1.00c63cp+5), denominator);
  Value rest =
      f.polynomial(a, {-0x1.03a0ccp-14, -0x1.6f5896p-1, -0x1.1d2dc2p-3});
  constexpr double constant = -0x1.17a08p+2;
  Value shifted = f.add(f.fma(rest, a, quotient), kNarrowOffset + constant);
  auto [scale, mantissa] = buildPower(f, shifted, 7);
  // As integers: that is zero for negative numbers, and NaN is in the tail.
  Value positive = f.fromBits(f.maxInt(f.toBits(x), 0));
  return f.fma(f.neg(f.mul(scale, mantissa)), a, positive);
}
