//===- Outliner.h - Code of threads as functions ----------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_OUTLINER_H
#define XFMR_LIB_CODEGEN_CPU_OUTLINER_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::xfmr {

/// What thread `thread` of `threads`, both i32, does in `region`, moved to
/// `before`; nothing is left in the region.
void inlineRegion(RewriterBase &rewriter, omp::ParallelOp region, Block *block,
                  Block::iterator before, Value thread, Value threads);

/// Moves code into a private function.
class Outliner {
public:
  /// A function that takes `leading` values, and others that the code uses.
  Outliner(RewriterBase &rewriter, ArrayRef<Type> leading)
      : rewriter(rewriter), leading(leading) {}

  /// Of the body of a loop: it runs the iterations from the first argument to
  /// the second, counted from 0 in the order of the loop's dims; or the rows,
  /// if `sizes` says how many of them an iteration has.
  void outline(scf::ForallOp loop, ArrayRef<affine::AffineMinOp> sizes);
  /// Of what each thread of a region does, to which the last of the arguments
  /// is `buffer`, if there is one.
  void outline(omp::ParallelOp region, Value buffer);
  void emitCall(Location loc, ArrayRef<Value> arguments);

  func::FuncOp function;
  /// Over the range of iterations.
  scf::ForOp chunk;

private:
  using Map = function_ref<SmallVector<Value>(ArrayRef<Value>)>;
  void outline(Operation *op, ArrayRef<Value> bounds, Value buffer,
               function_ref<void(Map)> emitBody);
  void emitLoop(scf::ForallOp loop, ArrayRef<affine::AffineMinOp> sizes,
                ValueRange lowerBounds, ValueRange upperBounds,
                ValueRange steps);

  RewriterBase &rewriter;
  SmallVector<Type> leading;
  SmallVector<Value> captures;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_OUTLINER_H
