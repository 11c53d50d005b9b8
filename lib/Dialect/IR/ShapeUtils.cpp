//===- ShapeUtils.cpp - Sizes and slices of tensors and memrefs alike -*- C++
//-*-===//
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
  if (isa<TensorType>(source.getType()))
    return tensor::ExtractSliceOp::create(builder, loc, source, offsets, sizes,
                                          strides);
  return memref::SubViewOp::create(builder, loc, source, offsets, sizes,
                                   strides);
}

bool xfmr::isWholeDim(OpFoldResult offset, OpFoldResult size, Value value,
                      int64_t dim) {
  std::optional<int64_t> constantOffset = getConstantIntValue(offset);
  if (!constantOffset || *constantOffset != 0)
    return false;
  int64_t extent = cast<ShapedType>(value.getType()).getDimSize(dim);
  std::optional<int64_t> constantSize = getConstantIntValue(size);
  if (constantSize && !ShapedType::isDynamic(extent))
    return *constantSize == extent;
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(
      ValueBoundsConstraintSet::Variable(size),
      ValueBoundsConstraintSet::Variable(value, dim));
  return succeeded(equal) && *equal;
}

std::pair<Value, Value> xfmr::unpackGateUp(OpBuilder &builder, Location loc,
                                           Value packed, int64_t dim,
                                           GateUpOrder order) {
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, packed);
  AffineExpr d0 = builder.getAffineDimExpr(0);
  OpFoldResult half = affine::makeComposedFoldedAffineApply(
      builder, loc, d0.floorDiv(2), {sizes[dim]});
  sizes[dim] = half;
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  bool interleaved = order == GateUpOrder::Interleaved;
  SmallVector<OpFoldResult> strides(sizes.size(), one);
  if (interleaved)
    strides[dim] = builder.getIndexAttr(2);
  auto slice = [&](OpFoldResult offset) {
    SmallVector<OpFoldResult> offsets(sizes.size(), zero);
    offsets[dim] = offset;
    return createSlice(builder, loc, packed, offsets, sizes, strides)
        ->getResult(0);
  };
  Value first = slice(zero);
  Value second = slice(interleaved ? one : half);
  if (order == GateUpOrder::UpGate)
    std::swap(first, second);
  return {first, second};
}
