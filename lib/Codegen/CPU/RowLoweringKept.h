//===- RowLoweringKept.h - Values kept from pass to pass --------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass over a row computes its values anew from what is in memory. Where that
// takes more than a load (the exponentials of a softmax, which are summed and
// then divided by the sum), the first pass that has a value leaves it in memory
// for the later ones: a row of scratch, which the nearest caches hold. So does
// a result that is stored past the cache; other results are read where they
// are.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWLOWERINGKEPT_H
#define XFMR_LIB_CODEGEN_CPU_ROWLOWERINGKEPT_H

#include "RowLoweringDetail.h"

#include <deque>

namespace mlir::xfmr::rows {

/// Rows of scratch for the values of one group, as sinks of their nodes. They
/// live as long as this says: from `begin` to `end`, around the loops over
/// rows.
class KeptValues {
public:
  KeptValues(RewriterBase &builder, Location loc, const RowPlan &plan,
             StripLoops &loops)
      : builder(builder), loc(loc), plan(plan), loops(loops) {}

  void begin();
  void end();

  /// Scratch for what a pass with the roots `pass` computes and the roots
  /// `later` need again, given what is `stored` already.
  SmallVector<const RowPlanSink *> keep(ArrayRef<unsigned> pass,
                                        ArrayRef<unsigned> later,
                                        const StoredOutputs &stored);

  /// Whether rows of `sink` can be kept elsewhere.
  static bool isPossible(const RowPlan &plan, const RowPlanSink &sink);

  /// Where the row of the result `sink` is written and read, for the positions
  /// that `getPosition` knows of the group's dims: in scratch where
  /// `isElsewhere`. That is allocated where `mayBeElsewhere`, which is implied.
  const RowPlanSink *keepResult(const RowPlanSink &sink, Condition isElsewhere,
                                Condition mayBeElsewhere,
                                function_ref<Value(unsigned dim)> getPosition);

private:
  /// A buffer for one row of an output.
  struct Scratch {
    Value buffer;
    Condition isAllocated;
  };

  RowPlanSink makeScratch(unsigned node, unsigned output,
                          Condition isAllocated = {true, {}});

  RewriterBase &builder;
  Location loc;
  const RowPlan &plan;
  StripLoops &loops;
  Operation *anchor = nullptr;
  SmallVector<Scratch> scratches;
  /// Pointers into it stay valid.
  std::deque<RowPlanSink> sinks;
};

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGKEPT_H
