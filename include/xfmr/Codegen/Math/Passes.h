//===- Passes.h - Passes that expand math on floats -------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_CODEGEN_MATH_PASSES_H
#define XFMR_CODEGEN_MATH_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::xfmr {

#define GEN_PASS_DECL
#include "xfmr/Codegen/Math/Passes.h.inc"

/// Adds the patterns of `xfmr-expand-math`: exp, tanh, erf and erfc of f32, f16
/// and bf16, scalars and vectors, become arithmetic. f64 is left alone. With
/// `nativeScale`, exp of a vector of f32 takes an instruction of AVX-512; with
/// `nativeMax`, maxima and minima of what is never NaN one of x86.
void populateExpandMathPatterns(RewritePatternSet &patterns,
                                bool nativeScale = false,
                                bool nativeMax = false);

/// Adds the patterns of `xfmr-expand-narrow-float`: conversions from and to
/// bf16 and from f64 to f16 become integer arithmetic that rounds once; with
/// `nativeBF16`, vectors are rounded to bf16 by instructions of AVX512-BF16;
/// with `shuffleWords`, they are widened by a shuffle with zeros.
void populateExpandNarrowFloatPatterns(RewritePatternSet &patterns,
                                       bool nativeBF16 = false,
                                       bool shuffleWords = false);

#define GEN_PASS_REGISTRATION
#include "xfmr/Codegen/Math/Passes.h.inc"

} // namespace mlir::xfmr

#endif // XFMR_CODEGEN_MATH_PASSES_H
