//===- Interpreter.cpp - Runs the ops of a function one by one -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "ScalarOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "xfmr/Reference/Evaluator.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

/// Calls deeper than this are taken for a recursion without end.
static constexpr size_t kMaxCallDepth = 64;

const HandlerTable &mlir::xfmr::reference::getHandlers() {
  static const HandlerTable table = [] {
    HandlerTable table;
#define XFMR_HANDLERS(FAMILY) add##FAMILY##Handlers(table);
#include "Handlers.def"
    return table;
  }();
  return table;
}

SmallVector<StringRef> mlir::xfmr::reference::supportedOps() {
  SmallVector<StringRef> names;
  for (const auto &entry : getHandlers())
    names.push_back(entry.getKey());
  appendScalarOpNames(names);
  llvm::sort(names);
  return names;
}

ArrayRef<OpBound> mlir::xfmr::reference::getOpBounds() {
  static const std::vector<OpBound> bounds = [] {
    std::vector<OpBound> bounds;
    for (const auto &entry : getHandlers())
      if (!entry.getValue().bound.empty())
        bounds.push_back({entry.getKey(), entry.getValue().bound});
    llvm::sort(bounds,
               [](const OpBound &a, const OpBound &b) { return a.op < b.op; });
    return bounds;
  }();
  return bounds;
}

LogicalResult Interpreter::call(func::FuncOp function,
                                ArrayRef<RuntimeValue> arguments,
                                SmallVectorImpl<RuntimeValue> &results) {
  if (function.isExternal())
    return function.emitError("the reference cannot evaluate a function "
                              "without a body");
  if (!function.getBody().hasOneBlock())
    return function.emitError("the reference evaluates functions of one block");
  if (frames.size() >= kMaxCallDepth)
    return function.emitError("calls are too deep for the reference");
  frames.emplace_back();
  LogicalResult result = runBlock(function.front(), arguments, results);
  frames.pop_back();
  return result;
}

LogicalResult Interpreter::runBlock(Block &block,
                                    ArrayRef<RuntimeValue> arguments,
                                    SmallVectorImpl<RuntimeValue> &results) {
  if (block.empty() || arguments.size() != block.getNumArguments())
    return emitError(block.getParentOp()->getLoc(), "the reference expected ")
           << arguments.size() << " block arguments and a terminator";
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    bind(argument, value);
  for (Operation &op : llvm::drop_end(block))
    if (failed(run(&op)))
      return failure();
  Operation &terminator = block.back();
  if (terminator.getNumSuccessors() != 0 ||
      !terminator.mightHaveTrait<OpTrait::IsTerminator>())
    return terminator.emitOpError("does not end a block of the reference");
  results.clear();
  for (Value operand : terminator.getOperands()) {
    FailureOr<RuntimeValue> value = lookup(&terminator, operand);
    if (failed(value))
      return failure();
    results.push_back(std::move(*value));
  }
  return success();
}

LogicalResult Interpreter::run(Operation *op) {
  const HandlerTable &handlers = getHandlers();
  auto it = handlers.find(op->getName().getStringRef());
  if (it != handlers.end())
    return it->second.run(*this, op);
  if (isa<linalg::LinalgOp>(op))
    return runStructuredOp(*this, op);
  return runScalarOp(*this, op);
}

FailureOr<RuntimeValue> Interpreter::lookup(Operation *user, Value value) {
  auto it = frames.back().find(value);
  if (it == frames.back().end()) {
    user->emitOpError("uses a value that the reference does not know: ")
        << value;
    return failure();
  }
  return it->second;
}

FailureOr<Array> Interpreter::array(Operation *user, Value value) {
  FailureOr<RuntimeValue> found = lookup(user, value);
  if (failed(found))
    return failure();
  if (!found->array) {
    user->emitOpError("expected an array, got a scalar");
    return failure();
  }
  return *found->array;
}

FailureOr<Number> Interpreter::number(Operation *user, Value value) {
  FailureOr<RuntimeValue> found = lookup(user, value);
  if (failed(found))
    return failure();
  if (found->array) {
    user->emitOpError("expected a scalar, got an array");
    return failure();
  }
  std::optional<FloatFormat> format = getFloatFormat(value.getType());
  return format ? settle(*format, found->number) : found->number;
}

FailureOr<int64_t> Interpreter::index(Operation *user, OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value)) {
    if (auto integer = dyn_cast<IntegerAttr>(attribute))
      return integer.getInt();
    user->emitOpError("expected an integer for an index");
    return failure();
  }
  FailureOr<Number> found = number(user, cast<Value>(value));
  if (failed(found))
    return failure();
  if (!found->isExact() || !(std::fabs(found->value) < std::ldexp(1.0L, 62))) {
    user->emitOpError("has an index that is not certain");
    return failure();
  }
  return static_cast<int64_t>(found->value);
}

FailureOr<SmallVector<int64_t>>
Interpreter::indices(Operation *user, ArrayRef<OpFoldResult> values) {
  SmallVector<int64_t> result;
  for (OpFoldResult value : values) {
    FailureOr<int64_t> found = index(user, value);
    if (failed(found))
      return failure();
    result.push_back(*found);
  }
  return result;
}

FailureOr<Array> Interpreter::create(Operation *user, Type elementType,
                                     ArrayRef<int64_t> shape, bool undefined) {
  FailureOr<Array> array = Array::create(elementType, shape, undefined);
  if (succeeded(array))
    return array;
  InFlightDiagnostic diagnostic =
      user->emitOpError("needs an array that the reference cannot hold: ");
  llvm::interleave(shape, diagnostic, "x");
  diagnostic << " of " << elementType;
  return failure();
}

FailureOr<Array> Interpreter::snapshot(Operation *user, const Array &array) {
  // The caller's memory is never written: a storage of its own for the same
  // memory stays what it is when the first one becomes numbers.
  if (array.storage->isBorrowed()) {
    Array copy = array;
    copy.storage = std::make_shared<Storage>(*array.storage);
    return copy;
  }
  FailureOr<Array> copy = create(user, array.elementType, array.shape);
  if (succeeded(copy))
    copyElements(array, *copy);
  return copy;
}

LogicalResult Interpreter::write(Operation *user, const Array &from, Array to) {
  if (failed(expectShape(user, from, to.shape, "what it writes")))
    return failure();
  if (to.storage->getSize() > kMaxElements)
    return user->emitOpError("writes to more memory than the reference holds");
  copyElements(from, to);
  return success();
}

LogicalResult Interpreter::deliver(DestinationStyleOpInterface op,
                                   unsigned init, const Array &what) {
  Value destination = op.getDpsInits()[init];
  if (isa<MemRefType>(destination.getType())) {
    FailureOr<Array> memory = array(op, destination);
    return failed(memory) ? failure() : write(op, what, *memory);
  }
  if (init >= op->getNumResults())
    return op.emitOpError("expected a result for every destination");
  bind(op->getResult(init), what);
  return success();
}

LogicalResult Interpreter::expectShape(Operation *user, const Array &array,
                                       ArrayRef<int64_t> shape,
                                       StringRef what) {
  if (ArrayRef<int64_t>(array.shape) == shape)
    return success();
  InFlightDiagnostic diagnostic = user->emitOpError("expected ");
  diagnostic << what << " to have shape [";
  llvm::interleaveComma(shape, diagnostic);
  diagnostic << "], got [";
  llvm::interleaveComma(array.shape, diagnostic);
  return diagnostic << "]";
}
