//===- WeightPackingInPlace.cpp - Packing into a weight's own memory ------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where outputs are rows of the weight, a panel is one run of it: what of its
// rows would be written over too early is copied, and packed from the copy, all
// else from where it is. Where inputs are rows, each holds a
// run of every panel (WeightPackingInputRows.cpp).
//
//===----------------------------------------------------------------------===//

#include "PackingEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {
/// A size or a stride of the source, or a stride of the packed weight.
struct Quantity {
  enum Kind { Size, Stride, PackedStride } kind;
  unsigned dim;
};

/// `a` is `b` times `factor`; without `b`, some multiple of it.
struct InPlaceCondition {
  Quantity a;
  std::optional<Quantity> b;
  int64_t factor;
};
} // namespace

/// What must hold of sizes and strides for a weight to be packed where it is:
/// rows of the source follow each other, and panels fill them. Nothing where
/// the types rule that out.
static std::optional<SmallVector<InPlaceCondition, 4>>
getInPlaceConditions(PackWeightOp op) {
  SmallVector<int64_t> strides, packedStrides;
  int64_t offset;
  if (failed(op.getWeightType().getStridesAndOffset(strides, offset)) ||
      failed(op.getPackedType().getStridesAndOffset(packedStrides, offset)))
    return std::nullopt;
  unsigned inputDim = op.getInputDim(), outputDim = op.getOutputDim();
  int64_t columns = op.getColumns(), group = op.getGroup();
  bool areInputsRows = strides[outputDim] == 1;
  if (areInputsRows ? group > 2 : strides[inputDim] != 1)
    return std::nullopt;
  Quantity inputs{Quantity::Size, inputDim}, outputs{Quantity::Size, outputDim};
  InPlaceCondition rowsFollow{{Quantity::Stride, inputDim}, outputs, 1};
  if (!areInputsRows)
    rowsFollow = {{Quantity::Stride, outputDim}, inputs, 1};
  return SmallVector<InPlaceCondition, 4>{
      {outputs, std::nullopt, columns},
      {inputs, std::nullopt, group},
      rowsFollow,
      {{Quantity::PackedStride, 0}, inputs, columns}};
}

bool mlir::xfmr::mayPackInPlace(PackWeightOp op) {
  auto conditions = getInPlaceConditions(op);
  if (!conditions)
    return false;
  auto getKnown = [&](Quantity quantity) -> std::optional<int64_t> {
    MemRefType type = quantity.kind == Quantity::PackedStride
                          ? op.getPackedType()
                          : op.getWeightType();
    int64_t value = quantity.kind == Quantity::Size
                        ? type.getDimSize(quantity.dim)
                        : type.getStridesAndOffset().first[quantity.dim];
    if (ShapedType::isDynamic(value))
      return std::nullopt;
    return value;
  };
  return llvm::all_of(*conditions, [&](const InPlaceCondition &condition) {
    std::optional<int64_t> a = getKnown(condition.a);
    if (!condition.b)
      return !a || *a % condition.factor == 0;
    std::optional<int64_t> b = getKnown(*condition.b);
    return !a || !b || *a == *b * condition.factor;
  });
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
  auto getValue = [&](Quantity quantity) {
    SmallVector<OpFoldResult> all = quantity.kind == Quantity::Size
                                        ? weight.getConstifiedMixedSizes()
                                    : quantity.kind == Quantity::Stride
                                        ? weight.getConstifiedMixedStrides()
                                        : packed.getConstifiedMixedStrides();
    return emitter.toValue(all[quantity.dim]);
  };
  auto equal = [&](Value a, Value b) {
    return emitter.compare(arith::CmpIPredicate::eq, a, b);
  };
  Value result = equal(emitter.emitRange(op.getInput()).first,
                       emitter.emitRange(op.getInit()).first);
  auto conditions = getInPlaceConditions(op);
  for (const InPlaceCondition &condition : *conditions) {
    Value a = getValue(condition.a);
    Value holds = condition.b
                      ? equal(a, emitter.fold<arith::MulIOp>(
                                     getValue(*condition.b), condition.factor))
                      : equal(emitter.fold<arith::RemUIOp>(a, condition.factor),
                              emitter.constant(0));
    result = emitter.fold<arith::AndIOp>(result, holds);
  }
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
  return mayPackInPlace(op) && !isInMemoryOfItsOwn(op);
}

Value PackingEmitter::allocate(Value elements, Type type) {
  SmallVector<Value> dynamicSizes;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults({getAsOpFoldResult(elements)}, dynamicSizes,
                             shape);
  return memref::AllocOp::create(
      builder, loc, MemRefType::get(shape, type), dynamicSizes,
      builder.getI64IntegerAttr(options.vectorBytes));
}

Value PackingEmitter::isOverwritten(Value row, Value input) {
  // So much of the panel is packed when the block from `input` on is.
  Value written = fold<arith::MulIOp>(
      fold<arith::AddIOp>(input, getBlockSteps() * group), columns);
  Value place = fold<arith::AddIOp>(fold<arith::MulIOp>(row, inputs), input);
  return fold<arith::OrIOp>(copiesWhole,
                            compare(arith::CmpIPredicate::ult, place, written));
}

