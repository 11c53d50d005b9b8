//===- RowLoweringVariants.cpp - Rows in cache and in memory ----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where rows come from memory, or from a cache that is far away, the next row
// is prefetched while one is stored; and results that fit no cache are stored
// past it. In the nearest cache both harm. What a call streams is what decides:
// all of the buffers that the loops over tiles go through, not the tile at
// hand. Sizes that are not static are compared at run time.
//
//===----------------------------------------------------------------------===//

#include "RowLoweringKept.h"
#include "RowLoweringValues.h"
#include "RowTeam.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

namespace {

/// Results of a native vector that a store can leave out of the cache start at
/// multiples of this.
constexpr int64_t kStreamAlignment = 64;

class VariantEmitter {
public:
  VariantEmitter(RewriterBase &builder, Location loc, const RowPlan &plan,
                 const RowLoweringOptions &options)
      : builder(builder), loc(loc), plan(plan), options(options) {}

  void emit();

private:
  void emitCode(RowTeam *team);
  OpFoldResult add(OpFoldResult a, OpFoldResult b);
  OpFoldResult multiply(OpFoldResult a, OpFoldResult b);
  OpFoldResult getBytes(Value buffer);
  Condition isAtLeast(OpFoldResult size, OpFoldResult limit);
  Condition both(Condition a, Condition b) {
    return rows::both(builder, loc, a, b);
  }
  Condition either(Condition a, Condition b) {
    return rows::either(builder, loc, a, b);
  }
  OpFoldResult getRowElements();
  void countStreams();
  void choosePrefetch(RowVariant &variant);
  void chooseShort(RowVariant &variant);
  void chooseAlone(RowVariant &variant, bool mayBeShared);
  void emitVariant(const RowVariant &variant, RowTeam *team);
  Condition isLarge();
  Condition isAligned();
  Condition isAligned(Value buffer);

  RewriterBase &builder;
  Location loc;
  const RowPlan &plan;
  const RowLoweringOptions &options;
  Operation *hoist = nullptr;
  /// Bytes that the call reads and writes of what has rows, and those of one
  /// row; null where no row reads any.
  OpFoldResult streamed, rowBytes;
  /// How many buffers these are.
  int64_t numStreamed = 0;
  int64_t bytesAColumn = 0;
};

} // namespace

static int64_t getElementBytes(MemRefType type) {
  Type element = type.getElementType();
  return element.isIndex()
             ? 8
             : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// The buffer that `buffer` is a tile of: what it is before the loops around.
static Value getUntiled(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view || !op->getParentOfType<LoopLikeOpInterface>())
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

/// Whether `buffer` is one that outlives the loops around.
static bool outlivesLoops(Value buffer) {
  buffer = getUntiled(buffer);
  return !buffer.getParentRegion()->getParentOfType<LoopLikeOpInterface>() &&
         !isa<LoopLikeOpInterface>(buffer.getParentRegion()->getParentOp());
}

OpFoldResult VariantEmitter::add(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(*x + *y);
  return builder.createOrFold<arith::AddIOp>(
      loc, getValueOrCreateConstantIndexOp(builder, loc, a),
      getValueOrCreateConstantIndexOp(builder, loc, b));
}

OpFoldResult VariantEmitter::multiply(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  int64_t product;
  if (x && y && !llvm::MulOverflow(*x, *y, product))
    return builder.getIndexAttr(product);
  return builder.createOrFold<arith::MulIOp>(
      loc, getValueOrCreateConstantIndexOp(builder, loc, a),
      getValueOrCreateConstantIndexOp(builder, loc, b));
}

OpFoldResult VariantEmitter::getBytes(Value buffer) {
  buffer = getUntiled(buffer);
  auto type = cast<MemRefType>(buffer.getType());
  OpFoldResult bytes = builder.getIndexAttr(getElementBytes(type));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    bytes = multiply(
        bytes, type.isDynamicDim(dim)
                   ? OpFoldResult(
                         builder.createOrFold<memref::DimOp>(loc, buffer, dim))
                   : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim))));
  return bytes;
}

Condition VariantEmitter::isAtLeast(OpFoldResult size, OpFoldResult limit) {
  std::optional<int64_t> x = getConstantIntValue(size),
                         y = getConstantIntValue(limit);
  if (x && y)
    return {*x >= *y, {}};
  return {std::nullopt,
          arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::uge,
              getValueOrCreateConstantIndexOp(builder, loc, size),
              getValueOrCreateConstantIndexOp(builder, loc, limit))};
}

OpFoldResult VariantEmitter::getRowElements() {
  OpFoldResult elements = builder.getIndexAttr(1);
  for (unsigned column : plan.columns)
    elements = multiply(
        elements,
        plan.dims[column].isDynamic()
            ? OpFoldResult(
                  StripLoops(builder, loc, hoist, plan.dims).getExtent(column))
            : OpFoldResult(builder.getIndexAttr(plan.dims[column].extent)));
  return elements;
}

