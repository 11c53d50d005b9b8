//===- LinalgEmitter.cpp - linalg on tensors or memrefs ---------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::xfmr;

Value xfmr::convertFloat(OpBuilder &builder, Location loc, Value value,
                         Type to) {
  Type from = value.getType();
  if (from == to)
    return value;
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth < toWidth)
    return arith::ExtFOp::create(builder, loc, to, value);
  if (fromWidth > toWidth)
    return arith::TruncFOp::create(builder, loc, to, value);
  // f16 and bf16: neither holds the other, f32 holds both.
  Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, to, wide);
}

Value xfmr::createFloat(OpBuilder &builder, Location loc, Type type,
                        double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

Value xfmr::createResidualSum(OpBuilder &builder, Location loc,
                              Type accumulator, double alpha, Value x,
                              Value r) {
  x = convertFloat(builder, loc, x, accumulator);
  r = convertFloat(builder, loc, r, accumulator);
  if (alpha == 1.0)
    return arith::AddFOp::create(builder, loc, x, r);
  Value factor = createFloat(builder, loc, accumulator, alpha);
  return math::FmaOp::create(builder, loc, factor, x, r);
}

Value LinalgEmitter::temporary(ArrayRef<OpFoldResult> sizes, Type element) {
  if (onTensors)
    return tensor::EmptyOp::create(builder, loc, sizes, element);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  Value buffer =
      memref::AllocOp::create(builder, loc, MemRefType::get(shape, element),
                              dynamicSizes, builder.getI64IntegerAttr(64));
  temporaries.push_back(buffer);
  return buffer;
}

void LinalgEmitter::freeTemporaries() {
  for (Value buffer : llvm::reverse(temporaries))
    memref::DeallocOp::create(builder, loc, buffer);
  temporaries.clear();
}

Value LinalgEmitter::fill(double value, Value destination) {
  Type element = cast<ShapedType>(destination.getType()).getElementType();
  auto op = linalg::FillOp::create(
      builder, loc, createFloat(builder, loc, element, value), destination);
  return onTensors ? op.getResult(0) : destination;
}

Value LinalgEmitter::zeros(ArrayRef<OpFoldResult> sizes, Type element) {
  return fill(0.0, temporary(sizes, element));
}

SmallVector<Value>
LinalgEmitter::generic(ValueRange inputs, ValueRange destinations,
                       ArrayRef<AffineMap> maps,
                       ArrayRef<utils::IteratorType> iterators, Body body) {
  TypeRange results;
  if (onTensors)
    results = destinations.getTypes();
  auto op = linalg::GenericOp::create(
      builder, loc, results, inputs, destinations, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange elements) {
        linalg::YieldOp::create(b, l, body(b, l, elements));
      });
  return onTensors ? SmallVector<Value>(op.getResults())
                   : SmallVector<Value>(destinations);
}

SmallVector<Value> LinalgEmitter::elementwise(ValueRange inputs,
                                              ArrayRef<AffineMap> inputMaps,
                                              ValueRange destinations,
                                              Body body) {
  int64_t rank = cast<ShapedType>(destinations[0].getType()).getRank();
  SmallVector<AffineMap> maps(inputMaps);
  maps.append(destinations.size(), builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return generic(inputs, destinations, maps, iterators, body);
}
