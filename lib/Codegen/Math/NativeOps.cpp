//===- NativeOps.cpp - Float operations that x86 has ----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NativeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::xfmr;

static constexpr int64_t kScaleLanes = 16;

bool mlir::xfmr::canScaleNatively(VectorType type) {
  return type.getRank() == 1 && !type.isScalable() &&
         type.getElementType().isF32() && type.getDimSize(0) % kScaleLanes == 0;
}

Value mlir::xfmr::scaleNatively(OpBuilder &builder, Location loc, Value x,
                                Value n) {
  auto type = cast<VectorType>(x.getType());
  auto pieceType = VectorType::get({kScaleLanes}, type.getElementType());
  auto constant = [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(builder, loc, value);
  };
  Value all = constant(builder.getI16IntegerAttr(-1));
  // The rounding mode that is set.
  Value rounding = constant(builder.getI32IntegerAttr(4));
  auto scale = [&](Value x, Value n) {
    return LLVM::CallIntrinsicOp::create(
               builder, loc, pieceType,
               builder.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
               ValueRange{x, n, x, all, rounding})
        .getResult(0);
  };
  if (type == pieceType)
    return scale(x, n);
  Value result = constant(builder.getZeroAttr(type));
  for (int64_t offset = 0; offset < type.getDimSize(0); offset += kScaleLanes) {
    auto slice = [&](Value vector) -> Value {
      return vector::ExtractStridedSliceOp::create(
          builder, loc, vector, ArrayRef<int64_t>{offset},
          ArrayRef<int64_t>{kScaleLanes}, ArrayRef<int64_t>{1});
    };
    Value piece = scale(slice(x), slice(n));
    result = vector::InsertStridedSliceOp::create(builder, loc, piece, result,
                                                  ArrayRef<int64_t>{offset},
                                                  ArrayRef<int64_t>{1});
  }
  return result;
}

namespace {

bool isNeverNaN(Value value);

/// Whether the value that a loop carries starts as a number and stays one.
bool isNeverNaN(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return false;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(argument);
  // In each iteration: it is one operand of what is carried on, or of one of
  // the operands of a selection.
  Value next = yielded->get();
  if (auto select = next.getDefiningOp<arith::SelectOp>())
    next = select.getFalseValue() == argument ? select.getTrueValue()
                                              : select.getFalseValue();
  bool stays =
      next.getDefiningOp() &&
      isa<arith::MaxNumFOp, arith::MinNumFOp>(next.getDefiningOp()) &&
      llvm::is_contained(next.getDefiningOp()->getOperands(), argument);
  return stays && isNeverNaN(loop.getTiedLoopInit(argument)->get());
}

bool isNeverNaN(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isNeverNaN(argument);
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return !constant.getValue().isNaN();
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return elements.isSplat() && !elements.getSplatValue<APFloat>().isNaN();
  return false;
}

template <typename Op, arith::CmpFPredicate predicate>
struct SelectMax : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value kept = op.getLhs(), other = op.getRhs();
    if (!isNeverNaN(kept))
      std::swap(kept, other);
    if (!isNeverNaN(kept))
      return rewriter.notifyMatchFailure(op, "both operands may be NaN");
    Value isBeyond =
        arith::CmpFOp::create(rewriter, op.getLoc(), predicate, other, kept);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isBeyond, other, kept);
    return success();
  }
};

} // namespace

void mlir::xfmr::populateNativeMaxPatterns(RewritePatternSet &patterns) {
  patterns.add<SelectMax<arith::MaxNumFOp, arith::CmpFPredicate::OGT>,
               SelectMax<arith::MinNumFOp, arith::CmpFPredicate::OLT>>(
      patterns.getContext());
}
