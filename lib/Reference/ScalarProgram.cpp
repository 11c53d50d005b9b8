//===- ScalarProgram.cpp - Blocks of scalar ops, constants -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

template <typename... Ops>
static void appendNames(SmallVectorImpl<StringRef> &names) {
  (names.push_back(Ops::getOperationName()), ...);
}

void mlir::xfmr::reference::appendScalarOpNames(
    SmallVectorImpl<StringRef> &names) {
  using namespace arith;
  appendNames<ConstantOp, AddFOp, SubFOp, MulFOp, DivFOp, RemFOp, NegFOp,
              MaximumFOp, MinimumFOp, MaxNumFOp, MinNumFOp, ExtFOp, TruncFOp,
              CmpFOp, SelectOp, SIToFPOp, UIToFPOp, FPToSIOp, FPToUIOp, AddIOp,
              SubIOp, MulIOp, AndIOp, OrIOp, XOrIOp, DivSIOp, DivUIOp, RemSIOp,
              RemUIOp, FloorDivSIOp, CeilDivSIOp, CeilDivUIOp, MaxSIOp, MinSIOp,
              MaxUIOp, MinUIOp, ShLIOp, ShRSIOp, ShRUIOp, CmpIOp, ExtSIOp,
              ExtUIOp, TruncIOp, BitcastOp, IndexCastOp, IndexCastUIOp>(names);
  appendNames<math::AbsFOp, math::CeilOp, math::ClampFOp, math::CopySignOp,
              math::CosOp, math::ErfOp, math::ErfcOp, math::Exp2Op, math::ExpOp,
              math::ExpM1Op, math::FloorOp, math::FmaOp, math::Log10Op,
              math::Log1pOp, math::Log2Op, math::LogOp, math::PowFOp,
              math::RoundEvenOp, math::RoundOp, math::RsqrtOp, math::SinOp,
              math::SqrtOp, math::TanhOp, math::TruncOp>(names);
  appendNames<affine::AffineApplyOp, affine::AffineMaxOp, affine::AffineMinOp>(
      names);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static std::optional<Number> getConstantNumber(Attribute attribute) {
  if (auto value = dyn_cast<FloatAttr>(attribute)) {
    // Exact for every float type that can be held.
    if (getFloatFormat(value.getType()))
      return Number{static_cast<long double>(value.getValueAsDouble()), 0, 0};
    return std::nullopt;
  }
  auto value = dyn_cast<IntegerAttr>(attribute);
  if (!value || !getElementKind(value.getType()))
    return std::nullopt;
  const APInt &bits = value.getValue();
  return Number{bits.getBitWidth() == 1
                    ? static_cast<long double>(bits.getZExtValue())
                    : static_cast<long double>(bits.getSExtValue()),
                0, 0};
}

/// An array that reads the attribute's own memory.
static Array makeConstantArray(ElementKind kind, ShapedType type,
                               const void *data, bool splat) {
  Array array;
  array.elementType = type.getElementType();
  array.shape.assign(type.getShape().begin(), type.getShape().end());
  array.strides = rowMajorStrides(array.shape);
  if (splat)
    array.strides.assign(array.shape.size(), 0);
  array.storage = std::make_shared<Storage>(
      kind, array.elementType, data, 0, splat ? 1 : countElements(array.shape));
  return array;
}

FailureOr<RuntimeValue>
mlir::xfmr::reference::evaluateConstant(Interpreter &interpreter, Operation *op,
                                        TypedAttr attribute) {
  if (std::optional<Number> number = getConstantNumber(attribute))
    return RuntimeValue(*number);
  auto type = dyn_cast<ShapedType>(attribute.getType());
  std::optional<ElementKind> kind =
      type && type.hasStaticShape() && !isa<VectorType>(type)
          ? getElementKind(type.getElementType())
          : std::nullopt;
  if (kind) {
    if (auto dense = dyn_cast<DenseElementsAttr>(attribute);
        dense && *kind == ElementKind::I1) {
      FailureOr<Array> array =
          interpreter.create(op, type.getElementType(), type.getShape());
      if (failed(array))
        return failure();
      for (auto [index, bit] : llvm::enumerate(dense.getValues<bool>()))
        array->set(index, {bit ? 1.0L : 0.0L, 0, 0});
      return RuntimeValue(*array);
    } else if (dense) {
      return RuntimeValue(makeConstantArray(
          *kind, type, dense.getRawData().data(), dense.isSplat()));
    }
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
      AsmResourceBlob *blob = resource.getRawHandle().getBlob();
      const int64_t count = countElements(type.getShape());
      if (blob && count >= 0 && *kind != ElementKind::I1 &&
          static_cast<int64_t>(blob->getData().size()) ==
              count * getElementSize(*kind))
        return RuntimeValue(makeConstantArray(*kind, type,
                                              blob->getData().data(),
                                              /*splat=*/false));
    }
  }
  op->emitOpError("has a constant that the reference cannot read");
  return failure();
}

//===----------------------------------------------------------------------===//
// Single ops
//===----------------------------------------------------------------------===//

