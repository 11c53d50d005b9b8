//===- RowLoweringColumns.h - A pass over the columns of rows ---*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass over a row walks its outer column dims by loops and the last one in
// strips: a main loop of several native vectors a step, a loop of one unit a
// step, and one masked unit for the rest. A unit is a native vector, or a pair
// of them that hold the even and the odd elements. A reduction keeps
// `accumulators` vectors of partial sums for the main loop and one for the
// rest; element i (or pair i) of the main part always belongs to lane i mod
// (accumulators * lanes), however many are computed at once.
//
// Short rows have the same strips without the loops, at constant positions. A
// strip then keeps what was computed of it for later passes.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWLOWERINGCOLUMNS_H
#define XFMR_LIB_CODEGEN_CPU_ROWLOWERINGCOLUMNS_H

#include "RowLoweringLong.h"
#include "RowLoweringValues.h"
#include "RowTeam.h"

namespace mlir::xfmr::rows {

/// Computes the strips at one place of the rows that a pass goes over; takes
/// and returns the accumulators.
using ComputeStrips =
    function_ref<SmallVector<Value>(ArrayRef<Strip *>, ValueRange)>;

/// What comes before the strips of a step, at a position: `width` elements.
using BeginStep = function_ref<void(Value position, int64_t width)>;

class ColumnLoops {
public:
  ColumnLoops(RewriterBase &builder, Location loc, const RowPlan &plan,
              const RowLoweringOptions &options, StripLoops &loops,
              RowValues &values, bool isUnrolled)
      : builder(builder), loc(loc), plan(plan), options(options), loops(loops),
        values(values), isUnrolled(isUnrolled), place(plan.dims.size(), -1) {}

  /// Whether there are strips of the main loop, and single units.
  bool hasMain(StripShape shape) const;
  bool hasSingles(StripShape shape) const;

  /// Goes over `columns` of the rows `stepRows`, numbers of those that
  /// `values` has. `accumulators` holds those of each chunk of the main loop,
  /// then those of the rest; those of long rows are the totals of their blocks,
  /// then those of the rest. With a `team`, the blocks are the thread's own,
  /// and the rest is the last one's. `begin` is for steps without a mask, if
  /// there is one.
  SmallVector<Value> emit(ArrayRef<unsigned> stepRows,
                          ArrayRef<unsigned> columns, ValueRange accumulators,
                          StripShape shape, BlockSums sums, const RowTeam *team,
                          ComputeStrips compute, BeginStep begin = {});

private:
  /// What `emit` was asked for.
  struct Pass {
    ArrayRef<unsigned> stepRows;
    StripShape shape;
    BlockSums sums;
    const RowTeam *team;
    ComputeStrips compute;
    BeginStep begin;
    bool isOneColumn;
  };

  SmallVector<Value> emitColumns(const Pass &pass, ArrayRef<unsigned> columns,
                                 ValueRange accumulators);
  SmallVector<Value> emitStrips(const Pass &pass, ValueRange accumulators);
  /// `emitFor` along `dim`, or its iterations one after another.
  SmallVector<Value>
  emitLoop(unsigned dim, Value from, Value to, int64_t step, ValueRange inits,
           function_ref<SmallVector<Value>(Value, ValueRange)> body);
  /// `getMask` gives the mask of a strip that is not whole, from the tail's.
  SmallVector<Value> computeStrips(const Pass &pass, Value position,
                                   int64_t width, ValueRange args,
                                   function_ref<Value(Value)> getMask = {});

  RewriterBase &builder;
  Location loc;
  const RowPlan &plan;
  const RowLoweringOptions &options;
  StripLoops &loops;
  RowValues &values;
  bool isUnrolled;
  /// Where strips are along each dim, as far as a pass goes over it.
  SmallVector<int64_t> place;
};

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGCOLUMNS_H
