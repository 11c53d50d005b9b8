//===- MyCopyDecomposition.cpp - The op as linalg -------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"
#include "VerifierUtils.h"

using namespace mlir;
using namespace mlir::xfmr;

FailureOr<SmallVector<Value>> MyCopyOp::decomposeOperation(OpBuilder &builder) {
  bool onTensors = isa<TensorType>(getInit().getType());
  LinalgEmitter emitter(builder, getLoc(), onTensors);
  Type accumulator = getAccumulatorType(elementType(getInput()));
  Type resultType = elementType(getInit());
  AffineMap identity =
      builder.getMultiDimIdentityMap(shapedType(getInit()).getRank());
  SmallVector<Value> results = emitter.elementwise(
      getInput(), identity, getInit(),
      [&](OpBuilder &b, Location loc, ValueRange elements) {
        Value x = convertFloat(b, loc, elements[0], accumulator);
        return SmallVector<Value>{convertFloat(b, loc, x, resultType)};
      });
  if (!onTensors)
    results.clear();
  return results;
}
