//===- XfmrNormOps.td - Norms, alone and with a residual add -*- tablegen -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMRNORMOPS_TD
#define XFMR_DIALECT_IR_XFMRNORMOPS_TD

include "xfmr/Dialect/IR/XfmrOpBase.td"

// The text that the descriptions of all norms share.
defvar Xfmr_NormText_operands = [{
    The row is the last `normalized_dims` dims of `x` (1 by default), d elements
    in all; the dims before it are rows. `gamma` and `beta` have the shape of the
    row and are each optional; `weight_offset` (0 by default, 1 for Gemma) is
    added to gamma in `acc`.
  }];
defvar Xfmr_NormText_numerics = [{
    **Numerics.** Statistics accumulate in `acc`, in several partial sums whose
    order depends on the target, d and the element type alone. `rounding` is
    required when R is narrower than `acc`:
    `cast_then_scale` is `round_R(fma(gamma, round_S(xhat), beta))`, S = R or
    the type given as in `cast_then_scale<bf16>`; `scale_then_cast` is
    `round_R(fma(gamma, xhat, beta))`. `eps` is kept as f32 (f64 for f64). With
    eps > 0 a finite row with |x| <= 2^60 (f16: any; f64: 2^500) gives no NaN;
    with eps = 0 a row whose statistic is 0 gives NaN. NaN and infinities stay in
    their row.
  }];

// `more` are the constraints of the op that are not those of every norm.
class Xfmr_NormText_constraints<string mnemonic, string more> {
  string text = [{
    The functions `@$op_c1_*`, `@$op_c2_*`, ... of
    test/Dialect/IR/$op-invalid.mlir break these constraints, one by one.

    **Constraints.**
    * C1: `x` has rank 1 or more, and `normalized_dims` is 1 to that rank.
    * C2: operands are all tensors, without an encoding, or all memrefs, of f16,
      bf16, f32 or f64.
    * C3: destinations of rows have the shape of `x`.
    * C4: `gamma` and `beta` have the shape of the row.
    * C5: no input is wider than `acc`.
    * C6: `eps` is finite and not negative, in `acc` too.
    * C7: `weight_offset` is finite, in `acc` too, and with another value than 0
      there is a `gamma`.
    * C8: `rounding` is given when R is narrower than `acc`; a type is given to
      `cast_then_scale` only and is no wider than `acc`.
    * C9: destinations of statistics have the leading dims of `x` and element
      type `acc`.
    * C10: on tensors there is one result a destination, of its type; on memrefs
      none.
    * C11: there is no attribute that the op does not know, apart from those
      with a dialect's prefix.
    * C12: on memrefs a destination is no other destination, nor an input with
      other dims; it may be `x` or the residual.
    }] # more # "\n";
  string description = !subst("$op", mnemonic, text);
}

// Attributes of every norm.
defvar Xfmr_NormAttributes = (ins
  F64Attr:$eps,
  DefaultValuedAttr<Xfmr_EpsPositionAttr,
                    "::mlir::xfmr::EpsPosition::Inside">:$eps_position,
  DefaultValuedAttr<F64Attr, "0.0">:$weight_offset,
  DefaultValuedAttr<I64Attr, "1">:$normalized_dims,
  OptionalAttr<Xfmr_RoundingAttr>:$rounding);

class Xfmr_NormOp<string mnemonic, string cppName, Xfmr_Operands operands>
    : Xfmr_ReductionRowOp<mnemonic, cppName, operands, "norm_op",
                          "getNormSpec"> {
  let hasCanonicalizer = 1;
  let extraClassDeclaration = operandDeclarations # [{
    /// The norm, apart from the operands: what `#xfmr.norm` holds.
    ::mlir::xfmr::NormSpec getNormSpec();
  }];
  let extraClassDefinition = reductionDefinitions # [{
    int64_t $cppClass::getNumRowDims() {
      return ::llvm::cast<::mlir::ShapedType>(getInput().getType()).getRank() -
             getNormalizedDims();
    }
    ::llvm::SmallVector<::mlir::utils::IteratorType>
    $cppClass::getInnerIteratorTypes() {
      return ::llvm::SmallVector<::mlir::utils::IteratorType>(
          getNormalizedDims(), ::mlir::utils::IteratorType::reduction);
    }
    bool $cppClass::isElementwiseInPlace() { return true; }
  }];
}

//===----------------------------------------------------------------------===//
// rmsnorm
//===----------------------------------------------------------------------===//