/// Finds `streamed` and `rowBytes`.
void VariantEmitter::countStreams() {
  if (plan.rows.empty() || plan.columns.empty())
    return;
  OpFoldResult bytes = builder.getIndexAttr(0);
  llvm::SmallDenseSet<Value> counted;
  auto count = [&](Value buffer, AffineMap map) {
    if (map.isFunctionOfDim(plan.rows.back()) &&
        map.isFunctionOfDim(plan.columns.back()) &&
        counted.insert(getUntiled(buffer)).second) {
      bytes = add(bytes, getBytes(buffer));
      bytesAColumn += getElementBytes(cast<MemRefType>(buffer.getType()));
    }
  };
  for (const RowNode &node : plan.nodes)
    for (const RowOperand &operand : node.operands)
      if (operand.kind == RowOperand::Kind::Buffer)
        count(operand.value, operand.map);
  if (counted.empty())
    return;
  for (const RowPlanSink &sink : plan.sinks)
    count(sink.buffer, sink.map);
  streamed = bytes;
  numStreamed = counted.size();
  rowBytes = multiply(builder.getIndexAttr(bytesAColumn), getRowElements());
}

/// Decides on prefetching: from some size on, and not for few rows, as behind
/// the last there is none.
void VariantEmitter::choosePrefetch(RowVariant &variant) {
  if (options.prefetchFromBytes == 0 || !rowBytes)
    return;
  constexpr int64_t kFewRows = 8;
  OpFoldResult fewRows = multiply(rowBytes, builder.getIndexAttr(kFewRows));
  OpFoldResult near = builder.getIndexAttr(options.prefetchFromBytes);
  variant.prefetch = isAtLeast(streamed, near);
  if (variant.prefetch.isKnownFalse())
    return;
  variant.prefetch = both(variant.prefetch, isAtLeast(streamed, fewRows));
  if (variant.prefetch.isKnownFalse())
    return;
  // A step's rows and as many of the next. Of pairs of half types it is one of
  // each: they leave more time between two lines.
  bool hasRoomForPairs =
      variant.step.rows == 2 && !variant.step.isUnrolled && bytesAColumn >= 8;
  OpFoldResult rows =
      multiply(rowBytes, builder.getIndexAttr(hasRoomForPairs ? 4 : 2));
  variant.prefetchFar =
      isAtLeast(rows, builder.getIndexAttr(options.prefetchFromBytes + 1));
  if (variant.prefetchFar.isKnownFalse())
    return;
  // The hardware keeps up with one long row after another in a cache, where
  // prefetches would only take time.
  Condition isFromMemory =
      isAtLeast(streamed, builder.getIndexAttr(options.lastLevelBytes));
  if (!variant.prefetchFar.known)
    isFromMemory = either(isFromMemory, isAtLeast(near, rows));
  variant.prefetch = both(variant.prefetch, isFromMemory);
}

/// Decides on steps of four.
void VariantEmitter::chooseShort(RowVariant &variant) {
  if (options.prefetchFromBytes == 0 || !rowBytes)
    return;
  int64_t rows = plan.dims[plan.rows.back()].extent;
  if (!ShapedType::isDynamic(rows) && rows < 4)
    return;
  constexpr int64_t kRows = 8;
  variant.isShort = isAtLeast(builder.getIndexAttr(options.prefetchFromBytes),
                              multiply(rowBytes, builder.getIndexAttr(kRows)));
}

/// Rows that are stored past the cache, or that threads may share.
void VariantEmitter::chooseAlone(RowVariant &variant, bool mayBeShared) {
  variant.alone = variant.stream;
  if (mayBeShared)
    variant.alone = either(
        variant.alone, isAtLeast(getRowElements(),
                                 builder.getIndexAttr(options.shareRowsFrom)));
  if (variant.alone.known.value_or(false) ||
      variant.isLarge.known.value_or(false))
    variant.step.rows = 1;
}

/// A buffer's first element, and those of all its rows, at multiples of a cache
/// line.
Condition VariantEmitter::isAligned(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.empty() ||
      strides.back() != 1)
    return {false, {}};
  int64_t bytes = getElementBytes(type);
  bool anyDynamic = ShapedType::isDynamic(offset);
  for (int64_t stride : ArrayRef(strides).drop_back()) {
    anyDynamic |= ShapedType::isDynamic(stride);
    if (!ShapedType::isDynamic(stride) && stride * bytes % kStreamAlignment)
      return {false, {}};
  }
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  Value bits = base;
  auto include = [&](Value elements) {
    Value size = builder.createOrFold<arith::MulIOp>(
        loc, elements, arith::ConstantIndexOp::create(builder, loc, bytes));
    bits = arith::OrIOp::create(builder, loc, bits, size);
  };
  if (anyDynamic) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    if (ShapedType::isDynamic(offset))
      include(metadata.getOffset());
    for (auto [dim, stride] : llvm::enumerate(ArrayRef(strides).drop_back()))
      if (ShapedType::isDynamic(stride))
        include(metadata.getStrides()[dim]);
  }
  if (!ShapedType::isDynamic(offset) && offset != 0)
    include(arith::ConstantIndexOp::create(builder, loc, offset));
  Value rest = arith::AndIOp::create(
      builder, loc, bits,
      arith::ConstantIndexOp::create(builder, loc, kStreamAlignment - 1));
  return {std::nullopt, arith::CmpIOp::create(
                            builder, loc, arith::CmpIPredicate::eq, rest,
                            arith::ConstantIndexOp::create(builder, loc, 0))};
}

