//===- RowLoweringEmit.cpp - What is reduced of rows ----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a step are computed together: their reductions one row after the
// other, up to the horizontal sums, which they share; what is the same along a
// row, in vectors with a lane for each row; and what is stored, strip by strip.
//
//===----------------------------------------------------------------------===//

#include "RowLoweringEmit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

Value RowEmitter::addInitial(const Reduction &reduction, Value total) {
  const RowNode &node = plan.nodes[reduction.node];
  linalg::LinalgOp op = node.op;
  OpOperand *init = op.getDpsInitOperand(reduction.output);
  Value initial = values.getPerRow(node.operands[init->getOperandNumber()]);
  if (!initial)
    return total;
  Attribute constant;
  if (matchPattern(initial, m_Constant(&constant)) &&
      constant == getNeutralValue(reduction.combiner, reduction.type))
    return total;
  if (auto type = dyn_cast<VectorType>(total.getType());
      type && !isa<VectorType>(initial.getType()))
    initial = broadcastLanes(builder, loc, initial, type.getDimSize(0));
  return combinePartials(builder, loc, reduction, initial, total);
}

/// A vector of ones, of which LLVM does not know that it is.
Value RowEmitter::getOnes(int64_t width) {
  if (!one) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(hoist);
    Value known =
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1.0f));
    one = emitHidden(builder, loc, known);
  }
  return broadcastLanes(builder, loc, one, width);
}

/// Stores what later passes read, and a result besides if that lies elsewhere.
void RowEmitter::storeKept(const RowPlanSink &sink, Value value, Strip &strip) {
  if (variant.step.isUnrolled)
    return values.storeVector(
        sink, value, strip,
        *variant.stream.known && !strip.mask ? options.vectorBytes : 0);
  bool isEarly = &sink == earlyPlace;
  auto store = [&] { values.storeVector(sink, value, strip); };
  if (isEarly && variant.computeStreamed)
    return emitIf(builder, loc, variant.stream, [] {}, store);
  store();
  if (!isEarly)
    return;
  emitIf(
      builder, loc, variant.stream,
      [&] {
        int64_t alignment = strip.mask ? 0 : options.vectorBytes;
        values.storeVector(*early, value, strip, alignment);
      },
      [] {});
}

