//===- RowLoweringEmit.h - The loops of a row group -------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows are computed one by one, or several a step, which are stored together:
// what is the same along a row is then a vector with a lane for each row. Of
// short rows, which stay in registers, the horizontal sums are shared as well.
// Longer ones are taken in pairs, with a loop over the two for what is reduced.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWLOWERINGEMIT_H
#define XFMR_LIB_CODEGEN_CPU_ROWLOWERINGEMIT_H

#include "RowLoweringColumns.h"
#include "RowLoweringKept.h"
#include "RowLoweringReductions.h"

namespace mlir::xfmr::rows {

/// What is stored of a strip.
struct StripResults {
  Strip *strip;
  SmallVector<Value> positions, results;
};

/// Emits the loops over the rows of one group.
class RowEmitter {
public:
  RowEmitter(RewriterBase &builder, Location loc, const RowPlan &plan,
             const RowLoweringOptions &options, RowVariant variant,
             Operation *hoist, RowTeam *team)
      : builder(builder), loc(loc), plan(plan), options(options),
        variant(variant), hoist(hoist), loops(builder, loc, hoist, plan.dims),
        values(builder, loc, plan, hoist),
        columnLoops(builder, loc, plan, options, loops, values,
                    variant.step.isUnrolled),
        kept(builder, loc, plan, loops), team(team) {}

  void emit();

private:
  void emitRowLoops(ArrayRef<unsigned> rows);
  Value getPairedRows(unsigned dim);
  void emitPairs(unsigned dim);
  void emitStep(std::optional<unsigned> dim, ArrayRef<Value> positions);
  void emitAllReductions(std::optional<unsigned> dim,
                         ArrayRef<Value> positions);
  void emitPairsOfStep(unsigned dim, Value first, Value last,
                       ValueRange totals);
  void emitPairStores(unsigned dim, Value first, ValueRange totals);
  void emitReductions(ArrayRef<Reduction> reductions);
  SmallVector<Value> emitTotals(ArrayRef<Reduction> reductions,
                                ArrayRef<const RowPlanSink *> sinks,
                                bool prefetches = false, bool isSeldom = false);
  Value getOnes(int64_t width);
  Value addInitial(const Reduction &reduction, Value total);
  const RowPlanSink *takeEarlySink(ArrayRef<Reduction> reductions);
  SmallVector<const RowPlanSink *>
  keepValues(ArrayRef<Reduction> reductions,
             ArrayRef<const RowPlanSink *> results);
  void storeKept(const RowPlanSink &sink, Value value, Strip &strip);
  /// Whether a place of all rows is rounded at once: CPUs with a dot product of
  /// bf16 have a conversion as well, which needs a test.
  bool roundsTogether() const {
    return options.useBF16Dot && values.getNumRows() > 1;
  }
  /// Whether stores of short rows need not wait for a branch.
  bool storesAtOnce() const {
    return !variant.step.isUnrolled ||
           (variant.stream.known && variant.prefetch.known);
  }
  /// Whether the early result is stored by the last pass, where it is streamed.
  bool storesEarlyLast() const { return early && variant.computeStreamed; }
  void emitStores();
  void prefetchNextRow(Strip &strip);
  void storeStrips(ArrayRef<RowPlanSink> sinks, ArrayRef<StripResults> strips);
  /// Of all passes, in their order.
  SmallVector<Reduction> getReductions() const {
    SmallVector<Reduction> all;
    for (unsigned level = 1; level <= plan.levels; ++level)
      for (ArrayRef<Reduction> pass : getReductionPasses(plan, options, level))
        llvm::append_range(all, pass);
    return all;
  }
  size_t getNumPasses() const {
    size_t count = 0;
    for (unsigned level = 1; level <= plan.levels; ++level)
      count += getReductionPasses(plan, options, level).size();
    return count;
  }
  SmallVector<unsigned> getStepRows() const {
    return llvm::to_vector(llvm::seq<unsigned>(0, values.getNumRows()));
  }

  RewriterBase &builder;
  Location loc;
  const RowPlan &plan;
  const RowLoweringOptions &options;
  RowVariant variant;
  Operation *hoist;
  Value one;
  StripLoops loops;
  RowValues values;
  ColumnLoops columnLoops;
  KeptValues kept;
  /// An earlier pass than the last fetches the next row.
  bool hasPrefetched = false;
  /// The result that the first pass keeps, and where a row of it lies, once
  /// that is known.
  const RowPlanSink *early = nullptr, *earlyPlace = nullptr;
  /// Threads that may share each row; null for none.
  RowTeam *team;
};

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGEMIT_H
