//===- LowerRowLoops.cpp - Loops over rows, sequential or parallel --------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Remarks.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_LOWERROWLOOPS
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {
struct LowerRowLoops : xfmr::impl::LowerRowLoopsBase<LowerRowLoops> {
  using LowerRowLoopsBase::LowerRowLoopsBase;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp loop : loops)
      if (failed(lower(rewriter, loop)))
        return signalPassFailure();
  }

  LogicalResult lower(RewriterBase &rewriter, scf::ForallOp loop) {
    if (loop->getNumResults())
      return loop.emitOpError("expected a loop on memrefs, got one with "
                              "results: bufferize first");
    // Threads are started once: what is inside of a parallel loop is not
    // parallel again.
    bool isParallel = threads != 1 &&
                      !loop->getParentOfType<scf::ParallelOp>() &&
                      !loop->getParentOfType<scf::ForallOp>();
    remark::passed(loop.getLoc(), remark::RemarkOpts::name(
                                      isParallel ? "parallel" : "sequential")
                                      .category(getArgument()))
        << (isParallel ? "loop over rows for several threads"
                       : "loop over rows for one thread");
    rewriter.setInsertionPoint(loop);
    LogicalResult lowered = isParallel
                                ? scf::forallToParallelLoop(rewriter, loop)
                                : scf::forallToForLoop(rewriter, loop);
    if (failed(lowered))
      return loop.emitOpError("cannot be lowered to a loop");
    return success();
  }
};
} // namespace
