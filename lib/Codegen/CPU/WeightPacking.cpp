//===- WeightPacking.cpp - Loops that pack weights ------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackingEmitter.h"
#include "RowLoweringDetail.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::xfmr;

/// Panels that are copied side by side: each reads its own run of a row of the
/// weight, and short runs would leave most of a page unread. In the caches that
/// is no matter, but how many places are written in turn is.
constexpr int64_t kPanelsAtOnce = 8, kPanelsAtOnceInCaches = 4;

/// How far ahead their rows are fetched: no stream is long enough for the
/// processor to know it.
constexpr int64_t kStepsAhead = 16;

PackingEmitter::PackingEmitter(RewriterBase &builder, PackWeightOp op,
                               PackWeightOp odd,
                               const WeightPackingOptions &options)
    : FoldedIndex(builder, op.getLoc()), op(op), odd(odd), options(options),
      elementType(op.getWeightType().getElementType()),
      columns(op.getColumns()), group(op.getGroup()) {
  lanes = options.vectorBytes * 8 / elementType.getIntOrFloatBitWidth();
  stepElements = columns * group;
  // Columns that are not the target's are still right.
  while (stepElements % lanes != 0)
    lanes /= 2;
  auto weight =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getInput());
  base = weight.getBaseBuffer();
  offset = weight.getConstifiedMixedOffset();
  inputStride = weight.getConstifiedMixedStrides()[op.getInputDim()];
  outputStride = weight.getConstifiedMixedStrides()[op.getOutputDim()];
  inputs = toValue(weight.getConstifiedMixedSizes()[op.getInputDim()]);
  outputs = toValue(weight.getConstifiedMixedSizes()[op.getOutputDim()]);
  fullSteps = fold<arith::DivUIOp>(inputs, group);

  packed = viewPacked(op);
  if (odd)
    packedOdd = viewPacked(odd);
}

Value PackingEmitter::viewPacked(PackWeightOp packing) {
  auto init =
      memref::ExtractStridedMetadataOp::create(builder, loc, packing.getInit());
  panels = toValue(init.getConstifiedMixedSizes()[0]);
  Value steps = toValue(init.getConstifiedMixedSizes()[1]);
  Value length = fold<arith::MulIOp>(steps, stepElements);
  return memref::ReinterpretCastOp::create(
      builder, loc, init.getBaseBuffer(), init.getConstifiedMixedOffset(),
      {getAsOpFoldResult(panels), getAsOpFoldResult(length)},
      {init.getConstifiedMixedStrides()[0], builder.getIndexAttr(1)});
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void PackingEmitter::emitFor(Value from, Value to, int64_t step,
                             function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, loc, from, to, constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

bool PackingEmitter::isKnownToBeSmall() {
  MemRefType type = op.getPackedType();
  return type.hasStaticShape() &&
         type.getNumElements() * getElementBytes() < options.parallelFrom;
}

void PackingEmitter::emitParallel(Value count, function_ref<void(Value)> body) {
  if (isKnownToBeSmall())
    return emitFor(constant(0), count, 1, body);
  auto loop = scf::ForallOp::create(builder, loc, getAsOpFoldResult(count),
                                    ValueRange(), std::nullopt);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar(0));
}

void PackingEmitter::emitIf(Value condition, function_ref<void()> then,
                            function_ref<void()> otherwise) {
  if (std::optional<int64_t> known = getConstantIntValue(condition)) {
    if (*known)
      then();
    else if (otherwise)
      otherwise();
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, condition,
                                  /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&branch.getThenRegion().front());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(&branch.getElseRegion().front());
  otherwise();
}

PackingForm PackingEmitter::emit() {
  if (!isInPlacePossible())
    return emitElsewhere();
  auto form = PackingForm::Copy;
  emitIf(
      emitIsInPlace(builder, loc, op),
      [&] {
        if (getConstantIntValue(outputStride) == 1)
          emitInputRowsInPlace();
        else
          emitOutputRowsInPlace();
      },
      [&] { form = emitElsewhere(); });
  return form;
}

PackingForm PackingEmitter::emitElsewhere() {
  Value isLarge = emitIsLarge(op, packed);
  if (odd)
    isLarge = fold<arith::AndIOp>(isLarge, emitIsLarge(odd, packedOdd));
  PackingForm form;
  emitIf(
      isLarge,
      [&] {
        nonTemporal = true;
        form = emitForms();
        nonTemporal = false;
      },
      [&] { form = emitForms(); });
  return form;
}

/// Whether the memory that `memref` begins is aligned, offset apart.
static bool isKnownToBeAligned(Value memref, unsigned bytes) {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto assume = dyn_cast<memref::AssumeAlignmentOp>(op))
      return assume.getAlignment() % bytes == 0;
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return alloc.getAlignment().value_or(1) % bytes == 0;
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      return false;
    memref = view.getViewSource();
  }
  return false;
}

