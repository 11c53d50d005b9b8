//===- VerifierUtils.cpp - Checks that the ops' verifiers share -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"
#include "AssemblyFormat.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::xfmr;

static constexpr StringLiteral kMask = "mask";

LogicalResult xfmr::verifyNoUnknownAttributes(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (!attribute.getName().getValue().contains('.'))
      return op->emitOpError("expected no attribute '")
             << attribute.getName().getValue()
             << "': it is neither the op's nor prefixed by a dialect";
  return success();
}

LogicalResult xfmr::verifyKinds(OperandDimsInterface op) {
  OpOperand &first = op->getOpOperand(0);
  bool onTensors = isa<TensorType>(first.get().getType());
  for (OpOperand &operand : op->getOpOperands()) {
    StringRef name = op.getOperandName(operand);
    Type type = operand.get().getType();
    Type element = elementType(operand.get());
    if (name == kMask ? !element.isInteger(1) : !isDataType(element))
      return op->emitOpError("expected ")
             << name << " of element type "
             << (name == kMask ? "i1" : "f16, bf16, f32 or f64") << ", got "
             << element;
    if (isa<TensorType>(type) != onTensors)
      return op->emitOpError("expected ")
             << name << " to be a " << (onTensors ? "tensor" : "memref")
             << " as " << op.getOperandName(first) << " is, got " << type;
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getEncoding())
      return op->emitOpError("expected ")
             << name << " without an encoding, got " << type;
  }
  return success();
}

LogicalResult xfmr::verifyOperandDims(OperandDimsInterface op) {
  // Where the size of a symbol is known from.
  struct Known {
    OpOperand *operand;
    int64_t dim, extent, factor;
  };
  llvm::SmallDenseMap<int64_t, Known> known;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<OperandDim> dims = op.getOperandDims(operand);
    ArrayRef<int64_t> shape = shapedType(operand.get()).getShape();
    StringRef name = op.getOperandName(operand);
    if (shape.size() != dims.size())
      return op->emitOpError("expected ") << name << " of rank " << dims.size()
                                          << ", got rank " << shape.size();
    for (auto [i, dim, extent] : llvm::enumerate(dims, shape)) {
      if (ShapedType::isDynamic(extent))
        continue;
      if (extent % dim.factor != 0)
        return op->emitOpError("expected dim ")
               << i << " of " << name << " to be even, got " << extent;
      auto [it, inserted] = known.try_emplace(
          dim.symbol, Known{&operand, int64_t(i), extent, dim.factor});
      const Known &other = it->second;
      // Compares without the product, which could overflow.
      if (extent / dim.factor == other.extent / other.factor)
        continue;
      return op->emitOpError("expected dim ")
             << i << " of " << name << " to be "
             << (dim.factor == other.factor  ? "dim "
                 : dim.factor > other.factor ? "twice dim "
                                             : "half of dim ")
             << other.dim << " of " << op.getOperandName(*other.operand)
             << ", which is " << other.extent << ", got " << extent;
    }
  }
  return success();
}

LogicalResult xfmr::verifyNotWider(OperandDimsInterface op, Type accumulator) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Type element = elementType(operand->get());
    if (element.getIntOrFloatBitWidth() > accumulator.getIntOrFloatBitWidth())
      return op->emitOpError("expected ")
             << op.getOperandName(*operand) << " no wider than the accumulator "
             << accumulator << ", got " << element;
  }
  return success();
}

LogicalResult xfmr::verifyDestinations(OperandDimsInterface op, bool inPlace) {
  auto walkedAlike = [&](OpOperand &a, OpOperand &b) {
    return op.getOperandDims(a) == op.getOperandDims(b);
  };
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (!isa<MemRefType>(init.get().getType()))
      continue;
    for (OpOperand &other : op->getOpOperands()) {
      if (&other == &init || other.get() != init.get() ||
          (inPlace && !op.isDpsInit(&other) && walkedAlike(init, other)))
        continue;
      return op->emitOpError("expected ")
             << op.getOperandName(init) << " to be another memref than "
             << op.getOperandName(other);
    }
  }
  return success();
}

bool xfmr::isFiniteIn(Type accumulator, const APFloat &value) {
  APFloat converted = value;
  bool losesInfo = false;
  converted.convert(cast<FloatType>(accumulator).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
  return converted.isFinite();
}

LogicalResult xfmr::verifyActivation(Operation *op, ActivationAttr activation,
                                     Type accumulator) {
  for (auto [name, value] : {std::pair("beta", activation.getBeta()),
                             std::pair("limit", activation.getLimit()),
                             std::pair("up_offset", activation.getUpOffset())})
    if (value && !isFiniteIn(accumulator, value.getValue()))
      return op->emitOpError("expected the activation's ")
             << name << " finite in " << accumulator << ", got "
             << toShortest(value.getValueAsDouble());
  return success();
}

LogicalResult xfmr::verifyNormAttributes(Operation *op, StringRef prefix,
                                         const APFloat &eps,
                                         const APFloat &weightOffset,
                                         bool hasGamma, RoundingAttr rounding,
                                         Type input, Type result) {
  Type accumulator = getAccumulatorType(input);
  unsigned accumulatorWidth = accumulator.getIntOrFloatBitWidth();
  // C6.
  if (!isFiniteIn(accumulator, eps) || (eps.isNegative() && !eps.isZero()))
    return op->emitOpError("expected ")
           << prefix << "eps finite in " << accumulator << " and >= 0, got "
           << toShortest(eps.convertToDouble());
  // C7.
  if (!isFiniteIn(accumulator, weightOffset))
    return op->emitOpError("expected ")
           << prefix << "weight_offset finite in " << accumulator << ", got "
           << toShortest(weightOffset.convertToDouble());
  if (!weightOffset.isZero() && !hasGamma)
    return op->emitOpError("expected ")
           << prefix << "gamma beside a weight_offset";
  // C8.
  if (!rounding) {
    if (result.getIntOrFloatBitWidth() < accumulatorWidth)
      return op->emitOpError("expected ")
             << prefix << "rounding, as the result's type " << result
             << " is narrower than the accumulator " << accumulator;
    return success();
  }
  Type storage = rounding.getStorage();
  if (!storage)
    return success();
  if (rounding.getMode() != RoundingMode::CastThenScale)
    return op->emitOpError("expected ")
           << prefix << "rounding to give a type to cast_then_scale only";
  if (!isDataType(storage) ||
      storage.getIntOrFloatBitWidth() > accumulatorWidth)
    return op->emitOpError("expected ")
           << prefix
           << "rounding to a type of f16, bf16, f32 or f64 no wider than the "
              "accumulator "
           << accumulator << ", got " << storage;
  return success();
}

LogicalResult xfmr::verifyUnbiased(Operation *op, bool unbiased,
                                   ArrayRef<int64_t> row) {
  if (!unbiased || ShapedType::isDynamicShape(row))
    return success();
  int64_t count = ShapedType::getNumElements(row);
  if (count >= 2)
    return success();
  return op->emitOpError("expected 2 elements or more a row for unbiased, got ")
         << count;
}
