//===- XfmrFFNOps.cpp - Network ops: their parts and their verifiers ------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "InterfaceImpl.h"
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
    spec.activation = ActivationAttr::get(
        op.getContext(), ActivationKind::Swish,
        FloatAttr::get(Float64Type::get(op.getContext()), op.getBeta()),
        FloatAttr(), FloatAttr());
  else
    spec.activation = op.getActivation();
  return spec;
}

FFNSpec FFNOp::getFFNSpec() { return getSpec(*this); }
FFNSpec GLUFFNOp::getFFNSpec() { return getSpec(*this); }
FFNSpec SwiGLUFFNOp::getFFNSpec() { return getSpec(*this); }

/// The dims of a weight, by their part in the product.
static SmallVector<OperandDim>
getWeightDims(WeightLayout layout, OperandDim inputs, OperandDim outputs) {
  if (layout == WeightLayout::InOut)
    return {inputs, outputs};
  return {outputs, inputs};
}

SmallVector<OperandDim> network_op::getOperandDims(const FFNSpec &spec,
                                                   RowOpInterface op,
                                                   OpOperand &operand) {
  // The symbols: rows, the hidden dim, the dims of x and of the result.
  int64_t numRows = shapedType(spec.input).getRank() - 1;
  OperandDim hidden{numRows}, packed{numRows, 2}, in{numRows + 1},
      out{numRows + 2};
  StringRef name = op.getOperandName(operand);
  if (name == "gate")
    return getWeightDims(spec.gateLayout, in, hidden);
  if (name == "up")
    return getWeightDims(spec.upLayout, in, hidden);
  if (name == "gate_up")
    return getWeightDims(spec.gateLayout, in, packed);
  if (name == "down")
    return getWeightDims(spec.downLayout, hidden, out);
  if (name == "gate_bias" || name == "up_bias")
    return {hidden};
  if (name == "gate_up_bias")
    return {packed};
  if (name == "down_bias")
    return {out};
  auto dims = llvm::map_to_vector(llvm::seq<int64_t>(0, numRows),
                                  [](int64_t dim) { return OperandDim{dim}; });
  dims.push_back(name == "ins" ? in : out);
  return dims;
}

int64_t GatedActOp::getNumRowDims() {
  return shapedType(getInit()).getRank() - 1;
}

SmallVector<utils::IteratorType> GatedActOp::getInnerIteratorTypes() {
  return {utils::IteratorType::parallel};
}

SmallVector<OperandDim> GatedActOp::getOperandDims(OpOperand &operand) {
  auto dims = llvm::map_to_vector(llvm::seq<int64_t>(0, getNumRowDims() + 1),
                                  [](int64_t dim) { return OperandDim{dim}; });
  if (getOperandName(operand) == "gate_up")
    dims.back().factor = 2;
  return dims;
}

bool GatedActOp::isElementwiseInPlace() {
  // From a packed operand, element i of the result needs elements at other
  // places, which a destination on top of it would have overwritten.
  return !getGateUp();
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

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

template <typename OpTy> static LogicalResult verifyGatedOperands(OpTy op) {
  if (failed(verifyPacking(op)))
    return failure();
  bool packed = bool(op.getGateUp());
  if (packed && (op.getGateBias() || op.getUpBias()))
    return op.emitOpError("expected gate_up_bias beside gate_up, got ")
           << (op.getGateBias() ? "gate_bias" : "up_bias");
  if (!packed && op.getGateUpBias())
    return op.emitOpError("expected gate_up_bias beside gate_up only");
  if (packed && op.getGateLayout() != op.getUpLayout())
    return op.emitOpError("expected one layout for gate and up in gate_up");
  return success();
}

template <typename OpTy> static LogicalResult verifyNetwork(OpTy op) {
  // C8, C1, C2.
  if (failed(verifyNoUnknownAttributes(op)))
    return failure();
  ShapedType input = shapedType(op.getInput());
  if (input.getRank() < 1)
    return op.emitOpError("expected ins of rank 1 or more, got rank 0");
  if (failed(verifyKinds(op)))
    return failure();
  // C10 of the gated networks.
  if constexpr (!std::is_same_v<OpTy, FFNOp>)
    if (failed(verifyGatedOperands(op)))
      return failure();
  // C3, C4, C6, and C5 of the operands.
  Type accumulator = getAccumulatorType(input.getElementType());
  if (failed(verifyOperandDims(op)) || failed(verifyNotWider(op, accumulator)))
    return failure();
  // C5 of the hidden type.
  Type hiddenType = op.getFFNSpec().hiddenType;
  if (!isDataType(hiddenType) ||
      hiddenType.getIntOrFloatBitWidth() > accumulator.getIntOrFloatBitWidth())
    return op.emitOpError("expected hidden_type of f16, bf16, f32 or f64 no "
                          "wider than the accumulator ")
           << accumulator << ", got " << hiddenType;
  // C7: DestinationStyleOpInterface. C9.
  return verifyDestinations(op, op.isElementwiseInPlace());
}

LogicalResult FFNOp::verify() {
  if (failed(verifyNetwork(*this)))
    return failure();
  // C10.
  if (getActivation().getKind() == ActivationKind::ClampedSwish)
    return emitOpError("expected an activation of one operand, got "
                       "clamped_swish, which is a gate");
  return verifyActivation(*this, getActivation(),
                          getAccumulatorType(elementType(getInput())));
}

LogicalResult GLUFFNOp::verify() {
  if (failed(verifyNetwork(*this)))
    return failure();
  // C11.
  return verifyActivation(*this, getActivation(),
                          getAccumulatorType(elementType(getInput())));
}

LogicalResult SwiGLUFFNOp::verify() {
  // C11: an activation has finite parameters, so first of all.
  if (!getBeta().isFinite())
    return emitOpError("expected beta finite, got ")
           << toShortest(getBeta().convertToDouble());
  if (failed(verifyNetwork(*this)))
    return failure();
  Type accumulator = getAccumulatorType(elementType(getInput()));
  if (!isFiniteIn(accumulator, getBeta()))
    return emitOpError("expected beta finite in ")
           << accumulator << ", got "
           << toShortest(getBeta().convertToDouble());
  return success();
}

LogicalResult GatedActOp::verify() {
  // C7, C5.
  if (failed(verifyNoUnknownAttributes(*this)) || failed(verifyPacking(*this)))
    return failure();
  // C1, C2.
  OpOperand &first = getOperation()->getOpOperand(0);
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (shapedType(operand.get()).getRank() < 1)
      return emitOpError("expected ")
             << getOperandName(operand) << " of rank 1 or more, got rank 0";
  if (failed(verifyKinds(*this)))
    return failure();
  // C3, C4.
  Type accumulator = getAccumulatorType(elementType(first.get()));
  if (failed(verifyOperandDims(*this)) ||
      failed(verifyNotWider(*this, accumulator)))
    return failure();
  // C6: DestinationStyleOpInterface. C9, C8.
  if (failed(verifyDestinations(*this, isElementwiseInPlace())))
    return failure();
  return verifyActivation(*this, getActivation(), accumulator);
}