void PackingEmitter::emitLastStep(function_ref<void()> body) {
  if (group > 1)
    emitIf(compare(arith::CmpIPredicate::ne,
                   fold<arith::RemUIOp>(inputs, group), constant(0)),
           body);
}

bool PackingEmitter::isInMemoryOfItsOwn(PackWeightOp packing) {
  return getBaseBuffer(packing.getInit()).getDefiningOp<memref::AllocOp>();
}

/// Whether the packed weight is large enough for stores past the caches, which
/// must be of aligned vectors: lines that are written whole, and not read again
/// soon, need not be fetched.
Value PackingEmitter::emitIsLarge(PackWeightOp packing, Value rows) {
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8;
  auto init = rows.getDefiningOp<memref::ReinterpretCastOp>();
  Value stride = toValue(init.getConstifiedMixedStrides()[0]);
  Value size = fold<arith::MulIOp>(fold<arith::MulIOp>(panels, stride), bytes);
  int64_t from = options.nonTemporalFrom;
  // Beside the rows of a square, lines to be written are fetched late. What is
  // packed for a call is read at once, though.
  if (canTranspose() && getConstantIntValue(inputStride) == 1 &&
      !isInMemoryOfItsOwn(packing))
    from = std::min(from, options.l2Bytes);
  Value isLarge = compare(arith::CmpIPredicate::uge, size, constant(from));
  // Strides that are not known would have several forms twice.
  if (getConstantIntValue(isLarge) == 0 || lanes * bytes < 16 ||
      lanes * bytes != options.vectorBytes ||
      !(getConstantIntValue(inputStride) || getConstantIntValue(outputStride)))
    return arith::ConstantIntOp::create(builder, loc, 0, 1);
  Value address = constant(0);
  if (!isKnownToBeAligned(packing.getInit(), options.vectorBytes))
    address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc,
                                                             init.getSource());
  Value first = fold<arith::AddIOp>(
      address,
      fold<arith::MulIOp>(toValue(init.getConstifiedMixedOffset()), bytes));
  Value places = fold<arith::OrIOp>(first, fold<arith::MulIOp>(stride, bytes));
  Value isAligned = compare(
      arith::CmpIPredicate::eq,
      fold<arith::AndIOp>(places, options.vectorBytes - 1), constant(0));
  return fold<arith::AndIOp>(isLarge, isAligned);
}

/// Stores past the caches are seen by other threads after a fence only.
void PackingEmitter::emitFence() {
  if (nonTemporal)
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::seq_cst);
}

