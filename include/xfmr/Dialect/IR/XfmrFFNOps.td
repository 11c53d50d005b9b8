//===- XfmrFFNOps.td - Feed-forward networks and gates -*- tablegen -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMRFFNOPS_TD
#define XFMR_DIALECT_IR_XFMRFFNOPS_TD

include "xfmr/Dialect/IR/XfmrOpBase.td"

defvar Xfmr_FFNText_weights = [{
    `x` is `[rows.., d]`. A weight is `in_out`, `[d, d_ff]` (`down`:
    `[d_ff, d_out]`), or `out_in`, `[d_ff, d]` (`down`: `[d_out, d_ff]`);
    `layout` says which, once for all weights or for each:
    `layout(up = out_in, down = in_out)`. The result is `[rows.., d_out]`.
  }];
defvar Xfmr_FFNText_packed = [{
    Gate and up are two operands or one, `gate_up`, of `2 d_ff` outputs:
    `[d, 2 d_ff]` or `[2 d_ff, d]`, in the `order` given: `gate_up`, `up_gate`
    or `interleaved` (2i gate, 2i+1 up); its bias `gate_up_bias` has the same
    order.
  }];
defvar Xfmr_FFNText_numerics = [{
    **Numerics.** Products accumulate in `acc`, whatever the weights' type. The
    activation and the gate are computed in `acc` from the accumulators, and
    rounded once to the hidden type: T, or `hidden_type`. The result is rounded
    once to its own type. With d_ff = 0 the result is 0 (or the down bias).
  }];

// `more` are the constraints of the op that are not those of every network.
class Xfmr_FFNText_constraints<string mnemonic, string more> {
  string text = [{
    The functions `@$op_c1_*`, `@$op_c2_*`, ... of
    test/Dialect/IR/$op-invalid.mlir break these constraints, one by one.

    **Constraints.**
    * C1: `x` has rank 1 or more.
    * C2: operands are all tensors, without an encoding, or all memrefs, of f16,
      bf16, f32 or f64.
    * C3: weights have rank 2, with d inputs for gate and up, and as many inputs
      for down as gate and up have outputs.
    * C4: biases have rank 1 and as many elements as their weight has outputs.
    * C5: no input is wider than `acc`, nor `hidden_type`.
    * C6: the destination has the rows of `x` and the outputs of `down`.
    * C7: on tensors there is one result, of its destination's type; on memrefs
      none.
    * C8: there is no attribute that the op does not know, apart from those
      with a dialect's prefix.
    * C9: on memrefs the destination is no input.
    }] # more # "\n";
  string description = !subst("$op", mnemonic, text);
}
defvar Xfmr_FFNText_packedConstraints =
    [{* C10: there are `gate` and `up`, or `gate_up` and its `order`; a bias goes
      with its weight; packed outputs are even in number and have one layout.
    }];

class Xfmr_NetworkOp<string mnemonic, string cppName, Xfmr_Operands operands>
    : Xfmr_ReductionRowOp<mnemonic, cppName, operands, "network_op",
                          "getFFNSpec"> {
  let hasCanonicalizer = 1;
  let extraClassDeclaration = operandDeclarations # [{
    /// The operands and attributes in the form that all networks share.
    ::mlir::xfmr::FFNSpec getFFNSpec();
  }];
  let extraClassDefinition = reductionDefinitions # [{
    int64_t $cppClass::getNumRowDims() {
      return ::llvm::cast<::mlir::ShapedType>(getInput().getType()).getRank() -
             1;
    }
    ::llvm::SmallVector<::mlir::utils::IteratorType>
    $cppClass::getInnerIteratorTypes() {
      return {::mlir::utils::IteratorType::reduction};
    }
    bool $cppClass::isElementwiseInPlace() { return false; }
  }];
}

//===----------------------------------------------------------------------===//
// ffn
//===----------------------------------------------------------------------===//

