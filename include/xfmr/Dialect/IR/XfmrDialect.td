//===- XfmrDialect.td - The xfmr dialect ------------------*- tablegen -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMRDIALECT_TD
#define XFMR_DIALECT_IR_XFMRDIALECT_TD

include "mlir/IR/OpBase.td"

def Xfmr_Dialect : Dialect {
  let name = "xfmr";
  let cppNamespace = "::mlir::xfmr";
  let summary = "Norms, feed-forward networks and residual blocks of transformers";
  let description = [{
    The ops of this dialect hold the parts of a transformer block whole, with
    their rounding stated, until they are tiled. They work on tensors and, in
    destination-passing style, on memrefs.

    Throughout, `T` is the element type of the input `x` and `R` that of the
    result; `acc`, the type in which statistics and products accumulate, is f64
    when `T` is f64 and f32 otherwise; `round_R` rounds to nearest, ties to
    even; `fma` rounds once. Data, weights and results are f16, bf16, f32 or
    f64. A dynamic dimension beside a static one is accepted and checked at run
    time.

    A function argument marked `{xfmr.weight}` never changes between calls.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::bufferization::BufferizationDialect"
  ];
}

#endif // XFMR_DIALECT_IR_XFMRDIALECT_TD
