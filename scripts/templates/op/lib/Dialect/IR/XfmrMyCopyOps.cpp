//===- XfmrMyCopyOps.cpp - Dims and verifier ------------------------------===//
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
// What it says of itself
//===----------------------------------------------------------------------===//

int64_t MyCopyOp::getNumRowDims() {
  return shapedType(getInput()).getRank() - 1;
}

SmallVector<utils::IteratorType> MyCopyOp::getInnerIteratorTypes() {
  return {utils::IteratorType::parallel};
}

SmallVector<OperandDim> MyCopyOp::getOperandDims(OpOperand &operand) {
  // The symbols: rows, then the dim of one row. Both operands have them all.
  return llvm::map_to_vector(llvm::seq<int64_t>(0, getNumRowDims() + 1),
                             [](int64_t dim) { return OperandDim{dim}; });
}

bool MyCopyOp::isElementwiseInPlace() { return true; }

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

LogicalResult MyCopyOp::verify() {
  // C5, C1.
  if (failed(verifyNoUnknownAttributes(*this)))
    return failure();
  if (shapedType(getInput()).getRank() < 1)
    return emitOpError("expected ins of rank 1 or more, got rank 0");
  // C2, C3. C4: DestinationStyleOpInterface.
  if (failed(verifyKinds(*this)) || failed(verifyOperandDims(*this)))
    return failure();
  // With more operands these have something to refuse.
  Type accumulator = getAccumulatorType(elementType(getInput()));
  if (failed(verifyNotWider(*this, accumulator)))
    return failure();
  return verifyDestinations(*this, isElementwiseInPlace());
}
