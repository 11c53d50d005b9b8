//===- HalfActivations.h - Activations of bf16's accuracy -------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Activations in f32 for results that are rounded to bf16 next. Rounding takes
// half a bf16 ulp; of the hundredth that the bound leaves on top of it, 2^-14.6
// of the result, these take less than half. So polynomials are short, and
// powers of two are marked as values that are rounded next.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_MATH_HALFACTIVATIONS_H
#define XFMR_LIB_CODEGEN_MATH_HALFACTIVATIONS_H

#include "FloatBuilder.h"

namespace mlir::xfmr {

/// The slopes that `buildHalfSwish` takes. Flatter ones are not yet negligible
/// where the exponential underflows.
inline constexpr double kLeastHalfSlope = 0x1p-10, kMostHalfSlope = 0x1p+10;

/// x sigmoid(beta x).
Value buildHalfSwish(FloatBuilder &f, Value x, double beta);

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
Value buildHalfGeluTanh(FloatBuilder &f, Value x);

/// x/2 erfc(-x/sqrt(2)).
Value buildHalfGeluErf(FloatBuilder &f, Value x);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_MATH_HALFACTIVATIONS_H
