//===- RowLoweringRows.cpp - The loops over rows --------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringEmit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

/// What is reduced of the rows at `positions` of `dim`, or of the one row that
/// there is.
void RowEmitter::emitAllReductions(std::optional<unsigned> dim,
                                   ArrayRef<Value> positions) {
  values.beginRows(dim, positions);
  hasPrefetched = false;
  earlyPlace = nullptr;
  for (unsigned level = 1; level <= plan.levels; ++level)
    for (ArrayRef<Reduction> pass : getReductionPasses(plan, options, level))
      emitReductions(pass);
}

void RowEmitter::emitStep(std::optional<unsigned> dim,
                          ArrayRef<Value> positions) {
  emitAllReductions(dim, positions);
  emitStores();
}

/// Stores two rows, of which `totals` has what was reduced of one after the
/// other. Neither leaves the cache alone, and threads share neither.
void RowEmitter::emitPairStores(unsigned dim, Value first, ValueRange totals) {
  Value second =
      arith::AddIOp::create(builder, loc, first, loops.getConstant(1));
  values.beginRows(
      dim, {emitHidden(builder, loc, first), emitHidden(builder, loc, second)});
  size_t count = totals.size() / 2;
  for (auto [index, reduction] : llvm::enumerate(getReductions()))
    values.setReduced(reduction.node, reduction.output,
                      vector::FromElementsOp::create(
                          builder, loc, VectorType::get({2}, reduction.type),
                          ValueRange{totals[index], totals[count + index]}));
  if (early)
    values.readFrom(*early);
  RowVariant ofOne = variant;
  variant.stream = {false, {}};
  variant.computeStreamed = false;
  RowTeam *teamOfOne = std::exchange(team, nullptr);
  emitStores();
  variant = ofOne;
  team = teamOfOne;
}

/// How many rows a step of pairs has: four where they are short. When the first
/// pair is stored, its sums have long been there, and its roots need not wait
/// for those of the last row.
Value RowEmitter::getPairedRows(unsigned dim) {
  Value two = loops.getConstant(2), four = loops.getConstant(4);
  if (variant.isShort.isKnownFalse())
    return two;
  Condition isEnough = {std::nullopt,
                        arith::CmpIOp::create(builder, loc,
                                              arith::CmpIPredicate::uge,
                                              loops.getExtent(dim), four)};
  return arith::SelectOp::create(
      builder, loc, both(builder, loc, variant.isShort, isEnough).value, four,
      two);
}

/// The rows of a step of pairs from `first` to `last`, two by two. `totals` has
/// what was reduced of the last rows of as many: of those that a shorter step
/// does not have, nothing is stored. To select its totals would make the first
/// pair wait for the last.
void RowEmitter::emitPairsOfStep(unsigned dim, Value first, Value last,
                                 ValueRange totals) {
  size_t ofPair = 2 * getReductions().size();
  if (totals.size() == ofPair)
    return emitPairStores(dim, first, totals);
  Value from = arith::SubIOp::create(
      builder, loc, last, loops.getConstant(2 * totals.size() / ofPair));
  loops.emitFor(from, last, 2, totals, [&](Value pair, ValueRange args) {
    Condition isOfStep = {std::nullopt,
                          arith::CmpIOp::create(builder, loc,
                                                arith::CmpIPredicate::sge, pair,
                                                first)};
    emitIf(
        builder, loc, isOfStep,
        [&] { emitPairStores(dim, pair, args.take_front(ofPair)); }, [] {});
    SmallVector<Value> next(args.drop_front(ofPair));
    llvm::append_range(next, args.take_front(ofPair));
    return next;
  });
}