/// One pass over each of the rows; `sinks` are stored on the way. One that
/// `isSeldom` run is as little code as can be.
SmallVector<Value> RowEmitter::emitTotals(ArrayRef<Reduction> reductions,
                                          ArrayRef<const RowPlanSink *> sinks,
                                          bool prefetches, bool isSeldom) {
  int64_t count = reductions.size();
  int64_t share = std::max<int64_t>(1, options.accumulators / count);
  share = static_cast<int64_t>(llvm::bit_floor<uint64_t>(share));
  SmallVector<unsigned> roots;
  for (const Reduction &reduction : reductions)
    roots.push_back(reduction.node);
  ArrayRef<unsigned> columns = plan.nodes[roots.front()].columns;
  StripShape shape =
      chooseReductionShape(plan, options, roots, columns.back(), share * count,
                           share, values.getStored());
  if (variant.step.isUnrolled)
    shape = shape.inUnits();
  else if (isSeldom && shape.getStep() > shape.unit)
    shape = shape.rolled();
  bool balances = !isSeldom && options.isX86 && balancesUnits(reductions);
  // Additions of every other strip are multiplications and additions.
  if (balances && shape.chunks == 1 && shape.width > shape.unit) {
    shape.width /= 2;
    shape.chunks = 2;
  }
  int64_t strips = 0;

  values.beginPass();
  SmallVector<Value> neutral;
  auto addNeutral = [&](int64_t width) {
    for (const Reduction &reduction : reductions) {
      auto type =
          VectorType::get({shape.isPaired ? width / 2 : width}, reduction.type);
      neutral.push_back(arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(
              type,
              Attribute(getNeutralValue(reduction.combiner, reduction.type)))));
    }
  };
  for (int64_t chunk = 0; chunk < shape.chunks; ++chunk)
    addNeutral(shape.width);
  addNeutral(shape.unit);
  auto compute = [&](ArrayRef<Strip *> rows, ValueRange args) {
    Strip &strip = *rows.front();
    SmallVector<Value> next;
    Value one =
        balances && strips++ % 2 ? getOnes(strip.getPartWidth()) : Value();
    for (auto [reduction, accumulator] : llvm::zip_equal(reductions, args))
      next.push_back(reduction.isDot
                         ? values.accumulateDot(reduction.node,
                                                reduction.output, accumulator,
                                                strip)
                         : values.accumulate(reduction.node, reduction.output,
                                             accumulator, strip, one));
    SmallVector<Value> results;
    for (const RowPlanSink *sink : sinks)
      results.push_back(values.getVector(sink->node, sink->output, strip));
    for (auto [sink, result] : llvm::zip_equal(sinks, results))
      storeKept(*sink, result, strip);
    return next;
  };
  // Strips of one step are one block: a branch between them would cost
  // registers.
  auto prefetch = [&](Value position, int64_t width) {
    values.setPosition(shape.dim, position);
    Strip step(/*row=*/0, shape.dim, width, shape.isPaired);
    emitIf(
        builder, loc, variant.prefetch,
        [&] { values.prefetchNextRow(step, variant.prefetchFar); }, [] {});
  };
  if (roundsTogether()) {
    NodeSet nodes = getComputedNodes(plan, roots, values.getStored());
    columnLoops.emit(getStepRows(), columns, {}, shape, {}, /*team=*/nullptr,
                     [&](ArrayRef<Strip *> rows, ValueRange) {
                       values.roundTogether(nodes, rows);
                       return SmallVector<Value>();
                     });
  }
  auto combine = [&](size_t index, Value a, Value b) {
    return combinePartials(builder, loc, reductions[index], a, b);
  };
  auto fold = [&](ValueRange main) {
    SmallVector<Value> folded;
    for (int64_t index = 0; index < count; ++index) {
      SmallVector<Value> chunks;
      for (size_t place = index; place < main.size(); place += count)
        chunks.push_back(main[place]);
      folded.push_back(
          foldChunks(builder, loc, reductions[index], chunks, plan.lanes));
    }
    return folded;
  };
  RowTeam::Room room;
  if (team)
    room = team->takeRoom(ValueRange(neutral).take_back(count).getTypes());
  auto leave = [&](Value from, ValueRange sums) {
    if (team)
      team->leave(builder, loc, room, from, sums);
  };
  bool hasRest =
      columnLoops.hasSingles(shape) || loops.hasTail(shape.dim, shape.unit);
  // Of each reduction, what each row has left for the horizontal one.
  SmallVector<SmallVector<Value>> partials(count);
  for (unsigned row : getStepRows()) {
    SmallVector<Value> accumulators = columnLoops.emit(
        row, columns, neutral, shape, {fold, combine, leave}, team, compute,
        prefetches ? BeginStep(prefetch) : BeginStep());
    ValueRange rest = ValueRange(accumulators).take_back(count);
    SmallVector<Value> of = llvm::to_vector(rest);
    if (columnLoops.hasMain(shape)) {
      of = fold(ValueRange(accumulators).drop_back(count));
      for (int64_t index = 0; hasRest && index < count; ++index)
        of[index] = combine(index, of[index], rest[index]);
    }
    if (team)
      of = team->exchange(builder, loc, loops, room,
                          loops.getMultiple(shape.dim, shape.getStep()), of,
                          hasRest ? rest : ValueRange(), combine);
    for (int64_t index = 0; index < count; ++index)
      partials[index].push_back(of[index]);
  }
  values.endPass();

  SmallVector<Value> totals;
  for (size_t index = 0; index < reductions.size(); ++index) {
    ArrayRef<Value> rows = partials[index];
    auto combineLanes = [&](Value a, Value b) { return combine(index, a, b); };
    totals.push_back(rows.size() == 1
                         ? reduceLanes(builder, loc, rows.front(), combineLanes)
                         : reduceRows(builder, loc, rows, combineLanes));
  }
  return totals;
}