LogicalResult mlir::xfmr::reference::runScalarOp(Interpreter &interpreter,
                                                 Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    FailureOr<RuntimeValue> value =
        evaluateConstant(interpreter, op, constant.getValue());
    if (failed(value))
      return failure();
    interpreter.bind(constant, *value);
    return success();
  }
  ScalarFunction function = getScalarFunction(op, interpreter.isRelaxed());
  Type type = function ? op->getResult(0).getType() : Type();
  if (!function || isa<VectorType>(type))
    return op->emitOpError("is not supported by the reference");

  SmallVector<RuntimeValue> operands;
  std::optional<SmallVector<int64_t>> shape;
  for (Value operand : op->getOperands()) {
    FailureOr<RuntimeValue> value = interpreter.lookup(op, operand);
    if (failed(value))
      return failure();
    if (!value->array) {
      FailureOr<Number> number = interpreter.number(op, operand);
      if (failed(number))
        return failure();
      operands.push_back(*number);
      continue;
    }
    if (shape && failed(interpreter.expectShape(op, *value->array, *shape,
                                                "an operand")))
      return failure();
    shape = value->array->shape;
    operands.push_back(*value);
  }
  SmallVector<Number> numbers(operands.size());
  if (!shape) {
    for (auto [number, operand] : llvm::zip_equal(numbers, operands))
      number = operand.number;
    interpreter.bind(op->getResult(0), normalized(function(numbers.data())));
    return success();
  }
  FailureOr<Array> result =
      interpreter.create(op, getElementTypeOrSelf(type), *shape);
  if (failed(result))
    return failure();
  SmallVector<std::vector<int64_t>> offsets;
  for (const RuntimeValue &operand : operands)
    offsets.push_back(operand.array ? operand.array->offsets()
                                    : std::vector<int64_t>());
  for (int64_t i = 0, count = result->numElements(); i < count; ++i) {
    for (auto [number, operand, positions] :
         llvm::zip_equal(numbers, operands, offsets))
      number = operand.array
                   ? operand.array->read(operand.array->offset + positions[i])
                   : operand.number;
    result->set(i, normalized(function(numbers.data())));
  }
  interpreter.bind(op->getResult(0), *result);
  return success();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

unsigned ScalarProgram::addSlot(Value value, const Number &number) {
  slots[value] = settled.size();
  settled.push_back(number);
  pending.push_back(number);
  return settled.size() - 1;
}

std::optional<unsigned> ScalarProgram::getSlot(Value value) const {
  auto it = slots.find(value);
  return it == slots.end() ? std::nullopt : std::optional(it->second);
}

FailureOr<ScalarFunction> ScalarProgram::getExtract(Interpreter &interpreter,
                                                    Operation *op,
                                                    Value array) {
  FailureOr<Array> found = interpreter.array(op, array);
  if (failed(found))
    return failure();
  return ScalarFunction([array = *found, invalid = invalid](const Number *o) {
    int64_t position = array.offset;
    for (auto [dim, size] : llvm::enumerate(array.shape)) {
      // The first operand is the array itself.
      const Number &index = o[dim + 1];
      if (!index.isExact() || !(index.value >= 0 && index.value < size)) {
        *invalid = true;
        return Number();
      }
      position += static_cast<int64_t>(index.value) * array.strides[dim];
    }
    return array.get(position);
  });
}

FailureOr<ScalarFunction> ScalarProgram::getFunction(Interpreter &interpreter,
                                                     Operation *op) {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return ScalarFunction([indices = indices,
                           dim = index.getDim()](const Number *) {
      return Number{
          dim < indices->size() ? static_cast<long double>((*indices)[dim]) : 0,
          0, 0};
    });
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return getExtract(interpreter, op, extract.getTensor());
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return getExtract(interpreter, op, load.getMemRef());
  if (ScalarFunction function = getScalarFunction(op, interpreter.isRelaxed()))
    if (!isa<ShapedType>(op->getResult(0).getType()))
      return function;
  op->emitOpError("is not supported by the reference in the body of an op");
  return failure();
}

LogicalResult ScalarProgram::compile(Interpreter &interpreter, Block &block) {
  for (BlockArgument argument : block.getArguments())
    addSlot(argument, Number());
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      FailureOr<RuntimeValue> value =
          evaluateConstant(interpreter, &op, constant.getValue());
      if (failed(value))
        return failure();
      if (value->array)
        return op.emitOpError("is not supported by the reference in the body "
                              "of an op");
      addSlot(constant, value->number);
      continue;
    }
    FailureOr<ScalarFunction> function = getFunction(interpreter, &op);
    if (failed(function))
      return failure();
    Instruction instruction;
    instruction.function = *function;
    instruction.format = getFloatFormat(op.getResult(0).getType());
    instruction.truncates = isa<arith::TruncFOp>(op);
    for (Value operand : op.getOperands()) {
      if (std::optional<unsigned> slot = getSlot(operand)) {
        instruction.operands.push_back(*slot);
        continue;
      }
      Number number;
      if (!isa<ShapedType>(operand.getType())) {
        FailureOr<Number> captured = interpreter.number(&op, operand);
        if (failed(captured))
          return failure();
        number = *captured;
      }
      instruction.operands.push_back(addSlot(operand, number));
    }
    instruction.result = addSlot(op.getResult(0), Number());
    instructions.push_back(std::move(instruction));
  }
  // Values from outside that the block yields as they are.
  for (Value operand : block.getTerminator()->getOperands()) {
    if (getSlot(operand))
      continue;
    FailureOr<Number> captured =
        interpreter.number(block.getTerminator(), operand);
    if (failed(captured))
      return failure();
    addSlot(operand, *captured);
  }
  return success();
}

bool ScalarProgram::run() {
  *invalid = false;
  SmallVector<Number, 4> operands;
  for (const Instruction &instruction : instructions) {
    operands.clear();
    for (unsigned slot : instruction.operands)
      operands.push_back(settled[slot]);
    Number result = normalized(instruction.function(operands.data()));
    pending[instruction.result] = result;
    settled[instruction.result] = !instruction.format ? result
                                  : instruction.truncates
                                      ? roundWithin(*instruction.format, result)
                                      : settle(*instruction.format, result);
  }
  return !*invalid;
}
