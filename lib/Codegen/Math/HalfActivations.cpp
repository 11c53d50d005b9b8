//===- HalfActivations.cpp - Activations of bf16's accuracy ---------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfActivations.h"
#include <cmath>

using namespace mlir;
using namespace mlir::xfmr;

static constexpr double kLog2E = 0x1.71547652b82fep+0;
/// Adding it leaves round(t) + 127 in the low bits of the sum.
static constexpr double kRoundingMagic = 12582912.0 + 127.0;
/// 2^t is zero here, as its exponent is; and infinity comes next on the other
/// side.
static constexpr double kLeastExponent = -127.1;
/// 1 + 2^t is 2^t here.
static constexpr double kLargeExponent = 26.0;

/// 2^t from its argument as it is rounded to an integer, and from what is left.
static Value buildPower(FloatBuilder &f, Value shifted, Value rest) {
  // Minimax for |rest| <= 1/2 relative to 2^rest, error 2^-18.5.
  Value p = f.polynomial(rest, {0x1.39f39cp-7, 0x1.ca1dccp-5, 0x1.ec05fp-3,
                                0x1.62e0cap-1, 0x1.ffffe8p-1});
  return f.mul(p, f.fromBits(f.shiftLeft(f.toBits(shifted), 23)));
}

/// 2^t / (1 + 2^t) for t from kLeastExponent to kLargeExponent.
static Value buildLogistic(FloatBuilder &f, Value t) {
  Value shifted = f.add(t, kRoundingMagic);
  Value rest = f.sub(t, f.sub(shifted, kRoundingMagic));
  Value e = buildPower(f, shifted, rest);
  return f.div(e, f.add(e, 1.0));
}

Value mlir::xfmr::buildHalfSwish(FloatBuilder &f, Value x, double beta) {
  double slope = beta * kLog2E;
  // From the least on the result is zero, of -inf too.
  Value y = f.max(x, kLeastExponent / slope);
  Value t = f.mul(f.min(y, kLargeExponent / slope), slope);
  return f.mul(buildLogistic(f, t), y);
}

Value mlir::xfmr::buildHalfGeluTanh(FloatBuilder &f, Value x) {
  // x sigmoid(x (a + b x^2)), with 2^t for the exponential.
  constexpr double a = 2 * 0.79788456080286536 * kLog2E, b = 0.044715 * a;
  // Where t is about kLeastExponent, and less than kLargeExponent.
  Value y = f.max(x, -10.037);
  Value clamped = f.min(y, 5.0);
  Value square = f.mul(clamped, clamped);
  Value t = f.mul(f.fma(square, b, a), clamped);
  return f.mul(buildLogistic(f, t), y);
}

Value mlir::xfmr::buildHalfGeluErf(FloatBuilder &f, Value x) {
  // max(x, 0) - a Q with Q = erfc(a / sqrt(2)) / 2, a = |x|; see buildGeluErf.
  // Q is 0 from the limit on, where exp(-a^2/2) is.
  Value a = f.min(f.abs(x), 13.28);
  Value square = f.mul(a, a);
  constexpr double slope = -0.5 * kLog2E;
  Value shifted = f.fma(square, slope, kRoundingMagic);
  Value n = f.sub(shifted, kRoundingMagic);
  Value e = buildPower(f, shifted, f.fma(square, slope, f.neg(n)));
  // Q exp(a^2/2), minimax up to a = 11.85, where the result is below 2^-100,
  // error 2^-15.5.
  Value numerator =
      f.polynomial(a, {0x1.f31db6p-5, 0x1.1909eap-2, 0x1.000154p-1});
  Value denominator =
      f.polynomial(a, {0x1.3854a6p-3, 0x1.632b12p-1, 0x1.58f138p+0, 1.0});
  Value tail = f.div(f.mul(f.mul(numerator, a), e), denominator);
  // As integers: that is zero for negative numbers, and NaN is in the tail.
  Value positive = f.fromBits(f.maxInt(f.toBits(x), 0));
  return f.sub(positive, tail);
}