def Xfmr_FFNOp : Xfmr_NetworkOp<"ffn", "FFNOp", Xfmr_Operands<
    ["ins", "up", "down", "up_bias", "down_bias", "outs"],
    /*required=*/[0, 1, 2, 5], /*firstDestination=*/5>> {
  let summary = "Feed-forward network without a gate";
  let description = !strconcat([{
    ```
    h = round_hidden(act(x up + up_bias))
    y = round_R(h down + down_bias)
    ```
  }], Xfmr_FFNText_weights, [{
    Activations: `identity`, `relu`, `relu2`, `gelu_erf`, `gelu_tanh`,
    `quick_gelu`, `silu`, `swish`, `sigmoid`, `tanh`.

  }], Xfmr_FFNText_numerics, Xfmr_FFNText_constraints<"ffn",
    [{* C10: the activation takes one operand (`clamped_swish` is a gate), and
      its parameters are finite in `acc`.}]>.description, [{
    Source: Vaswani et al., "Attention Is All You Need", 2017. Since: 0.1.

    Example (test/Dialect/IR/ffn.mlir):
    ```mlir
    %0 = xfmr.ffn ins(%x : tensor<?x768xf32>) up(%w1 : tensor<768x3072xf32>)
        down(%w2 : tensor<3072x768xf32>) up_bias(%b1 : tensor<3072xf32>)
        down_bias(%b2 : tensor<768xf32>) outs(%y : tensor<?x768xf32>)
        activation(gelu_tanh) layout(in_out) -> tensor<?x768xf32>
    ```
  }]);
  let arguments = (ins Xfmr_Shaped:$input, Xfmr_Shaped:$up, Xfmr_Shaped:$down,
      Optional<Xfmr_Shaped>:$up_bias, Optional<Xfmr_Shaped>:$down_bias,
      Xfmr_Shaped:$init, Xfmr_ActivationAttr:$activation,
      Xfmr_WeightLayoutAttr:$up_layout, Xfmr_WeightLayoutAttr:$down_layout,
      OptionalAttr<TypeAttr>:$hidden_type);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)`
    `up` `(` $up `:` type($up) `)`
    `down` `(` $down `:` type($down) `)`
    (`up_bias` `(` $up_bias^ `:` type($up_bias) `)`)?
    (`down_bias` `(` $down_bias^ `:` type($down_bias) `)`)?
    `outs` `(` $init `:` type($init) `)`
    `activation` `(` custom<Activation>($activation) `)`
    `layout` `(` custom<UpDownLayout>($up_layout, $down_layout) `)`
    (`hidden_type` `(` $hidden_type^ `)`)?
    attr-dict (`->` type($results)^)?
  }];
}

//===----------------------------------------------------------------------===//
// glu_ffn, swiglu_ffn
//===----------------------------------------------------------------------===//

defvar Xfmr_GatedArguments = (ins Xfmr_Shaped:$input,
    Optional<Xfmr_Shaped>:$gate, Optional<Xfmr_Shaped>:$up,
    Optional<Xfmr_Shaped>:$gate_up, Xfmr_Shaped:$down,
    Optional<Xfmr_Shaped>:$gate_bias, Optional<Xfmr_Shaped>:$up_bias,
    Optional<Xfmr_Shaped>:$gate_up_bias, Optional<Xfmr_Shaped>:$down_bias,
    Xfmr_Shaped:$init, Xfmr_WeightLayoutAttr:$gate_layout,
    Xfmr_WeightLayoutAttr:$up_layout, Xfmr_WeightLayoutAttr:$down_layout,
    OptionalAttr<Xfmr_GateUpOrderAttr>:$order,
    OptionalAttr<TypeAttr>:$hidden_type);

class Xfmr_GatedFFNOp<string mnemonic, string cppName>
    : Xfmr_NetworkOp<mnemonic, cppName, Xfmr_Operands<
        ["ins", "gate", "up", "gate_up", "down", "gate_bias", "up_bias",
         "gate_up_bias", "down_bias", "outs"],
        /*required=*/[0, 4, 9], /*firstDestination=*/9>>;

// What says the activation stands in `activation`.
class Xfmr_GatedFormat<string activation> {
  string format = [{
    `ins` `(` $input `:` type($input) `)`
    (`gate` `(` $gate^ `:` type($gate) `)`)?
    (`up` `(` $up^ `:` type($up) `)`)?
    (`gate_up` `(` $gate_up^ `:` type($gate_up) `)`)?
    `down` `(` $down `:` type($down) `)`
    (`gate_bias` `(` $gate_bias^ `:` type($gate_bias) `)`)?
    (`up_bias` `(` $up_bias^ `:` type($up_bias) `)`)?
    (`gate_up_bias` `(` $gate_up_bias^ `:` type($gate_up_bias) `)`)?
    (`down_bias` `(` $down_bias^ `:` type($down_bias) `)`)?
    `outs` `(` $init `:` type($init) `)`
    }] # activation # [{
    `layout` `(` custom<GateUpDownLayout>($gate_layout, $up_layout, $down_layout) `)`
    (`order` `(` custom<Keyword>($order)^ `)`)?
    (`hidden_type` `(` $hidden_type^ `)`)?
    attr-dict (`->` type($results)^)?
  }];
}

def Xfmr_GLUFFNOp : Xfmr_GatedFFNOp<"glu_ffn", "GLUFFNOp"> {
  let summary = "Gated feed-forward network";
  let description = !strconcat([{
    ```
    h = round_hidden(act(x gate + gate_bias) * (x up + up_bias))
    y = round_R(h down + down_bias)
    ```
  }], Xfmr_FFNText_weights, Xfmr_FFNText_packed, [{
    Any `#xfmr.activation` gates: `sigmoid` is GLU, `relu` ReGLU, `gelu_erf` and
    `gelu_tanh` GeGLU, `identity` bilinear, `clamped_swish` the gate of gpt-oss.
    A `silu`, `swish` or `quick_gelu` gate is canonically `xfmr.swiglu_ffn`.

  }], Xfmr_FFNText_numerics,
  Xfmr_FFNText_constraints<"glu_ffn", Xfmr_FFNText_packedConstraints #
    [{* C11: the activation's parameters are finite in `acc`.}]>.description, [{
    Source: Shazeer, "GLU Variants Improve Transformer", 2020. Since: 0.1.

    Example (test/Dialect/IR/glu_ffn.mlir):
    ```mlir
    %0 = xfmr.glu_ffn ins(%x : tensor<?x2560xbf16>)
        gate(%g : tensor<10240x2560xbf16>) up(%u : tensor<10240x2560xbf16>)
        down(%d : tensor<2560x10240xbf16>) outs(%y : tensor<?x2560xbf16>)
        activation(gelu_tanh) layout(out_in) -> tensor<?x2560xbf16>
    ```
  }]);
  let arguments = !con(Xfmr_GatedArguments,
                       (ins Xfmr_ActivationAttr:$activation));
  let assemblyFormat = Xfmr_GatedFormat<
      [{`activation` `(` custom<Activation>($activation) `)`}]>.format;
}