PackingForm PackingEmitter::emitForms() {
  auto known = [](OpFoldResult stride, int64_t value) {
    return getConstantIntValue(stride) == value;
  };
  auto emitStatic = [&](PackingForm form) {
    emitForm(form);
    return form;
  };
  if (group <= 2) {
    if (known(outputStride, 1))
      return emitStatic(PackingForm::Copy);
    if (known(outputStride, 2) && (odd || !known(inputStride, 1)))
      return emitStatic(PackingForm::CopyEveryOther);
  }
  if (canTranspose() && known(inputStride, 1))
    return emitStatic(PackingForm::Transpose);
  bool mayCopy = group <= 2 && !getConstantIntValue(outputStride);
  bool mayTranspose = canTranspose() && !getConstantIntValue(inputStride);
  auto isOne = [&](OpFoldResult stride) {
    return compare(arith::CmpIPredicate::eq, toValue(stride), constant(1));
  };
  auto emitRest = [&] {
    if (!mayTranspose)
      return emitForm(PackingForm::Gather);
    emitIf(
        isOne(inputStride), [&] { emitForm(PackingForm::Transpose); },
        [&] { emitForm(PackingForm::Gather); });
  };
  if (!mayCopy) {
    emitRest();
    return mayTranspose ? PackingForm::Transpose : PackingForm::Gather;
  }
  emitIf(isOne(outputStride), [&] { emitForm(PackingForm::Copy); }, emitRest);
  return PackingForm::Copy;
}

void PackingEmitter::emitForm(PackingForm form) {
  switch (form) {
  case PackingForm::Copy:
    return emitCopy(1);
  case PackingForm::CopyEveryOther:
    return emitCopy(2);
  case PackingForm::Transpose:
    return emitTranspose();
  case PackingForm::Gather:
    return emitGather();
  }
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

Value PackingEmitter::viewRows(Value memory, OpFoldResult from,
                               OpFoldResult rows, OpFoldResult rowStride,
                               OpFoldResult length) {
  return memref::ReinterpretCastOp::create(
      builder, loc, memory, from, ArrayRef<OpFoldResult>{rows, length},
      ArrayRef<OpFoldResult>{rowStride, builder.getIndexAttr(1)});
}

void PackingEmitter::emitFetch(Value memory, Value place, int64_t elements) {
  PieceEmitter single = getPieces(constant(1));
  Value first = single.getMemory(memory, place);
  for (int64_t at = 0; at < elements; at += kCacheLineBytes / getElementBytes())
    single.fetch(first, constant(at));
}

void PackingEmitter::storePiece(Value panel, Value step, int64_t piece,
                                Value vector) {
  auto type = cast<VectorType>(vector.getType());
  int64_t elements = type.getNumElements() * type.getElementTypeBitWidth() /
                     elementType.getIntOrFloatBitWidth();
  Value place = fold<arith::AddIOp>(fold<arith::MulIOp>(step, stepElements),
                                    piece * elements);
  auto store =
      vector::StoreOp::create(builder, loc, bitCast(vectorOf(elements), vector),
                              packed, ValueRange{panel, place});
  if (!nonTemporal)
    return;
  store.setNontemporal(true);
  store.setAlignment(options.vectorBytes);
}

void PackingEmitter::storeStep(Value panel, Value step,
                               function_ref<Value(int64_t)> piece) {
  for (int64_t i = 0; i < stepElements / lanes; ++i)
    storePiece(panel, step, i, piece(i));
}

Value PackingEmitter::laneNumbers(int64_t count,
                                  function_ref<int64_t(int64_t)> number) {
  auto numbers = llvm::map_to_vector(
      llvm::seq<int64_t>(0, count), [&](int64_t lane) -> Attribute {
        return builder.getIndexAttr(number(lane));
      });
  auto type = VectorType::get(count, builder.getIndexType());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, numbers));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Of the last panel, `valid` outputs.
