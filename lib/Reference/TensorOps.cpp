//===- TensorOps.cpp - Tensor ops -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

static LogicalResult runEmpty(Interpreter &interpreter, Operation *op) {
  auto empty = cast<tensor::EmptyOp>(op);
  FailureOr<SmallVector<int64_t>> shape =
      interpreter.indices(op, empty.getMixedSizes());
  if (failed(shape))
    return failure();
  FailureOr<Array> array = interpreter.create(
      op, empty.getType().getElementType(), *shape, /*undefined=*/true);
  if (failed(array))
    return failure();
  interpreter.bind(empty, *array);
  return success();
}

static LogicalResult runCast(Interpreter &interpreter, Operation *op) {
  FailureOr<Array> array = interpreter.array(op, op->getOperand(0));
  if (failed(array) ||
      failed(expectType(interpreter, op, *array, op->getResult(0).getType())))
    return failure();
  interpreter.bind(op->getResult(0), *array);
  return success();
}

/// A copy of a tensor, for an op that changes some of it.
static FailureOr<Array> copyTensor(Interpreter &interpreter, Operation *op,
                                   Value tensor) {
  FailureOr<Array> array = interpreter.array(op, tensor);
  if (failed(array))
    return failure();
  FailureOr<Array> copy =
      interpreter.create(op, array->elementType, array->shape);
  if (succeeded(copy))
    copyElements(*array, *copy);
  return copy;
}

static LogicalResult runInsertSlice(Interpreter &interpreter, Operation *op) {
  auto insert = cast<tensor::InsertSliceOp>(op);
  FailureOr<Array> source = interpreter.array(op, insert.getSource());
  FailureOr<Array> result = copyTensor(interpreter, op, insert.getDest());
  if (failed(source) || failed(result))
    return failure();
  FailureOr<Array> view =
      sliceArray(interpreter, insert, *result, insert.getDroppedDims());
  if (failed(view) || failed(interpreter.write(op, *source, *view)))
    return failure();
  interpreter.bind(insert, *result);
  return success();
}

static LogicalResult runInsert(Interpreter &interpreter, Operation *op) {
  auto insert = cast<tensor::InsertOp>(op);
  FailureOr<Array> result = copyTensor(interpreter, op, insert.getDest());
  FailureOr<RuntimeValue> scalar = interpreter.lookup(op, insert.getScalar());
  if (failed(result) || failed(scalar))
    return failure();
  FailureOr<int64_t> position =
      elementPosition(interpreter, op, *result, insert.getIndices());
  if (failed(position))
    return failure();
  result->set(*position, scalar->number);
  interpreter.bind(insert, *result);
  return success();
}

static LogicalResult runFromElements(Interpreter &interpreter, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  FailureOr<Array> result =
      interpreter.create(op, type.getElementType(), type.getShape());
  if (failed(result))
    return failure();
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    FailureOr<RuntimeValue> scalar = interpreter.lookup(op, operand);
    if (failed(scalar))
      return failure();
    result->set(index, scalar->number);
  }
  interpreter.bind(op->getResult(0), *result);
  return success();
}

static LogicalResult runSplat(Interpreter &interpreter, Operation *op) {
  auto splat = cast<tensor::SplatOp>(op);
  auto type = dyn_cast<RankedTensorType>(splat.getType());
  FailureOr<RuntimeValue> scalar = interpreter.lookup(op, splat.getInput());
  if (failed(scalar) || !type)
    return failure();
  SmallVector<OpFoldResult> sizes;
  Builder builder(op->getContext());
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    sizes.push_back(
        ShapedType::isDynamic(size)
            ? OpFoldResult(splat.getDynamicSizes()[llvm::count_if(
                  type.getShape().take_front(dim), ShapedType::isDynamic)])
            : OpFoldResult(builder.getIndexAttr(size)));
  FailureOr<SmallVector<int64_t>> shape = interpreter.indices(op, sizes);
  if (failed(shape))
    return failure();
  FailureOr<Array> result =
      interpreter.create(op, type.getElementType(), *shape);
  if (failed(result))
    return failure();
  for (int64_t i = 0, count = result->numElements(); i < count; ++i)
    result->set(i, scalar->number);
  interpreter.bind(splat, *result);
  return success();
}

static LogicalResult runConcat(Interpreter &interpreter, Operation *op) {
  auto concat = cast<tensor::ConcatOp>(op);
  const auto dim = static_cast<int64_t>(concat.getDim());
  SmallVector<Array> inputs;
  int64_t extent = 0;
  for (Value operand : concat.getInputs()) {
    FailureOr<Array> input = interpreter.array(op, operand);
    if (failed(input))
      return failure();
    extent += input->shape[dim];
    inputs.push_back(*input);
  }
  SmallVector<int64_t> shape = inputs.front().shape;
  shape[dim] = extent;
  FailureOr<Array> result =
      interpreter.create(op, inputs.front().elementType, shape);
  if (failed(result))
    return failure();
  Array part = *result;
  for (const Array &input : inputs) {
    part.shape[dim] = input.shape[dim];
    if (failed(interpreter.write(op, input, part)))
      return failure();
    part.offset += input.shape[dim] * part.strides[dim];
  }
  interpreter.bind(concat, *result);
  return success();
}

void mlir::xfmr::reference::addTensorHandlers(HandlerTable &table) {
  table["tensor.empty"] = runEmpty;
  table["tensor.cast"] = runCast;
  table["tensor.dim"] = runDim;
  table["tensor.extract_slice"] = runSlice<tensor::ExtractSliceOp>;
  table["tensor.insert_slice"] = runInsertSlice;
  table["tensor.expand_shape"] = runExpandShape<tensor::ExpandShapeOp>;
  table["tensor.collapse_shape"] =
      runCollapseShape<tensor::CollapseShapeOp, /*mayCopy=*/true>;
  table["tensor.extract"] = runReadElement;
  table["tensor.insert"] = runInsert;
  table["tensor.from_elements"] = runFromElements;
  table["tensor.splat"] = runSplat;
  table["tensor.concat"] = runConcat;
}
