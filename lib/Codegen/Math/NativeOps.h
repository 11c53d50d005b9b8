//===- NativeOps.h - Float operations that x86 has --------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_MATH_NATIVEOPS_H
#define XFMR_LIB_CODEGEN_MATH_NATIVEOPS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::xfmr {

/// Whether vectors of this type are whole ones of AVX-512, of f32. What follows
/// takes others as well, and scalars, at the price of a whole one.
bool canScaleNatively(VectorType type);

/// x 2^floor(n), rounded once: AVX-512's vscalefps.
Value scaleNatively(OpBuilder &builder, Location loc, Value x, Value n);

/// x - floor(x), of infinities 0: AVX-512's vreduceps.
Value takeFractionNatively(OpBuilder &builder, Location loc, Value x);

/// A maximum or minimum that ignores NaN, of which one operand is never NaN,
/// becomes a comparison and a selection: together they are an instruction of
/// x86, where the general case takes three.
void populateNativeMaxPatterns(RewritePatternSet &patterns);

/// Vectors of bf16 are widened by one shuffle with zeros, instead of one and a
/// shift.
void populateNativeWideningPatterns(RewritePatternSet &patterns);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_MATH_NATIVEOPS_H