/// The first input of a row of which isOverwritten() is true, or one before.
Value PackingEmitter::getFirstCopied(Value row) {
  Value block = constant(getBlockSteps() * group * columns);
  Value before = fold<arith::MulIOp>(row, inputs);
  Value first = fold<arith::DivUIOp>(
      fold<arith::SubIOp>(fold<arith::MaxUIOp>(before, block), block),
      columns - 1);
  return builder.createOrFold<arith::SelectOp>(loc, copiesWhole, constant(0),
                                               first);
}

Value PackingEmitter::getCopied(Value row, Value input) {
  return getPieces(constant(1))
      .getMemory(panelBase,
                 fold<arith::AddIOp>(
                     fold<arith::MulIOp>(row, toValue(outputStride)), input));
}

Value PackingEmitter::loadInPlace(Value row, Value input, int64_t count) {
  Value there =
      getPieces(constant(1))
          .getMemory(base,
                     fold<arith::AddIOp>(fold<arith::AddIOp>(panelBegin, input),
                                         fold<arith::MulIOp>(row, inputs)));
  Value from = builder.createOrFold<arith::SelectOp>(
      loc, isOverwritten(row, input), getCopied(row, input), there);
  return LLVM::LoadOp::create(builder, loc, vectorOf(count), from,
                              getElementBytes());
}

void PackingEmitter::fetchInPlace(Value row, Value input, int64_t count) {
  // What was just copied as a whole is in a cache.
  if (getConstantIntValue(copiesWhole).value_or(0) != 0)
    return;
  PieceEmitter single = getPieces(constant(1));
  Value next = single.getMemory(
      base,
      fold<arith::AddIOp>(
          fold<arith::AddIOp>(panelBegin, input),
          fold<arith::MulIOp>(fold<arith::AddIOp>(row, columns), inputs)));
  Value from = builder.createOrFold<arith::SelectOp>(
      loc, copiesWhole, getCopied(row, input), next);
  for (int64_t at = 0; at < count; at += kCacheLineBytes / getElementBytes())
    single.fetch(from, constant(at));
}

Value PackingEmitter::copyPanel(Value begin) {
  Value from =
      viewRows(base, getAsOpFoldResult(begin), builder.getIndexAttr(columns),
               getAsOpFoldResult(inputs), getAsOpFoldResult(inputs));
  Value scratch = allocate(fold<arith::MulIOp>(toValue(outputStride), columns),
                           elementType);
  Value to =
      viewRows(scratch, builder.getIndexAttr(0), builder.getIndexAttr(columns),
               outputStride, getAsOpFoldResult(inputs));
  int64_t elements = options.vectorBytes / getElementBytes();
  Value last = fold<arith::SubIOp>(inputs, elements);
  auto move = [&](Value row, Value at, VectorType type) {
    Value vector =
        vector::LoadOp::create(builder, loc, type, from, ValueRange{row, at});
    vector::StoreOp::create(builder, loc, vector, to, ValueRange{row, at});
  };
  emitFor(constant(0), constant(columns), 1, [&](Value row) {
    Value firstCopied = getFirstCopied(row);
    emitIf(
        compare(arith::CmpIPredicate::sge, last, constant(0)),
        [&] {
          // The last vector ends with the row.
          emitFor(firstCopied, inputs, elements, [&](Value at) {
            move(row, fold<arith::MinUIOp>(at, last), vectorOf(elements));
          });
        },
        [&] {
          emitFor(constant(0), inputs, 1,
                  [&](Value at) { move(row, at, vectorOf(1)); });
        });
  });
  return scratch;
}

void PackingEmitter::emitPanels(function_ref<void(Value)> body) {
  emitParallel(panels, [&](Value panel) {
    Value first = fold<arith::MulIOp>(panel, columns);
    Value stride = inPlace ? inputs : toValue(outputStride);
    Value begin = fold<arith::AddIOp>(toValue(offset),
                                      fold<arith::MulIOp>(first, stride));
    panelBegin = begin;
    panelBase = inPlace ? copyPanel(begin) : base;
    panelOffset = inPlace ? OpFoldResult(builder.getIndexAttr(0))
                          : getAsOpFoldResult(begin);
    body(panel);
    if (inPlace)
      memref::DeallocOp::create(builder, loc, panelBase);
    emitFence();
  });
}

void PackingEmitter::emitOutputRowsInPlace() {
  // Rows of the copy are an odd number of lines apart: a step of the panel has
  // an element of each, and they would have few places in a cache.
  Value bytes = fold<arith::MulIOp>(inputs, getElementBytes());
  Value lines = fold<arith::OrIOp>(
      fold<arith::DivUIOp>(fold<arith::AddIOp>(bytes, kCacheLineBytes - 1),
                           kCacheLineBytes),
      1);
  OpFoldResult stride = std::exchange(
      outputStride, getAsOpFoldResult(fold<arith::MulIOp>(
                        lines, kCacheLineBytes / getElementBytes())));
  // Of a panel that leaves room in the L2 cache for the next one, which is
  // fetched meanwhile, half is read where it is.
  copiesWhole =
      canTranspose()
          ? compare(arith::CmpIPredicate::ugt,
                    fold<arith::MulIOp>(bytes, columns),
                    constant(options.l2Bytes / 4))
          : arith::ConstantIntOp::create(builder, loc, 1, 1).getResult();
  inPlace = true;
  emitForm(canTranspose() ? PackingForm::Transpose : PackingForm::Gather);
  inPlace = false;
  outputStride = stride;
}
