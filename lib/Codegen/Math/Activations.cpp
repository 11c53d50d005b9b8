//===- Activations.cpp - The activation functions as arith and math ops ---===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/Math/Activations.h"
#include "ExpKernel.h"
#include "FloatBuilder.h"
#include "HalfActivations.h"
#include "llvm/Support/ErrorHandling.h"
#include <cassert>
#include <cmath>

using namespace mlir;
using namespace mlir::xfmr;

// 1/sqrt(2); 2 sqrt(2/pi) and its product with 0.044715; the slope of quick
// gelu.
static constexpr LongConstant kSqrtHalf = {0x1.6a09e667f3bcdp-1,
                                           -0x1.bdd3413b26456p-55};
static constexpr LongConstant kGeluLinear = {0x1.9884533d43651p+0,
                                             -0x1.cbc0d30ebfd15p-54};
static constexpr LongConstant kGeluCubic = {0x1.2444f2a4d8b4bp-4,
                                            -0x1.6c843a29d1c7p-61};
static constexpr LongConstant kQuickGeluBeta = {0x1.b3b645a1cac08p+0,
                                                0x1.89374bc6a7efap-55};

/// exp of less than this is finite, and its inverse far below 2^-100.
static double getExpLimit(const FloatBuilder &f) {
  return f.isF32() ? 87.5 : 700.0;
}

static double getMax(const FloatBuilder &f) {
  return f.isF32() ? 0x1.fffffep+127 : 0x1.fffffffffffffp+1023;
}

/// x with -inf replaced by the least finite number, so that times 0 it is 0.
static Value makeFiniteBelow(FloatBuilder &f, Value x) {
  return f.max(x, -getMax(f));
}

/// numerator / (1 + exp(-(hi + lo))), |hi| <= getExpLimit. Of the exponential
/// of a rounded argument the relative error would be lo; exp(-lo) = 1 - lo
/// mends it.
static Value divideByOnePlusExp(FloatBuilder &f, Value numerator, Value hi,
                                Value lo) {
  Value e = f.exp(f.neg(hi));
  e = f.fma(f.neg(lo), e, e);
  return f.div(numerator, f.add(1.0, e));
}

/// x sigmoid(x beta) for beta > 0.
static Value buildPositiveSwish(FloatBuilder &f, Value x, LongConstant beta) {
  auto [betaHigh, betaLow] = f.split(beta);
  double limit = getExpLimit(f) / beta.hi;
  int exponent;
  bool exact = betaLow == 0.0 && std::frexp(betaHigh, &exponent) == 0.5;
  if (exact && betaHigh >= 0x1p-20) {
    // The product with a power of two has no rounding to mend, and where the
    // exponential overflows the quotient is 0.
    Value e = f.exp(f.mul(x, -betaHigh));
    Value numerator = makeFiniteBelow(f, x);
    return f.div(numerator, f.add(1.0, e));
  }

  bool wide = f.isF32() && betaHigh < 0x1p-20;
  if (wide)
    limit = -kExpLow / beta.hi;
  limit = std::fmin(limit, getMax(f));
  Value clamped = f.clamp(x, -limit, limit);
  Value hi = f.mul(clamped, betaHigh);
  Value lo = f.fma(clamped, betaHigh, f.neg(hi));
  lo = f.fma(clamped, betaLow, lo);
  // Beyond the limit the result is negligible.
  Value numerator = f.select(f.less(x, -limit), -0.0, x);
  // A flat slope: where the exponential overflows x is so large that the result
  // is not yet negligible.
  if (wide)
    return buildSigmoid(f, hi, lo, numerator);
  return divideByOnePlusExp(f, numerator, hi, lo);
}

/// x sigmoid(x beta).
static Value buildSwish(FloatBuilder &f, Value x, LongConstant beta) {
  if (f.isF32() ? static_cast<float>(beta.hi) == 0.0f : beta.hi == 0.0)
    return f.mul(x, 0.5);
  if (beta.hi < 0.0)
    return f.neg(buildPositiveSwish(f, f.neg(x), {-beta.hi, -beta.lo}));
  return buildPositiveSwish(f, x, beta);
}

