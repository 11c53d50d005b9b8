//===- XfmrFFNOps.cpp - Network ops: what they are made of, and their verifiers
//-*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"
#include "xfmr/Dialect/IR/Xfmr.h"

using namespace mlir;
using namespace mlir::xfmr;

//===----------------------------------------------------------------------===//
// What a network is
//===----------------------------------------------------------------------===//

template <typename OpTy> static FFNSpec getSpec(OpTy op) {
  FFNSpec spec;
  spec.input = op.getInput();
  spec.up = op.getUp();
  spec.down = op.getDown();
  spec.upBias = op.getUpBias();
  spec.downBias = op.getDownBias();
  spec.init = op.getInit();
  spec.upLayout = op.getUpLayout();
  spec.downLayout = op.getDownLayout();
  spec.hiddenType =
      op.getHiddenType().value_or(shapedType(spec.input).getElementType());
  if constexpr (!std::is_same_v<OpTy, FFNOp>) {
    spec.gated = true;
    spec.gate = op.getGate();
    spec.gateUp = op.getGateUp();
    spec.gateBias = op.getGateBias();
    spec.gateUpBias = op.getGateUpBias();
    spec.gateLayout = op.getGateLayout();
    spec.order = op.getOrder();
  }
  if constexpr (std::is_same_v<OpTy, SwiGLUFFNOp>)
    spec.activation =
        ActivationAttr::get(op.getContext(), ActivationKind::Swish,
                            op.getBetaAttr(), FloatAttr(), FloatAttr());
  else
    spec.activation = op.getActivation();
  return spec;
}

FFNSpec FFNOp::getFFNSpec() { return getSpec(*this); }
FFNSpec GLUFFNOp::getFFNSpec() { return getSpec(*this); }
FFNSpec SwiGLUFFNOp::getFFNSpec() { return getSpec(*this); }

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

namespace {
/// The dims of a weight by their part in the product.
struct WeightDims {
  int64_t inputs, outputs;
};
} // namespace

static WeightDims getWeightDims(Value weight, WeightLayout layout) {
  ArrayRef<int64_t> shape = shapedType(weight).getShape();
  return layout == WeightLayout::InOut ? WeightDims{shape[0], shape[1]}
                                       : WeightDims{shape[1], shape[0]};
}

/// C10 of the gated networks and C5 of gated_act: which operands go together.
template <typename OpTy> static LogicalResult verifyPacking(OpTy op) {
  bool packed = bool(op.getGateUp());
  if (packed && (op.getGate() || op.getUp()))
    return op.emitOpError("expected gate and up, or gate_up, got both");
  if (!packed && (!op.getGate() || !op.getUp()))
    return op.emitOpError("expected gate and up, or gate_up, got ")
           << (op.getGate() ? "gate alone"
               : op.getUp() ? "up alone"
                            : "none");
  if (packed && !op.getOrder())
    return op.emitOpError("expected order beside gate_up");
  if (!packed && op.getOrder())
    return op.emitOpError("expected order beside gate_up only");
  return success();
}

