//===- ExpKernel.h - The exponential of f32 in parts ------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_MATH_EXPKERNEL_H
#define XFMR_LIB_CODEGEN_MATH_EXPKERNEL_H

#include "FloatBuilder.h"

namespace mlir::xfmr {

/// The range outside which exp of f32 is 0 or infinite.
inline constexpr double kExpLow = -105.0, kExpHigh = 89.0;

/// y = n ln 2 + r with |r| <= ln(2)/2, so that exp(y) = 2^n exp(r).
struct ReducedExp {
  Value r;
  /// The integer n + 254 in the low bits, rubbish above bit 21.
  Value n;
  /// n as a float.
  Value rounded;
};

/// Reduces `y`, f32 and within [kExpLow, kExpHigh] or NaN (then r is NaN).
ReducedExp reduceExp(FloatBuilder &f, Value y);

/// exp(r) - 1 as the unevaluated sum hi + lo, to a few units in the last place
/// of lo's leading half; lo is null when not asked for.
std::pair<Value, Value> buildExpm1(FloatBuilder &f, Value r, bool withLow);

/// exp(r) in one rounded value, one multiply-add cheaper than by `buildExpm1`.
Value buildExpMantissa(FloatBuilder &f, Value r);

/// exp(x) of f32 for a result that is rounded to f16 or bf16 after at most one
/// product with another such value: see `kRoundedToAttrName`. The error is
/// 2^-18 for bf16 and 2^-21 for f16.
Value buildRoundedExp(FloatBuilder &f, Value x, bool isF16);

/// 2^t of bf16's accuracy, for t up to `kMostExp2`; of NaN, some number.
Value buildRoundedExp2(FloatBuilder &f, Value t);

/// 2^r for 0 <= r < 1 of that accuracy.
Value buildRoundedPowerOfFraction(FloatBuilder &f, Value r, bool isF16);

/// 2^(r - kLeadingShift) for 0 <= r < 1 of bf16's accuracy: one multiplication
/// less, and one more addition, for which CPUs have other units.
Value buildShiftedPowerOfFraction(FloatBuilder &f, Value r);
inline constexpr double kLeadingShift = -6.20703125;

/// x + c. Where x is a product, or ends in the addition of a constant, what it
/// comes from does that as well.
Value addConstant(FloatBuilder &f, Value x, double c);

/// Two powers of two whose product is 2^n. Each is a normal number for n in
/// [-252, 256], and multiplying by one after the other rounds once, where the
/// result leaves the normal range.
std::pair<Value, Value> buildPowersOfTwo(FloatBuilder &f, Value n);

/// 2^n for n in [-126, 127].
Value buildPowerOfTwo(FloatBuilder &f, Value n);

/// factor / (1 + exp(-(hi + lo))) of f32 within 1 ulp, plus 1/2 for a factor;
/// subnormal results included. `factor` may be null for 1 and `lo` for 0; `lo`
/// is at most half an ulp of `hi`, and |hi| at most 200 then.
Value buildSigmoid(FloatBuilder &f, Value hi, Value lo, Value factor);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_MATH_EXPKERNEL_H
