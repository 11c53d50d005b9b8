//===- ToLinalg.cpp - The public decomposition into linalg ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "xfmr/Dialect/Transforms/Passes.h"
#include "xfmr/Dialect/Transforms/Transforms.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_TOLINALG
#include "xfmr/Dialect/Transforms/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

LogicalResult xfmr::decomposeToLinalg(RewriterBase &rewriter,
                                      linalg::AggregatedOpInterface op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
  if (failed(results))
    return failure();
  // On memrefs the destinations are written and there is nothing to replace.
  if (op->getNumResults())
    rewriter.replaceOp(op, *results);
  else
    rewriter.eraseOp(op);
  return success();
}

namespace {
struct ToLinalg : xfmr::impl::ToLinalgBase<ToLinalg> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    if (failed(expandResidualBlocks(rewriter, getOperation())))
      return signalPassFailure();
    SmallVector<linalg::AggregatedOpInterface> ops;
    getOperation()->walk([&](linalg::AggregatedOpInterface op) {
      if (isa<XfmrDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (linalg::AggregatedOpInterface op : ops) {
      remark::passed(
          op.getLoc(),
          remark::RemarkOpts::name("decomposed").category(getArgument()))
          << (op->getName().getStringRef() + " decomposed").str();
      if (failed(decomposeToLinalg(rewriter, op))) {
        op.emitOpError("has no decomposition into linalg");
        return signalPassFailure();
      }
    }
  }
};
} // namespace
