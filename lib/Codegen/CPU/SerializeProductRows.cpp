//===- SerializeProductRows.cpp - Row loops around products -----*- C++ -*-===//
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
#include "xfmr/Codegen/CPU/ContractionLowering.h"
#include "xfmr/Dialect/IR/Decomposition.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_SERIALIZEPRODUCTROWS
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

/// Whether threads share this op's columns: a network, or a product of rows
/// with one matrix for all of them.
static bool sharesColumns(Operation *op) {
  if (getNetwork(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && isPanelProduct(linalgOp);
}

namespace {
struct SerializeProductRows
    : xfmr::impl::SerializeProductRowsBase<SerializeProductRows> {
  using SerializeProductRowsBase::SerializeProductRowsBase;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
      WalkResult found = loop->walk([](Operation *op) {
        return sharesColumns(op) ? WalkResult::interrupt()
                                 : WalkResult::advance();
      });
      if (!found.wasInterrupted())
        return WalkResult::skip();
      loops.push_back(loop);
      return WalkResult::advance();
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp loop : loops) {
      Location loc = loop.getLoc();
      if (loop->getNumResults()) {
        loop.emitOpError("expected a loop on memrefs, got one with results: "
                         "bufferize first");
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(loop);
      if (failed(scf::forallToForLoop(rewriter, loop))) {
        emitError(loc, "loop over rows cannot be made sequential");
        return signalPassFailure();
      }
      remark::passed(
          loc, remark::RemarkOpts::name("sequential").category(getArgument()))
          << "tiles of rows one after another: threads share the columns of "
             "the products in them";
    }
  }
};
} // namespace
