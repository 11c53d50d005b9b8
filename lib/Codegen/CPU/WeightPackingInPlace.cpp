//===- WeightPackingInPlace.cpp - Packing into a weight's own memory ------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackingEmitter.h"
#include "RowLoweringDetail.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

bool mlir::xfmr::mayPackInPlace(PackWeightOp op) {
  MemRefType weight = op.getWeightType(), packed = op.getPackedType();
  SmallVector<int64_t> strides, packedStrides;
  int64_t offset;
  if (failed(weight.getStridesAndOffset(strides, offset)) ||
      failed(packed.getStridesAndOffset(packedStrides, offset)))
    return false;
  auto mayBe = [](int64_t known, int64_t value) {
    return ShapedType::isDynamic(known) || ShapedType::isDynamic(value) ||
           known == value;
  };
  int64_t inputs = weight.getDimSize(op.getInputDim());
  int64_t outputs = weight.getDimSize(op.getOutputDim());
  auto isMultiple = [](int64_t size, int64_t of) {
    return ShapedType::isDynamic(size) || size % of == 0;
  };
  int64_t panel = ShapedType::isDynamic(inputs)
                      ? ShapedType::kDynamic
                      : inputs * static_cast<int64_t>(op.getColumns());
  return strides[op.getInputDim()] == 1 && strides[op.getOutputDim()] != 1 &&
         mayBe(strides[op.getOutputDim()], inputs) &&
         isMultiple(outputs, op.getColumns()) &&
         isMultiple(inputs, op.getGroup()) && mayBe(packedStrides[0], panel);
}

namespace {
/// Arithmetic on addresses.
struct AddressEmitter : FoldedIndex {
  using FoldedIndex::FoldedIndex;

  /// The addresses of the first byte and of the one after the last.
  std::pair<Value, Value> emitRange(Value memref);
  Value emitOverlap(Value a, Value b);
};
} // namespace

static int64_t getElementBytes(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
}

std::pair<Value, Value> AddressEmitter::emitRange(Value memref) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value bytes = constant(getElementBytes(memref));
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, metadata.getBaseBuffer());
  Value begin = fold<arith::AddIOp>(
      pointer,
      fold<arith::MulIOp>(toValue(metadata.getConstifiedMixedOffset()), bytes));
  Value one = constant(1), elements = one;
  Value isEmpty = arith::ConstantIntOp::create(builder, loc, 0, 1);
  for (auto [size, stride] :
       llvm::zip_equal(metadata.getConstifiedMixedSizes(),
                       metadata.getConstifiedMixedStrides())) {
    Value count = toValue(size);
    isEmpty = fold<arith::OrIOp>(
        isEmpty, compare(arith::CmpIPredicate::eq, count, constant(0)));
    elements = fold<arith::AddIOp>(
        elements,
        fold<arith::MulIOp>(fold<arith::SubIOp>(count, one), toValue(stride)));
  }
  Value size = builder.createOrFold<arith::SelectOp>(
      loc, isEmpty, constant(0), fold<arith::MulIOp>(elements, bytes));
  return {begin, fold<arith::AddIOp>(begin, size)};
}

Value AddressEmitter::emitOverlap(Value a, Value b) {
  auto [beginA, endA] = emitRange(a);
  auto [beginB, endB] = emitRange(b);
  return compare(arith::CmpIPredicate::ult,
                 fold<arith::MaxUIOp>(beginA, beginB),
                 fold<arith::MinUIOp>(endA, endB));
}

Value mlir::xfmr::emitIsInPlace(OpBuilder &builder, Location loc,
                                PackWeightOp op) {
  AddressEmitter emitter(builder, loc);
  auto weight =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getInput());
  auto packed =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getInit());
  Value inputs =
      emitter.toValue(weight.getConstifiedMixedSizes()[op.getInputDim()]);
  Value outputs =
      emitter.toValue(weight.getConstifiedMixedSizes()[op.getOutputDim()]);
  auto equal = [&](Value a, Value b) {
    return emitter.compare(arith::CmpIPredicate::eq, a, b);
  };
  auto isMultiple = [&](Value size, int64_t of) {
    return equal(emitter.fold<arith::RemUIOp>(size, of), emitter.constant(0));
  };
  Value result = equal(emitter.emitRange(op.getInput()).first,
                       emitter.emitRange(op.getInit()).first);
  auto require = [&](Value condition) {
    result = emitter.fold<arith::AndIOp>(result, condition);
  };
  require(isMultiple(outputs, op.getColumns()));
  require(isMultiple(inputs, op.getGroup()));
  require(equal(
      emitter.toValue(weight.getConstifiedMixedStrides()[op.getOutputDim()]),
      inputs));
  require(equal(emitter.toValue(packed.getConstifiedMixedStrides()[0]),
                emitter.fold<arith::MulIOp>(inputs, op.getColumns())));
  return result;
}

