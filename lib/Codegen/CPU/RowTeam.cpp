//===- RowTeam.cpp - Threads that share long rows -------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTeam.h"
#include "CacheLine.h"
#include "FoldedIndex.h"
#include "OpenMPRuntime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

static int64_t getBytes(Type type) { return type.getIntOrFloatBitWidth() / 8; }

/// The one dim along which threads can share the rows of `plan`: all passes go
/// over it alone, in blocks, and leave sums that vectors in memory can have.
static std::optional<unsigned>
getSharedColumn(const RowPlan &plan, const RowLoweringOptions &options) {
  if (options.shareRowsFrom == 0)
    return std::nullopt;
  std::optional<unsigned> column;
  auto take = [&](ArrayRef<unsigned> columns) {
    if (columns.size() != 1 || (column && *column != columns.front()))
      return false;
    column = columns.front();
    return true;
  };
  bool storesElements = llvm::any_of(
      plan.sinks, [](const RowPlanSink &sink) { return !sink.isPerRow; });
  if (storesElements && !take(plan.columns))
    return std::nullopt;
  for (unsigned level = 1; level <= plan.levels; ++level)
    for (ArrayRef<Reduction> pass : getReductionPasses(plan, options, level)) {
      // One sum a strip at least, or there are no blocks.
      if (2 * pass.size() > options.accumulators ||
          !take(plan.nodes[pass.front().node].columns) ||
          llvm::any_of(pass, [](const Reduction &reduction) {
            return !reduction.type.isIntOrFloat() ||
                   reduction.type.getIntOrFloatBitWidth() % 8 != 0;
          }))
        return std::nullopt;
    }
  if (!column)
    return std::nullopt;
  int64_t extent = plan.dims[*column].extent;
  if (!mayBeLong(extent) ||
      (!ShapedType::isDynamic(extent) && extent < options.shareRowsFrom))
    return std::nullopt;
  return column;
}

std::unique_ptr<RowTeam> RowTeam::begin(RewriterBase &builder, Location loc,
                                        const RowPlan &plan,
                                        const RowLoweringOptions &options) {
  std::optional<unsigned> column = getSharedColumn(plan, options);
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(parent);
  if (!function)
    function = parent->getParentOfType<func::FuncOp>();
  if (!column || !function)
    return nullptr;
  Operation *mark = arith::ConstantIndexOp::create(builder, loc, 0);
  auto team = std::unique_ptr<RowTeam>(new RowTeam());
  team->builder = &builder;
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value extent = StripLoops(builder, loc, mark, plan.dims).getExtent(*column);
  builder.eraseOp(mark);
  Value one = constant(1), size = constant(kRowBlock);
  Value blocks = team->blocks = builder.createOrFold<arith::DivUIOp>(
      loc,
      builder.createOrFold<arith::AddIOp>(loc, extent, constant(kRowBlock - 1)),
      size);
  Value isLong = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::uge, extent,
      constant(std::max(options.shareRowsFrom, kRowBlock + 1)));
  team->blockBytes = constant(0);
  Value bytes = arith::MulIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, blocks, one),
      team->blockBytes);
  team->buffer = memref::AllocOp::create(
      builder, loc,
      MemRefType::get({ShapedType::kDynamic}, builder.getI8Type()), bytes,
      builder.getI64IntegerAttr(kCacheLineBytes));
  omp::ParallelOperands clauses;
  clauses.ifExpr = isLong;
  team->region = omp::ParallelOp::create(builder, loc, clauses);
  team->region->setAttr(kTeamAttrName, builder.getUnitAttr());
  builder.createBlock(&team->region.getRegion());
  FailureOr<Value> thread = callOpenMP(builder, loc, function, kThreadNumber);
  FailureOr<Value> count = callOpenMP(builder, loc, function, kNumThreads);
  if (failed(thread) || failed(count)) {
    builder.setInsertionPoint(team->region);
    builder.eraseOp(team->region);
    builder.eraseOp(team->buffer.getDefiningOp());
    return nullptr;
  }
  auto toIndex = [&](Value value) {
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      value)
        .getResult();
  };
  Value number = toIndex(*thread), threads = toIndex(*count);
  auto [firstBlock, behindBlocks] =
      FoldedIndex(builder, loc).getPart(blocks, number, threads);
  team->first = arith::MulIOp::create(builder, loc, firstBlock, size);
  team->behind = arith::MulIOp::create(builder, loc, behindBlocks, size);
  Value next = arith::AddIOp::create(builder, loc, number, one);
  team->last = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     next, threads);
  team->isShared = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ugt, threads, one);
  return team;
}

void RowTeam::end() {
  Location loc = region.getLoc();
  omp::TerminatorOp::create(*builder, loc);
  builder->setInsertionPointAfter(region);
  if (usedBytes == 0) {
    builder->eraseOp(buffer.getDefiningOp());
    return;
  }
  // Blocks of two threads have no cache line in common.
  int64_t bytes = llvm::alignTo(usedBytes, kCacheLineBytes);
  auto set = [&](Value constant, int64_t value) {
    constant.getDefiningOp<arith::ConstantOp>().setValueAttr(
        builder->getIndexAttr(value));
  };
  set(blockBytes, bytes);
  for (auto &[type, view] : views)
    set(view.perBlock, bytes / getBytes(type));
  // Of a static size at once: canonicalization would make it so, and lose what
  // is said of it.
  if (std::optional<int64_t> count = getConstantIntValue(blocks)) {
    Operation *old = buffer.getDefiningOp();
    builder->setInsertionPoint(old);
    buffer = memref::AllocOp::create(
        *builder, loc,
        MemRefType::get({(*count + 1) * bytes}, builder->getI8Type()),
        builder->getI64IntegerAttr(kCacheLineBytes));
    builder->replaceAllUsesWith(old->getResult(0), buffer);
    builder->eraseOp(old);
    builder->setInsertionPointAfter(region);
  }
  buffer.getDefiningOp()->setAttr(kBlockBytesAttrName,
                                  builder->getI64IntegerAttr(bytes));
  memref::DeallocOp::create(*builder, loc, buffer);
}

