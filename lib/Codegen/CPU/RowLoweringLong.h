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

/// Computes the strips of a range; takes and returns the accumulators.
using EmitRange =
    function_ref<SmallVector<Value>(Value from, Value to, ValueRange)>;

/// Combines what two blocks have in total `index`.
using CombineBlocks = function_ref<Value(size_t index, Value, Value)>;

/// How the blocks of long rows come together.
struct BlockSums {
  /// What the accumulators of a block are together.
  function_ref<SmallVector<Value>(ValueRange)> fold;
  CombineBlocks combine;
  /// What else is done with the totals of the block at `from`.
  function_ref<void(Value from, ValueRange)> leave;
};

/// The totals of the blocks from `begin`, a multiple of their size, to `end`,
/// each from accumulators that are `neutral`; `none` where there is no block.
SmallVector<Value> emitBlockSums(OpBuilder &builder, Location loc,
                                 StripLoops &loops, Value begin, Value end,
                                 ValueRange neutral, ValueRange none,
                                 EmitRange emitRange, const BlockSums &sums);

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGLONG_H