SmallVector<Value> PackingEmitter::loadOutputs(int64_t stride, Value input,
                                               Value output, Value valid) {
  VectorType type = vectorOf(columns);
  auto load = [&](Value at, Value count) -> Value {
    if (!count)
      return asBits(vector::LoadOp::create(builder, loc, type, source,
                                           ValueRange{input, at}));
    auto maskType = VectorType::get(columns, builder.getI1Type());
    Value mask = vector::CreateMaskOp::create(builder, loc, maskType, count);
    return asBits(vector::MaskedLoadOp::create(
        builder, loc, type, source, ValueRange{input, at}, mask, zeros(type)));
  };
  if (stride == 1)
    return {load(output, valid)};
  // Without the pair, the last output of the weight may be the last element of
  // its memory: the second run ends with it, and its outputs are the odd lanes.
  int64_t gap = odd ? columns : columns - 1;
  Value at = fold<arith::MulIOp>(output, 2);
  Value first, second;
  if (valid) {
    first = fold<arith::MulIOp>(valid, 2);
    second = fold<arith::MaxSIOp>(fold<arith::SubIOp>(first, columns), 0);
    if (!odd)
      first = fold<arith::SubIOp>(first, 1);
  }
  Value low = load(at, first);
  Value high = load(fold<arith::AddIOp>(at, gap), second);
  auto take = [&](int64_t from) -> Value {
    auto mask = llvm::map_to_vector(
        llvm::seq<int64_t>(0, columns), [&](int64_t c) -> int64_t {
          int64_t lane = 2 * c + from;
          return lane < columns ? lane : lane + columns - gap;
        });
    return vector::ShuffleOp::create(builder, loc, low, high, mask);
  };
  SmallVector<Value> taken{take(0)};
  if (odd)
    taken.push_back(take(1));
  return taken;
}

void PackingEmitter::emitCopyStep(int64_t stride, Value step,
                                  int64_t validInputs, Value firstPanel,
                                  Value endPanel, Value valid,
                                  function_ref<void(Value, Value)> emitAhead) {
  emitFor(firstPanel, endPanel, 1, [&](Value panel) {
    Value output = fold<arith::MulIOp>(panel, columns);
    Value input = fold<arith::MulIOp>(step, group);
    SmallVector<SmallVector<Value>> rows(odd ? 2 : 1);
    for (int64_t g = 0; g < group; ++g) {
      SmallVector<Value> loaded;
      if (emitAhead)
        emitAhead(fold<arith::AddIOp>(input, g), output);
      if (g < validInputs)
        loaded =
            loadOutputs(stride, fold<arith::AddIOp>(input, g), output, valid);
      else
        loaded.assign(rows.size(), asBits(zeros(vectorOf(columns))));
      for (auto [all, row] : llvm::zip_equal(rows, loaded))
        all.push_back(row);
    }
    for (ArrayRef<Value> own : rows) {
      storeStep(panel, step, [&](int64_t piece) -> Value {
        auto mask = llvm::map_to_vector(
            llvm::seq<int64_t>(piece * lanes, (piece + 1) * lanes),
            [&](int64_t lane) -> int64_t {
              return lane / group + lane % group * columns;
            });
        return vector::ShuffleOp::create(builder, loc, own.front(), own.back(),
                                         mask);
      });
      if (odd)
        std::swap(packed, packedOdd);
    }
  });
}

/// All steps of some panels, step by step, as the rows of the weight lie.
void PackingEmitter::emitCopySteps(int64_t stride, Value firstPanel,
                                   Value endPanel, Value valid) {
  auto fetchAhead = [&](Value input, Value output) {
    Value row = fold<arith::AddIOp>(input, kStepsAhead * group);
    Value place = fold<arith::AddIOp>(
        fold<arith::MulIOp>(row, toValue(inputStride)),
        fold<arith::AddIOp>(fold<arith::MulIOp>(output, stride),
                            toValue(offset)));
    emitFetch(base, place, stride * columns);
  };
  emitFor(constant(0), fullSteps, 1, [&](Value step) {
    emitCopyStep(stride, step, group, firstPanel, endPanel, valid, fetchAhead);
  });
  emitLastStep(
      [&] { emitCopyStep(stride, fullSteps, 1, firstPanel, endPanel, valid); });
}

void PackingEmitter::emitCopy(int64_t stride) {
  source = viewRows(base, offset, getAsOpFoldResult(inputs), inputStride,
                    getAsOpFoldResult(fold<arith::MulIOp>(outputs, stride)));
  int64_t atOnce = nonTemporal ? kPanelsAtOnce : kPanelsAtOnceInCaches;
  Value full = fold<arith::DivUIOp>(outputs, columns);
  Value blocks =
      fold<arith::DivUIOp>(fold<arith::AddIOp>(full, atOnce - 1), atOnce);
  emitParallel(blocks, [&](Value block) {
    Value first = fold<arith::MulIOp>(block, atOnce);
    Value end = fold<arith::MinUIOp>(fold<arith::AddIOp>(first, atOnce), full);
    emitCopySteps(stride, first, end, Value());
    emitFence();
  });
  Value left = fold<arith::RemUIOp>(outputs, columns);
  emitIf(compare(arith::CmpIPredicate::ne, left, constant(0)), [&] {
    emitCopySteps(stride, full, panels, left);
    emitFence();
  });
}

