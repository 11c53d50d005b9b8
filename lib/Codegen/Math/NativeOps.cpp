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
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::xfmr;

static constexpr int64_t kScaleLanes = 16;

bool mlir::xfmr::canScaleNatively(VectorType type) {
  return type.getRank() == 1 && !type.isScalable() &&
         type.getElementType().isF32() && type.getDimSize(0) % kScaleLanes == 0;
}

/// Lanes from `offset` on as a register; those behind the end are zero.
static Value takeRegister(OpBuilder &builder, Location loc, Value vector,
                          int64_t offset) {
  auto type = cast<VectorType>(vector.getType());
  int64_t lanes = std::min(kScaleLanes, type.getDimSize(0) - offset);
  if (type.getDimSize(0) == kScaleLanes)
    return vector;
  Value piece = vector::ExtractStridedSliceOp::create(
      builder, loc, vector, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{lanes},
      ArrayRef<int64_t>{1});
  if (lanes == kScaleLanes)
    return piece;
  auto full = VectorType::get({kScaleLanes}, type.getElementType());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(full));
  return vector::InsertStridedSliceOp::create(
      builder, loc, piece, zero, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
}

/// What `compute` makes of the registers that the operands fill, which are of
/// one type: f32, a scalar or a vector.
static Value
computeByRegisters(OpBuilder &builder, Location loc, ValueRange operands,
                   function_ref<Value(VectorType, ValueRange)> compute) {
  Type type = operands.front().getType();
  auto full = VectorType::get({kScaleLanes}, getElementTypeOrSelf(type));
  if (type == full)
    return compute(full, operands);
  // As one row of lanes.
  auto shaped = dyn_cast<VectorType>(type);
  auto flat = VectorType::get({shaped ? shaped.getNumElements() : 1},
                              full.getElementType());
  SmallVector<Value, 2> rows;
  for (Value operand : operands)
    rows.push_back(
        !shaped ? vector::BroadcastOp::create(builder, loc, flat, operand)
                      .getResult()
        : shaped == flat
            ? operand
            : vector::ShapeCastOp::create(builder, loc, flat, operand)
                  .getResult());
  Value result =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(flat));
  for (int64_t offset = 0; offset < flat.getDimSize(0); offset += kScaleLanes) {
    SmallVector<Value, 2> pieces;
    for (Value row : rows)
      pieces.push_back(takeRegister(builder, loc, row, offset));
    Value piece = compute(full, pieces);
    int64_t lanes = std::min(kScaleLanes, flat.getDimSize(0) - offset);
    if (lanes < kScaleLanes)
      piece = vector::ExtractStridedSliceOp::create(
          builder, loc, piece, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{lanes},
          ArrayRef<int64_t>{1});
    result = vector::InsertStridedSliceOp::create(builder, loc, piece, result,
                                                  ArrayRef<int64_t>{offset},
                                                  ArrayRef<int64_t>{1});
  }
  if (!shaped)
    return vector::ExtractOp::create(builder, loc, result, int64_t(0));
  if (shaped == flat)
    return result;
  return vector::ShapeCastOp::create(builder, loc, shaped, result);
}

/// An intrinsic of AVX-512 with a mask, all of which is set, and a last operand
/// that says how to round: as is set.
static Value callIntrinsic(OpBuilder &builder, Location loc, VectorType type,
                           StringRef name, ArrayRef<Value> operands) {
  auto constant = [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(builder, loc, value);
  };
  SmallVector<Value, 5> all = llvm::to_vector<5>(operands);
  all.push_back(constant(builder.getI16IntegerAttr(-1)));
  all.push_back(constant(builder.getI32IntegerAttr(4)));
  return LLVM::CallIntrinsicOp::create(builder, loc, type,
                                       builder.getStringAttr(name), all)
      .getResult(0);
}

Value mlir::xfmr::scaleNatively(OpBuilder &builder, Location loc, Value x,
                                Value n) {
  return computeByRegisters(
      builder, loc, {x, n}, [&](VectorType type, ValueRange pieces) {
        return callIntrinsic(builder, loc, type,
                             "llvm.x86.avx512.mask.scalef.ps.512",
                             {pieces[0], pieces[1], pieces[0]});
      });
}

Value mlir::xfmr::takeFractionNatively(OpBuilder &builder, Location loc,
                                       Value x) {
  // To no bit of the fraction, down.
  Value mode =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  return computeByRegisters(
      builder, loc, x, [&](VectorType type, ValueRange pieces) {
        return callIntrinsic(builder, loc, type,
                             "llvm.x86.avx512.mask.reduce.ps.512",
                             {pieces[0], mode, pieces[0]});
      });
}

namespace {

/// Finds values of which no lane is NaN.
class NumberAnalysis {
public:
  bool isNeverNaN(Value value);

private:
  bool isNeverNaN(BlockArgument argument);
  bool isNeverNaN(Operation *op);

  /// What loops carry, taken for numbers where the same is found of what the
  /// iterations leave.
  llvm::SmallDenseSet<Value, 2> carried;
};

bool NumberAnalysis::isNeverNaN(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return false;
  if (!carried.insert(argument).second)
    return true;
  return isNeverNaN(loop.getTiedLoopInit(argument)->get()) &&
         isNeverNaN(loop.getTiedLoopYieldedValue(argument)->get());
}

bool NumberAnalysis::isNeverNaN(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](Operation *op) {
        return isNeverNaN(op->getOperand(0)) || isNeverNaN(op->getOperand(1));
      })
      .Case([&](arith::SelectOp op) {
        if (!isNeverNaN(op.getFalseValue()))
          return false;
        // What is more or less than a number is one.
        auto compare = op.getCondition().getDefiningOp<arith::CmpFOp>();
        bool isBeyond = compare &&
                        (compare.getPredicate() == arith::CmpFPredicate::OGT ||
                         compare.getPredicate() == arith::CmpFPredicate::OLT) &&
                        compare.getLhs() == op.getTrueValue();
        return isBeyond || isNeverNaN(op.getTrueValue());
      })
      .Case<vector::ExtractStridedSliceOp, vector::ExtractOp>(
          [&](Operation *op) { return isNeverNaN(op->getOperand(0)); })
      .Case([&](vector::ShuffleOp op) {
        return isNeverNaN(op.getV1()) && isNeverNaN(op.getV2());
      })
      .Default([](Operation *) { return false; });
}

bool NumberAnalysis::isNeverNaN(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isNeverNaN(argument);
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return isNeverNaN(loop.getTiedLoopRegionIterArg(cast<OpResult>(value)));
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return !constant.getValue().isNaN();
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return elements.isSplat() && !elements.getSplatValue<APFloat>().isNaN();
  return isNeverNaN(value.getDefiningOp());
}

template <typename Op, arith::CmpFPredicate predicate>
struct SelectMax : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value kept = op.getLhs(), other = op.getRhs();
    if (!NumberAnalysis().isNeverNaN(kept))
      std::swap(kept, other);
    if (!NumberAnalysis().isNeverNaN(kept))
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
