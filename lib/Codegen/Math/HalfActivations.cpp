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
#include "xfmr/Dialect/IR/RoundedTo.h"
#include <cmath>

using namespace mlir;
using namespace mlir::xfmr;

static constexpr double kLog2E = 0x1.71547652b82fep+0;
/// More than 2^t is infinite from: `kMostExp2`, which is near to it.
static constexpr double kInfiniteExponent = kMostExp2 - 0.04;

/// y / (1 + 2^t).
static Value divideByOnePlusPower(FloatBuilder &f, Value y, Value t) {
  return f.div(y, f.add(f.exp2ForBF16(t), 1.0));
}

Value mlir::xfmr::buildHalfSwish(FloatBuilder &f, Value x, double beta) {
  double slope = beta * kLog2E;
  // From the least on the result is zero, of -inf too.
  Value y = f.max(x, -kInfiniteExponent / slope);
  return divideByOnePlusPower(f, y, f.mul(y, -slope));
}

Value mlir::xfmr::buildHalfGeluTanh(FloatBuilder &f, Value x) {
  // x sigmoid(x (a + b x^2)), with 2^t for the exponential.
  constexpr double a = 2 * 0.79788456080286536 * kLog2E, b = 0.044715 * a;
  // Where t is kInfiniteExponent.
  Value y = f.max(x, -10.25721);
  Value slope = f.fma(f.mul(y, y), -b, -a);
  return divideByOnePlusPower(f, y, f.mul(slope, y));
}

Value mlir::xfmr::buildHalfGeluErf(FloatBuilder &f, Value x) {
  // max(x, 0) - a Q with Q = erfc(a / sqrt(2)) / 2, a = |x|; see buildGeluErf.
  // At the limit 2^t is zero.
  Value a = f.min(f.abs(x), 16.0);
  // log2 Q, minimax up to a = 11.9, where the result is below 2^-100, error
  // 2^-16.
  Value denominator = f.fma(f.add(a, 0x1.6faa02p+2), a, 0x1.30da5ep+3);
  Value quotient = f.div(f.fma(a, 0x1.370472p+3, 0x1.00c63cp+5), denominator);
  Value rest =
      f.polynomial(a, {-0x1.03a0ccp-14, -0x1.6f5896p-1, -0x1.1d2dc2p-3});
  Value t = f.add(f.fma(rest, a, quotient), -0x1.17a08p+2);
  // As integers: that is zero for negative numbers, and NaN is in the tail.
  Value positive = f.fromBits(f.maxInt(f.toBits(x), 0));
  return f.fma(f.neg(f.exp2ForBF16(t)), a, positive);
}
