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

/// Whether `scaleNatively` takes vectors of this type: f32, in whole vectors of
/// AVX-512.
bool canScaleNatively(VectorType type);

/// x 2^n, rounded once, for floats n that are whole: AVX-512's vscalefps.
Value scaleNatively(OpBuilder &builder, Location loc, Value x, Value n);

/// A maximum or minimum that ignores NaN, of which one operand is never NaN,
/// becomes a comparison and a selection: together they are an instruction of
/// x86, where the general case takes three.
void populateNativeMaxPatterns(RewritePatternSet &patterns);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_MATH_NATIVEOPS_H