def Xfmr_SwiGLUFFNOp : Xfmr_GatedFFNOp<"swiglu_ffn", "SwiGLUFFNOp"> {
  let summary = "Feed-forward network gated by swish";
  let description = !strconcat([{
    ```
    g = x gate + gate_bias
    h = round_hidden(g / (1 + exp(-beta g)) * (x up + up_bias))
    y = round_R(h down + down_bias)
    ```
    `beta` is 1 by default (silu).
  }], Xfmr_FFNText_weights, Xfmr_FFNText_packed, Xfmr_FFNText_numerics,
  Xfmr_FFNText_constraints<"swiglu_ffn", Xfmr_FFNText_packedConstraints #
    [{* C11: `beta` is finite in `acc`.}]>.description, [{
    Source: Shazeer, "GLU Variants Improve Transformer", 2020; LLaMA.
    Since: 0.1.

    Example (test/Dialect/IR/swiglu_ffn.mlir):
    ```mlir
    %0 = xfmr.swiglu_ffn ins(%x : tensor<?x576xbf16>)
        gate(%g : tensor<1536x576xbf16>) up(%u : tensor<1536x576xbf16>)
        down(%d : tensor<576x1536xbf16>) outs(%y : tensor<?x576xbf16>)
        layout(out_in) -> tensor<?x576xbf16>
    ```
  }]);
  let arguments = !con(Xfmr_GatedArguments,
                       (ins DefaultValuedAttr<F64Attr, "1.0">:$beta));
  let assemblyFormat = Xfmr_GatedFormat<
      [{(`beta` `(` custom<Float>($beta)^ `)`)?}]>.format;
}

