//===- ExpandMath.cpp - exp, expm1, tanh, erf, erfc as arithmetic ---------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The coefficients are minimax fits of this project, rounded to f32 one after
// the other, from the lowest power on, with the rest fitted again each time.
//
//===----------------------------------------------------------------------===//

#include "ExpKernel.h"
#include "FloatBuilder.h"
#include "NativeOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "xfmr/Codegen/Math/Passes.h"
#include "xfmr/Dialect/IR/RoundedTo.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_EXPANDMATH
#include "xfmr/Codegen/Math/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

static Value expandExp(FloatBuilder &f, Value x) {
  ReducedExp reduced = reduceExp(f, f.clamp(x, kExpLow, kExpHigh));
  Value p = buildExpMantissa(f, reduced.r);
  auto [scale1, scale2] = buildPowersOfTwo(f, reduced.n);
  return f.mul(f.mul(p, scale1), scale2);
}

/// AVX-512 has an instruction for each of the two parts of 2^t.
static Value expandRoundedNatively(OpBuilder &builder, FloatBuilder &f,
                                   math::ExpOp op, bool isF16) {
  Value t = f.mul(op.getOperand(), 0x1.715476p+0);
  Value fraction = takeFractionNatively(builder, op.getLoc(), t);
  return scaleNatively(builder, op.getLoc(),
                       buildRoundedPowerOfFraction(f, fraction, isF16), t);
}

static Value expandRoundedNatively(OpBuilder &builder, FloatBuilder &f,
                                   math::Exp2Op op, bool) {
  Value t = addConstant(f, op.getOperand(), kLeadingShift);
  Value fraction = takeFractionNatively(builder, op.getLoc(), t);
  return scaleNatively(builder, op.getLoc(),
                       buildShiftedPowerOfFraction(f, fraction), t);
}

static Value expandRounded(FloatBuilder &f, math::ExpOp op, bool isF16) {
  return buildRoundedExp(f, op.getOperand(), isF16);
}

static Value expandRounded(FloatBuilder &f, math::Exp2Op op, bool) {
  return buildRoundedExp2(f, op.getOperand());
}

/// The same bits where AVX-512 multiplies vectors by powers of two.
static Value expandExpNatively(OpBuilder &builder, Location loc,
                               FloatBuilder &f, Value x) {
  ReducedExp reduced = reduceExp(f, f.clamp(x, kExpLow, kExpHigh));
  Value p = buildExpMantissa(f, reduced.r);
  return scaleNatively(builder, loc, p, reduced.rounded);
}

static Value expandTanh(FloatBuilder &f, Value x) {
  // tanh |x| = e / (e + 2) with e = exp(2|x|) - 1 = 2^n expm1(r) + (2^n - 1),
  // the sums kept as high + low.
  Value magnitude = f.abs(x);
  ReducedExp reduced = reduceExp(f, f.min(f.add(magnitude, magnitude), 20.0));
  auto [em, emLow] = buildExpm1(f, reduced.r, /*withLow=*/true);
  Value scale = buildPowerOfTwo(f, reduced.n);
  em = f.mul(em, scale);
  emLow = f.mul(emLow, scale);
  // e = (scale - 1) + em and d = (scale + 1) + em.
  Value below = f.sub(scale, 1.0);
  Value belowLow = f.sub(f.sub(scale, below), 1.0);
  Value e = f.add(below, em);
  Value eLow = f.sub(em, f.sub(e, below));
  eLow = f.add(eLow, f.add(emLow, belowLow));
  Value above = f.add(scale, 1.0);
  Value aboveLow = f.sub(1.0, f.sub(above, scale));
  Value d = f.add(above, em);
  Value dLow = f.sub(em, f.sub(d, above));
  dLow = f.add(dLow, f.add(emLow, aboveLow));

  Value inverse = f.div(1.0, d);
  Value quotient = f.mul(e, inverse);
  Value negated = f.neg(quotient);
  Value remainder = f.fma(negated, d, e);
  remainder = f.add(remainder, f.fma(negated, dLow, eLow));
  return f.copySign(f.fma(remainder, inverse, quotient), x);
}

static Value expandExpm1(FloatBuilder &f, Value x) {
  // 2 (2^(n-1) expm1(r) + (2^(n-1) - 1/2)): 2^n itself may be infinite.
  ReducedExp reduced = reduceExp(f, f.clamp(x, -20.0, kExpHigh));
  Value em = buildExpm1(f, reduced.r, /*withLow=*/false).first;
  Value scale = buildPowerOfTwo(f, f.addInt(reduced.n, -1));
  Value half = f.fma(em, scale, f.sub(scale, 0.5));
  return f.add(half, half);
}