template <typename OpTy> static LogicalResult verifyNetwork(OpTy op) {
  FFNSpec spec = getSpec(op);
  // C9.
  if (failed(verifyNoUnknownAttributes(op)))
    return failure();
  // C1.
  ShapedType input = shapedType(spec.input);
  if (input.getRank() < 1)
    return op.emitOpError("expected ins of rank 1 or more, got rank 0");
  // C2.
  if (failed(verifyKinds(op, {{"ins", spec.input},
                              {"gate", spec.gate},
                              {"up", spec.up},
                              {"gate_up", spec.gateUp},
                              {"down", spec.down},
                              {"gate_bias", spec.gateBias},
                              {"up_bias", spec.upBias},
                              {"gate_up_bias", spec.gateUpBias},
                              {"down_bias", spec.downBias},
                              {"outs", spec.init}})))
    return failure();
  // C10.
  if constexpr (!std::is_same_v<OpTy, FFNOp>) {
    if (failed(verifyPacking(op)))
      return failure();
    bool packed = bool(spec.gateUp);
    if (packed && (spec.gateBias || spec.upBias))
      return op.emitOpError("expected gate_up_bias beside gate_up, got ")
             << (spec.gateBias ? "gate_bias" : "up_bias");
    if (!packed && spec.gateUpBias)
      return op.emitOpError("expected gate_up_bias beside gate_up only");
    if (packed && spec.gateLayout != spec.upLayout)
      return op.emitOpError("expected one layout for gate and up in gate_up");
  }
  // C3.
  for (NamedOperand weight :
       {NamedOperand{"gate", spec.gate}, NamedOperand{"up", spec.up},
        NamedOperand{"gate_up", spec.gateUp}, NamedOperand{"down", spec.down}})
    if (weight.value && shapedType(weight.value).getRank() != 2)
      return op.emitOpError("expected ")
             << weight.name << " of rank 2, got rank "
             << shapedType(weight.value).getRank();
  int64_t d = input.getShape().back();
  int64_t hidden = ShapedType::kDynamic;
  StringRef hiddenFrom;
  auto verifyFirst = [&](StringRef name, Value weight, WeightLayout layout,
                         int64_t factor) -> LogicalResult {
    if (!weight)
      return success();
    WeightDims dims = getWeightDims(weight, layout);
    if (!dimsMayMatch(dims.inputs, d))
      return op.emitOpError("expected ")
             << name << " (" << stringifyWeightLayout(layout) << ") with "
             << shapeText(d) << " inputs, the last dim of ins, got "
             << shapeText(dims.inputs) << " in "
             << shapeText(shapedType(weight).getShape());
    if (ShapedType::isDynamic(dims.outputs))
      return success();
    if (dims.outputs % factor != 0)
      return op.emitOpError("expected ")
             << name << " with an even number of outputs, got " << dims.outputs;
    int64_t outputs = dims.outputs / factor;
    if (!dimsMayMatch(outputs, hidden))
      return op.emitOpError("expected ")
             << name << " with " << hidden << " outputs, as " << hiddenFrom
             << " has, got " << outputs << " in "
             << shapeText(shapedType(weight).getShape());
    hidden = outputs;
    hiddenFrom = name;
    return success();
  };
  if (failed(verifyFirst("gate", spec.gate, spec.gateLayout, 1)) ||
      failed(verifyFirst("up", spec.up, spec.upLayout, 1)) ||
      failed(verifyFirst("gate_up", spec.gateUp, spec.gateLayout, 2)))
    return failure();
  WeightDims down = getWeightDims(spec.down, spec.downLayout);
  if (!dimsMayMatch(down.inputs, hidden))
    return op.emitOpError("expected down (")
           << stringifyWeightLayout(spec.downLayout) << ") with " << hidden
           << " inputs, the outputs of " << hiddenFrom << ", got "
           << down.inputs << " in "
           << shapeText(shapedType(spec.down).getShape());
  if (ShapedType::isDynamic(hidden))
    hidden = down.inputs;
  // C4.
  int64_t packedHidden =
      ShapedType::isDynamic(hidden) ? hidden : int64_t(2 * hidden);
  if (failed(verifyShape(op, {"gate_bias", spec.gateBias}, {hidden})) ||
      failed(verifyShape(op, {"up_bias", spec.upBias}, {hidden})) ||
      failed(
          verifyShape(op, {"gate_up_bias", spec.gateUpBias}, {packedHidden})) ||
      failed(verifyShape(op, {"down_bias", spec.downBias}, {down.outputs})))
    return failure();
  // C5.
  Type accumulator = getAccumulatorType(input.getElementType());
  if (failed(verifyNotWider(op,
                            {{"gate", spec.gate},
                             {"up", spec.up},
                             {"gate_up", spec.gateUp},
                             {"down", spec.down},
                             {"gate_bias", spec.gateBias},
                             {"up_bias", spec.upBias},
                             {"gate_up_bias", spec.gateUpBias},
                             {"down_bias", spec.downBias}},
                            accumulator)))
    return failure();
  if (!isDataType(spec.hiddenType) || spec.hiddenType.getIntOrFloatBitWidth() >
                                          accumulator.getIntOrFloatBitWidth())
    return op.emitOpError("expected hidden_type of f16, bf16, f32 or f64 no "
                          "wider than the accumulator ")
           << accumulator << ", got " << spec.hiddenType;
  // C6.
  SmallVector<int64_t> result(input.getShape());
  result.back() = down.outputs;
  if (failed(verifyShape(op, {"outs", spec.init}, result)))
    return failure();
  // C7.
  return verifyResults(op);
}

LogicalResult FFNOp::verify() {
  // C8.
  if (getActivation().getKind() == ActivationKind::ClampedSwish)
    return emitOpError("expected an activation of one operand, got "
                       "clamped_swish, which is a gate");
  return verifyNetwork(*this);
}

// C8: every activation gates.
LogicalResult GLUFFNOp::verify() { return verifyNetwork(*this); }

LogicalResult SwiGLUFFNOp::verify() {
  if (failed(verifyNetwork(*this)))
    return failure();
  // C11.
  Type accumulator =
      getAccumulatorType(shapedType(getInput()).getElementType());
  if (!isFiniteIn(accumulator, getBeta()))
    return emitOpError("expected beta finite in ") << accumulator;
  return success();
}