def Xfmr_RMSNormOp : Xfmr_NormOp<"rmsnorm", "RMSNormOp", Xfmr_Operands<
    ["ins", "gamma", "beta", "outs", "rstd"],
    /*required=*/[0, 3], /*firstDestination=*/3>> {
  let summary = "Root-mean-square norm";
  let description = !strconcat([{
    ```
    ms   = (1/d) sum x^2                    statistic rms, the default
    ss   = sum x^2                          statistic l2
    rstd = 1 / sqrt(ms + eps)               eps inside, the default
    rstd = 1 / (sqrt(ms) + eps)             eps outside
    y    = gamma * (x * rstd) + beta        rounded as `rounding` says
    ```
  }], Xfmr_NormText_operands, [{
    The destination `rstd`, when given, receives the factor that multiplies x,
    one a row, for training. A row with an infinity gives NaN where x is
    infinite and 0 elsewhere.

  }], Xfmr_NormText_numerics,
  Xfmr_NormText_constraints<"rmsnorm", "">.description, [{
    Source: Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019.
    Since: 0.1.

    Example (test/Dialect/IR/rmsnorm.mlir):
    ```mlir
    %0 = xfmr.rmsnorm ins(%x : tensor<?x4096xbf16>) gamma(%g : tensor<4096xf32>)
        outs(%y : tensor<?x4096xbf16>) eps(1.0e-05) rounding(cast_then_scale)
        -> tensor<?x4096xbf16>
    ```
  }]);
  let arguments = !con((ins Xfmr_Shaped:$input, Optional<Xfmr_Shaped>:$gamma,
      Optional<Xfmr_Shaped>:$beta, Xfmr_Shaped:$init,
      Optional<Xfmr_Shaped>:$rstd_init,
      DefaultValuedAttr<Xfmr_StatisticAttr,
                        "::mlir::xfmr::Statistic::RMS">:$statistic),
      Xfmr_NormAttributes);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)`
    (`gamma` `(` $gamma^ `:` type($gamma) `)`)?
    (`beta` `(` $beta^ `:` type($beta) `)`)?
    `outs` `(` $init `:` type($init) `)`
    (`rstd` `(` $rstd_init^ `:` type($rstd_init) `)`)?
    `eps` `(` custom<Float>($eps) `)`
    (`eps_position` `(` custom<Keyword>($eps_position)^ `)`)?
    (`statistic` `(` custom<Keyword>($statistic)^ `)`)?
    (`weight_offset` `(` custom<Float>($weight_offset)^ `)`)?
    (`normalized_dims` `(` $normalized_dims^ `)`)?
    (`rounding` `(` custom<Rounding>($rounding)^ `)`)?
    attr-dict (`->` type($results)^)?
  }];
}

//===----------------------------------------------------------------------===//
// layernorm
//===----------------------------------------------------------------------===//

def Xfmr_LayerNormOp : Xfmr_NormOp<"layernorm", "LayerNormOp", Xfmr_Operands<
    ["ins", "gamma", "beta", "outs", "rstd", "mean"],
    /*required=*/[0, 3], /*firstDestination=*/3>> {
  let summary = "Layer norm";
  let description = !strconcat([{
    ```
    mean = (1/d) sum x
    var  = (1/d) sum (x - mean)^2           1/(d-1) when `unbiased`
    rstd = 1 / sqrt(var + eps)              eps inside, the default
    rstd = 1 / (sqrt(var) + eps)            eps outside
    y    = gamma * ((x - mean) * rstd) + beta   rounded as `rounding` says
    ```
  }], Xfmr_NormText_operands, [{
    The destinations `rstd` and `mean`, when given, receive the factor that
    multiplies and the mean, one each a row, for training. The variance is the
    corrected two-pass one: with m the rounded mean, `q = sum (x-m)^2`,
    `dm = (1/d) sum (x-m)`, `var = max(q/d - dm^2, 0)` and
    `xhat = ((x-m) - dm) * rstd`; a constant row gives exactly beta when
    eps > 0. One element a row (d = 1) gives beta; `unbiased` needs two, and
    gives NaN when d turns out to be 1 at run time. A row with an infinity
    gives NaN everywhere.

  }], Xfmr_NormText_numerics, 
  Xfmr_NormText_constraints<"layernorm", [{* C13: `unbiased` with a static d has
      d >= 2.}]>.description, [{
    Source: Ba, Kiros and Hinton, "Layer Normalization", 2016; the correction,
    Chan, Golub and LeVeque, 1983. Since: 0.1.

    Example (test/Dialect/IR/layernorm.mlir):
    ```mlir
    %0 = xfmr.layernorm ins(%x : tensor<?x768xf32>) gamma(%g : tensor<768xf32>)
        beta(%b : tensor<768xf32>) outs(%y : tensor<?x768xf32>) eps(1.0e-12)
        -> tensor<?x768xf32>
    ```
  }]);
  let arguments = !con((ins Xfmr_Shaped:$input, Optional<Xfmr_Shaped>:$gamma,
      Optional<Xfmr_Shaped>:$beta, Xfmr_Shaped:$init,
      Optional<Xfmr_Shaped>:$rstd_init, Optional<Xfmr_Shaped>:$mean_init,
      UnitAttr:$unbiased), Xfmr_NormAttributes);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)`
    (`gamma` `(` $gamma^ `:` type($gamma) `)`)?
    (`beta` `(` $beta^ `:` type($beta) `)`)?
    `outs` `(` $init `:` type($init) `)`
    (`rstd` `(` $rstd_init^ `:` type($rstd_init) `)`)?
    (`mean` `(` $mean_init^ `:` type($mean_init) `)`)?
    `eps` `(` custom<Float>($eps) `)`
    (`eps_position` `(` custom<Keyword>($eps_position)^ `)`)?
    (`unbiased` $unbiased^)?
    (`weight_offset` `(` custom<Float>($weight_offset)^ `)`)?
    (`normalized_dims` `(` $normalized_dims^ `)`)?
    (`rounding` `(` custom<Rounding>($rounding)^ `)`)?
    attr-dict (`->` type($results)^)?
  }];
}

