//===- XfmrMyCopyOps.td - Definition ---------------------*- tablegen -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMRMYCOPYOPS_TD
#define XFMR_DIALECT_IR_XFMRMYCOPYOPS_TD

include "xfmr/Dialect/IR/XfmrOpBase.td"

def Xfmr_MyCopyOp : Xfmr_RowOp<"my_copy", "MyCopyOp", Xfmr_Operands<
    ["ins", "outs"], /*required=*/[0, 1], /*firstDestination=*/1>> {
  let summary = "Rows in another element type";
  let description = [{
    ```
    y = round_R(x)
    ```
    `x` is `[rows.., d]`, and so is the result.

    **Numerics.** Every element is computed in `acc` and rounded once, to the
    result's type.

    The functions `@my_copy_c1_*`, `@my_copy_c2_*`, ... of
    test/Dialect/IR/my_copy-invalid.mlir break these constraints, one by one.

    **Constraints.**
    * C1: `x` has rank 1 or more.
    * C2: operands are all tensors, without an encoding, or all memrefs, of f16,
      bf16, f32 or f64.
    * C3: the destination has the shape of `x`.
    * C4: on tensors there is one result, of its destination's type; on memrefs
      none.
    * C5: there is no attribute that the op does not know, apart from those
      with a dialect's prefix.

    Since: 0.1.

    Example (test/Dialect/IR/my_copy.mlir):
    ```mlir
    %0 = xfmr.my_copy ins(%x : tensor<?x4096xbf16>)
        outs(%y : tensor<?x4096xf32>) -> tensor<?x4096xf32>
    ```
  }];
  let arguments = (ins Xfmr_Shaped:$input, Xfmr_Shaped:$init);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)`
    `outs` `(` $init `:` type($init) `)`
    attr-dict (`->` type($results)^)?
  }];
}

#endif // XFMR_DIALECT_IR_XFMRMYCOPYOPS_TD
