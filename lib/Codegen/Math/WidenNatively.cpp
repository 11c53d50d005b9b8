//===- WidenNatively.cpp - bf16 to f32 by one shuffle -----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NativeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// Whole vectors in the order of memory: zeros and elements in turns. Halves of
/// pairs are widened where they lie.
struct WidenByShuffle : OpRewritePattern<arith::ExtFOp> {
  WidenByShuffle(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto wide = dyn_cast<VectorType>(op.getType());
    auto narrow = dyn_cast<VectorType>(op.getIn().getType());
    if (!wide || !canScaleNatively(wide) || !narrow.getElementType().isBF16() ||
        op.getIn().getDefiningOp<vector::DeinterleaveOp>())
      return rewriter.notifyMatchFailure(op, "expects whole vectors of bf16");
    Location loc = op.getLoc();
    auto bitsType = narrow.clone(rewriter.getI16Type());
    Value bits = arith::BitcastOp::create(rewriter, loc, bitsType, op.getIn());
    Value zero = arith::ConstantOp::create(rewriter, loc,
                                           rewriter.getZeroAttr(bitsType));
    Value spread = vector::InterleaveOp::create(rewriter, loc, zero, bits);
    rewriter.replaceOpWithNewOp<vector::BitCastOp>(op, wide, spread);
    return success();
  }
};

} // namespace

void mlir::xfmr::populateNativeWideningPatterns(RewritePatternSet &patterns) {
  patterns.add<WidenByShuffle>(patterns.getContext());
}
