//===- ExpKernel.cpp - The exponential of f32 in parts --------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpKernel.h"

using namespace mlir;
using namespace mlir::xfmr;

// Adding it leaves round(t) + 254 in the low bits of the sum.
static constexpr double kRoundingMagic = 12582912.0 + 254.0;
static constexpr double kLog2E = 0x1.715476p+0;
// ln 2 = high + low; the high part has 24 bits, and n * high is subtracted by
// one multiply-add, hence exactly.
static constexpr double kLn2High = 0x1.62e43p-1, kLn2Low = -0x1.05c61p-29;

ReducedExp mlir::xfmr::reduceExp(FloatBuilder &f, Value y) {
  Value shifted = f.fma(y, kLog2E, kRoundingMagic);
  Value n = f.sub(shifted, kRoundingMagic);
  Value r = f.fma(n, -kLn2High, y);
  r = f.fma(n, -kLn2Low, r);
  return {r, f.toBits(shifted), n};
}

std::pair<Value, Value> mlir::xfmr::buildExpm1(FloatBuilder &f, Value r,
                                               bool withLow) {
  // exp(r) - 1 = r + r^2 q(r); minimax for |r| <= ln(2)/2 relative to exp(r) -
  // 1, error 2^-31.
  Value q = f.polynomial(r, {0x1.9c6536p-13, 0x1.6d4c84p-10, 0x1.1113aap-7,
                             0x1.5554eap-5, 0x1.555554p-3, 0.5});
  if (!withLow)
    return {f.fma(f.mul(r, r), q, r), Value()};
  Value tail = f.mul(f.mul(r, r), q);
  Value hi = f.add(r, tail);
  return {hi, f.sub(tail, f.sub(hi, r))};
}

Value mlir::xfmr::buildExpMantissa(FloatBuilder &f, Value r) {
  // 1 + r + r^2 q(r); minimax for |r| <= ln(2)/2 relative to exp(r), error
  // 2^-28.2.
  return f.polynomial(r, {0x1.6ac146p-10, 0x1.123da8p-7, 0x1.555858p-5,
                          0x1.55548cp-3, 0x1.fffffcp-2, 1.0, 1.0});
}

std::pair<Value, Value> mlir::xfmr::buildPowersOfTwo(FloatBuilder &f, Value n) {
  // n + 254 is the sum of the two biased exponents. Shifted by 22, its half
  // rounded down is in the place of an exponent.
  constexpr int64_t exponentMask = 0x7f800000;
  Value lower = f.andInt(f.shiftLeft(n, 22), exponentMask);
  Value upper = f.andInt(f.shiftLeft(f.addInt(n, 1), 22), exponentMask);
  return {f.fromBits(lower), f.fromBits(upper)};
}

Value mlir::xfmr::buildPowerOfTwo(FloatBuilder &f, Value n) {
  return f.fromBits(f.addInt(f.shiftLeft(n, 23), -(int64_t(127) << 23)));
}

Value mlir::xfmr::buildSigmoid(FloatBuilder &f, Value hi, Value lo,
                               Value factor) {
  // With e = exp(-|x|): e / (1 + e) for x < 0, else 1 / (1 + e). All parts are
  // kept to more digits than f32 has, since a rounded e alone would cost 1 ulp.
  Value isNegative = f.less(hi, 0.0);
  Value y = f.max(f.neg(f.abs(hi)), kExpLow);
  ReducedExp reduced = reduceExp(f, y);
  Value r = reduced.r;
  if (lo)
    r = f.add(r, f.select(isNegative, lo, f.neg(lo)));
  auto [em, emLow] = buildExpm1(f, r, /*withLow=*/true);
  Value p = f.add(1.0, em);
  Value pLow = f.add(emLow, f.sub(em, f.sub(p, 1.0)));
  auto [scale1, scale2] = buildPowersOfTwo(f, reduced.n);
  Value scale = f.mul(scale1, scale2);
  Value e = f.mul(scale, p);
  Value denominator = f.add(1.0, e);
  Value denominatorLow = f.fma(scale, pLow, f.sub(e, f.sub(denominator, 1.0)));

  Value numerator = f.select(isNegative, p, 1.0);
  Value numeratorLow = f.select(isNegative, pLow, 0.0);
  Value inverse = f.div(1.0, denominator);
  Value quotient = f.mul(numerator, inverse);
  Value negated = f.neg(quotient);
  Value remainder = f.fma(negated, denominator, numerator);
  Value remainderLow = f.fma(negated, denominatorLow, numeratorLow);
  remainder = f.add(remainder, remainderLow);
  quotient = f.fma(remainder, inverse, quotient);
  // Scaled last, so that only the result can be subnormal.
  if (factor)
    quotient = f.mul(quotient, factor);
  quotient = f.mul(quotient, f.select(isNegative, scale1, 1.0));
  return f.mul(quotient, f.select(isNegative, scale2, 1.0));
}