void RowEmitter::emitReductions(ArrayRef<Reduction> reductions) {
  SmallVector<const RowPlanSink *> sinks;
  if (const RowPlanSink *sink = takeEarlySink(reductions))
    sinks.push_back(sink);
  SmallVector<const RowPlanSink *> scratch = keepValues(reductions, sinks);
  llvm::append_range(sinks, scratch);
  // What the row waits for memory with is the pass with most to compute.
  bool prefetches = !scratch.empty() && !std::exchange(hasPrefetched, true);
  SmallVector<Value> totals = emitTotals(reductions, sinks, prefetches);
  if (!variant.step.isUnrolled)
    for (const RowPlanSink *sink : sinks)
      values.readFrom(*sink, sink == earlyPlace && variant.computeStreamed
                                 ? variant.stream
                                 : Condition{false, {}});

  if (Value isTiny = emitIsTiny(builder, loc, reductions, totals)) {
    SmallVector<Reduction> exact = llvm::to_vector(reductions);
    for (Reduction &reduction : exact)
      reduction.isDot = false;
    bool isVector = isa<VectorType>(isTiny.getType());
    Value isAny = isTiny;
    if (isVector)
      isAny = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::OR, isTiny);
    Value unlikely = emitUnlikely(builder, loc, isAny);
    auto branch =
        scf::IfOp::create(builder, loc, ValueRange(totals).getTypes(), unlikely,
                          /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, totals);
    builder.setInsertionPointToStart(branch.thenBlock());
    RowValues::RowState state = values.getRowState();
    SmallVector<Value> exactTotals =
        emitTotals(exact, {}, /*prefetches=*/false, /*isSeldom=*/true);
    // A row's bits do not depend on its neighbours.
    if (isVector)
      for (auto [total, exactTotal] : llvm::zip_equal(totals, exactTotals))
        exactTotal =
            arith::SelectOp::create(builder, loc, isTiny, exactTotal, total);
    scf::YieldOp::create(builder, loc, exactTotals);
    values.setRowState(std::move(state));
    totals = SmallVector<Value>(branch.getResults());
  }

  values.beginPass();
  for (auto [reduction, total] : llvm::zip_equal(reductions, totals))
    values.setReduced(reduction.node, reduction.output,
                      addInitial(reduction, total));
  values.endPass();
}

/// The place of the result that the pass of `reductions` stores on its way.
const RowPlanSink *RowEmitter::takeEarlySink(ArrayRef<Reduction> reductions) {
  if (!early || earlyPlace ||
      plan.nodes[reductions.front().node].columns != plan.columns)
    return nullptr;
  if (variant.step.isUnrolled)
    return earlyPlace = early;
  bool isElsewhere = !variant.computeStreamed;
  Condition never = {false, {}};
  return earlyPlace = kept.keepResult(
             *early, isElsewhere ? variant.stream : never,
             isElsewhere ? variant.isLarge : never,
             [&](unsigned dim) { return values.getPosition(dim); });
}

/// What the pass of `reductions` computes at some expense and later ones need,
/// apart from `results` that it stores.
SmallVector<const RowPlanSink *>
RowEmitter::keepValues(ArrayRef<Reduction> reductions,
                       ArrayRef<const RowPlanSink *> results) {
  const RowNode &first = plan.nodes[reductions.front().node];
  // All that short rows have computed is there still.
  if (first.columns != plan.columns || variant.step.isUnrolled)
    return {};
  StoredOutputs stored = values.getStored();
  for (const RowPlanSink *sink : results)
    stored[{sink->node, sink->output}] = sink;
  SmallVector<unsigned> pass, later;
  for (const Reduction &reduction : reductions)
    pass.push_back(reduction.node);
  for (unsigned index = 0, e = plan.nodes.size(); index < e; ++index)
    if (plan.nodes[index].isReduction() &&
        plan.nodes[index].level > first.level)
      later.push_back(index);
  for (const RowPlanSink &sink : plan.sinks)
    if (!sink.isPerRow && &sink != early)
      later.push_back(sink.node);
  return kept.keep(pass, later, stored);
}
