//===- ExpandNarrowFloat.cpp - Conversions of bf16 and f16 on the bits ----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "xfmr/Codegen/Math/Passes.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_EXPANDNARROWFLOAT
#include "xfmr/Codegen/Math/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// Builds ops on values of one shape and changing element types.
struct ShapedBuilder {
  ShapedBuilder(OpBuilder &builder, Location loc, Type like)
      : builder(builder), loc(loc), like(like) {}

  Type shaped(Type element) const {
    if (auto vector = dyn_cast<VectorType>(like))
      return vector.clone(element);
    return element;
  }
  Type i16() const { return shaped(builder.getI16Type()); }
  Type i32() const { return shaped(builder.getI32Type()); }
  Type f32() const { return shaped(builder.getF32Type()); }
  Type f64() const { return shaped(builder.getF64Type()); }

  Value integer(int64_t value) {
    TypedAttr attr = builder.getI32IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(like))
      attr = DenseElementsAttr::get(vector.clone(builder.getI32Type()),
                                    Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }
  OpBuilder &builder;
  Location loc;
  Type like;
};

/// The f32 with the value of a bf16: its upper half.
Value extendToF32(ShapedBuilder &b, Value x) {
  Value bits = b.make<arith::BitcastOp>(b.i16(), x);
  bits = b.make<arith::ExtUIOp>(b.i32(), bits);
  bits = b.make<arith::ShLIOp>(bits, b.integer(16));
  return b.make<arith::BitcastOp>(b.f32(), bits);
}

/// f32 to bf16, to nearest even.
Value truncateToBF16(ShapedBuilder &b, Value x, Type result) {
  Value bits = b.make<arith::BitcastOp>(b.i32(), x);
  Value upper = b.make<arith::ShRUIOp>(bits, b.integer(16));
  Value isOdd = b.make<arith::AndIOp>(upper, b.integer(1));
  Value rounded = b.make<arith::AddIOp>(bits, b.integer(0x7fff));
  rounded = b.make<arith::AddIOp>(rounded, isOdd);
  rounded = b.make<arith::ShRUIOp>(rounded, b.integer(16));
  // Rounding could carry a NaN into an infinity.
  Value quiet = b.make<arith::OrIOp>(upper, b.integer(0x40));
  Value isNaN = b.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
  rounded = b.make<arith::SelectOp>(isNaN, quiet, rounded);
  rounded = b.make<arith::TruncIOp>(b.i16(), rounded);
  return b.make<arith::BitcastOp>(result, rounded);
}

/// f64 to f32, rounded to odd: towards zero, with the last bit set where that
/// was inexact. f32 has more than two bits beyond bf16 and f16, so rounding the
/// result to one of these gives what rounding the f64 would.
Value roundToOdd(ShapedBuilder &b, Value x) {
  Value nearest = b.make<arith::TruncFOp>(b.f32(), x);
  Value back = b.make<arith::ExtFOp>(b.f64(), nearest);
  Value magnitude = b.make<math::AbsFOp>(x);
  Value awayFromZero = b.make<arith::CmpFOp>(
      arith::CmpFPredicate::OGT, b.make<math::AbsFOp>(back), magnitude);
  Value inexact = b.make<arith::CmpFOp>(arith::CmpFPredicate::ONE, back, x);
  Value bits = b.make<arith::BitcastOp>(b.i32(), nearest);
  Value less = b.make<arith::SubIOp>(bits, b.integer(1));
  bits = b.make<arith::SelectOp>(awayFromZero, less, bits);
  Value odd = b.make<arith::OrIOp>(bits, b.integer(1));
  bits = b.make<arith::SelectOp>(inexact, odd, bits);
  return b.make<arith::BitcastOp>(b.f32(), bits);
}

/// True for scalars and vectors.
bool isScalarOrVector(Type type) { return isa<FloatType, VectorType>(type); }

struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type to = getElementTypeOrSelf(op.getType());
    if (!isScalarOrVector(x.getType()))
      return rewriter.notifyMatchFailure(op, "expects a scalar or a vector");
    if (!getElementTypeOrSelf(x.getType()).isBF16() ||
        !(to.isF32() || to.isF64()))
      return rewriter.notifyMatchFailure(op, "expects bf16 to f32 or f64");
    ShapedBuilder b(rewriter, op.getLoc(), x.getType());
    Value result = extendToF32(b, x);
    if (to.isF64())
      result = b.make<arith::ExtFOp>(op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type from = getElementTypeOrSelf(x.getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (!isScalarOrVector(x.getType()))
      return rewriter.notifyMatchFailure(op, "expects a scalar or a vector");
    if (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op,
                                         "expects rounding to nearest even");
    bool toBF16 = to.isBF16() && (from.isF32() || from.isF64());
    if (!toBF16 && !(to.isF16() && from.isF64()))
      return rewriter.notifyMatchFailure(
          op, "expects f32 or f64 to bf16, or f64 to f16");
    ShapedBuilder b(rewriter, op.getLoc(), x.getType());
    if (from.isF64())
      x = roundToOdd(b, x);
    Value result = toBF16 ? truncateToBF16(b, x, op.getType())
                          : b.make<arith::TruncFOp>(op.getType(), x);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandNarrowFloat
    : mlir::xfmr::impl::ExpandNarrowFloatBase<ExpandNarrowFloat> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    populateExpandNarrowFloatPatterns(owned);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

void mlir::xfmr::populateExpandNarrowFloatPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ExpandExtF, ExpandTruncF>(patterns.getContext());
}
