//===- Activations.cpp - The activation functions as arith and math ops ---===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coefficients come from scripts/fit_activations.py.
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

/// Adding it leaves round(t) + 127 in the low bits of the sum.
static constexpr double kBiasedMagic = 12582912.0 + 127.0;

/// 2^n of n + kBiasedMagic: zero for n = -127, infinite for 128.
static Value buildBiasedPower(FloatBuilder &f, Value shifted) {
  return f.fromBits(f.shiftLeft(f.toBits(shifted), 23));
}

/// x / (1 + exp(-2u)) with 2u = b x (k + x^2): 2.6 ulp.
static Value buildGeluTanhOfF32(FloatBuilder &f, Value x) {
  // exp(-2u) = 2^n exp(-b r), r = x (k + x^2) + n ln(2)/b. The product is
  // rounded where n comes from and exact where r does. k is a sum, of which the
  // high part is a multiple of the last bit of k + x^2, and so is the high part
  // of ln(2)/b short enough that n times it is exact.
  constexpr double kHigh = 0x1.65d258p+4, kLow = 0x1.b767b6p-18;
  constexpr double slope = -0x1.a5a7dp-4; // -b log2(e)
  constexpr double ln2High = 0x1.36d8p+3, ln2Low = 0x1.d56d78p-13;
  // From the least on the power is infinite and the result zero, of -inf too.
  Value y = f.max(x, -10.06097);
  Value c = f.limitAbove(y, 6.0);
  Value sum = f.fma(c, c, kHigh);
  Value sumLow = f.fma(c, c, f.sub(kHigh, sum));
  sumLow = f.add(sumLow, kLow);
  Value shifted = f.fma(f.mul(c, sum), slope, kBiasedMagic);
  Value n = f.sub(shifted, kBiasedMagic);
  Value r = f.fma(c, sum, f.mul(n, ln2High));
  r = f.fma(n, ln2Low, r);
  r = f.fma(c, sumLow, r);
  // exp(-b r), error 2^-27.9.
  Value p =
      f.polynomial(r, {0x1.980f32p-33, -0x1.0a77a8p-26, 0x1.21ef88p-20,
                       -0x1.fbec7ap-15, 0x1.4dad5ep-9, -0x1.2444f4p-4, 1.0});
  return f.div(y, f.fma(p, buildBiasedPower(f, shifted), 1.0));
}

static Value buildGeluTanh(FloatBuilder &f, Value x) {
  if (f.isF32())
    return buildGeluTanhOfF32(f, x);
  // x/2 (1 + tanh u) = x sigmoid(2u), 2u = x (a + b x^2), as hi + lo. The high
  // part of a is a multiple of the last bit of the sum, which is below 64; the
  // difference of the sum and a is exact then.
  constexpr int bits = 46;
  double a = std::ldexp(std::floor(std::ldexp(kGeluLinear.hi, bits)), -bits);
  double aLow = kGeluLinear.hi - a + kGeluLinear.lo;
  auto [b, bLow] = f.split(kGeluCubic);
  constexpr double limit = 20.75;
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
/// of x, without cancellation that matters: 3.94 ulp, over every x.
static Value buildGeluErfOfF32(FloatBuilder &f, Value x) {
  // Q is 0 from the limit on: 2^n is, with n = -127.
  Value a = f.min(f.abs(x), 13.28);
  // exp(-a^2/2) = 2^n exp(-r/2), r = a^2 + 2n ln(2), of a square in two parts.
  // Of 2 ln(2) one part is enough: n times the rest is nearly a multiple of
  // a^2, a factor that the quotients below are fitted to.
  Value square = f.mul(a, a);
  Value squareLow = f.fma(a, a, f.neg(square));
  Value shifted = f.fma(square, -0x1.715476p-1, kBiasedMagic);
  Value n = f.sub(shifted, kBiasedMagic);
  Value r = f.add(f.fma(n, 0x1.62e43p+0, square), squareLow);
  // exp(-r/2) - 1, error 2^-28.2.
  Value em = f.polynomial(r, {0x1.6a48c8p-16, -0x1.12399ap-12, 0x1.5558b4p-9,
                              -0x1.555492p-6, 0x1.fffffcp-4, -0.5});
  em = f.mul(em, r);
  // Q exp(a^2/2) = (c + n(a) / d(a)) / (a + k), minimax up to a = 11.95, where
  // the result is below 2^-100, error 2^-26.3. Where a is large and the steps
  // of n and d round as much as their results, their quotient is small.
  constexpr double c = 0x1.9885f8p-2, k = 0x1.0d86aap+1;
  Value numerator = f.polynomial(
      a, {0x1.ade828p-1, 0x1.90b902p+2, 0x1.520868p+4, 0x1.f9318ap+4});
  Value denominator = f.add(a, 0x1.fae17p+2);
  for (double coefficient : {0x1.e05ae6p+4, 0x1.cb5e0ep+5, 0x1.824ccep+5})
    denominator = f.fma(denominator, a, coefficient);
  Value quotient = f.div(numerator, denominator);
  Value sum = f.add(a, k);
  // What the sum has lost, times its inverse, which the quotient is near to.
  Value sumLow = f.sub(a, f.sub(sum, k));
  em = f.fma(f.neg(sumLow), quotient, em);
  // (c + n/d) exp(-r/2): what is rounded before the last sum is the lesser
  // part.
  Value factor = f.fma(f.add(quotient, c), em, quotient);
  factor = f.add(factor, c);
  Value rest = f.mul(f.div(a, sum), buildBiasedPower(f, shifted));
  // As integers: that is zero for negative numbers, and NaN is in the rest.
  Value positive = f.fromBits(f.maxInt(f.toBits(x), 0));
  return f.fma(f.neg(rest), factor, positive);
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
