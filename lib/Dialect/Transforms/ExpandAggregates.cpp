//===- ExpandAggregates.cpp - Other dialects' aggregated ops --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "xfmr/Dialect/Transforms/Passes.h"
#include "xfmr/Dialect/Transforms/Transforms.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_EXPANDAGGREGATES
#include "xfmr/Dialect/Transforms/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

/// Divides by the sum of a row by its inverse, which is computed once a row:
/// the sum is 1 or more. `quotient` is the last op that a softmax is made of.
static void invertSums(RewriterBase &rewriter, linalg::LinalgOp quotient) {
  for (auto division : llvm::make_early_inc_range(
           quotient.getBlock()->getOps<arith::DivFOp>())) {
    Location loc = division.getLoc();
    rewriter.setInsertionPoint(division);
    auto type = cast<FloatType>(division.getType());
    Value one = arith::ConstantOp::create(rewriter, loc,
                                          rewriter.getFloatAttr(type, 1.0));
    Value inverse =
        arith::DivFOp::create(rewriter, loc, one, division.getRhs());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(division, division.getLhs(),
                                               inverse);
  }
}

namespace {
struct ExpandAggregates : xfmr::impl::ExpandAggregatesBase<ExpandAggregates> {
  void runOnOperation() override {
    SmallVector<linalg::AggregatedOpInterface> ops;
    getOperation()->walk([&](linalg::AggregatedOpInterface op) {
      if (!isa<XfmrDialect>(op->getDialect()))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface op : ops) {
      std::string name = op->getName().getStringRef().str();
      Location loc = op.getLoc();
      auto remark =
          remark::RemarkOpts::name("aggregate").category(getArgument());
      bool isSoftmax = isa<linalg::SoftmaxOp>(op);
      Operation *next = op->getNextNode();
      auto destinationStyle =
          dyn_cast<DestinationStyleOpInterface>(op.getOperation());
      // Others decompose on tensors alone.
      if (!destinationStyle || !destinationStyle.hasPureTensorSemantics() ||
          failed(decomposeToLinalg(rewriter, op))) {
        remark::missed(loc, remark) << name + " has no decomposition here";
        continue;
      }
      if (isSoftmax)
        invertSums(rewriter, cast<linalg::LinalgOp>(next->getPrevNode()));
      remark::passed(loc, remark) << name + " decomposed";
    }
  }
};
} // namespace
