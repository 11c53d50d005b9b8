//===- Canonicalization.cpp - Canonical forms of xfmr ops -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "xfmr/Dialect/IR/Decomposition.h"

using namespace mlir;
using namespace mlir::xfmr;

/// The value of every element, when all are one constant.
static std::optional<APFloat> getSplat(Value value) {
  if (!value)
    return std::nullopt;
  DenseElementsAttr dense;
  if (matchPattern(value, m_Constant(&dense)) && dense.isSplat())
    return dense.getSplatValue<APFloat>();
  FloatAttr scalar;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    if (matchPattern(fill.getInputs()[0], m_Constant(&scalar)))
      return scalar.getValue();
  return std::nullopt;
}

static std::optional<bool> getBoolSplat(Value value) {
  DenseElementsAttr dense;
  if (value && matchPattern(value, m_Constant(&dense)) && dense.isSplat())
    return dense.getSplatValue<bool>();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

namespace {

/// A gamma whose sum with the offset is 1 everywhere is dropped: fma(1, xhat,
/// b) is xhat + b, and fma(1, xhat, 0) is xhat. The sum is exact in f64 for a
/// gamma of up to f32 and an offset of any size that matters (1 - offset is
/// exact).
template <typename OpTy> struct DropUnitGamma : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<APFloat> gamma = getSplat(op.getGamma());
    if (!gamma)
      return rewriter.notifyMatchFailure(op, "gamma is not one constant");
    // The addition as the op does it: in the accumulator type.
    Type accumulator =
        getAccumulatorType(shapedType(op.getInput()).getElementType());
    const llvm::fltSemantics &semantics =
        cast<FloatType>(accumulator).getFloatSemantics();
    bool losesInfo = false;
    APFloat sum = *gamma, offset = op.getWeightOffset();
    sum.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    offset.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    sum.add(offset, APFloat::rmNearestTiesToEven);
    if (!sum.isExactlyValue(1.0))
      return rewriter.notifyMatchFailure(op, "gamma + offset is not 1");
    rewriter.modifyOpInPlace(op, [&] {
      op.getGammaMutable().clear();
      op.setWeightOffsetAttr(rewriter.getF64FloatAttr(0.0));
    });
    return success();
  }
};

/// A beta of zeros is dropped: fma(g, xhat, 0) is g * xhat but for the sign of
/// a zero, which is not in the contract.
template <typename OpTy> struct DropZeroBeta : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<APFloat> beta = getSplat(op.getBeta());
    if (!beta || !beta->isZero())
      return rewriter.notifyMatchFailure(op, "beta is not zero");
    rewriter.modifyOpInPlace(op, [&] { op.getBetaMutable().clear(); });
    return success();
  }
};

/// Gives equal roundings one spelling:
/// * dropped where the result and the type rounded to hold every value of the
///   accumulator;
/// * `cast_then_scale<R>` is `cast_then_scale`;
/// * a cast to a type that holds every value of the accumulator rounds nothing:
///   `scale_then_cast`;
/// * without gamma and beta a cast to R rounds once in either mode:
///   `scale_then_cast`.
template <typename OpTy> struct CanonicalRounding : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    RoundingAttr rounding = op.getRoundingAttr();
    if (!rounding)
      return rewriter.notifyMatchFailure(op, "no rounding");
    Type result = shapedType(op.getInit()).getElementType();
    Type accumulator =
        getAccumulatorType(shapedType(op.getInput()).getElementType());
    Type storage = rounding.getStorage() ? rounding.getStorage() : result;
    auto holdsAll = [&](Type type) {
      return type.getIntOrFloatBitWidth() >=
             accumulator.getIntOrFloatBitWidth();
    };
    bool casts = rounding.getMode() == RoundingMode::CastThenScale &&
                 !holdsAll(storage) &&
                 (op.getGamma() || op.getBeta() || storage != result);
    RoundingAttr canonical;
    if (casts)
      canonical =
          RoundingAttr::get(op.getContext(), RoundingMode::CastThenScale,
                            storage == result ? Type() : storage);
    else if (!holdsAll(result))
      canonical = RoundingAttr::get(op.getContext(),
                                    RoundingMode::ScaleThenCast, Type());
    if (canonical == rounding)
      return rewriter.notifyMatchFailure(op, "canonical already");
    rewriter.modifyOpInPlace(op, [&] { op.setRoundingAttr(canonical); });
    return success();
  }
};

