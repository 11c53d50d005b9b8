//===- RowTeamRegion.h - Where threads share rows ---------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region that a `RowTeam` leaves, as it is found where loops become regions
// of OpenMP: its threads may be those of a region around the loop over rows.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWTEAMREGION_H
#define XFMR_LIB_CODEGEN_CPU_ROWTEAMREGION_H

#include "LoopWork.h"
#include "Outliner.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"

namespace mlir::xfmr {

/// A function of the threads' code takes, behind what others take, the thread's
/// number and that of all, both i32, and the buffer if there is one.
class RowTeamRegion {
public:
  explicit RowTeamRegion(omp::ParallelOp region);

  /// The threads that share the rows of `loop`, in which the loops and regions
  /// `nested` are, if nothing else in it has effects: then they may be the
  /// threads of one region around it.
  static std::optional<RowTeamRegion> getOfLoop(scf::ForallOp loop,
                                                ArrayRef<Operation *> nested);

  /// The values in front of the loop around that `emitParts` needs.
  SmallVector<Value> getAsked();
  /// In how many parts `most` threads can share a row of the loop with `work`;
  /// 0 where they do not.
  Value emitParts(OpBuilder &builder, Location loc, const LoopWork &work,
                  Value most);

  /// The types of what a function of the threads' code takes.
  void addTypes(SmallVector<Type> &types);
  /// Its arguments for one thread by itself, which leaves no sums.
  void addOneThread(OpBuilder &builder, Location loc,
                    SmallVector<Value> &arguments);
  /// Its arguments, but for the buffer, for thread `thread` of `count`, of
  /// which the first two are iterations of the loop: where `shares`, all of
  /// them, and its part of each row; otherwise iterations of its own, with
  /// nobody to share them.
  static void addShare(OpBuilder &builder, Location loc, Value iterations,
                       Value thread, Value count, Value shares,
                       SmallVector<Value> &arguments);
  /// The buffer in front of the loop with `work`, which nobody touches unless
  /// `shares`.
  Value emitBuffer(OpBuilder &builder, Location loc, const LoopWork &work,
                   Value shares);

  /// Puts what a thread does into the function of the loop around, whose
  /// arguments behind the range of iterations are those of `addTypes`.
  void moveInto(RewriterBase &rewriter, Outliner &outliner);
  void eraseBuffer(RewriterBase &rewriter);

  omp::ParallelOp region;
  /// For the sums of blocks; null where there are none.
  memref::AllocOp buffer;

private:
  memref::DeallocOp dealloc;
  int64_t blockBytes = 0;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_ROWTEAMREGION_H
