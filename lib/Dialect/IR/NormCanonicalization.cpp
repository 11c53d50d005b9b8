//===- NormCanonicalization.cpp - Canonical forms of norms ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CanonicalForms.h"
#include "VerifierUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "xfmr/Dialect/IR/Decomposition.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// A gamma whose sum with the offset is 1 everywhere is dropped: see
/// isUnitGamma.
template <typename OpTy> struct DropUnitGamma : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type accumulator = getAccumulatorType(elementType(op.getInput()));
    if (!isUnitGamma(op.getGamma(), op.getWeightOffset(), accumulator))
      return rewriter.notifyMatchFailure(op, "gamma + offset is not 1");
    rewriter.modifyOpInPlace(op, [&] {
      op.getGammaMutable().clear();
      op.setWeightOffsetAttr(rewriter.getF64FloatAttr(0.0));
    });
    return success();
  }
};

/// A beta of zeros is dropped: fma(g, xhat, 0) is g * xhat, rounded once in
/// both, but for the sign of a zero, which is not in the contract.
template <typename OpTy> struct DropZeroBeta : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isZeroSplat(op.getBeta()))
      return rewriter.notifyMatchFailure(op, "beta is not zero");
    rewriter.modifyOpInPlace(op, [&] { op.getBetaMutable().clear(); });
    return success();
  }
};

/// Gives equal roundings one spelling: see getCanonicalRounding.
template <typename OpTy> struct CanonicalRounding : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    RoundingAttr canonical =
        getCanonicalRounding(op.getRoundingAttr(), elementType(op.getInit()),
                             getAccumulatorType(elementType(op.getInput())),
                             /*scales=*/op.getGamma() || op.getBeta());
    if (canonical == op.getRoundingAttr())
      return rewriter.notifyMatchFailure(op, "canonical already");
    rewriter.modifyOpInPlace(op, [&] { op.setRoundingAttr(canonical); });
    return success();
  }
};

/// With eps = 0 both positions are the same: see getCanonicalEpsPosition.
template <typename OpTy> struct CanonicalEpsPosition : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    EpsPosition canonical =
        getCanonicalEpsPosition(op.getEpsPosition(), op.getEps());
    if (canonical == op.getEpsPosition())
      return rewriter.notifyMatchFailure(op, "canonical already");
    rewriter.modifyOpInPlace(op, [&] { op.setEpsPosition(canonical); });
    return success();
  }
};

/// What a norm sees of a sum whose type is the accumulator's is the same either
/// way.
template <typename OpTy> struct DropResidualRounding : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type element = elementType(op.getInput());
    if (!op.getResidualRoundingAttr() || element != getAccumulatorType(element))
      return rewriter.notifyMatchFailure(op, "rounds or is dropped already");
    rewriter.modifyOpInPlace(op, [&] { op.removeResidualRoundingAttr(); });
    return success();
  }
};

/// Destinations of the sum and of statistics whose results nobody uses are
/// dropped; the values of the other results do not depend on them.
template <typename OpTy>
struct DropUnusedDestinations : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not on tensors");
    SmallVector<Value> operands = op.getDpsInputs();
    SmallVector<Value> keptResults;
    SmallVector<Type> types;
    llvm::SmallDenseSet<unsigned> dropped;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      OpResult result = op.getTiedOpResult(&init);
      if (op.getOperandName(init) != "outs" && result.use_empty()) {
        dropped.insert(init.getOperandNumber());
        continue;
      }
      operands.push_back(init.get());
      types.push_back(result.getType());
      keptResults.push_back(result);
    }
    if (dropped.empty())
      return rewriter.notifyMatchFailure(op, "every result is used");
    OperationState state(op.getLoc(), op->getName(), operands, types,
                         llvm::to_vector(op->getDiscardableAttrs()));
    auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
    properties = op.getProperties();
    for (auto [group, size] : llvm::enumerate(properties.operandSegmentSizes))
      if (size && dropped.contains(op.getODSOperandIndexAndLength(group).first))
        size = 0;
    Operation *replacement = rewriter.create(state);
    rewriter.replaceAllUsesWith(keptResults, replacement->getResults());
    rewriter.eraseOp(op);
    return success();
  }
};

/// An add + norm of which only the sum is used is an add: the sum does not
/// depend on the norm.
template <typename OpTy> struct UnusedNormToAdd : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !op.getSumInit() ||
        op->getResult(0).use_empty() ||
        llvm::any_of(op->getResults().drop_front(),
                     [](Value result) { return !result.use_empty(); }))
      return rewriter.notifyMatchFailure(op,
                                         "the norm is used, or the sum not");
    Value sum = decomposeResidualAdd(
        rewriter, op.getLoc(), op.getInput(), op.getResidual(),
        op.getAlpha().convertToDouble(), /*mask=*/Value(), op.getSumInit());
    rewriter.replaceAllUsesWith(op->getResult(0), sum);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

template <typename OpTy>
static void addNormPatterns(RewritePatternSet &patterns) {
  patterns.add<DropUnitGamma<OpTy>, DropZeroBeta<OpTy>, CanonicalRounding<OpTy>,
               CanonicalEpsPosition<OpTy>, DropUnusedDestinations<OpTy>>(
      patterns.getContext());
}

template <typename OpTy>
static void addResidualNormPatterns(RewritePatternSet &patterns) {
  addNormPatterns<OpTy>(patterns);
  patterns.add<UnusedNormToAdd<OpTy>, DropResidualRounding<OpTy>>(
      patterns.getContext());
}

void RMSNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  addNormPatterns<RMSNormOp>(patterns);
}

void LayerNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  addNormPatterns<LayerNormOp>(patterns);
}

void AddRMSNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *) {
  addResidualNormPatterns<AddRMSNormOp>(patterns);
}

void AddLayerNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *) {
  addResidualNormPatterns<AddLayerNormOp>(patterns);
}