/// With eps = 0 both positions are sqrt(statistic): `inside`.
template <typename OpTy> struct CanonicalEpsPosition : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (op.getEpsPosition() == EpsPosition::Inside || !op.getEps().isZero())
      return rewriter.notifyMatchFailure(op, "the position means something");
    rewriter.modifyOpInPlace(op,
                             [&] { op.setEpsPosition(EpsPosition::Inside); });
    return success();
  }
};

/// What a norm sees of a sum whose type is the accumulator's is the same either
/// way.
template <typename OpTy> struct DropResidualRounding : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type element = shapedType(op.getInput()).getElementType();
    if (!op.getResidualRoundingAttr() || element != getAccumulatorType(element))
      return rewriter.notifyMatchFailure(op, "rounds or is dropped already");
    rewriter.modifyOpInPlace(op, [&] { op.removeResidualRoundingAttr(); });
    return success();
  }
};

/// Destinations whose results nobody uses are dropped; the values of the other
/// results do not depend on them. `Groups` are the operand groups of optional
/// destinations.
template <typename OpTy, unsigned... Groups>
struct DropUnusedDestinations : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not on tensors");
    unsigned firstInit = op.getDpsInitsMutable()[0].getOperandNumber();
    auto properties = op.getProperties();
    llvm::SmallDenseSet<unsigned> dropped;
    for (unsigned group : {Groups...}) {
      auto [start, length] = op.getODSOperandIndexAndLength(group);
      if (length == 0 || !op->getResult(start - firstInit).use_empty())
        continue;
      properties.operandSegmentSizes[group] = 0;
      dropped.insert(start);
    }
    if (dropped.empty())
      return rewriter.notifyMatchFailure(op, "every result is used");
    OperationState state(op.getLoc(), op->getName());
    state.getOrAddProperties<typename OpTy::Properties>() = properties;
    state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    SmallVector<Value> kept;
    for (OpOperand &operand : op->getOpOperands()) {
      if (dropped.contains(operand.getOperandNumber()))
        continue;
      state.operands.push_back(operand.get());
      if (operand.getOperandNumber() < firstInit)
        continue;
      Value result = op->getResult(operand.getOperandNumber() - firstInit);
      state.types.push_back(result.getType());
      kept.push_back(result);
    }
    Operation *replacement = rewriter.create(state);
    for (auto [from, to] : llvm::zip_equal(kept, replacement->getResults()))
      rewriter.replaceAllUsesWith(from, to);
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

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

/// The slope that the activation's sigmoid has, for those of the swish family.
std::optional<double> getSwishBeta(ActivationAttr activation) {
  switch (activation.getKind()) {
  case ActivationKind::Silu:
    return 1.0;
  case ActivationKind::QuickGelu:
    return 1.702;
  case ActivationKind::Swish:
    return activation.getBeta().getValueAsDouble();
  default:
    return std::nullopt;
  }
}

/// `swish` with the slope of a named activation gets that name: the same
/// formula.
template <typename OpTy> struct CanonicalSwish : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    ActivationAttr activation = op.getActivation();
    if (activation.getKind() != ActivationKind::Swish)
      return rewriter.notifyMatchFailure(op, "not swish");
    double beta = activation.getBeta().getValueAsDouble();
    if (beta != 1.0 && beta != 1.702)
      return rewriter.notifyMatchFailure(op, "swish without another name");
    rewriter.modifyOpInPlace(op, [&] {
      op.setActivationAttr(ActivationAttr::get(
          op.getContext(),
          beta == 1.0 ? ActivationKind::Silu : ActivationKind::QuickGelu,
          FloatAttr(), FloatAttr(), FloatAttr()));
    });
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
    if (op.getHiddenType() != shapedType(op.getInput()).getElementType())
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
      if (bias.empty())
        continue;
      std::optional<APFloat> splat = getSplat(bias[0].get());
      if (!splat || !splat->isZero())
        continue;
      rewriter.modifyOpInPlace(op, [&] { bias.clear(); });
      return success(); // The other ranges are stale now.
    }
    return rewriter.notifyMatchFailure(op, "no bias of zeros");
  }
};

//===----------------------------------------------------------------------===//
// All row ops
//===----------------------------------------------------------------------===//

