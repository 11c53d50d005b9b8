//===- XfmrAttributes.td - Attributes of the xfmr dialect --*- tablegen -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMRATTRIBUTES_TD
#define XFMR_DIALECT_IR_XFMRATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "xfmr/Dialect/IR/XfmrDialect.td"

class Xfmr_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::xfmr";
  let genSpecializedAttr = 0;
}

// Written `#xfmr.statistic<l2>`; ops write the keyword alone.
class Xfmr_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<Xfmr_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

def Xfmr_NormKind : Xfmr_Enum<"NormKind", "which norm", [
    I32EnumAttrCase<"RMSNorm", 0, "rmsnorm">,
    I32EnumAttrCase<"LayerNorm", 1, "layernorm">]>;

def Xfmr_EpsPosition : Xfmr_Enum<"EpsPosition", "where eps is added", [
    I32EnumAttrCase<"Inside", 0, "inside">,
    I32EnumAttrCase<"Outside", 1, "outside">]>;
def Xfmr_EpsPositionAttr
    : Xfmr_EnumAttr<Xfmr_EpsPosition, "eps_position"> {
  let description = [{
    `inside` divides by `sqrt(statistic + eps)`, `outside` by
    `sqrt(statistic) + eps`.
  }];
}

def Xfmr_Statistic : Xfmr_Enum<"Statistic", "what an rmsnorm divides by", [
    I32EnumAttrCase<"RMS", 0, "rms">,
    I32EnumAttrCase<"L2", 1, "l2">]>;
def Xfmr_StatisticAttr : Xfmr_EnumAttr<Xfmr_Statistic, "statistic"> {
  let description = [{
    `rms` is the mean of the squares of the row, `l2` their sum.
  }];
}

def Xfmr_RoundingMode : Xfmr_Enum<"RoundingMode",
    "where the normalised value is rounded", [
    I32EnumAttrCase<"CastThenScale", 0, "cast_then_scale">,
    I32EnumAttrCase<"ScaleThenCast", 1, "scale_then_cast">]>;

def Xfmr_RoundingAttr : AttrDef<Xfmr_Dialect, "Rounding"> {
  let mnemonic = "rounding";
  let summary = "where a norm rounds its normalised value";
  let description = [{
    `cast_then_scale` is `round_R(fma(gamma, round_S(xhat), beta))` with S = R
    or, written `cast_then_scale<bf16>`, the type given. `scale_then_cast` is
    `round_R(fma(gamma, xhat, beta))`. Gamma includes the weight offset.
  }];
  let parameters = (ins "::mlir::xfmr::RoundingMode":$mode,
                        OptionalParameter<"::mlir::Type">:$storage);
  let hasCustomAssemblyFormat = 1;
}

def Xfmr_ResidualRounding : Xfmr_Enum<"ResidualRounding",
    "what a norm sees of the residual sum", [
    I32EnumAttrCase<"RoundThenNorm", 0, "round_then_norm">,
    I32EnumAttrCase<"NormThenRound", 1, "norm_then_round">]>;
def Xfmr_ResidualRoundingAttr
    : Xfmr_EnumAttr<Xfmr_ResidualRounding, "residual_rounding"> {
  let description = [{
    `round_then_norm` normalises the stored sum, `norm_then_round` the sum
    before it is rounded to its element type.
  }];
}