//===----------------------------------------------------------------------===//
// Any strides
//===----------------------------------------------------------------------===//

void PackingEmitter::emitGatheredStep(Value panel, Value step) {
  Value output = fold<arith::MulIOp>(panel, columns);
  Value input = fold<arith::MulIOp>(step, group);
  Value inputStep = toValue(inputStride), outputStep = toValue(outputStride);
  Value start = fold<arith::MulIOp>(input, inputStep);
  Value elements = memref::ReinterpretCastOp::create(
      builder, loc, panelBase, panelOffset,
      ArrayRef<OpFoldResult>{getAsOpFoldResult(
          fold<arith::AddIOp>(fold<arith::MulIOp>(inputs, inputStep),
                              fold<arith::MulIOp>(outputStep, columns)))},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  storeStep(panel, step, [&](int64_t piece) -> Value {
    auto vectorOp = [&](auto tag, Value a, Value b) -> Value {
      return decltype(tag)::create(builder, loc, a, b);
    };
    Value column = laneNumbers(
        lanes, [&](int64_t lane) { return (piece * lanes + lane) / group; });
    Value member = laneNumbers(
        lanes, [&](int64_t lane) { return (piece * lanes + lane) % group; });
    Value places =
        vectorOp(arith::AddIOp(),
                 vectorOp(arith::MulIOp(), column, splat(outputStep, lanes)),
                 vectorOp(arith::MulIOp(), member, splat(inputStep, lanes)));
    auto isBelow = [&](Value numbers, Value end) -> Value {
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                   numbers, splat(end, lanes));
    };
    Value mask = vectorOp(arith::AndIOp(),
                          isBelow(column, fold<arith::SubIOp>(outputs, output)),
                          isBelow(member, fold<arith::SubIOp>(inputs, input)));
    return vector::GatherOp::create(builder, loc, vectorOf(lanes), elements,
                                    ValueRange{start}, places, mask,
                                    zeros(vectorOf(lanes)));
  });
}

void PackingEmitter::emitGather() {
  emitPanels([&](Value panel) {
    emitFor(constant(0), fullSteps, 1,
            [&](Value step) { emitGatheredStep(panel, step); });
    emitLastStep([&] { emitGatheredStep(panel, fullSteps); });
  });
}

PackingForm mlir::xfmr::emitWeightPacking(RewriterBase &rewriter,
                                          PackWeightOp op, PackWeightOp odd,
                                          const WeightPackingOptions &options) {
  rewriter.setInsertionPoint(odd ? odd : op);
  return PackingEmitter(rewriter, op, odd, options).emit();
}

bool mlir::xfmr::isInterleavedPair(PackWeightOp even, PackWeightOp odd) {
  auto first = even.getInput().getDefiningOp<memref::SubViewOp>();
  auto second = odd.getInput().getDefiningOp<memref::SubViewOp>();
  SmallVector<int64_t> strides, others;
  int64_t offset, other;
  return first && second && first.getSource() == second.getSource() &&
         first.getMixedSizes() == second.getMixedSizes() &&
         first.getMixedStrides() == second.getMixedStrides() &&
         even.getLayout() == odd.getLayout() &&
         even.getPackedType() == odd.getPackedType() &&
         even.getWeightType().getShape() == odd.getWeightType().getShape() &&
         succeeded(even.getWeightType().getStridesAndOffset(strides, offset)) &&
         succeeded(odd.getWeightType().getStridesAndOffset(others, other)) &&
         even.getGroup() <= 2 && strides == others &&
         strides[even.getOutputDim()] == 2 &&
         strides[even.getInputDim()] != 1 && !ShapedType::isDynamic(offset) &&
         other == offset + 1;
}
