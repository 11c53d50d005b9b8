//===- LoopWork.h - How much a loop computes --------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_LOOPWORK_H
#define XFMR_LIB_CODEGEN_CPU_LOOPWORK_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace mlir::xfmr {

/// What is known of a loop's size before it starts: two values of index type,
/// constants where all that they depend on is static.
struct LoopWork {
  /// Iterations, all dims together.
  Value iterations;
  /// Operations of the first iteration.
  Value once;
  /// An estimate of all operations on single elements; a vector operation
  /// counts once an element, and what takes longer counts several times.
  Value operations;
  /// Iterations of the longest `scf.forall` inside, 0 where there is none.
  Value nestedIterations;
  /// The values that were asked for, as they are in the first iteration; null
  /// where they are not known before.
  SmallVector<Value> first;
};

/// Emits the size of `loop` at the builder's insertion point, which is to be
/// in front of the loop. Loops inside of it are taken as long as they are in
/// the first iteration, and as one iteration where that is not known before;
/// what threads share in it, as if there were one. `asked` are values of the
/// loop of which the first are wanted.
LoopWork emitLoopWork(OpBuilder &builder, scf::ForallOp loop,
                      ValueRange asked = {});

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_LOOPWORK_H