/// A dim that one operand knows and another does not becomes static in both.
/// That dims which meet are equal is the op's contract, so no value changes.
struct RefineStaticDims : OpInterfaceRewritePattern<RowOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(RowOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not on tensors");
    SmallVector<int64_t> extents(op.getNumRowDims() +
                                     op.getInnerIteratorTypes().size(),
                                 ShapedType::kDynamic);
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, domainDim] : llvm::enumerate(op.getDomainDims(operand)))
        if (int64_t extent = shapedType(operand.get()).getDimSize(dim);
            domainDim >= 0 && !ShapedType::isDynamic(extent))
          extents[domainDim] = extent;
    SmallVector<Value> operands;
    SmallVector<Type> types;
    bool refined = false;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = cast<RankedTensorType>(operand.get().getType());
      SmallVector<int64_t> shape(type.getShape());
      for (auto [dim, domainDim] : llvm::enumerate(op.getDomainDims(operand)))
        if (domainDim >= 0)
          shape[dim] = extents[domainDim];
      auto refinedType = type.clone(shape);
      Value value = operand.get();
      if (refinedType != type) {
        value =
            tensor::CastOp::create(rewriter, op.getLoc(), refinedType, value);
        refined = true;
      }
      operands.push_back(value);
      if (op.isDpsInit(&operand))
        types.push_back(refinedType);
    }
    if (!refined)
      return rewriter.notifyMatchFailure(op, "no dim to refine");
    Operation *replacement = mlir::clone(rewriter, op, types, operands);
    SmallVector<Value> results;
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), replacement->getResults()))
      results.push_back(from.getType() == to.getType()
                            ? Value(to)
                            : tensor::CastOp::create(rewriter, op.getLoc(),
                                                     from.getType(), to));
    rewriter.replaceOp(op, results);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Residual blocks
//===----------------------------------------------------------------------===//

/// A mask that is true everywhere masks nothing; one that is false everywhere
/// leaves x.
struct FoldConstantMask : OpRewritePattern<ResidualBlockOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ResidualBlockOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> mask = getBoolSplat(op.getMask());
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

/// A region that yields zeros adds nothing: fma(1, x, 0) is x but for the sign
/// of a zero, which is not in the contract, and x has type T already. A norm of
/// the branch (sandwich, branch_post) stays: it would give its beta. A region
/// that yields x itself, with no norm about it, is one add.
struct FoldTrivialRegion : OpRewritePattern<ResidualBlockOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ResidualBlockOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        op.getInput().getType() != op.getInit().getType())
      return rewriter.notifyMatchFailure(op, "not on tensors of one type");
    if (!isMemoryEffectFree(op))
      return rewriter.notifyMatchFailure(op, "the region has effects");
    double alpha = op.getAlpha().convertToDouble();
    Value f = op.getBranchOutput();
    std::optional<APFloat> splat = getSplat(f);
    bool addsOnly =
        op.getTopology() == Topology::Pre || op.getTopology() == Topology::None;
    if (splat && splat->isZero() && alpha == 1.0 && addsOnly) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    bool yieldsInput =
        f == op.getInput() ||
        (op.getTopology() == Topology::None && f == op.getBranchInput());
    if (yieldsInput && addsOnly) {
      Value sum = decomposeResidualAdd(rewriter, op.getLoc(), op.getInput(),
                                       op.getInput(), alpha, op.getMask(),
                                       op.getInit());
      rewriter.replaceOp(op, sum);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "the region does something");
  }
};

} // namespace

template <typename OpTy, unsigned... Groups>
static void addNormPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns
      .add<DropUnitGamma<OpTy>, DropZeroBeta<OpTy>, CanonicalRounding<OpTy>,
           CanonicalEpsPosition<OpTy>, DropUnusedDestinations<OpTy, Groups...>>(
          context);
}

void XfmrDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<RefineStaticDims>(getContext());
}

void RMSNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  addNormPatterns<RMSNormOp, 4>(patterns, context);
}

void LayerNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  addNormPatterns<LayerNormOp, 4, 5>(patterns, context);
}

void AddRMSNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  addNormPatterns<AddRMSNormOp, 4, 6>(patterns, context);
  patterns
      .add<UnusedNormToAdd<AddRMSNormOp>, DropResidualRounding<AddRMSNormOp>>(
          context);
}

void AddLayerNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  addNormPatterns<AddLayerNormOp, 4, 6, 7>(patterns, context);
  patterns.add<UnusedNormToAdd<AddLayerNormOp>,
               DropResidualRounding<AddLayerNormOp>>(context);
}

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

void ResidualBlockOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<FoldConstantMask, FoldTrivialRegion>(context);
}
