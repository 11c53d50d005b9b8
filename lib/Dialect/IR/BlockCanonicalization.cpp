//===- BlockCanonicalization.cpp - Canonical forms of residual blocks -----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CanonicalForms.h"
#include "VerifierUtils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "xfmr/Dialect/IR/Decomposition.h"

using namespace mlir;
using namespace mlir::xfmr;

/// The mask's one value, when it is known to have one.
static std::optional<bool> getMaskSplat(Value mask) {
  if (!mask)
    return std::nullopt;
  DenseElementsAttr dense;
  if (matchPattern(mask, m_Constant(&dense)) && dense.isSplat() &&
      !dense.empty())
    return dense.getSplatValue<bool>();
  BoolAttr scalar;
  if (auto fill = mask.getDefiningOp<linalg::FillOp>())
    if (matchPattern(fill.getInputs()[0], m_Constant(&scalar)))
      return scalar.getValue();
  return std::nullopt;
}

namespace {

/// The norms of a block have the canonical forms of the norm ops, for the same
/// reasons; its `residual_rounding` too.
struct CanonicalNorms : OpRewritePattern<ResidualBlockOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ResidualBlockOp op,
                                PatternRewriter &rewriter) const override {
    Type element = elementType(op.getInput());
    Type accumulator = getAccumulatorType(element);
    if (op.getResidualRoundingAttr() && element == accumulator) {
      rewriter.modifyOpInPlace(op, [&] { op.removeResidualRoundingAttr(); });
      return success();
    }
    for (bool second : {false, true}) {
      NormAttr norm = second ? op.getNorm2Attr() : op.getNorm1Attr();
      if (!norm)
        continue;
      MutableOperandRange gamma =
          second ? op.getGamma2Mutable() : op.getGamma1Mutable();
      MutableOperandRange beta =
          second ? op.getBeta2Mutable() : op.getBeta1Mutable();
      FloatAttr offset = norm.getWeightOffset();
      bool dropsGamma =
          !gamma.empty() &&
          isUnitGamma(gamma[0].get(), offset.getValue(), accumulator);
      bool dropsBeta =
          !dropsGamma && !beta.empty() && isZeroSplat(beta[0].get());
      if (dropsGamma)
        offset = rewriter.getF64FloatAttr(0.0);
      bool scales =
          (!gamma.empty() && !dropsGamma) || (!beta.empty() && !dropsBeta);
      auto canonical =
          NormAttr::get(op.getContext(), norm.getKind(), norm.getEps(),
                        getCanonicalEpsPosition(norm.getEpsPosition(),
                                                norm.getEps().getValue()),
                        norm.getStatistic(), norm.getUnbiased(), offset,
                        getCanonicalRounding(norm.getRounding(), element,
                                             accumulator, scales));
      if (canonical == norm && !dropsGamma && !dropsBeta)
        continue;
      // One operand at a time: clearing one moves those after it.
      rewriter.modifyOpInPlace(op, [&] {
        if (dropsGamma)
          gamma.clear();
        if (dropsBeta)
          beta.clear();
        second ? op.setNorm2Attr(canonical) : op.setNorm1Attr(canonical);
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "canonical already");
  }
};

/// A mask that is true everywhere masks nothing; one that is false everywhere
/// leaves x.
struct FoldConstantMask : OpRewritePattern<ResidualBlockOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ResidualBlockOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> mask = getMaskSplat(op.getMask());
    if (!mask)
      return rewriter.notifyMatchFailure(op, "mask is not one constant");
    if (*mask) {
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
      return success();
    }
    if (!op.hasPureTensorSemantics() ||
        op.getInput().getType() != op.getInit().getType() ||
        !isMemoryEffectFree(op))
      return rewriter.notifyMatchFailure(op, "x is not a result");
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

/// A region that computes nothing: it yields zeros, a value from above or z.
/// * fma(1, x, 0) is x but for the sign of a zero, which is not in the
/// contract,
///   and x has type T already. A norm of the branch (sandwich, branch_post)
///   would give its beta, so it stays.
/// * Without a norm between (pre, none) the block is the add that it ends in.
/// * post is the add + norm that it ends in: `xfmr.add_rmsnorm` or
///   `xfmr.add_layernorm` without a sum.
struct FoldTrivialRegion : OpRewritePattern<ResidualBlockOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ResidualBlockOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not on tensors");
    if (!isMemoryEffectFree(op))
      return rewriter.notifyMatchFailure(op, "the region has effects");
    Topology topology = op.getTopology();
    bool addsOnly = topology == Topology::Pre || topology == Topology::None;
    bool isPost = topology == Topology::Post;
    Value branch = op.getBranchOutput();
    if (addsOnly && isZeroSplat(branch) && op.getAlpha().isExactlyValue(1.0) &&
        op.getInput().getType() == op.getInit().getType()) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    // z is x where there is no norm before the region.
    if (branch == op.getBranchInput() && topology != Topology::Pre)
      branch = op.getInput();
    if (op.getBody().isAncestor(branch.getParentRegion()))
      return rewriter.notifyMatchFailure(op, "the region computes");
    if (addsOnly) {
      Value sum = decomposeResidualAdd(rewriter, op.getLoc(), op.getInput(),
                                       branch, op.getAlpha().convertToDouble(),
                                       op.getMask(), op.getInit());
      rewriter.replaceOp(op, sum);
      return success();
    }
    if (!isPost || op.getMask())
      return rewriter.notifyMatchFailure(op, "more than an add and a norm");
    rewriter.replaceOp(op, createAddNorm(op, branch, rewriter));
    return success();
  }

private:
  static Operation *createAddNorm(ResidualBlockOp op, Value branch,
                                  PatternRewriter &rewriter) {
    NormAttr norm = *op.getNorm1();
    auto epsPosition =
        EpsPositionAttr::get(op.getContext(), norm.getEpsPosition());
    IntegerAttr oneDim = rewriter.getI64IntegerAttr(1);
    FloatAttr alpha =
        rewriter.getFloatAttr(rewriter.getF64Type(), op.getAlpha());
    Value none;
    if (norm.getKind() == NormKind::RMSNorm)
      return AddRMSNormOp::create(
          rewriter, op.getLoc(), op->getResultTypes(), op.getInput(), branch,
          op.getGamma1(), op.getBeta1(), /*sum_init=*/none, op.getInit(),
          /*rstd_init=*/none,
          StatisticAttr::get(op.getContext(), norm.getStatistic()),
          norm.getEps(), epsPosition, norm.getWeightOffset(), oneDim,
          norm.getRounding(), alpha, op.getResidualRoundingAttr());
    return AddLayerNormOp::create(
        rewriter, op.getLoc(), op->getResultTypes(), op.getInput(), branch,
        op.getGamma1(), op.getBeta1(), /*sum_init=*/none, op.getInit(),
        /*rstd_init=*/none, /*mean_init=*/none,
        norm.getUnbiased() ? rewriter.getUnitAttr() : UnitAttr(), norm.getEps(),
        epsPosition, norm.getWeightOffset(), oneDim, norm.getRounding(), alpha,
        op.getResidualRoundingAttr());
  }
};

} // namespace

void ResidualBlockOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<CanonicalNorms, FoldConstantMask, FoldTrivialRegion>(context);
}
