//===- ControlOps.cpp - Calls, loops and conditions -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

static LogicalResult bindResults(Operation *op, ArrayRef<RuntimeValue> results,
                                 Interpreter &interpreter) {
  if (results.size() != op->getNumResults())
    return op->emitOpError("expected ")
           << op->getNumResults() << " results, got " << results.size();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
    interpreter.bind(result, value);
  return success();
}

static LogicalResult runCall(Interpreter &interpreter, Operation *op) {
  auto call = cast<func::CallOp>(op);
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, call.getCalleeAttr());
  if (!callee)
    return op->emitOpError("calls a function that is not there");
  SmallVector<RuntimeValue> arguments, results;
  for (Value operand : op->getOperands()) {
    FailureOr<RuntimeValue> value = interpreter.lookup(op, operand);
    if (failed(value))
      return failure();
    arguments.push_back(*value);
  }
  if (failed(interpreter.call(callee, arguments, results)))
    return failure();
  return bindResults(op, results, interpreter);
}

static LogicalResult runFor(Interpreter &interpreter, Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  FailureOr<int64_t> lower = interpreter.index(op, loop.getLowerBound());
  FailureOr<int64_t> upper = interpreter.index(op, loop.getUpperBound());
  FailureOr<int64_t> step = interpreter.index(op, loop.getStep());
  if (failed(lower) || failed(upper) || failed(step))
    return failure();
  if (*step <= 0)
    return op->emitOpError("expected a positive step, got ") << *step;
  SmallVector<RuntimeValue> carried;
  for (Value value : loop.getInitArgs()) {
    FailureOr<RuntimeValue> found = interpreter.lookup(op, value);
    if (failed(found))
      return failure();
    carried.push_back(*found);
  }
  for (int64_t i = *lower; i < *upper; i += *step) {
    SmallVector<RuntimeValue> arguments;
    arguments.push_back(Number{static_cast<long double>(i), 0, 0});
    arguments.append(carried);
    if (failed(interpreter.runBlock(*loop.getBody(), arguments, carried)))
      return failure();
  }
  return bindResults(op, carried, interpreter);
}

static LogicalResult runIf(Interpreter &interpreter, Operation *op) {
  auto conditional = cast<scf::IfOp>(op);
  FailureOr<int64_t> condition =
      interpreter.index(op, conditional.getCondition());
  if (failed(condition))
    return failure();
  Region &region = *condition != 0 ? conditional.getThenRegion()
                                   : conditional.getElseRegion();
  SmallVector<RuntimeValue> results;
  if (!region.empty() &&
      failed(interpreter.runBlock(region.front(), {}, results)))
    return failure();
  return bindResults(op, results, interpreter);
}

void mlir::xfmr::reference::addControlHandlers(HandlerTable &table) {
  table["func.call"] = runCall;
  table["scf.for"] = runFor;
  table["scf.if"] = runIf;
}
