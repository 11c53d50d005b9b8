//===- MemRefOps.cpp - Memref and bufferization ops -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"
#include "Views.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

/// memref.alloc, memref.alloca and bufferization.alloc_tensor.
template <typename Op>
static LogicalResult runAlloc(Interpreter &interpreter, Operation *op) {
  auto alloc = cast<Op>(op);
  auto type = cast<ShapedType>(alloc.getType());
  SmallVector<int64_t> shape(type.getShape());
  ValueRange sizes = alloc.getDynamicSizes();
  for (int64_t &size : shape) {
    if (!ShapedType::isDynamic(size))
      continue;
    if (sizes.empty())
      return op->emitOpError("expected a size for every dynamic dim");
    FailureOr<int64_t> value = interpreter.index(op, sizes.front());
    if (failed(value))
      return failure();
    size = *value;
    sizes = sizes.drop_front();
  }
  FailureOr<Array> array = interpreter.create(op, type.getElementType(), shape,
                                              /*undefined=*/true);
  if (failed(array))
    return failure();
  interpreter.bind(op->getResult(0), *array);
  return success();
}

static LogicalResult runAllocTensor(Interpreter &interpreter, Operation *op) {
  auto alloc = cast<bufferization::AllocTensorOp>(op);
  if (!alloc.getCopy())
    return runAlloc<bufferization::AllocTensorOp>(interpreter, op);
  FailureOr<Array> array = interpreter.array(op, alloc.getCopy());
  if (failed(array))
    return failure();
  interpreter.bind(alloc, *array);
  return success();
}

/// The result is its first operand, whatever the types say besides the shape.
static LogicalResult runSame(Interpreter &interpreter, Operation *op) {
  if (op->getNumResults() == 0)
    return success();
  FailureOr<Array> array = interpreter.array(op, op->getOperand(0));
  if (failed(array) ||
      failed(expectType(interpreter, op, *array, op->getResult(0).getType())))
    return failure();
  interpreter.bind(op->getResult(0), *array);
  return success();
}

static LogicalResult runTranspose(Interpreter &interpreter, Operation *op) {
  auto transpose = cast<memref::TransposeOp>(op);
  FailureOr<Array> array = interpreter.array(op, transpose.getIn());
  if (failed(array))
    return failure();
  AffineMap permutation = transpose.getPermutation();
  Array view = *array;
  for (auto [dim, expression] : llvm::enumerate(permutation.getResults())) {
    unsigned from = cast<AffineDimExpr>(expression).getPosition();
    view.shape[dim] = array->shape[from];
    view.strides[dim] = array->strides[from];
  }
  interpreter.bind(transpose, view);
  return success();
}

static LogicalResult runCopy(Interpreter &interpreter, Operation *op) {
  FailureOr<Array> from = interpreter.array(op, op->getOperand(0));
  FailureOr<Array> to = interpreter.array(op, op->getOperand(1));
  if (failed(from) || failed(to))
    return failure();
  return interpreter.write(op, *from, *to);
}

static LogicalResult runStore(Interpreter &interpreter, Operation *op) {
  auto store = cast<memref::StoreOp>(op);
  FailureOr<Array> array = interpreter.array(op, store.getMemRef());
  FailureOr<RuntimeValue> value =
      interpreter.lookup(op, store.getValueToStore());
  if (failed(array) || failed(value))
    return failure();
  FailureOr<int64_t> position =
      elementPosition(interpreter, op, *array, store.getIndices());
  if (failed(position))
    return failure();
  if (array->storage->getSize() > kMaxElements)
    return op->emitOpError("writes to more memory than the reference holds");
  array->set(*position, value->number);
  return success();
}

static LogicalResult runGetGlobal(Interpreter &interpreter, Operation *op) {
  auto get = cast<memref::GetGlobalOp>(op);
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, get.getNameAttr());
  auto value = global && global.getConstant()
                   ? dyn_cast_or_null<TypedAttr>(
                         global.getInitialValue().value_or(Attribute()))
                   : TypedAttr();
  if (!value)
    return op->emitOpError("expected a constant global for the reference");
  FailureOr<RuntimeValue> constant = evaluateConstant(interpreter, op, value);
  if (failed(constant))
    return failure();
  interpreter.bind(get, *constant);
  return success();
}

static LogicalResult runToTensor(Interpreter &interpreter, Operation *op) {
  auto toTensor = cast<bufferization::ToTensorOp>(op);
  FailureOr<Array> memory = interpreter.array(op, toTensor.getBuffer());
  if (failed(memory))
    return failure();
  FailureOr<Array> tensor = interpreter.snapshot(op, *memory);
  if (failed(tensor))
    return failure();
  interpreter.bind(toTensor, *tensor);
  return success();
}

static LogicalResult runToBuffer(Interpreter &interpreter, Operation *op) {
  auto toBuffer = cast<bufferization::ToBufferOp>(op);
  FailureOr<Array> tensor = interpreter.array(op, toBuffer.getTensor());
  if (failed(tensor))
    return failure();
  FailureOr<Array> memory = interpreter.snapshot(op, *tensor);
  if (failed(memory))
    return failure();
  interpreter.bind(toBuffer, *memory);
  return success();
}

static LogicalResult runMaterialize(Interpreter &interpreter, Operation *op) {
  auto materialize = cast<bufferization::MaterializeInDestinationOp>(op);
  FailureOr<Array> source = interpreter.array(op, materialize.getSource());
  FailureOr<Array> target = interpreter.array(op, materialize.getDest());
  if (failed(source) || failed(target))
    return failure();
  if (isa<MemRefType>(materialize.getDest().getType()))
    return interpreter.write(op, *source, *target);
  interpreter.bind(op->getResult(0), *source);
  return success();
}

static LogicalResult runNothing(Interpreter &, Operation *) {
  return success();
}

void mlir::xfmr::reference::addMemRefHandlers(HandlerTable &table) {
  table["memref.alloc"] = runAlloc<memref::AllocOp>;
  table["memref.alloca"] = runAlloc<memref::AllocaOp>;
  table["memref.dealloc"] = runNothing;
  table["memref.cast"] = runSame;
  table["memref.assume_alignment"] = runSame;
  table["memref.subview"] = runSlice<memref::SubViewOp>;
  table["memref.expand_shape"] = runExpandShape<memref::ExpandShapeOp>;
  table["memref.collapse_shape"] =
      runCollapseShape<memref::CollapseShapeOp, /*mayCopy=*/false>;
  table["memref.transpose"] = runTranspose;
  table["memref.copy"] = runCopy;
  table["memref.dim"] = runDim;
  table["memref.load"] = runReadElement;
  table["memref.store"] = runStore;
  table["memref.get_global"] = runGetGlobal;
  table["bufferization.alloc_tensor"] = runAllocTensor;
  table["bufferization.to_tensor"] = runToTensor;
  table["bufferization.to_buffer"] = runToBuffer;
  table["bufferization.materialize_in_destination"] = runMaterialize;
}