static Value buildSigmoidOf(FloatBuilder &f, Value x) {
  if (f.isF32())
    return buildSigmoid(f, x, /*lo=*/Value(), /*factor=*/Value());
  // With e = exp(-|x|): e / (1 + e) for x < 0, else 1 / (1 + e).
  Value e = f.exp(f.neg(f.abs(x)));
  Value numerator = f.select(f.less(x, 0.0), e, 1.0);
  return f.div(numerator, f.add(1.0, e));
}

static Value buildGeluTanh(FloatBuilder &f, Value x) {
  // x/2 (1 + tanh u) = x sigmoid(2u), 2u = x (a + b x^2), as hi + lo. The high
  // part of a is a multiple of the last bit of the sum, which is below 16 (64
  // for f64); the difference of the sum and a is exact then.
  int bits = f.isF32() ? 20 : 46;
  double a = std::ldexp(std::floor(std::ldexp(kGeluLinear.hi, bits)), -bits);
  double aLow = kGeluLinear.hi - a + kGeluLinear.lo;
  auto [b, bLow] = f.split(kGeluCubic);
  double limit = f.isF32() ? 10.0 : 20.75;
  Value clamped = f.clamp(x, -limit, limit);
  Value square = f.mul(clamped, clamped);
  Value squareLow = f.fma(clamped, clamped, f.neg(square));
  Value sum = f.fma(square, b, a);
  Value sumLow = f.fma(square, b, f.sub(a, sum));
  sumLow = f.fma(squareLow, b, sumLow);
  sumLow = f.add(sumLow, f.fma(square, bLow, aLow));
  Value hi = f.mul(clamped, sum);
  Value lo = f.fma(clamped, sum, f.neg(hi));
  lo = f.fma(clamped, sumLow, lo);
  // Beyond the limit the result is negligible.
  Value numerator = f.select(f.less(x, -limit), -0.0, x);
  return divideByOnePlusExp(f, numerator, hi, lo);
}

/// gelu x = max(x, 0) - |x| Q with Q = erfc(|x| / sqrt(2)) / 2, for both signs
/// of x, without cancellation that matters: 3.2 ulp.
static Value buildGeluErfOfF32(FloatBuilder &f, Value x) {
  // Q is 0 from the limit on: 2^n is, with n = -127.
  Value a = f.min(f.abs(x), 13.28);
  // exp(-a^2/2) = 2^n (1 + em). The square is rounded where n comes from and
  // exact where r does, since n times this part of ln(2) is exact.
  constexpr double magic = 12582912.0 + 127.0;
  constexpr double ln2High = 0x1.62e4p-1, ln2Low = 0x1.7f7d1cp-20;
  constexpr double log2E = 0x1.715476p+0;
  Value half = f.mul(a, -0.5);
  Value shifted = f.fma(f.mul(half, a), log2E, magic);
  Value n = f.sub(shifted, magic);
  Value r = f.fma(half, a, f.mul(n, -ln2High));
  r = f.fma(n, -ln2Low, r);
  Value em = buildExpm1(f, r, /*withLow=*/false).first;
  Value scale = f.fromBits(f.shiftLeft(f.toBits(shifted), 23));
  // |x| Q exp(a^2/2) = w P(w), w = a / (1 + k a); minimax up to a = 11.8, where
  // the result is below 2^-100, error 2^-28.9.
  Value w = f.div(a, f.fma(a, 0x1.a8f5c2p-2, 1.0));
  Value p = f.polynomial(w, {-0x1.f24e38p-19, 0x1.bcb1dcp-16, -0x1.df4dap-15,
                             0x1.09cb14p-14, -0x1.76f984p-13, -0x1.f99046p-13,
                             0x1.c5c13cp-11, 0x1.0232bap-7, 0x1.471aaap-8,
                             -0x1.8812eep-3, 0.5});
  Value tail = f.mul(w, p);
  tail = f.fma(tail, em, tail);
  // A maximum would have to order the zeros.
  Value positive = f.select(f.less(x, 0.0), 0.0, x);
  return f.fma(f.neg(scale), tail, positive);
}

