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
      auto destinationStyle =
          dyn_cast<DestinationStyleOpInterface>(op.getOperation());
      // Others decompose on tensors alone.
      if (!destinationStyle || !destinationStyle.hasPureTensorSemantics() ||
          failed(decomposeToLinalg(rewriter, op)))
        remark::missed(loc, remark) << name + " has no decomposition here";
      else
        remark::passed(loc, remark) << name + " decomposed";
    }
  }
};
} // namespace
