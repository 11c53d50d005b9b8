//===- FFNCanonicalization.cpp - Canonical forms of networks and gates ----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CanonicalForms.h"
#include "VerifierUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// `swish` with the slope of a named activation gets that name: the same
/// formula, which is evaluated in the same way (getCanonicalActivation).
template <typename OpTy> struct CanonicalSwish : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    ActivationAttr canonical = getCanonicalActivation(op.getActivation());
    if (canonical == op.getActivation())
      return rewriter.notifyMatchFailure(op, "canonical already");
    rewriter.modifyOpInPlace(op, [&] { op.setActivationAttr(canonical); });
    return success();
  }
};

/// A network gated by a swish is `swiglu_ffn` with its slope: the same formula.
struct GLUToSwiGLU : OpRewritePattern<GLUFFNOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GLUFFNOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<double> beta = getSwishBeta(op.getActivation());
    if (!beta)
      return rewriter.notifyMatchFailure(op, "not gated by a swish");
    auto replacement = SwiGLUFFNOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), op.getInput(), op.getGate(),
        op.getUp(), op.getGateUp(), op.getDown(), op.getGateBias(),
        op.getUpBias(), op.getGateUpBias(), op.getDownBias(), op.getInit(),
        op.getGateLayoutAttr(), op.getUpLayoutAttr(), op.getDownLayoutAttr(),
        op.getOrderAttr(), op.getHiddenTypeAttr(),
        rewriter.getF64FloatAttr(*beta));
    replacement->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, replacement);
    return success();
  }
};

/// The hidden type is x's unless given.
template <typename OpTy> struct DropHiddenType : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (op.getHiddenType() != elementType(op.getInput()))
      return rewriter.notifyMatchFailure(op, "not the type of ins");
    rewriter.modifyOpInPlace(op, [&] { op.removeHiddenTypeAttr(); });
    return success();
  }
};

/// A bias of zeros is dropped: it changes the sign of a zero at most, which is
/// not in the contract.
template <typename OpTy> struct DropZeroBiases : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    SmallVector<MutableOperandRange> biases{op.getUpBiasMutable(),
                                            op.getDownBiasMutable()};
    if constexpr (!std::is_same_v<OpTy, FFNOp>)
      biases.append({op.getGateBiasMutable(), op.getGateUpBiasMutable()});
    for (MutableOperandRange &bias : biases) {
      if (bias.empty() || !isZeroSplat(bias[0].get()))
        continue;
      rewriter.modifyOpInPlace(op, [&] { bias.clear(); });
      return success(); // The other ranges are stale now.
    }
    return rewriter.notifyMatchFailure(op, "no bias of zeros");
  }
};

} // namespace

void FFNOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns
      .add<CanonicalSwish<FFNOp>, DropHiddenType<FFNOp>, DropZeroBiases<FFNOp>>(
          context);
}

void GLUFFNOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<GLUToSwiGLU, DropHiddenType<GLUFFNOp>, DropZeroBiases<GLUFFNOp>>(
      context);
}

void SwiGLUFFNOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropHiddenType<SwiGLUFFNOp>, DropZeroBiases<SwiGLUFFNOp>>(
      context);
}

void GatedActOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<CanonicalSwish<GatedActOp>>(context);
}
