//===- ExpKernel.cpp - The exponential of f32 in parts --------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coefficients of rounded exponentials come from
// scripts/fit_activations.py.
//
//===----------------------------------------------------------------------===//

#include "ExpKernel.h"
#include "mlir/IR/Matchers.h"

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

Value mlir::xfmr::buildRoundedExp(FloatBuilder &f, Value x, bool isF16) {
  Value y = f.clamp(x, kExpLow, kExpHigh);
  Value shifted = f.fma(y, kLog2E, kRoundingMagic);
  // One step: of ln 2 a float is enough.
  Value r = f.fma(f.sub(shifted, kRoundingMagic), -0x1.62e43p-1, y);
  // Minimax for |r| <= ln(2)/2 relative to exp(r), errors 2^-23 and 2^-18.5.
  Value p = isF16
                ? f.polynomial(r, {0x1.15eebcp-7, 0x1.57a408p-5, 0x1.554e28p-3,
                                   0x1.fffc2ap-2, 0x1.000002p+0, 0x1.000002p+0})
                : f.polynomial(r, {0x1.53a42ep-5, 0x1.57e144p-3, 0x1.0005acp-1,
                                   0x1.fffb34p-1, 0x1.ffffe8p-1});
  auto [scale1, scale2] = buildPowersOfTwo(f, f.toBits(shifted));
  return f.mul(f.mul(p, scale1), scale2);
}

/// The number that a constant is in all lanes.
static std::optional<double> getConstant(Value value) {
  FloatAttr scalar;
  if (matchPattern(value, m_Constant(&scalar)))
    return scalar.getValueAsDouble();
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<APFloat>().convertToDouble();
  return std::nullopt;
}

Value mlir::xfmr::addConstant(FloatBuilder &f, Value x, double c) {
  if (auto product = x.getDefiningOp<arith::MulFOp>())
    return f.fma(product.getLhs(), product.getRhs(), c);
  if (auto sum = x.getDefiningOp<arith::AddFOp>())
    if (std::optional<double> last = getConstant(sum.getRhs()))
      return f.add(sum.getLhs(), *last + c);
  return f.add(x, c);
}

Value mlir::xfmr::buildRoundedExp2(FloatBuilder &f, Value t) {
  // With an offset, t is a number in fixed point, to 2^-15: shifted by 8, its
  // integer lies where an exponent belongs, from -127 to infinity, and its
  // fraction where the mantissa does.
  constexpr double least = 256.0;
  Value fixed = f.toBits(addConstant(f, t, least + 127.0 + kLeadingShift));
  fixed = f.shiftLeft(f.maxInt(fixed, f.getBits(least)), 8);
  Value scale = f.fromBits(f.andInt(fixed, 0x7f800000));
  Value m = f.fromBits(f.orInt(f.andInt(fixed, 0x7fffff), 0x3f800000));
  // 2^(m - 1 - kLeadingShift), 1 <= m < 2, error 2^-18.5. The highest power has
  // the coefficient 1 and takes no multiplication.
  Value mantissa = f.add(m, -0x1.434d5p-3);
  for (double c : {0x1.89efaep+3, 0x1.70c7eep+4, 0x1.2d6596p+5})
    mantissa = f.fma(mantissa, m, c);
  return f.mul(scale, mantissa);
}

Value mlir::xfmr::buildRoundedPowerOfFraction(FloatBuilder &f, Value r,
                                              bool isF16) {
  // Minimax relative to 2^r, errors 2^-23.6 and 2^-18.5.
  if (isF16)
    return f.polynomial(r, {0x1.ebaea6p-10, 0x1.26bbecp-7, 0x1.c949b6p-5,
                            0x1.ebd6c2p-3, 0x1.62e4eap-1, 0x1.fffffep-1});
  return f.polynomial(r, {0x1.bbcddep-7, 0x1.a9f142p-5, 0x1.ee7dfcp-3,
                          0x1.62d13ap-1, 0x1.00002cp+0});
}

Value mlir::xfmr::buildShiftedPowerOfFraction(FloatBuilder &f, Value r) {
  // The highest power has the coefficient 1; error 2^-18.5.
  Value p = f.add(r, 0x1.ebc4bp+1);
  for (double c : {0x1.1d6506p+4, 0x1.9991c8p+5, 0x1.278116p+6})
    p = f.fma(p, r, c);
  return p;
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
