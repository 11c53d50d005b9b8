//===- ShapeUtils.cpp - Sizes and slices ------------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::xfmr;

SmallVector<OpFoldResult> xfmr::getSizes(OpBuilder &builder, Location loc,
                                         Value value) {
  return isa<TensorType>(value.getType())
             ? tensor::getMixedSizes(builder, loc, value)
             : memref::getMixedSizes(builder, loc, value);
}

OpFoldResult xfmr::getSize(OpBuilder &builder, Location loc, Value value,
                           int64_t dim) {
  return isa<TensorType>(value.getType())
             ? tensor::getMixedSize(builder, loc, value, dim)
             : memref::getMixedSize(builder, loc, value, dim);
}

Operation *xfmr::createSlice(OpBuilder &builder, Location loc, Value source,
                             ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> sizes,
                             ArrayRef<OpFoldResult> strides) {
  SmallVector<OpFoldResult> ones(offsets.size(), builder.getIndexAttr(1));
  if (strides.empty())
    strides = ones;
  // Upstream's slices of an array that is statically empty do not verify: there
  // is no place in it that an offset could be. The slice is empty too.
  auto type = cast<ShapedType>(source.getType());
  if (llvm::is_contained(type.getShape(), 0)) {
    if (isa<TensorType>(type))
      return tensor::EmptyOp::create(builder, loc, sizes,
                                     type.getElementType());
    return memref::ReinterpretCastOp::create(
        builder, loc, source, builder.getIndexAttr(0), sizes, ones);
  }
  if (isa<TensorType>(source.getType()))
    return tensor::ExtractSliceOp::create(builder, loc, source, offsets, sizes,
                                          strides);
  return memref::SubViewOp::create(builder, loc, source, offsets, sizes,
                                   strides);
}

bool xfmr::isWholeDim(OpFoldResult size, Value value, int64_t dim) {
  int64_t extent = cast<ShapedType>(value.getType()).getDimSize(dim);
  std::optional<int64_t> constantSize = getConstantIntValue(size);
  if (constantSize && !ShapedType::isDynamic(extent))
    return *constantSize == extent;
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(
      ValueBoundsConstraintSet::Variable(size),
      ValueBoundsConstraintSet::Variable(value, dim));
  return succeeded(equal) && *equal;
}

std::pair<Operation *, Operation *>
xfmr::slicePackedGateUp(OpBuilder &builder, Location loc, Value packed,
                        int64_t dim, GateUpOrder order,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes) {
  AffineExpr d0 = builder.getAffineDimExpr(0);
  auto apply = [&](AffineExpr expr, OpFoldResult value) {
    return affine::makeComposedFoldedAffineApply(builder, loc, expr, {value});
  };
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  OpFoldResult first = offsets[dim], second;
  if (order == GateUpOrder::Interleaved) {
    strides[dim] = builder.getIndexAttr(2);
    first = apply(d0 * 2, offsets[dim]);
    second = apply(d0 * 2 + 1, offsets[dim]);
  } else {
    OpFoldResult half =
        apply(d0.floorDiv(2), getSize(builder, loc, packed, dim));
    second = affine::makeComposedFoldedAffineApply(
        builder, loc, d0 + builder.getAffineDimExpr(1), {half, offsets[dim]});
  }
  auto slice = [&](OpFoldResult offset) {
    SmallVector<OpFoldResult> sliceOffsets(offsets);
    sliceOffsets[dim] = offset;
    return createSlice(builder, loc, packed, sliceOffsets, sizes, strides);
  };
  Operation *gate = slice(first), *up = slice(second);
  if (order == GateUpOrder::UpGate)
    std::swap(gate, up);
  return {gate, up};
}

std::pair<Value, Value> xfmr::unpackGateUp(OpBuilder &builder, Location loc,
                                           Value packed, int64_t dim,
                                           GateUpOrder order) {
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, packed);
  sizes[dim] = affine::makeComposedFoldedAffineApply(
      builder, loc, builder.getAffineDimExpr(0).floorDiv(2), {sizes[dim]});
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  auto [gate, up] =
      slicePackedGateUp(builder, loc, packed, dim, order, offsets, sizes);
  return {gate->getResult(0), up->getResult(0)};
}
