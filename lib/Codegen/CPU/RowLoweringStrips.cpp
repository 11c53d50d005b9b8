//===- RowLoweringStrips.cpp - Strips of a buffer as vectors --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringStrips.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

static Value emitIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value emitZero(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

bool StripAccess::isDirect(MemRefType type, ArrayRef<int64_t> steps) {
  if (steps.empty() || steps.back() != 1 ||
      llvm::any_of(steps.drop_back(), [](int64_t step) { return step != 0; }))
    return false;
  return !type.getElementType().isInteger(1) && type.isLastDimUnitStride();
}

const StripAccess::Flat &StripAccess::getFlat(Value buffer) {
  auto [it, inserted] = flats.try_emplace(buffer);
  Flat &flat = it->second;
  if (!inserted)
    return flat;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(hoist);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> staticStrides;
  int64_t staticOffset;
  LogicalResult strided = type.getStridesAndOffset(staticStrides, staticOffset);
  (void)strided;
  assert(succeeded(strided) && "checked when the group was analysed");
  // No less than what the dims span.
  Value extent = emitIndex(builder, loc, 1);
  for (auto [dim, stride] : llvm::enumerate(staticStrides)) {
    Value strideValue = ShapedType::isDynamic(stride)
                            ? Value(metadata.getStrides()[dim])
                            : emitIndex(builder, loc, stride);
    flat.strides.push_back(strideValue);
    Value length = builder.createOrFold<arith::MulIOp>(
        loc, metadata.getSizes()[dim], strideValue);
    extent = builder.createOrFold<arith::AddIOp>(loc, extent, length);
  }
  auto layout =
      StridedLayoutAttr::get(builder.getContext(), ShapedType::kDynamic, {1});
  auto flatType = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                                  layout, type.getMemorySpace());
  flat.view = memref::ReinterpretCastOp::create(
      builder, loc, flatType, metadata.getBaseBuffer(),
      OpFoldResult(metadata.getOffset()), ArrayRef<OpFoldResult>{extent},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  return flat;
}

Value StripAccess::getFlatIndex(const Flat &flat, ValueRange indices) {
  Value result;
  for (auto [index, stride] : llvm::zip_equal(indices, flat.strides)) {
    Value term = builder.createOrFold<arith::MulIOp>(loc, index, stride);
    result =
        result ? builder.createOrFold<arith::AddIOp>(loc, result, term) : term;
  }
  return result ? result : emitIndex(builder, loc, 0);
}

Value StripAccess::getLaneOffsets(Value buffer, ArrayRef<int64_t> steps,
                                  int64_t width) {
  for (const LaneOffsets &known : laneOffsets)
    if (known.buffer == buffer && known.width == width &&
        ArrayRef(known.steps) == steps)
      return known.offsets;
  const Flat &flat = getFlat(buffer);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(hoist);
  Value stride;
  for (auto [step, dimStride] : llvm::zip_equal(steps, flat.strides)) {
    if (step == 0)
      continue;
    Value term = builder.createOrFold<arith::MulIOp>(
        loc, dimStride, emitIndex(builder, loc, step));
    stride =
        stride ? builder.createOrFold<arith::AddIOp>(loc, stride, term) : term;
  }
  auto type = VectorType::get({width}, builder.getIndexType());
  SmallVector<Attribute> laneAttrs;
  for (int64_t lane = 0; lane < width; ++lane)
    laneAttrs.push_back(builder.getIndexAttr(lane));
  Value iota = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, laneAttrs));
  Value strides = broadcastLanes(builder, loc, stride, width);
  Value offsets = arith::MulIOp::create(builder, loc, iota, strides);
  laneOffsets.push_back({buffer, llvm::to_vector(steps), width, offsets});
  return offsets;
}

Value StripAccess::getAllTrue(int64_t width) {
  auto type = VectorType::get({width}, builder.getI1Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, true));
}

Value StripAccess::forEachLane(
    ValueRange indices, ArrayRef<int64_t> steps, int64_t width, Value mask,
    Value init, function_ref<Value(Value, ValueRange, Value)> access) {
  Value count = emitIndex(builder, loc, width);
  if (mask) {
    auto type = VectorType::get({width}, builder.getI32Type());
    Value bits = arith::ExtUIOp::create(builder, loc, type, mask);
    Value sum = vector::ReductionOp::create(builder, loc,
                                            vector::CombiningKind::ADD, bits);
    count =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), sum);
  }
  auto loop = scf::ForOp::create(
      builder, loc, emitIndex(builder, loc, 0), count,
      emitIndex(builder, loc, 1), init ? ValueRange(init) : ValueRange(),
      [&](OpBuilder &, Location, Value lane, ValueRange args) {
        SmallVector<Value> position;
        for (auto [index, step] : llvm::zip_equal(indices, steps)) {
          Value offset = builder.createOrFold<arith::MulIOp>(
              loc, lane, emitIndex(builder, loc, step));
          position.push_back(
              builder.createOrFold<arith::AddIOp>(loc, index, offset));
        }
        Value result = access(lane, position, init ? args[0] : Value());
        scf::YieldOp::create(builder, loc,
                             result ? ValueRange(result) : ValueRange());
      });
  return init ? loop.getResult(0) : Value();
}

