//===- ResidualDecomposition.cpp - Residual add as linalg -------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "xfmr/Dialect/IR/Decomposition.h"

using namespace mlir;
using namespace mlir::xfmr;

Value xfmr::decomposeResidualAdd(OpBuilder &builder, Location loc, Value x,
                                 Value f, double alpha, Value mask,
                                 Value init) {
  auto type = cast<ShapedType>(x.getType());
  bool onTensors = isa<TensorType>(type);
  LinalgEmitter emitter(builder, loc, onTensors);
  Type stored = type.getElementType();
  Type accumulator = getAccumulatorType(stored);
  int64_t rank = type.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs{x, f};
  SmallVector<AffineMap> maps{identity, identity};
  if (mask) {
    inputs.push_back(mask);
    maps.push_back(getLeadingDimsMap(builder, rank, rank - 1));
  }
  Value result = emitter.elementwise(
      inputs, maps, init,
      [&](OpBuilder &b, Location l, ValueRange e) -> SmallVector<Value> {
        Value sum = createResidualSum(b, l, accumulator, alpha, e[0], e[1]);
        Value y = convertFloat(b, l, sum, stored);
        if (mask)
          y = arith::SelectOp::create(b, l, e[2], y, e[0]);
        return {y};
      })[0];
  return onTensors ? result : Value();
}

Value xfmr::decomposeMaskedSelect(OpBuilder &builder, Location loc, Value mask,
                                  Value x, Value y, Value init) {
  auto type = cast<ShapedType>(x.getType());
  bool onTensors = isa<TensorType>(type);
  LinalgEmitter emitter(builder, loc, onTensors);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  Value result = emitter.elementwise(
      {mask, x, y},
      {getLeadingDimsMap(builder, type.getRank(), type.getRank() - 1), identity,
       identity},
      init, [&](OpBuilder &b, Location l, ValueRange e) -> SmallVector<Value> {
        return {arith::SelectOp::create(b, l, e[0], e[2], e[1])};
      })[0];
  return onTensors ? result : Value();
}