def Xfmr_NormAttr : AttrDef<Xfmr_Dialect, "Norm"> {
  let mnemonic = "norm";
  let summary = "one norm of a residual block";
  let description = [{
    The attributes of a norm op, for a norm inside `xfmr.residual_block`:
    `#xfmr.norm<rmsnorm, eps = 1.0e-05, rounding = cast_then_scale>`. Keys:
    `eps` (required), `eps_position`, `statistic`, `unbiased`,
    `weight_offset`, `rounding`; those at their default are not printed.
  }];
  let parameters = (ins
    "::mlir::xfmr::NormKind":$kind, "::mlir::FloatAttr":$eps,
    "::mlir::xfmr::EpsPosition":$epsPosition,
    "::mlir::xfmr::Statistic":$statistic, "bool":$unbiased,
    "::mlir::FloatAttr":$weightOffset,
    OptionalParameter<"::mlir::xfmr::RoundingAttr">:$rounding);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Feed-forward networks
//===----------------------------------------------------------------------===//

def Xfmr_ActivationKind : Xfmr_Enum<"ActivationKind", "activation function", [
    I32EnumAttrCase<"Identity", 0, "identity">,
    I32EnumAttrCase<"Relu", 1, "relu">,
    I32EnumAttrCase<"Relu2", 2, "relu2">,
    I32EnumAttrCase<"GeluErf", 3, "gelu_erf">,
    I32EnumAttrCase<"GeluTanh", 4, "gelu_tanh">,
    I32EnumAttrCase<"QuickGelu", 5, "quick_gelu">,
    I32EnumAttrCase<"Silu", 6, "silu">,
    I32EnumAttrCase<"Swish", 7, "swish">,
    I32EnumAttrCase<"Sigmoid", 8, "sigmoid">,
    I32EnumAttrCase<"Tanh", 9, "tanh">,
    I32EnumAttrCase<"ClampedSwish", 10, "clamped_swish">]>;

def Xfmr_ActivationAttr : AttrDef<Xfmr_Dialect, "Activation"> {
  let mnemonic = "activation";
  let summary = "an activation function with its parameters";
  let description = [{
    With `s(z) = 1 / (1 + exp(-z))`:

    | kind | value |
    |---|---|
    | `identity` | `z` |
    | `relu` | `max(z, 0)` |
    | `relu2` | `max(z, 0)^2` |
    | `gelu_erf` | `z/2 (1 + erf(z / sqrt 2))` |
    | `gelu_tanh` | `z/2 (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3)))` |
    | `quick_gelu` | `z s(1.702 z)` |
    | `silu` | `z s(z)` |
    | `swish, beta = b` | `z s(b z)` |
    | `sigmoid` | `s(z)` |
    | `tanh` | `tanh(z)` |
    | `clamped_swish, limit = l, beta = b, up_offset = o` | a gate only: `g' s(b g') (u' + o)` with `g' = min(g, l)`, `u' = max(min(u, l), -l)`; NaN passes through |

    Sources: gelu, Hendrycks and Gimpel 2016; swish, Ramachandran et al. 2017;
    relu2, So et al. 2021; clamped swish, the gpt-oss model.
  }];
  let parameters = (ins
    "::mlir::xfmr::ActivationKind":$kind,
    OptionalParameter<"::mlir::FloatAttr">:$beta,
    OptionalParameter<"::mlir::FloatAttr">:$limit,
    OptionalParameter<"::mlir::FloatAttr">:$upOffset);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Xfmr_WeightLayout : Xfmr_Enum<"WeightLayout", "order of a weight's dims", [
    I32EnumAttrCase<"InOut", 0, "in_out">,
    I32EnumAttrCase<"OutIn", 1, "out_in">]>;
def Xfmr_WeightLayoutAttr
    : Xfmr_EnumAttr<Xfmr_WeightLayout, "weight_layout"> {
  let description = [{
    `in_out` is `[inputs, outputs]`, `out_in` is `[outputs, inputs]`, which is
    what most checkpoints hold.
  }];
}

def Xfmr_GateUpOrder : Xfmr_Enum<"GateUpOrder",
    "order of gate and up in one packed operand", [
    I32EnumAttrCase<"GateUp", 0, "gate_up">,
    I32EnumAttrCase<"UpGate", 1, "up_gate">,
    I32EnumAttrCase<"Interleaved", 2, "interleaved">]>;
def Xfmr_GateUpOrderAttr
    : Xfmr_EnumAttr<Xfmr_GateUpOrder, "gate_up_order"> {
  let description = [{
    `gate_up` holds all gates first, `up_gate` all ups first; in `interleaved`
    element 2i is a gate and 2i+1 its up.
  }];
}

//===----------------------------------------------------------------------===//
// Residual blocks
//===----------------------------------------------------------------------===//

def Xfmr_Topology : Xfmr_Enum<"Topology", "where a residual block normalises", [
    I32EnumAttrCase<"Pre", 0, "pre">,
    I32EnumAttrCase<"Post", 1, "post">,
    I32EnumAttrCase<"Sandwich", 2, "sandwich">,
    I32EnumAttrCase<"BranchPost", 3, "branch_post">,
    I32EnumAttrCase<"None", 4, "none">]>;
def Xfmr_TopologyAttr : Xfmr_EnumAttr<Xfmr_Topology, "topology">;

#endif // XFMR_DIALECT_IR_XFMRATTRIBUTES_TD
