//===- RowLoweringReductions.h - Partial results to totals ------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWLOWERINGREDUCTIONS_H
#define XFMR_LIB_CODEGEN_CPU_ROWLOWERINGREDUCTIONS_H

#include "RowLoweringDetail.h"

namespace mlir::xfmr::rows {

/// A reduction of the current pass.
struct Reduction {
  unsigned node, output;
  Operation *combiner;
  Type type;
  /// By dot products of bf16.
  bool isDot;
};

/// The reductions of `level`; those of one pass are those over the same
/// columns.
SmallVector<SmallVector<Reduction>>
getReductionPasses(const RowPlan &plan, const RowLoweringOptions &options,
                   unsigned level);

/// Two partial results as one.
Value combinePartials(OpBuilder &builder, Location loc,
                      const Reduction &reduction, Value a, Value b);

/// The partial results of the main loop as one vector of `lanes`.
Value foldChunks(OpBuilder &builder, Location loc, const Reduction &reduction,
                 ArrayRef<Value> chunks, int64_t lanes);

/// Whether a pass adds and multiplies, which different units of the CPU do:
/// those that multiply can take half of the additions, too.
bool balancesUnits(ArrayRef<Reduction> reductions);

/// Whether what the dot product has flushed to zero may matter in one of the
/// totals of a row, for each row; null where there are no dot products.
Value emitIsTiny(OpBuilder &builder, Location loc,
                 ArrayRef<Reduction> reductions, ArrayRef<Value> totals);

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGREDUCTIONS_H