static Value expandErf(FloatBuilder &f, Value x) {
  Value magnitude = f.abs(x);
  // |x| < 1: x + x p(x^2), error 2^-29.4.
  Value p =
      f.polynomial(f.mul(x, x), {0x1.4771fcp-14, -0x1.a3515ep-11, 0x1.53f224p-8,
                                 -0x1.b7f71ap-6, 0x1.ce2ce6p-4, -0x1.81273ep-2,
                                 0x1.06eba8p-3});
  Value small = f.fma(p, x, x);
  // 1 <= |x| < 4: 1 - exp(y), y = |x| g(|x|) - |x|, error 2^-28.6; 1 beyond.
  Value a = f.min(magnitude, 4.0);
  Value g = f.polynomial(a, {0x1.b9c22ep-13, -0x1.a1b93p-9, 0x1.75881p-6,
                             -0x1.ae8e6cp-4, -0x1.458bbp-1, -0x1.072092p-3});
  ReducedExp reduced = reduceExp(f, f.fma(g, a, f.neg(a)));
  Value em = buildExpm1(f, reduced.r, /*withLow=*/false).first;
  Value scale = buildPowerOfTwo(f, reduced.n);
  // The power of two is subtracted first: exactly.
  Value large = f.sub(1.0, scale);
  large = f.copySign(f.fma(f.neg(scale), em, large), x);
  return f.select(f.less(magnitude, 1.0), small, large);
}

static Value expandErfc(FloatBuilder &f, Value x) {
  // erfc a = exp(-a^2) F with F = exp(a^2) erfc(a) = v Q(1 - v), v = 6 / (a +
  // 3), for a = |x|; 2 - erfc a for x < 0. All factors are high + low.
  Value a = f.min(f.abs(x), 10.125);
  Value square = f.mul(a, a);
  Value squareLow = f.fma(a, a, f.neg(square));
  ReducedExp reduced = reduceExp(f, f.neg(square));
  auto [em, emLow] =
      buildExpm1(f, f.sub(reduced.r, squareLow), /*withLow=*/true);

  Value d = f.add(a, 3.0);
  Value dLow = f.sub(a, f.sub(d, 3.0));
  Value v = f.div(6.0, d);
  Value negated = f.neg(v);
  Value vLow = f.fma(negated, dLow, f.fma(negated, d, 6.0));
  vLow = f.mul(vLow, f.mul(v, 1.0 / 6.0));

  // Q, error 2^-26.7. The low parts of its last two steps are kept; the
  // difference of the sum and its constant term is exact.
  Value u = f.sub(1.0, v);
  constexpr double c1 = -0x1.2d883p-3, c0 = 0x1.6e9828p-3,
                   c0Low = -0x1.52a376p-30;
  Value t = f.polynomial(u, {-0x1.c7443cp-15, -0x1.53a0e2p-14, 0x1.0cf61p-11,
                             -0x1.ac1494p-13, -0x1.252592p-8, 0x1.46649ap-6,
                             -0x1.a7e3cep-5, 0x1.92edep-4});
  Value s = f.fma(t, u, c1);
  Value sLow = f.fma(t, u, f.sub(c1, s));
  Value q = f.fma(s, u, c0);
  Value qLow = f.add(f.fma(s, u, f.sub(c0, q)), c0Low);
  qLow = f.fma(sLow, u, qLow);

  // dF/dv to 3 %, for the low part of v.
  Value slope = f.polynomial(v, {0.38369, -0.6497, 0.62062, -0.031954});
  Value F = f.mul(v, q);
  Value FLow = f.fma(v, q, f.neg(F));
  FLow = f.add(FLow, f.fma(v, qLow, f.mul(vLow, slope)));

  // (F + FLow) (1 + em + emLow)
  Value rest = f.fma(F, em, f.fma(F, emLow, f.fma(FLow, em, FLow)));
  auto [scale1, scale2] = buildPowersOfTwo(f, reduced.n);
  Value result = f.mul(f.mul(f.add(F, rest), scale1), scale2);
  Value reflected = f.sub(2.0, result);
  return f.select(f.less(x, 0.0), reflected, result);
}

namespace {

/// True for scalars and vectors.
bool isScalarOrVector(Type type) { return isa<FloatType, VectorType>(type); }

/// Puts what `compute` makes of the operand in f32, rounded to the type of
/// `op`, in its place.
void replaceInF32(PatternRewriter &rewriter, Operation *op,
                  function_ref<Value(FloatBuilder &, Value)> compute) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType(), wide = rewriter.getF32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  Value operand = op->getOperand(0);
  if (wide != type)
    operand = arith::ExtFOp::create(rewriter, loc, wide, operand);
  FloatBuilder f(rewriter, loc, wide);
  Value result = compute(f, operand);
  if (wide != type)
    result = arith::TruncFOp::create(rewriter, loc, type, result);
  rewriter.replaceOp(op, result);
}

