//===- Activation.cpp - Activation functions -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activation.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::reference;

Activation::Activation(ActivationAttr attribute, const FloatFormat &acc) {
  if (!attribute)
    return;
  kind = attribute.getKind();
  auto parameter = [&](FloatAttr value, long double otherwise) {
    return roundTo(acc, value
                            ? static_cast<long double>(value.getValueAsDouble())
                            : otherwise);
  };
  // 1.702 as a double, as the constant would be written for f64.
  if (kind == ActivationKind::QuickGelu)
    beta = roundTo(acc, 1.702);
  else
    beta = parameter(attribute.getBeta(),
                     kind == ActivationKind::ClampedSwish ? 1.702 : 1.0);
  if (kind == ActivationKind::ClampedSwish) {
    limit = parameter(attribute.getLimit(), 7.0);
    upOffset = parameter(attribute.getUpOffset(), 1.0);
  }
}

/// z / (1 + exp(-beta z)): no overflow is in the way of a limit.
static long double swish(long double z, long double beta) {
  if (std::isinf(z)) {
    if (beta == 0)
      return z / 2;
    return (z > 0) == (beta > 0) ? z : 0;
  }
  return z / (1 + std::exp(-beta * z));
}

long double Activation::operator()(long double z) const {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  switch (kind) {
  case ActivationKind::Identity:
    return z;
  case ActivationKind::Relu:
    // NaN compares false with everything and must stay.
    return z < 0 ? 0 : z;
  case ActivationKind::Relu2:
    return z < 0 ? 0 : z * z;
  case ActivationKind::GeluErf:
    // erfc keeps the digits of the negative tail, which 1 + erf loses.
    return z == -HUGE_VALL ? 0 : z / 2 * std::erfc(-z / std::sqrt(2.0L));
  case ActivationKind::GeluTanh: {
    if (std::isinf(z))
      return z > 0 ? z : 0;
    // (1 + tanh k) / 2 is 1 / (1 + exp(-2k)), without cancellation.
    long double k = std::sqrt(2 / pi) * (z + 0.044715L * z * z * z);
    return z / (1 + std::exp(-2 * k));
  }
  case ActivationKind::QuickGelu:
  case ActivationKind::Silu:
  case ActivationKind::Swish:
    return swish(z, kind == ActivationKind::Silu ? 1 : beta);
  case ActivationKind::Sigmoid:
    return 1 / (1 + std::exp(-z));
  case ActivationKind::Tanh:
    return std::tanh(z);
  case ActivationKind::ClampedSwish:
    return swish(z > limit ? limit : z, beta);
  }
  return z;
}

Number Activation::transformUp(const Number &up) const {
  if (kind != ActivationKind::ClampedSwish)
    return up;
  return applyFunction(up, [&](long double u) {
    long double clamped = u > limit ? limit : u < -limit ? -limit : u;
    return clamped + upOffset;
  });
}
