//===- VerifierUtils.cpp - Checks that the ops' verifiers share -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::xfmr;

std::string xfmr::shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "no dims";
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      shape, os,
      [&](int64_t dim) {
        if (ShapedType::isDynamic(dim))
          os << '?';
        else
          os << dim;
      },
      "x");
  return text;
}

LogicalResult xfmr::verifyKinds(Operation *op,
                                ArrayRef<NamedOperand> operands) {
  std::optional<NamedOperand> first;
  for (const NamedOperand &operand : operands) {
    if (!operand.value)
      continue;
    Type element = shapedType(operand.value).getElementType();
    if (!isDataType(element))
      return op->emitOpError("expected ")
             << operand.name << " of element type f16, bf16, f32 or f64, got "
             << element;
    if (!first)
      first = operand;
    bool isTensor = isa<TensorType>(operand.value.getType());
    if (isTensor != isa<TensorType>(first->value.getType()))
      return op->emitOpError("expected ")
             << operand.name << " to be a " << (isTensor ? "memref" : "tensor")
             << " as " << first->name << " is, got " << operand.value.getType();
  }
  return success();
}

LogicalResult xfmr::verifyShape(Operation *op, NamedOperand operand,
                                ArrayRef<int64_t> expected) {
  if (!operand.value)
    return success();
  ArrayRef<int64_t> shape = shapedType(operand.value).getShape();
  if (shape.size() != expected.size())
    return op->emitOpError("expected ")
           << operand.name << " of rank " << expected.size() << ", got rank "
           << shape.size();
  if (llvm::all_of(llvm::zip_equal(shape, expected), [](auto dims) {
        return dimsMayMatch(std::get<0>(dims), std::get<1>(dims));
      }))
    return success();
  if (shape.size() == 1)
    return op->emitOpError("expected ") << operand.name << " of " << expected[0]
                                        << " elements, got " << shape[0];
  return op->emitOpError("expected ")
         << operand.name << " of shape " << shapeText(expected) << ", got "
         << shapeText(shape);
}

LogicalResult xfmr::verifyNotWider(Operation *op,
                                   ArrayRef<NamedOperand> operands,
                                   Type accumulator) {
  for (const NamedOperand &operand : operands) {
    if (!operand.value)
      continue;
    Type element = shapedType(operand.value).getElementType();
    if (element.getIntOrFloatBitWidth() > accumulator.getIntOrFloatBitWidth())
      return op->emitOpError("expected ")
             << operand.name << " no wider than the accumulator " << accumulator
             << ", got " << element;
  }
  return success();
}

LogicalResult xfmr::verifyNoUnknownAttributes(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (!attribute.getName().getValue().contains('.'))
      return op->emitOpError("expected no attribute '")
             << attribute.getName().getValue()
             << "': it is neither the op's nor prefixed by a dialect";
  return success();
}

LogicalResult xfmr::verifyResults(Operation *op) {
  auto destinationStyle = cast<DestinationStyleOpInterface>(op);
  unsigned expected = 0;
  for (OpOperand &init : destinationStyle.getDpsInitsMutable())
    expected += isa<TensorType>(init.get().getType());
  if (op->getNumResults() != expected)
    return op->emitOpError("expected ")
           << expected << " results, one a tensor destination, got "
           << op->getNumResults();
  return success();
}

bool xfmr::isFiniteIn(Type accumulator, const APFloat &value) {
  APFloat converted = value;
  bool losesInfo = false;
  converted.convert(cast<FloatType>(accumulator).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
  return converted.isFinite();
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
           << FloatAttr::get(Float64Type::get(op->getContext()), eps);
  // C7.
  if (!isFiniteIn(accumulator, weightOffset))
    return op->emitOpError("expected ")
           << prefix << "weight_offset finite in " << accumulator;
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
