//===- MyCopyOps.cpp - The op's meaning -----------------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "xfmr/Dialect/IR/Xfmr.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::reference;

static LogicalResult runMyCopy(Interpreter &interpreter, Operation *op) {
  auto rowOp = cast<MyCopyOp>(op);
  FailureOr<Array> x = interpreter.array(op, rowOp.getInput());
  FailureOr<Array> init = interpreter.array(op, rowOp.getInit());
  if (failed(x) || failed(init) ||
      failed(interpreter.expectShape(op, *init, x->shape, "the destination")))
    return failure();
  FailureOr<Array> result = interpreter.create(op, init->elementType, x->shape);
  if (failed(result))
    return failure();
  // The formula, without its last rounding: that to the result's type is done,
  // and counted, by whoever reads the result. What may be off before it goes
  // into the number's errors (Number.h); here, nothing.
  int64_t place = 0;
  for (int64_t offset : x->offsets())
    result->set(place++, x->read(x->offset + offset));
  return interpreter.deliver(rowOp, 0, *result);
}

void mlir::xfmr::reference::addMyCopyHandlers(HandlerTable &table) {
  table["xfmr.my_copy"] = {runMyCopy, "1/2 ulp(y)"};
}