LogicalResult GatedActOp::verify() {
  // C7.
  if (failed(verifyNoUnknownAttributes(*this)))
    return failure();
  // C2.
  if (failed(verifyKinds(*this, {{"gate", getGate()},
                                 {"up", getUp()},
                                 {"gate_up", getGateUp()},
                                 {"outs", getInit()}})))
    return failure();
  // C5.
  if (failed(verifyPacking(*this)))
    return failure();
  // C1.
  bool packed = bool(getGateUp());
  Value first = packed ? getGateUp() : getGate();
  ShapedType input = shapedType(first);
  if (input.getRank() < 1)
    return emitOpError("expected ")
           << (packed ? "gate_up" : "gate") << " of rank 1 or more, got rank 0";
  // C3.
  SmallVector<int64_t> shape(input.getShape());
  if (packed && !ShapedType::isDynamic(shape.back())) {
    if (shape.back() % 2 != 0)
      return emitOpError("expected gate_up with an even last dim, got ")
             << shape.back();
    shape.back() /= 2;
  }
  if (failed(verifyShape(*this, {"up", getUp()}, shape)) ||
      failed(verifyShape(*this, {"outs", getInit()}, shape)))
    return failure();
  // C4.
  if (failed(verifyNotWider(*this, {{"up", getUp()}},
                            getAccumulatorType(input.getElementType()))))
    return failure();
  // C6.
  return verifyResults(*this);
}

//===----------------------------------------------------------------------===//
// RowOpInterface
//===----------------------------------------------------------------------===//

/// The dims of a weight: `hidden` walks the hidden dim, the other is whole.
static SmallVector<int64_t>
getWeightDomainDims(WeightLayout layout, bool hiddenIsOutput, int64_t hidden) {
  bool hiddenIsFirst = (layout == WeightLayout::OutIn) == hiddenIsOutput;
  return hiddenIsFirst ? SmallVector<int64_t>{hidden, -1}
                       : SmallVector<int64_t>{-1, hidden};
}

/// The dims of rows, then one that is whole.
static SmallVector<int64_t> getRowsThenWhole(int64_t numRowDims) {
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, numRowDims));
  dims.push_back(-1);
  return dims;
}

static SmallVector<int64_t> getNetworkDomainDims(FFNOp op, OpOperand &operand) {
  int64_t hidden = op.getNumRowDims();
  unsigned number = operand.getOperandNumber();
  auto isOperand = [&](unsigned group) {
    auto [start, length] = op.getODSOperandIndexAndLength(group);
    return number >= start && number < start + length;
  };
  if (isOperand(1))
    return getWeightDomainDims(op.getUpLayout(), true, hidden);
  if (isOperand(2))
    return getWeightDomainDims(op.getDownLayout(), false, hidden);
  if (isOperand(3))
    return {hidden};
  if (isOperand(4))
    return {-1};
  return getRowsThenWhole(hidden);
}

template <typename OpTy>
static SmallVector<int64_t> getNetworkDomainDims(OpTy op, OpOperand &operand) {
  int64_t hidden = op.getNumRowDims();
  unsigned number = operand.getOperandNumber();
  auto isOperand = [&](unsigned group) {
    auto [start, length] = op.getODSOperandIndexAndLength(group);
    return number >= start && number < start + length;
  };
  if (isOperand(1))
    return getWeightDomainDims(op.getGateLayout(), true, hidden);
  if (isOperand(2))
    return getWeightDomainDims(op.getUpLayout(), true, hidden);
  if (isOperand(3)) // A tile of the hidden dim is two pieces of it.
    return {-1, -1};
  if (isOperand(4))
    return getWeightDomainDims(op.getDownLayout(), false, hidden);
  if (isOperand(5) || isOperand(6))
    return {hidden};
  if (isOperand(7) || isOperand(8))
    return {-1};
  return getRowsThenWhole(hidden);
}

#define XFMR_NETWORK_ROW_INTERFACE(OpTy)                                       \
  int64_t OpTy::getNumRowDims() {                                              \
    return shapedType(getInput()).getRank() - 1;                               \
  }                                                                            \
  SmallVector<utils::IteratorType> OpTy::getInnerIteratorTypes() {             \
    return {utils::IteratorType::reduction};                                   \
  }                                                                            \
  SmallVector<int64_t> OpTy::getDomainDims(OpOperand &operand) {               \
    return getNetworkDomainDims(*this, operand);                               \
  }                                                                            \
  bool OpTy::isElementwiseInPlace() { return false; }

XFMR_NETWORK_ROW_INTERFACE(FFNOp)
XFMR_NETWORK_ROW_INTERFACE(GLUFFNOp)
XFMR_NETWORK_ROW_INTERFACE(SwiGLUFFNOp)

#undef XFMR_NETWORK_ROW_INTERFACE

int64_t GatedActOp::getNumRowDims() {
  return shapedType(getInit()).getRank() - 1;
}

SmallVector<utils::IteratorType> GatedActOp::getInnerIteratorTypes() {
  return {utils::IteratorType::parallel};
}

SmallVector<int64_t> GatedActOp::getDomainDims(OpOperand &operand) {
  int64_t rows = getNumRowDims();
  // A tile of a packed operand's last dim is two pieces of it.
  if (getGateUp() && operand.getOperandNumber() == 0)
    return getRowsThenWhole(rows);
  return llvm::to_vector(llvm::seq<int64_t>(0, rows + 1));
}

bool GatedActOp::isElementwiseInPlace() {
  // From a packed operand, element i of the result needs elements at other
  // places, which a destination on top of it would have overwritten.
  return !getGateUp();
}
