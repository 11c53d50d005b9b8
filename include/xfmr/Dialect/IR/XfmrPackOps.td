//===- XfmrPackOps.td - Packed weights -*- tablegen -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMRPACKOPS_TD
#define XFMR_DIALECT_IR_XFMRPACKOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/RuntimeVerifiableOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "xfmr/Dialect/IR/XfmrAttributes.td"

def Xfmr_PackWeightOp : Op<Xfmr_Dialect, "pack_weight", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<RuntimeVerifiableOpInterface>]> {
  let summary = "Weights in the order in which products read them";
  let description = [{
    With w of `inputs` x `outputs` elements, C outputs a panel and, in a packed
    weight of rank 4, G inputs a group:

    ```
    packed[p][k][c]    = w[k, p C + c]
    packed[p][s][c][g] = w[s G + g, p C + c]
    ```

    and 0 where w ends before. `layout` says which dim of w is which: `in_out`
    or `out_in`. A panel, `packed[p]`, holds all inputs of C outputs in one run.
    Packed weights are made by the CPU back end, which chooses C and G by the
    target; the op has memrefs alone.

    **Numerics.** Elements are copied.

    The functions `@pack_weight_c1_*`, `@pack_weight_c2_*`, ... of
    test/Dialect/IR/pack_weight-invalid.mlir break these constraints, one by
    one.

    **Constraints.**
    * C1: the weight has rank 2, the packed weight rank 3 or 4.
    * C2: both are of one element type: f16, bf16, f32 or f64.
    * C3: C and G are static and positive.
    * C4: there are `ceil(outputs / C)` panels of `ceil(inputs / G)` steps.
    * C5: the elements of a panel lie one after the other, as in a row-major
      array; panels may have any distance.
    * C6: there is no attribute that the op does not know, apart from those
      with a dialect's prefix.

    Source: the packed panels of Goto and van de Geijn, "Anatomy of
    High-Performance Matrix Multiplication", 2008. Since: 0.1.

    Example (test/Dialect/IR/pack_weight.mlir):
    ```mlir
    xfmr.pack_weight ins(%w : memref<1536x576xbf16>)
        outs(%p : memref<48x288x32x2xbf16>) layout(out_in)
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$input, AnyStridedMemRef:$init,
                       Xfmr_WeightLayoutAttr:$layout);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)`
    `layout` `(` custom<Keyword>($layout) `)` attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MemRefType getWeightType() {
      return ::llvm::cast<::mlir::MemRefType>(getInput().getType());
    }
    ::mlir::MemRefType getPackedType() {
      return ::llvm::cast<::mlir::MemRefType>(getInit().getType());
    }
    /// The dim of the weight that counts inputs.
    unsigned getInputDim() {
      return getLayout() == ::mlir::xfmr::WeightLayout::InOut ? 0 : 1;
    }
    /// The dim of the weight that counts outputs.
    unsigned getOutputDim() { return 1 - getInputDim(); }
    /// Outputs of a panel: C above.
    int64_t getColumns() { return getPackedType().getDimSize(2); }
    /// Inputs that lie beside each other: G above, or 1.
    int64_t getGroup() {
      return getPackedType().getRank() == 4 ? getPackedType().getDimSize(3) : 1;
    }
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitMutable();
    }
  }];
}

#endif // XFMR_DIALECT_IR_XFMRPACKOPS_TD