/// Rows two by two: a loop over those of a step, which are two or four, for
/// what is reduced of them, then what is stored together. A row that is alone,
/// those of the last step if it is not whole or each where `variant.alone`, is
/// stored in the loop. LLVM does not know positions of rows: addresses would
/// become values that the loops over rows carry, one for each buffer and pass,
/// and most of them in memory.
void RowEmitter::emitPairs(unsigned dim) {
  Value one = loops.getConstant(1), whole = getPairedRows(dim), step = whole;
  Value end = loops.getExtent(dim);
  size_t most = variant.isShort.isKnownFalse() ? 2 : 4;
  bool isEven = variant.alone.isKnownFalse() && !loops.hasTail(dim, most);
  if (!variant.alone.known)
    step =
        arith::SelectOp::create(builder, loc, variant.alone.value, one, step);
  SmallVector<Reduction> reductions = getReductions();
  size_t count = reductions.size();
  SmallVector<Value> none;
  for (size_t index = 0; index < most * count; ++index)
    none.push_back(arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(reductions[index % count].type)));
  emitStripLoop(
      builder, loc, loops.getConstant(0), end, step, {},
      [&](Value first, ValueRange) -> SmallVector<Value> {
        Value last = arith::AddIOp::create(builder, loc, first, whole);
        Value next = last;
        Condition isAlone = {false, {}};
        if (!isEven) {
          next = arith::AddIOp::create(builder, loc, first, step);
          next = arith::MinUIOp::create(builder, loc, next, end);
          isAlone = {std::nullopt,
                     arith::CmpIOp::create(
                         builder, loc, arith::CmpIPredicate::ne, last, next)};
        }
        SmallVector<Value> totals = emitStripLoop(
            builder, loc, first, next, one, none,
            [&](Value row, ValueRange args) {
              emitAllReductions(dim, emitHidden(builder, loc, row));
              SmallVector<Value> known(args.drop_front(count));
              for (const Reduction &reduction : reductions)
                known.push_back(
                    values.getReduced(reduction.node, reduction.output));
              emitIf(builder, loc, isAlone, [&] { emitStores(); }, [] {});
              return known;
            });
        emitIf(
            builder, loc, isAlone, [] {},
            [&] { emitPairsOfStep(dim, first, last, totals); });
        return {};
      });
}

void RowEmitter::emit() {
  OpBuilder::InsertionGuard guard(builder);
  for (auto [dim, rowDim] : llvm::enumerate(plan.dims))
    if (rowDim.extent == 1)
      values.setPosition(dim, loops.getConstant(0));
  if (variant.keepEarly && storesAtOnce())
    early = findEarlySink(plan);
  kept.begin();
  emitRowLoops(plan.rows);
  kept.end();
}

void RowEmitter::emitRowLoops(ArrayRef<unsigned> rows) {
  if (rows.empty())
    return emitStep(std::nullopt, {});
  unsigned dim = rows.front();
  ArrayRef<unsigned> inner = rows.drop_front();
  if (plan.dims[dim].extent == 1)
    return emitRowLoops(inner);
  bool isInnermost = llvm::all_of(
      inner, [&](unsigned other) { return plan.dims[other].extent == 1; });
  auto emitLoop = [&](Value from, Value to, int64_t step) {
    loops.emitFor(from, to, step, {}, [&](Value iv, ValueRange) {
      values.setPosition(dim, iv);
      if (!isInnermost) {
        emitRowLoops(inner);
        return SmallVector<Value>();
      }
      SmallVector<Value> positions = {
          variant.hidesRows ? emitHidden(builder, loc, iv) : iv};
      for (int64_t row = 1; row < step; ++row)
        positions.push_back(
            arith::AddIOp::create(builder, loc, iv, loops.getConstant(row)));
      emitStep(dim, positions);
      return SmallVector<Value>();
    });
  };
  Value zero = loops.getConstant(0), end = loops.getExtent(dim);
  int64_t step = isInnermost ? variant.step.rows : 1;
  if (step == 1)
    return emitLoop(zero, end, 1);
  if (!variant.step.isUnrolled)
    return emitPairs(dim);
  Value last = loops.getMultiple(dim, step);
  emitLoop(zero, last, step);
  if (loops.hasTail(dim, step))
    emitLoop(last, end, 1);
}

void rows::emitRows(RewriterBase &rewriter, Location loc, const RowPlan &plan,
                    const RowLoweringOptions &options, RowVariant variant,
                    Operation *hoist, RowTeam *team) {
  RowEmitter(rewriter, loc, plan, options, variant, hoist, team).emit();
}
