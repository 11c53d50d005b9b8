//===- RowLoweringLong.h - Long rows in blocks ------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The partial sums of a long row start anew in every block of it, and those of
// the blocks are added in their order. That is so whether or not threads share
// the blocks, so that the bits of a row do not depend on it.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWLOWERINGLONG_H
#define XFMR_LIB_CODEGEN_CPU_ROWLOWERINGLONG_H

#include "StripLoops.h"

namespace mlir::xfmr::rows {

/// Elements of a block: a multiple of what any loop over strips takes a step.
constexpr int64_t kRowBlock = 16384;

/// Whether a row of this extent may have more than one block.
inline bool mayBeLong(int64_t extent) {
  return ShapedType::isDynamic(extent) || extent > kRowBlock;
}

/// On a `scf.forall` over the blocks of one row: it is worth threads wherever
/// they may be started. All passes over a row are, or its parts would move from
/// one core's cache to the other's.
constexpr StringLiteral kSharedRowAttrName = "shares_row";

/// Computes the strips of a range; takes and returns the accumulators.
using EmitRange =
    function_ref<SmallVector<Value>(Value from, Value to, ValueRange)>;

/// Combines what two blocks have in accumulator `index`.
using CombineBlocks = function_ref<Value(size_t index, Value, Value)>;

/// Computes a row up to `end`, from accumulators that are `neutral`. Threads
/// may each take blocks of rows from `shareFrom` elements on, if that is not 0.
SmallVector<Value> emitBlockSums(OpBuilder &builder, Location loc,
                                 StripLoops &loops, Value end,
                                 ValueRange neutral, EmitRange emitRange,
                                 CombineBlocks combine, int64_t shareFrom);

/// Computes a row up to `end`, without accumulators; threads may each take
/// blocks of it.
void emitSharedBlocks(OpBuilder &builder, Location loc, StripLoops &loops,
                      Value end, EmitRange emitRange, int64_t shareFrom);

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGLONG_H
