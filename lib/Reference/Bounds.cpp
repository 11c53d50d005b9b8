//===- Bounds.cpp - How far a correct implementation may be off -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::reference;

FloatFormat
mlir::xfmr::reference::getAccumulatorFormat(const FloatFormat &data) {
  return data.precision > 24 ? FloatFormat{53, -1022, 1023}
                             : FloatFormat{24, -126, 127};
}

long double mlir::xfmr::reference::normFactor(int64_t d) {
  return 16 + d / 256.0L;
}

long double mlir::xfmr::reference::normError(const FloatFormat &acc, int64_t d,
                                             long double gamma,
                                             long double xhat,
                                             long double beta) {
  return normFactor(d) * acc.unitRoundoff() *
         (std::fabs(gamma) * std::fmax(1, std::fabs(xhat)) + std::fabs(beta));
}

long double mlir::xfmr::reference::normalizedError(const FloatFormat &acc,
                                                   NormKind kind, int64_t d,
                                                   long double xhat) {
  long double scale = std::fabs(xhat);
  if (kind == NormKind::LayerNorm)
    scale = std::fmax(1, scale);
  return normFactor(d) * acc.unitRoundoff() * scale;
}

/// Each product and the last sum may be off by half the smallest number; when
/// there is nothing to sum there is nothing to lose.
static long double underflowError(const FloatFormat &acc, int64_t terms,
                                  long double magnitude) {
  return magnitude == 0 ? 0 : (terms + 1) * acc.smallest() / 2;
}

long double
mlir::xfmr::reference::contractionError(const FloatFormat &acc,
                                        int64_t innerTerms, int64_t terms,
                                        const ContractionSums &sums) {
  long double u = acc.unitRoundoff();
  long double inner =
      std::sqrt(static_cast<long double>(innerTerms)) * u * sums.magnitude;
  return (4 + std::sqrt(static_cast<long double>(terms))) * u * sums.magnitude +
         std::fmax(inner, std::sqrt(sums.ownSquares)) +
         std::sqrt(sums.softSquares) + std::fabs(sums.softCommon) +
         underflowError(acc, terms, sums.magnitude);
}

long double
mlir::xfmr::reference::accumulatorError(const FloatFormat &acc, int64_t terms,
                                        long double value,
                                        const ContractionSums &sums) {
  return acc.unitRoundoff() *
             (3 * std::sqrt(sums.walk) + 4 * std::fabs(value)) +
         underflowError(acc, terms, sums.magnitude);
}

long double mlir::xfmr::reference::activationError(const FloatFormat &acc,
                                                   ActivationKind kind,
                                                   long double result) {
  long double ulps = 0;
  switch (kind) {
  case ActivationKind::Identity:
  case ActivationKind::Relu:
    return 0;
  case ActivationKind::Relu2:
    ulps = 0.5L;
    break;
  case ActivationKind::Sigmoid:
  case ActivationKind::Tanh:
    // In f64 these are the math library's, of which 1 ulp is not asked.
    ulps = acc.precision > 24 ? 4 : 1;
    break;
  case ActivationKind::GeluErf:
  case ActivationKind::GeluTanh:
  case ActivationKind::QuickGelu:
  case ActivationKind::Silu:
  case ActivationKind::Swish:
  case ActivationKind::ClampedSwish:
    ulps = 4;
    break;
  }
  // 26 binades above the smallest normal number: 2^-100 for f32.
  long double floor = std::ldexp(1.0L, acc.minExponent + 26);
  if (kind != ActivationKind::Relu2 && std::fabs(result) < floor)
    return floor;
  return ulps * ulp(acc, result);
}

long double mlir::xfmr::reference::safeMagnitude(const FloatFormat &acc) {
  return std::ldexp(1.0L, acc.precision > 24 ? 500 : 60);
}