static Value buildGeluErf(FloatBuilder &f, Value x) {
  if (f.isF32())
    return buildGeluErfOfF32(f, x);
  // x/2 erfc(t) with t = -x/sqrt(2) = hi + lo. Beyond the clamp erfc is 0 or 2.
  auto [c, cLow] = f.split(kSqrtHalf);
  Value clamped = f.clamp(x, -40.0, 40.0);
  Value hi = f.mul(clamped, -c);
  Value lo = f.fma(clamped, -c, f.neg(hi));
  lo = f.fma(clamped, -cLow, lo);
  // erfc(hi + lo) = erfc(hi) (1 - s lo). The slope s = 2/sqrt(pi)
  // exp(-t^2)/erfc(t) matters for t > 1/4 and is within 0.11 of this parabola
  // there, up to t = 9.
  Value e = f.erfc(hi);
  Value slope = f.max(f.polynomial(hi, {0.017, 1.75, 0.95}), 0x1p-20);
  e = f.fma(f.neg(f.mul(lo, slope)), e, e);
  return f.mul(f.mul(makeFiniteBelow(f, x), 0.5), e);
}

/// x sigmoid(x beta) for a result that is rounded to bf16.
static Value buildSwishForBF16(FloatBuilder &f, Value x, LongConstant beta) {
  double slope = std::fabs(beta.hi);
  if (!(slope >= kLeastHalfSlope && slope <= kMostHalfSlope))
    return buildSwish(f, x, beta);
  if (beta.hi < 0.0)
    return f.neg(buildHalfSwish(f, f.neg(x), slope));
  return buildHalfSwish(f, x, slope);
}

Value mlir::xfmr::buildActivation(OpBuilder &builder, Location loc,
                                  const ActivationSpec &spec, Value z,
                                  Type resultType) {
  assert(getElementTypeOrSelf(z.getType()).isF32() ||
         getElementTypeOrSelf(z.getType()).isF64());
  FloatBuilder f(builder, loc, z.getType());
  bool isForBF16 = f.isF32() && resultType && resultType.isBF16();
  auto swish = isForBF16 ? buildSwishForBF16 : buildSwish;
  switch (spec.kind) {
  case ActivationKind::Identity:
    return z;
  case ActivationKind::Relu:
    return f.max(z, 0.0);
  case ActivationKind::Relu2: {
    Value positive = f.max(z, 0.0);
    return f.mul(positive, positive);
  }
  case ActivationKind::GeluErf:
    return isForBF16 ? buildHalfGeluErf(f, z) : buildGeluErf(f, z);
  case ActivationKind::GeluTanh:
    return isForBF16 ? buildHalfGeluTanh(f, z) : buildGeluTanh(f, z);
  case ActivationKind::QuickGelu:
    return swish(f, z, kQuickGeluBeta);
  case ActivationKind::Silu:
    return swish(f, z, {1.0, 0.0});
  case ActivationKind::Swish:
    return swish(f, z, {spec.beta, 0.0});
  case ActivationKind::Sigmoid:
    return buildSigmoidOf(f, z);
  case ActivationKind::Tanh:
    return f.tanh(z);
  case ActivationKind::ClampedSwish:
    break;
  }
  llvm_unreachable("a clamped swish takes two operands");
}

Value mlir::xfmr::buildGate(OpBuilder &builder, Location loc,
                            const ActivationSpec &spec, Value gate, Value up,
                            Type resultType) {
  FloatBuilder f(builder, loc, gate.getType());
  if (spec.kind != ActivationKind::ClampedSwish)
    return f.mul(buildActivation(builder, loc, spec, gate, resultType), up);
  Value limited = f.min(gate, spec.limit);
  up = f.add(f.clamp(up, -spec.limit, spec.limit), spec.upOffset);
  ActivationSpec swish;
  swish.kind = ActivationKind::Swish;
  swish.beta = spec.beta;
  return f.mul(buildActivation(builder, loc, swish, limited, resultType), up);
}
