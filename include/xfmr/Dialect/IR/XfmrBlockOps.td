//===- XfmrBlockOps.td - Residual blocks -*- tablegen -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMRBLOCKOPS_TD
#define XFMR_DIALECT_IR_XFMRBLOCKOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "xfmr/Dialect/IR/XfmrOpBase.td"

def Xfmr_ResidualBlockOp : Xfmr_Op<"residual_block", "ResidualBlockOp",
    Xfmr_Operands<["ins", "norm1 gamma", "norm1 beta", "norm2 gamma",
                   "norm2 beta", "mask", "outs"],
                  /*required=*/[0, 6], /*firstDestination=*/6>,
    [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "A sub-layer with its norms and its residual";
  let description = [{
    The region is the sub-layer F: its argument z has the type of `x`, and it
    yields one value f of that type. It may use values from above, and any op
    over row and token dims. With N a norm and `s = fma(alpha, x, f)` in `acc`:

    | topology | z | y | who |
    |---|---|---|---|
    | `pre` | `round_T(N1(x))` | `round_T(s)` | LLaMA, GPT-2, T5, Mistral, Qwen |
    | `post` | x | `N1(s)`, s rounded first or not by `residual_rounding` | Transformer 2017, BERT, DeepNet |
    | `sandwich` | `round_T(N1(x))` | `round_T(fma(alpha, x, round_T(N2(f))))` | Gemma 2 and 3, Grok-1 |
    | `branch_post` | x | `round_T(fma(alpha, x, round_T(N1(f))))` | OLMo2 |
    | `none` | x | `round_T(s)` | |

    The parallel block of PaLM and Command-R is `pre` with a region that adds two
    sub-layers of one z. Dropout is the identity. The optional `mask`, i1 over
    the leading dims of `x`, is true for a real row; where it is false y = x, and
    F still sees every row.

    **Numerics.** Norms are those of `xfmr.rmsnorm` and `xfmr.layernorm`; values
    are rounded where the table says and nowhere else.

    The functions `@residual_block_c1_*`, `@residual_block_c2_*`, ... of
    test/Dialect/IR/residual_block-invalid.mlir break these constraints, one by
    one.

    **Constraints.**
    * C1: `x` has rank 1 or more, of f16, bf16, f32 or f64, and the destination
      its type.
    * C2: operands are all tensors, without an encoding, or all memrefs.
    * C3: `pre`, `post` and `branch_post` have `norm1` alone, `sandwich` both
      norms, `none` neither; a gamma or beta goes with its norm.
    * C4: gamma and beta have rank 1 and as many elements as the last dim of
      `x`, and are no wider than `acc`.
    * C5: each norm meets the constraints of its op, its result being of type T.
    * C6: `residual_rounding` is given for `post` alone, and there when T is
      narrower than `acc`; `alpha` is finite, in `acc` too.
    * C7: `mask` is i1 with the leading dims of `x`.
    * C8: the region has one argument of the type of `x` and yields one value of
      that type.
    * C9: on tensors there is one result, of its destination's type; on memrefs
      none.
    * C10: there is no attribute that the op does not know, apart from those
      with a dialect's prefix.

    Source: the models named in the table. Since: 0.1.

    Example (test/Dialect/IR/residual_block.mlir):
    ```mlir
    %0 = xfmr.residual_block pre ins(%x : tensor<?x576xbf16>)
        norm1(<rmsnorm, eps = 1.0e-05, rounding = cast_then_scale>
              gamma(%g : tensor<576xf32>))
        outs(%y : tensor<?x576xbf16>) {
    ^bb0(%z: tensor<?x576xbf16>):
      %f = xfmr.swiglu_ffn ins(%z : tensor<?x576xbf16>)
          gate(%wg : tensor<1536x576xbf16>) up(%wu : tensor<1536x576xbf16>)
          down(%wd : tensor<576x1536xbf16>) outs(%y : tensor<?x576xbf16>)
          layout(out_in) -> tensor<?x576xbf16>
      xfmr.yield %f : tensor<?x576xbf16>
    } -> tensor<?x576xbf16>
    ```
  }];
  let arguments = (ins Xfmr_Shaped:$input,
      Optional<Xfmr_Shaped>:$gamma1, Optional<Xfmr_Shaped>:$beta1,
      Optional<Xfmr_Shaped>:$gamma2, Optional<Xfmr_Shaped>:$beta2,
      Optional<Xfmr_Shaped>:$mask, Xfmr_Shaped:$init,
      Xfmr_TopologyAttr:$topology, OptionalAttr<Xfmr_NormAttr>:$norm1,
      OptionalAttr<Xfmr_NormAttr>:$norm2,
      DefaultValuedAttr<F64Attr, "1.0">:$alpha,
      OptionalAttr<Xfmr_ResidualRoundingAttr>:$residual_rounding);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Keyword>($topology) `ins` `(` $input `:` type($input) `)`
    (`norm1` `(` $norm1^ (`gamma` `(` $gamma1^ `:` type($gamma1) `)`)?
                         (`beta` `(` $beta1^ `:` type($beta1) `)`)? `)`)?
    (`norm2` `(` $norm2^ (`gamma` `(` $gamma2^ `:` type($gamma2) `)`)?
                         (`beta` `(` $beta2^ `:` type($beta2) `)`)? `)`)?
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    `outs` `(` $init `:` type($init) `)`
    (`alpha` `(` custom<Float>($alpha)^ `)`)?
    (`residual_rounding` `(` custom<Keyword>($residual_rounding)^ `)`)?
    attr-dict-with-keyword $body (`->` type($results)^)?
  }];
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = operandDeclarations # [{
    /// The argument z of the region.
    ::mlir::BlockArgument getBranchInput() {
      return getBody().front().getArgument(0);
    }
    /// The value f that the region yields.
    ::mlir::Value getBranchOutput();
  }];
}

def Xfmr_YieldOp : Op<Xfmr_Dialect, "yield", [
    Pure, Terminator, ReturnLike, HasParent<"ResidualBlockOp">]> {
  let summary = "Ends the region of a residual block";
  let description = [{
    Gives the value f of the sub-layer to the `xfmr.residual_block` around it.

    The functions `@yield_c1_*` of test/Dialect/IR/yield-invalid.mlir break this
    constraint.

    **Constraints.**
    * C1: the parent is `xfmr.residual_block`, and the value has the type of its
      input.

    Since: 0.1.

    Example (test/Dialect/IR/residual_block.mlir):
    ```mlir
    xfmr.yield %f : tensor<?x576xbf16>
    ```
  }];
  let arguments = (ins Xfmr_Shaped:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // XFMR_DIALECT_IR_XFMRBLOCKOPS_TD
