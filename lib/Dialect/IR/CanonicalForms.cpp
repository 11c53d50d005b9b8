//===- CanonicalForms.cpp - One spelling of what is equal -----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CanonicalForms.h"
#include "VerifierUtils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::xfmr;

static APFloat convertTo(Type type, APFloat value) {
  bool losesInfo = false;
  value.convert(cast<FloatType>(type).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

std::optional<APFloat> xfmr::getSplat(Value value) {
  if (!value)
    return std::nullopt;
  DenseElementsAttr dense;
  // One without elements may say that it is a splat, and have no value.
  if (matchPattern(value, m_Constant(&dense)) && dense.isSplat() &&
      !dense.empty())
    return dense.getSplatValue<APFloat>();
  Value scalar;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    scalar = fill.getInputs()[0];
  else if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    scalar = splat.getInput();
  FloatAttr constant;
  if (scalar && matchPattern(scalar, m_Constant(&constant)))
    return constant.getValue();
  return std::nullopt;
}

bool xfmr::isZeroSplat(Value value) {
  std::optional<APFloat> splat = getSplat(value);
  return splat && splat->isZero();
}

bool xfmr::isUnitGamma(Value gamma, const APFloat &offset, Type accumulator) {
  std::optional<APFloat> splat = getSplat(gamma);
  if (!splat)
    return false;
  APFloat sum = convertTo(accumulator, *splat);
  sum.add(convertTo(accumulator, offset), APFloat::rmNearestTiesToEven);
  return sum.isExactlyValue(1.0);
}

RoundingAttr xfmr::getCanonicalRounding(RoundingAttr rounding, Type result,
                                        Type accumulator, bool scales) {
  if (!rounding)
    return rounding;
  auto holdsAll = [&](Type type) {
    return type.getIntOrFloatBitWidth() >= accumulator.getIntOrFloatBitWidth();
  };
  Type storage = rounding.getStorage() ? rounding.getStorage() : result;
  bool casts = rounding.getMode() == RoundingMode::CastThenScale &&
               !holdsAll(storage) && (scales || storage != result);
  MLIRContext *context = rounding.getContext();
  if (casts)
    return RoundingAttr::get(context, RoundingMode::CastThenScale,
                             storage == result ? Type() : storage);
  if (holdsAll(result))
    return RoundingAttr();
  return RoundingAttr::get(context, RoundingMode::ScaleThenCast, Type());
}

EpsPosition xfmr::getCanonicalEpsPosition(EpsPosition position,
                                          const APFloat &eps) {
  return eps.isZero() ? EpsPosition::Inside : position;
}

ActivationAttr xfmr::getCanonicalActivation(ActivationAttr activation) {
  if (activation.getKind() != ActivationKind::Swish)
    return activation;
  double beta = activation.getBeta().getValueAsDouble();
  if (beta != 1.0 && beta != 1.702)
    return activation;
  return ActivationAttr::get(activation.getContext(),
                             beta == 1.0 ? ActivationKind::Silu
                                         : ActivationKind::QuickGelu,
                             FloatAttr(), FloatAttr(), FloatAttr());
}

std::optional<double> xfmr::getSwishBeta(ActivationAttr activation) {
  switch (activation.getKind()) {
  case ActivationKind::Silu:
    return 1.0;
  case ActivationKind::QuickGelu:
    return 1.702;
  case ActivationKind::Swish:
    return activation.getBeta().getValueAsDouble();
  default:
    return std::nullopt;
  }
}