Value StripAccess::load(Value buffer, ValueRange indices,
                        ArrayRef<int64_t> steps, int64_t width, Value mask) {
  auto type = cast<MemRefType>(buffer.getType());
  auto vectorType = VectorType::get({width}, type.getElementType());
  if (isDirect(type, steps) && !mask)
    return vector::LoadOp::create(builder, loc, vectorType, buffer, indices);
  Value zero = emitZero(builder, loc, vectorType);
  if (isDirect(type, steps))
    return vector::MaskedLoadOp::create(builder, loc, vectorType, buffer,
                                        indices, mask, zero);
  if (type.getElementType().isInteger(1))
    return forEachLane(
        indices, steps, width, mask, zero,
        [&](Value lane, ValueRange position, Value vector) -> Value {
          Value bit = memref::LoadOp::create(builder, loc, buffer, position);
          return vector::InsertOp::create(builder, loc, bit, vector,
                                          OpFoldResult(lane));
        });
  Value offsets = getLaneOffsets(buffer, steps, width);
  const Flat &flat = getFlat(buffer);
  Value index = getFlatIndex(flat, indices);
  return vector::GatherOp::create(builder, loc, vectorType, flat.view, index,
                                  offsets, mask ? mask : getAllTrue(width),
                                  zero);
}

void StripAccess::store(Value vector, Value buffer, ValueRange indices,
                        ArrayRef<int64_t> steps, Value mask,
                        int64_t streamAlignment) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t width = cast<VectorType>(vector.getType()).getDimSize(0);
  if (isDirect(type, steps)) {
    if (mask)
      vector::MaskedStoreOp::create(builder, loc, buffer, indices, mask,
                                    vector);
    else if (streamAlignment)
      vector::StoreOp::create(builder, loc, vector, buffer, indices,
                              /*nontemporal=*/true,
                              llvm::MaybeAlign(streamAlignment));
    else
      vector::StoreOp::create(builder, loc, vector, buffer, indices);
    return;
  }
  if (type.getElementType().isInteger(1)) {
    forEachLane(indices, steps, width, mask, Value(),
                [&](Value lane, ValueRange position, Value) -> Value {
                  Value bit = vector::ExtractOp::create(builder, loc, vector,
                                                        OpFoldResult(lane));
                  memref::StoreOp::create(builder, loc, bit, buffer, position);
                  return {};
                });
    return;
  }
  Value offsets = getLaneOffsets(buffer, steps, width);
  const Flat &flat = getFlat(buffer);
  Value index = getFlatIndex(flat, indices);
  vector::ScatterOp::create(builder, loc, /*resultType=*/Type(), flat.view,
                            index, offsets, mask ? mask : getAllTrue(width),
                            vector);
}

Value mlir::xfmr::broadcastLanes(OpBuilder &builder, Location loc, Value value,
                                 int64_t width) {
  auto type = VectorType::get({width}, value.getType());
  return builder.createOrFold<vector::BroadcastOp>(loc, type, value);
}

Value mlir::xfmr::foldLanes(OpBuilder &builder, Location loc, Value vector,
                            int64_t width,
                            function_ref<Value(Value, Value)> combine) {
  int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
  while (lanes > width) {
    lanes /= 2;
    auto half = [&](int64_t offset) -> Value {
      return vector::ExtractStridedSliceOp::create(
          builder, loc, vector, ArrayRef<int64_t>{offset},
          ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1});
    };
    vector = combine(half(0), half(lanes));
  }
  return vector;
}

Value mlir::xfmr::reduceLanes(OpBuilder &builder, Location loc, Value vector,
                              function_ref<Value(Value, Value)> combine) {
  vector = foldLanes(builder, loc, vector, 1, combine);
  return vector::ExtractOp::create(builder, loc, vector, int64_t(0));
}

Value mlir::xfmr::reduceRows(OpBuilder &builder, Location loc,
                             ArrayRef<Value> vectors,
                             function_ref<Value(Value, Value)> combine) {
  auto shuffle = [&](Value a, Value b, ArrayRef<int64_t> lanes) -> Value {
    return vector::ShuffleOp::create(builder, loc, a, b, lanes);
  };
  // Each part has `rows` rows of `lanes` lanes, one after the other.
  SmallVector<Value> parts = llvm::to_vector(vectors);
  int64_t rows = 1;
  int64_t lanes = cast<VectorType>(parts.front().getType()).getDimSize(0);
  while (parts.size() > 1) {
    SmallVector<int64_t> low, high;
    int64_t kept = std::max<int64_t>(1, lanes / 2);
    for (int64_t row = 0; row < 2 * rows; ++row)
      for (int64_t lane = 0; lane < kept; ++lane) {
        low.push_back(row * lanes + lane);
        high.push_back(row * lanes + lane + kept);
      }
    for (size_t i = 0; i < parts.size() / 2; ++i) {
      Value a = parts[2 * i], b = parts[2 * i + 1];
      parts[i] = shuffle(a, b, low);
      if (lanes > 1)
        parts[i] = combine(parts[i], shuffle(a, b, high));
    }
    parts.resize(parts.size() / 2);
    rows *= 2;
    lanes = kept;
  }
  // Lanes that are not needed any more are computed as well: to move the rest
  // next to each other would take longer.
  Value result = parts.front();
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    SmallVector<int64_t> others;
    for (int64_t lane = 0; lane < rows * lanes; ++lane)
      others.push_back(lane ^ half);
    result = combine(result, shuffle(result, result, others));
  }
  if (lanes == 1)
    return result;
  SmallVector<int64_t> totals;
  for (int64_t row = 0; row < rows; ++row)
    totals.push_back(row * lanes);
  return shuffle(result, result, totals);
}

Value mlir::xfmr::emitRoundDown(OpBuilder &builder, Location loc, Value size,
                                int64_t step) {
  if (step == 1)
    return size;
  Value stepValue = emitIndex(builder, loc, step);
  Value rest = builder.createOrFold<arith::RemUIOp>(loc, size, stepValue);
  return builder.createOrFold<arith::SubIOp>(loc, size, rest);
}
