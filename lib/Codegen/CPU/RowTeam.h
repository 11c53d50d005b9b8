//===- RowTeam.h - Threads that share long rows -----------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that share rows all go over each row, every thread over blocks of it
// that follow each other; the last one also has what whole strips leave. They
// are the same blocks in all passes, so that nobody reads what another wrote,
// but for the sums of blocks: these are left in memory, and combined in order
// by every thread behind a barrier. One thread by itself runs the same code
// with all blocks for its own, and leaves nothing.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWTEAM_H
#define XFMR_LIB_CODEGEN_CPU_ROWTEAM_H

#include "RowLoweringDetail.h"
#include "RowLoweringLong.h"
#include "RowLoweringReductions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"

namespace mlir::xfmr::rows {

/// On the `omp.parallel` of threads that share rows.
constexpr StringLiteral kTeamAttrName = "shares_rows";
/// On the buffer for the sums of their blocks: the bytes that a block has in
/// it. There is one more than there are blocks.
constexpr StringLiteral kBlockBytesAttrName = "block_bytes";

class RowTeam {
public:
  /// Threads for the rows of `plan`, whose code is emitted next, up to `end`;
  /// none where rows are never shared.
  static std::unique_ptr<RowTeam> begin(RewriterBase &builder, Location loc,
                                        const RowPlan &plan,
                                        const RowLoweringOptions &options);
  void end();

  /// The first column of the thread's blocks.
  Value getBegin() const { return first; }
  /// Behind its last column in front of `end`.
  Value clip(OpBuilder &builder, Location loc, Value end) const;
  /// Whether the thread has what whole strips leave.
  Value isLast() const { return last; }
  /// `value` for the last thread, and `other` for others.
  Value ifLast(OpBuilder &builder, Location loc, Value value,
               Value other) const;

  /// Room for the sums `totals` of each block.
  struct Room {
    SmallVector<int64_t> offsets;
  };
  Room takeRoom(TypeRange totals);
  /// Leaves the sums of the block at `from`, if there is another thread.
  void leave(OpBuilder &builder, Location loc, const Room &room, Value from,
             ValueRange sums);
  /// The totals of a row, of which blocks up to `end` have left their sums and
  /// the last thread has `rest`; `own` are those of one thread alone.
  SmallVector<Value> exchange(OpBuilder &builder, Location loc,
                              StripLoops &loops, const Room &room, Value end,
                              ValueRange own, ValueRange rest,
                              CombineBlocks combine);
  /// Waits for the other threads, if there are any.
  void wait(OpBuilder &builder, Location loc) const;

private:
  RowTeam() = default;

  /// The buffer as elements of one type, and how many of them a block has.
  struct View {
    Value elements, perBlock;
  };
  /// Where a block has the sum at `offset` bytes.
  struct Place {
    Value elements, index;
  };
  View &getView(Type type);
  void store(OpBuilder &builder, Location loc, Value sum, Value block,
             int64_t offset);
  Place getPlace(OpBuilder &builder, Location loc, Value block, int64_t offset,
                 Type vector);

  RewriterBase *builder = nullptr;
  omp::ParallelOp region;
  int64_t usedBytes = 0;
  /// The buffer for sums, and the bytes that a block has in it.
  Value buffer, blockBytes, blocks;
  llvm::SmallMapVector<Type, View, 1> views;
  Value isShared, last, first, behind;
};

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWTEAM_H