Value RowTeam::clip(OpBuilder &builder, Location loc, Value end) const {
  return arith::MinUIOp::create(builder, loc, behind, end);
}

Value RowTeam::ifLast(OpBuilder &builder, Location loc, Value value,
                      Value other) const {
  return arith::SelectOp::create(builder, loc, last, value, other);
}

RowTeam::Room RowTeam::takeRoom(TypeRange totals) {
  Room room;
  for (Type type : totals) {
    auto vector = cast<VectorType>(type);
    room.offsets.push_back(usedBytes);
    usedBytes += llvm::alignTo(vector.getNumElements() *
                                   vector.getElementTypeBitWidth() / 8,
                               kCacheLineBytes);
  }
  return room;
}

/// Made once, in front of all else that the threads do.
RowTeam::View &RowTeam::getView(Type type) {
  View &view = views[type];
  if (view.elements)
    return view;
  Location loc = region.getLoc();
  OpBuilder::InsertionGuard guard(*builder);
  builder->setInsertionPointAfter(isShared.getDefiningOp());
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(*builder, loc, value);
  };
  Value zero = constant(0);
  Value size = arith::DivUIOp::create(
      *builder, loc, memref::DimOp::create(*builder, loc, buffer, zero),
      constant(getBytes(type)));
  view.perBlock = constant(0);
  view.elements = memref::ViewOp::create(
      *builder, loc, MemRefType::get({ShapedType::kDynamic}, type), buffer,
      zero, size);
  return view;
}

RowTeam::Place RowTeam::getPlace(OpBuilder &builder, Location loc, Value block,
                                 int64_t offset, Type vector) {
  Type type = getElementTypeOrSelf(vector);
  View &view = getView(type);
  Value start = arith::MulIOp::create(builder, loc, block, view.perBlock);
  Value before =
      arith::ConstantIndexOp::create(builder, loc, offset / getBytes(type));
  return {view.elements,
          builder.createOrFold<arith::AddIOp>(loc, start, before)};
}

void RowTeam::store(OpBuilder &builder, Location loc, Value sum, Value block,
                    int64_t offset) {
  Place place = getPlace(builder, loc, block, offset, sum.getType());
  vector::StoreOp::create(builder, loc, sum, place.elements, place.index);
}

void RowTeam::leave(OpBuilder &builder, Location loc, const Room &room,
                    Value from, ValueRange sums) {
  auto branch = scf::IfOp::create(
      builder, loc, emitUnlikely(builder, loc, isShared), /*withElse=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value block = arith::DivUIOp::create(
      builder, loc, from,
      arith::ConstantIndexOp::create(builder, loc, kRowBlock));
  for (auto [sum, offset] : llvm::zip_equal(sums, room.offsets))
    store(builder, loc, sum, block, offset);
}

SmallVector<Value> RowTeam::exchange(OpBuilder &builder, Location loc,
                                     StripLoops &loops, const Room &room,
                                     Value end, ValueRange own, ValueRange rest,
                                     CombineBlocks combine) {
  auto branch = scf::IfOp::create(builder, loc, own.getTypes(),
                                  emitUnlikely(builder, loc, isShared),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, own);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value zero = loops.getConstant(0), one = loops.getConstant(1);
  Value count = arith::DivUIOp::create(
      builder, loc,
      arith::AddIOp::create(builder, loc, end,
                            loops.getConstant(kRowBlock - 1)),
      loops.getConstant(kRowBlock));
  // What is left of the row comes behind its blocks.
  if (!rest.empty()) {
    auto owner = scf::IfOp::create(builder, loc, last, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(owner.thenBlock());
    for (auto [index, sum] : llvm::enumerate(rest))
      store(builder, loc, sum, count, room.offsets[index]);
  }
  omp::BarrierOp::create(builder, loc);
  auto load = [&](size_t index, Value block) {
    auto type = cast<VectorType>(own[index].getType());
    Place place = getPlace(builder, loc, block, room.offsets[index], type);
    return vector::LoadOp::create(builder, loc, type, place.elements,
                                  place.index)
        .getResult();
  };
  SmallVector<Value> totals;
  for (size_t index = 0; index < own.size(); ++index)
    totals.push_back(load(index, zero));
  Value stop =
      rest.empty()
          ? count
          : arith::AddIOp::create(builder, loc, count, one).getResult();
  totals =
      loops.emitFor(one, stop, 1, totals, [&](Value block, ValueRange args) {
        SmallVector<Value> next;
        for (size_t index = 0; index < args.size(); ++index)
          next.push_back(combine(index, args[index], load(index, block)));
        return next;
      });
  scf::YieldOp::create(builder, loc, totals);
  return SmallVector<Value>(branch.getResults());
}

void RowTeam::wait(OpBuilder &builder, Location loc) const {
  auto branch = scf::IfOp::create(
      builder, loc, emitUnlikely(builder, loc, isShared), /*withElse=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  omp::BarrierOp::create(builder, loc);
}