Value mlir::xfmr::emitHasOwnMemory(OpBuilder &builder, Location loc,
                                   ArrayRef<PackWeightOp> ops, unsigned index) {
  AddressEmitter emitter(builder, loc);
  PackWeightOp op = ops[index];
  Value overlaps = arith::ConstantIntOp::create(builder, loc, 0, 1);
  auto add = [&](Value condition) {
    overlaps = emitter.fold<arith::OrIOp>(overlaps, condition);
  };
  for (unsigned number = 0; number < ops.size(); ++number) {
    PackWeightOp other = ops[number];
    Value overlap = emitter.emitOverlap(op.getInit(), other.getInput());
    Value no = arith::ConstantIntOp::create(builder, loc, 0, 1);
    if (number == index && mayPackInPlace(op))
      overlap = builder.createOrFold<arith::SelectOp>(
          loc, emitIsInPlace(builder, loc, op), no, overlap);
    add(overlap);
    if (number < index)
      add(emitter.emitOverlap(op.getInit(), other.getInit()));
  }
  return emitter.compare(arith::CmpIPredicate::eq, overlaps,
                         arith::ConstantIntOp::create(builder, loc, 0, 1));
}

bool PackingEmitter::isInPlacePossible() {
  // Memory of its own is nobody else's.
  return mayPackInPlace(op) &&
         !rows::getBaseBuffer(op.getInit()).getDefiningOp<memref::AllocOp>();
}

std::pair<Value, Value> PackingEmitter::emitPanelSource(Value panel) {
  Value begin = fold<arith::AddIOp>(
      toValue(offset), fold<arith::MulIOp>(fold<arith::MulIOp>(panel, columns),
                                           toValue(outputStride)));
  if (!inPlace)
    return {base, begin};
  Value elements = fold<arith::MulIOp>(inputs, columns);
  auto branch = scf::IfOp::create(
      builder, loc, TypeRange{base.getType(), begin.getType()}, inPlace,
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&branch.getThenRegion().front());
  Value from = memref::ReinterpretCastOp::create(
      builder, loc, base, getAsOpFoldResult(begin),
      ArrayRef<OpFoldResult>{getAsOpFoldResult(elements)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  SmallVector<Value> dynamicSizes;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults({getAsOpFoldResult(elements)}, dynamicSizes,
                             shape);
  Value scratch = memref::AllocOp::create(
      builder, loc, MemRefType::get(shape, elementType), dynamicSizes,
      builder.getI64IntegerAttr(options.vectorBytes));
  emitFor(constant(0), elements, columns, [&](Value at) {
    Value run = vector::LoadOp::create(builder, loc, vectorOf(columns), from,
                                       ValueRange{at});
    vector::StoreOp::create(builder, loc, run, scratch, ValueRange{at});
  });
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, scratch);
  scf::YieldOp::create(builder, loc,
                       ValueRange{metadata.getBaseBuffer(), constant(0)});
  builder.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(builder, loc, ValueRange{base, begin});
  return {branch.getResult(0), branch.getResult(1)};
}

void PackingEmitter::emitPanels(function_ref<void(Value)> body) {
  emitParallel(panels, [&](Value panel) {
    auto [memory, begin] = emitPanelSource(panel);
    panelBase = memory;
    panelOffset = getAsOpFoldResult(begin);
    body(panel);
    if (inPlace)
      emitIf(inPlace,
             [&] { memref::DeallocOp::create(builder, loc, panelBase); });
    emitFence();
  });
}