//===----------------------------------------------------------------------===//
// add_rmsnorm, add_layernorm
//===----------------------------------------------------------------------===//

defvar Xfmr_AddNormText_add = [{
    ```
    s   = fma(alpha, x, r)
    sum = round_T(s)
    y   = norm(sum)                         round_then_norm
    y   = norm(s)                           norm_then_round
    ```
    `x` is the skip path, `residual` (r) the branch. Both results come from one
    pass over the row. The destination of the sum is optional; results are, in
    this order and as far as there are destinations, sum, norm and statistics.
  }];
defvar Xfmr_AddNormText_constraints =
    [{* C13: `residual` has the shape of `x`; the sum has it and the type of `x`.
    * C14: `alpha` is finite, in `acc` too.
    * C15: `residual_rounding` is given when T is narrower than `acc`.}];

defvar Xfmr_AddNormAttributes = (ins
  DefaultValuedAttr<F64Attr, "1.0">:$alpha,
  OptionalAttr<Xfmr_ResidualRoundingAttr>:$residual_rounding);

def Xfmr_AddRMSNormOp : Xfmr_NormOp<"add_rmsnorm", "AddRMSNormOp", Xfmr_Operands<
    ["ins", "residual", "gamma", "beta", "sum", "outs", "rstd"],
    /*required=*/[0, 1, 5], /*firstDestination=*/4>> {
  let summary = "Residual add and root-mean-square norm";
  let description = !strconcat(Xfmr_AddNormText_add, [{
    The norm is that of `xfmr.rmsnorm`.
  }], Xfmr_NormText_operands, Xfmr_NormText_numerics,
  Xfmr_NormText_constraints<"add_rmsnorm",
                            Xfmr_AddNormText_constraints>.description, [{
    Source: the fused add and norm of HF Transformers' and Liger's models
    (`round_then_norm`), FlashInfer and quack (`norm_then_round`). Since: 0.1.

    Example (test/Dialect/IR/add_rmsnorm.mlir):
    ```mlir
    %sum, %norm = xfmr.add_rmsnorm ins(%x : tensor<?x4096xbf16>)
        residual(%r : tensor<?x4096xbf16>) gamma(%g : tensor<4096xbf16>)
        sum(%s : tensor<?x4096xbf16>) outs(%y : tensor<?x4096xbf16>)
        eps(1.0e-05) residual_rounding(round_then_norm)
        rounding(scale_then_cast) -> tensor<?x4096xbf16>, tensor<?x4096xbf16>
    ```
  }]);
  let arguments = !con((ins Xfmr_Shaped:$input, Xfmr_Shaped:$residual,
      Optional<Xfmr_Shaped>:$gamma, Optional<Xfmr_Shaped>:$beta,
      Optional<Xfmr_Shaped>:$sum_init, Xfmr_Shaped:$init,
      Optional<Xfmr_Shaped>:$rstd_init,
      DefaultValuedAttr<Xfmr_StatisticAttr,
                        "::mlir::xfmr::Statistic::RMS">:$statistic),
      Xfmr_NormAttributes, Xfmr_AddNormAttributes);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)`
    `residual` `(` $residual `:` type($residual) `)`
    (`gamma` `(` $gamma^ `:` type($gamma) `)`)?
    (`beta` `(` $beta^ `:` type($beta) `)`)?
    (`sum` `(` $sum_init^ `:` type($sum_init) `)`)?
    `outs` `(` $init `:` type($init) `)`
    (`rstd` `(` $rstd_init^ `:` type($rstd_init) `)`)?
    (`alpha` `(` custom<Float>($alpha)^ `)`)?
    `eps` `(` custom<Float>($eps) `)`
    (`eps_position` `(` custom<Keyword>($eps_position)^ `)`)?
    (`statistic` `(` custom<Keyword>($statistic)^ `)`)?
    (`weight_offset` `(` custom<Float>($weight_offset)^ `)`)?
    (`normalized_dims` `(` $normalized_dims^ `)`)?
    (`residual_rounding` `(` custom<Keyword>($residual_rounding)^ `)`)?
    (`rounding` `(` custom<Rounding>($rounding)^ `)`)?
    attr-dict (`->` type($results)^)?
  }];
}

def Xfmr_AddLayerNormOp : Xfmr_NormOp<"add_layernorm", "AddLayerNormOp", Xfmr_Operands<
    ["ins", "residual", "gamma", "beta", "sum", "outs", "rstd", "mean"],
    /*required=*/[0, 1, 5], /*firstDestination=*/4>> {
  let summary = "Residual add and layer norm";
  let description = !strconcat(Xfmr_AddNormText_add, [{
    The norm is that of `xfmr.layernorm`.
  }], Xfmr_NormText_operands, Xfmr_NormText_numerics,
  Xfmr_NormText_constraints<"add_layernorm",
                            Xfmr_AddNormText_constraints # [{
    * C16: `unbiased` with a static d has d >= 2.}]>.description, [{
    Source: the post-norm block of Vaswani et al. 2017 and BERT; with alpha,
    DeepNet (Wang et al. 2022). Since: 0.1.

    Example (test/Dialect/IR/add_layernorm.mlir):
    ```mlir
    %norm = xfmr.add_layernorm ins(%x : tensor<?x768xf32>)
        residual(%r : tensor<?x768xf32>) gamma(%g : tensor<768xf32>)
        beta(%b : tensor<768xf32>) outs(%y : tensor<?x768xf32>) eps(1.0e-12)
        -> tensor<?x768xf32>
    ```
  }]);
  let arguments = !con((ins Xfmr_Shaped:$input, Xfmr_Shaped:$residual,
      Optional<Xfmr_Shaped>:$gamma, Optional<Xfmr_Shaped>:$beta,
      Optional<Xfmr_Shaped>:$sum_init, Xfmr_Shaped:$init,
      Optional<Xfmr_Shaped>:$rstd_init, Optional<Xfmr_Shaped>:$mean_init,
      UnitAttr:$unbiased), Xfmr_NormAttributes, Xfmr_AddNormAttributes);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)`
    `residual` `(` $residual `:` type($residual) `)`
    (`gamma` `(` $gamma^ `:` type($gamma) `)`)?
    (`beta` `(` $beta^ `:` type($beta) `)`)?
    (`sum` `(` $sum_init^ `:` type($sum_init) `)`)?
    `outs` `(` $init `:` type($init) `)`
    (`rstd` `(` $rstd_init^ `:` type($rstd_init) `)`)?
    (`mean` `(` $mean_init^ `:` type($mean_init) `)`)?
    (`alpha` `(` custom<Float>($alpha)^ `)`)?
    `eps` `(` custom<Float>($eps) `)`
    (`eps_position` `(` custom<Keyword>($eps_position)^ `)`)?
    (`unbiased` $unbiased^)?
    (`weight_offset` `(` custom<Float>($weight_offset)^ `)`)?
    (`normalized_dims` `(` $normalized_dims^ `)`)?
    (`residual_rounding` `(` custom<Keyword>($residual_rounding)^ `)`)?
    (`rounding` `(` custom<Rounding>($rounding)^ `)`)?
    attr-dict (`->` type($results)^)?
  }];
}

#endif // XFMR_DIALECT_IR_XFMRNORMOPS_TD