/// Whether a result is so large that it had better not go through the caches.
Condition VariantEmitter::isLarge() {
  if (options.nonTemporalFromBytes == 0 || plan.columns.empty())
    return {false, {}};
  Condition anyLarge{false, {}};
  llvm::SmallDenseSet<Value> seen;
  for (const RowPlanSink &sink : plan.sinks) {
    if (sink.isPerRow)
      continue;
    auto type = cast<MemRefType>(sink.buffer.getType());
    // Where a tile's result is a buffer of its own, others read it next.
    if (!outlivesLoops(sink.buffer) ||
        !StripAccess::isDirect(type, *getSteps(sink.map, plan.columns.back())))
      return {false, {}};
    if (seen.insert(getUntiled(sink.buffer)).second)
      anyLarge =
          either(anyLarge,
                 isAtLeast(getBytes(sink.buffer),
                           builder.getIndexAttr(options.nonTemporalFromBytes)));
  }
  return anyLarge;
}

Condition VariantEmitter::isAligned() {
  Condition aligned{true, {}};
  for (const RowPlanSink &sink : plan.sinks)
    if (!sink.isPerRow)
      aligned = both(aligned, isAligned(sink.buffer));
  return aligned;
}

void VariantEmitter::emitVariant(const RowVariant &variant, RowTeam *team) {
  emitRows(builder, loc, plan, options, variant, hoist, team);
  if (options.isX86)
    emitIf(
        builder, loc, variant.stream,
        [&] {
          LLVM::CallIntrinsicOp::create(
              builder, loc, builder.getStringAttr("llvm.x86.sse.sfence"),
              ValueRange());
        },
        [] {});
}

void VariantEmitter::emit() {
  std::unique_ptr<RowTeam> team = RowTeam::begin(builder, loc, plan, options);
  emitCode(team.get());
  if (team)
    team->end();
}

void VariantEmitter::emitCode(RowTeam *team) {
  hoist = arith::ConstantIndexOp::create(builder, loc, 0);
  RowVariant variant;
  variant.step = chooseRowStep(plan, options);
  const RowPlanSink *early =
      variant.step.isUnrolled ? nullptr : findEarlySink(plan);
  countStreams();
  constexpr int64_t kAddresses = 8;
  variant.hidesRows = rowBytes && !getConstantIntValue(rowBytes) &&
                      variant.step.rows == 1 &&
                      numStreamed * (plan.levels + 1) > kAddresses;
  choosePrefetch(variant);
  if (!early || KeptValues::isPossible(plan, *early))
    variant.isLarge = isLarge();
  if (!variant.isLarge.isKnownFalse())
    variant.stream = both(variant.isLarge, isAligned());
  if (variant.step.isUnrolled && !variant.prefetch.known)
    variant.stream = both(variant.stream, variant.prefetch);
  if (variant.step.rows == 2 && !variant.step.isUnrolled) {
    // Threads that may share rows and an early result make the most code: that
    // it compiles soon counts for more.
    if (!team || !early)
      chooseShort(variant);
    chooseAlone(variant, team != nullptr);
  }
  // What is stored past the cache is not read again.
  variant.computeStreamed = early && !isWorthKeeping(plan, *early);
  variant.keepEarly = !variant.computeStreamed || !variant.isLarge.known ||
                      variant.isLarge.isKnownFalse();
  emitVariant(variant, team);
  builder.eraseOp(hoist);
}

/// What `Op` makes of both; it leaves the other one as it is where one is
/// `neutral`.
template <typename Op>
static Condition combine(OpBuilder &builder, Location loc, Condition a,
                         Condition b, bool neutral) {
  if (b.known)
    std::swap(a, b);
  if (a.known)
    return *a.known == neutral ? b : a;
  return {std::nullopt, builder.createOrFold<Op>(loc, a.value, b.value)};
}

Condition rows::both(OpBuilder &builder, Location loc, Condition a,
                     Condition b) {
  return combine<arith::AndIOp>(builder, loc, a, b, /*neutral=*/true);
}

Condition rows::either(OpBuilder &builder, Location loc, Condition a,
                       Condition b) {
  return combine<arith::OrIOp>(builder, loc, a, b, /*neutral=*/false);
}

void rows::emitIf(OpBuilder &builder, Location loc, Condition condition,
                  function_ref<void()> then, function_ref<void()> otherwise) {
  if (condition.known)
    return *condition.known ? then() : otherwise();
  auto branch = scf::IfOp::create(builder, loc, condition.value,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
  builder.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

void rows::emitRowGroup(RewriterBase &rewriter, Location loc,
                        const RowPlan &plan,
                        const RowLoweringOptions &options) {
  if (options.shortFunctions)
    markRoundedFunctions(plan, loc, options.remarkCategory);
  VariantEmitter(rewriter, loc, plan, options).emit();
}