template <typename Op, Value (*expand)(FloatBuilder &, Value)>
struct ExpandUnary : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isScalarOrVector(type))
      return rewriter.notifyMatchFailure(op, "expects a scalar or a vector");
    Type element = getElementTypeOrSelf(type);
    if (!element.isF32() && !element.isF16() && !element.isBF16())
      return rewriter.notifyMatchFailure(op, "expects f32, f16 or bf16");
    replaceInF32(rewriter, op, expand);
    return success();
  }
};

/// MLIR's own form, exp(x) - 1, has no digits left near 0.
struct ExpandExpm1OfF64 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isScalarOrVector(type) || !getElementTypeOrSelf(type).isF64())
      return rewriter.notifyMatchFailure(op, "expects f64");
    FloatBuilder f(rewriter, op.getLoc(), type);
    // What rounding did to u = exp(x), log(u) knows: (u - 1) x / log(u).
    Value x = f.clamp(op.getOperand(), -40.0, 710.0);
    Value u = f.exp(x);
    Value difference = f.sub(u, 1.0);
    Value log = math::LogOp::create(rewriter, op.getLoc(), u);
    Value result = f.mul(difference, f.div(x, log));
    result = f.select(f.equal(u, 1.0), x, result);
    rewriter.replaceOp(op, f.select(f.equal(u, INFINITY), u, result));
    return success();
  }
};

/// 1 / sqrt(x) rounds twice.
struct WidenRsqrtOfF16 : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isScalarOrVector(type) || !getElementTypeOrSelf(type).isF16())
      return rewriter.notifyMatchFailure(op, "expects f16");
    replaceInF32(rewriter, op, [&](FloatBuilder &, Value x) -> Value {
      return math::RsqrtOp::create(rewriter, op.getLoc(), x);
    });
    return success();
  }
};

struct ExpandExpNatively : OpRewritePattern<math::ExpOp> {
  ExpandExpNatively(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !canScaleNatively(type))
      return rewriter.notifyMatchFailure(op, "expects whole vectors of f32");
    FloatBuilder f(rewriter, op.getLoc(), type);
    rewriter.replaceOp(
        op, expandExpNatively(rewriter, op.getLoc(), f, op.getOperand()));
    return success();
  }
};

/// exp and exp2 of f32 of which no more digits are wanted than a half type has.
template <typename Op> struct ExpandRounded : OpRewritePattern<Op> {
  ExpandRounded(MLIRContext *context, bool isNative)
      : OpRewritePattern<Op>(context, /*benefit=*/3), isNative(isNative) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto roundedTo = op->template getAttrOfType<TypeAttr>(kRoundedToAttrName);
    if (!roundedTo || !getElementTypeOrSelf(op.getType()).isF32() ||
        !isScalarOrVector(op.getType()))
      return rewriter.notifyMatchFailure(op,
                                         "expects f32 that is rounded next");
    FloatBuilder f(rewriter, op.getLoc(), op.getType());
    bool isF16 = roundedTo.getValue().isF16();
    rewriter.replaceOp(op, isNative
                               ? expandRoundedNatively(rewriter, f, op, isF16)
                               : expandRounded(f, op, isF16));
    return success();
  }

  bool isNative;
};

struct ExpandMath : mlir::xfmr::impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    populateExpandMathPatterns(owned, nativeScale, nativeMax);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
    getOperation()->walk([&](Operation *op) {
      if (isa<math::ExpOp, math::TanhOp, math::ErfOp, math::ErfcOp>(op) &&
          getElementTypeOrSelf(op->getResult(0).getType()).isF64())
        remark::missed(
            op->getLoc(),
            remark::RemarkOpts::name("MathLeftToLibm").category(getArgument()))
            << (op->getName().getStringRef() +
                " of f64 is left to the math library")
                   .str();
    });
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

void mlir::xfmr::populateExpandMathPatterns(RewritePatternSet &patterns,
                                            bool nativeScale, bool nativeMax) {
  if (nativeScale)
    patterns.add<ExpandExpNatively>(patterns.getContext());
  if (nativeMax)
    populateNativeMaxPatterns(patterns);
  patterns.add<ExpandRounded<math::ExpOp>, ExpandRounded<math::Exp2Op>>(
      patterns.getContext(), nativeScale);
  patterns.add<ExpandUnary<math::ExpOp, expandExp>,
               ExpandUnary<math::ExpM1Op, expandExpm1>,
               ExpandUnary<math::TanhOp, expandTanh>,
               ExpandUnary<math::ErfOp, expandErf>,
               ExpandUnary<math::ErfcOp, expandErfc>, ExpandExpm1OfF64,
               WidenRsqrtOfF16>(patterns.getContext());
}