//===----------------------------------------------------------------------===//
// gated_act
//===----------------------------------------------------------------------===//

def Xfmr_GatedActOp : Xfmr_RowOp<"gated_act", "GatedActOp", Xfmr_Operands<
    ["gate", "up", "gate_up", "outs"],
    /*required=*/[3], /*firstDestination=*/3>> {
  let summary = "The gate of a feed-forward network alone";
  let description = [{
    ```
    y = round_R(act(gate) * up)
    ```
    Gate and up are two operands `[rows.., d_ff]` or one, `gate_up`, of
    `[rows.., 2 d_ff]` in the `order` given: the fused `silu_and_mul` of serving
    systems. Any `#xfmr.activation` gates.

    **Numerics.** The activation and the product are computed in `acc` and
    rounded once, to the result's type.

    The functions `@gated_act_c1_*`, `@gated_act_c2_*`, ... of
    test/Dialect/IR/gated_act-invalid.mlir break these constraints, one by one.

    **Constraints.**
    * C1: inputs have rank 1 or more.
    * C2: operands are all tensors, without an encoding, or all memrefs, of f16,
      bf16, f32 or f64.
    * C3: gate, up and the destination have one shape; `gate_up` has it with
      twice the last dim.
    * C4: no input is wider than `acc`, which gate or `gate_up` decides.
    * C5: there are `gate` and `up`, or `gate_up` and its `order`.
    * C6: on tensors there is one result, of its destination's type; on memrefs
      none.
    * C7: there is no attribute that the op does not know, apart from those
      with a dialect's prefix.
    * C8: the activation's parameters are finite in `acc`.
    * C9: on memrefs the destination is not `gate_up`; it may be `gate` or `up`.

    Source: Shazeer 2020; vLLM's `silu_and_mul`. Since: 0.1.

    Example (test/Dialect/IR/gated_act.mlir):
    ```mlir
    %0 = xfmr.gated_act gate_up(%x : tensor<?x22016xf16>)
        outs(%y : tensor<?x11008xf16>) activation(silu) order(gate_up)
        -> tensor<?x11008xf16>
    ```
  }];
  let arguments = (ins Optional<Xfmr_Shaped>:$gate, Optional<Xfmr_Shaped>:$up,
      Optional<Xfmr_Shaped>:$gate_up, Xfmr_Shaped:$init,
      Xfmr_ActivationAttr:$activation,
      OptionalAttr<Xfmr_GateUpOrderAttr>:$order);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    (`gate` `(` $gate^ `:` type($gate) `)`)?
    (`up` `(` $up^ `:` type($up) `)`)?
    (`gate_up` `(` $gate_up^ `:` type($gate_up) `)`)?
    `outs` `(` $init `:` type($init) `)`
    `activation` `(` custom<Activation>($activation) `)`
    (`order` `(` custom<Keyword>($order)^ `)`)?
    attr-dict (`->` type($results)^)?
  }];
}

#endif // XFMR_DIALECT_IR_XFMRFFNOPS_TD
