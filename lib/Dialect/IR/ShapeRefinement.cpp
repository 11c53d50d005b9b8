//===- ShapeRefinement.cpp - Static dims for dynamic ones -----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// A dim that one operand knows and another does not becomes static in both.
/// That dims which meet are equal is the op's contract, so no value changes.
struct RefineStaticDims : OpInterfaceRewritePattern<RowOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(RowOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not on tensors");
    llvm::SmallDenseMap<int64_t, int64_t> extents;
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, extent] :
           llvm::zip_equal(op.getOperandDims(operand),
                           shapedType(operand.get()).getShape()))
        if (!ShapedType::isDynamic(extent))
          extents[dim.symbol] = extent / dim.factor;
    SmallVector<Value> operands;
    SmallVector<Type> types;
    bool refined = false;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = cast<RankedTensorType>(operand.get().getType());
      SmallVector<int64_t> shape(type.getShape());
      for (auto [extent, dim] :
           llvm::zip_equal(shape, op.getOperandDims(operand)))
        if (auto it = extents.find(dim.symbol); it != extents.end())
          extent = it->second * dim.factor;
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

} // namespace

void XfmrDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<RefineStaticDims>(getContext());
}
