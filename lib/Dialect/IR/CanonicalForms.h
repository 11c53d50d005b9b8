//===- CanonicalForms.h - One spelling of what is equal ---------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the canonicalization patterns of several ops share. Each form has the
// same values, bit by bit, as what it replaces, apart from the signs of zeros,
// which are not in the contract.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_DIALECT_IR_CANONICALFORMS_H
#define XFMR_LIB_DIALECT_IR_CANONICALFORMS_H

#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

/// The value of every element, when the (maybe null) float tensor is known to
/// hold one constant.
std::optional<APFloat> getSplat(Value value);

/// All elements are 0 or -0.
bool isZeroSplat(Value value);

/// gamma + offset, added as the op does it, is 1 everywhere: then
/// fma(gamma + offset, xhat, beta) is xhat + beta, rounded once in both.
bool isUnitGamma(Value gamma, const APFloat &offset, Type accumulator);

/// Gives equal roundings one spelling; null where rounding means nothing.
/// `scales` says that there is a gamma or beta.
/// * A result that holds every value of the accumulator, without a cast before:
///   none.
/// * `cast_then_scale<R>` is `cast_then_scale`.
/// * A cast to a type that holds every value of the accumulator rounds nothing:
///   `scale_then_cast`.
/// * Without gamma and beta a cast to R rounds the same value in both modes:
///   `scale_then_cast`.
RoundingAttr getCanonicalRounding(RoundingAttr rounding, Type result,
                                  Type accumulator, bool scales);

/// With eps = 0 both positions divide by sqrt(statistic): `inside`.
EpsPosition getCanonicalEpsPosition(EpsPosition position, const APFloat &eps);

/// `swish` with the slope of a named activation is that activation.
ActivationAttr getCanonicalActivation(ActivationAttr activation);

/// The slope that the activation's sigmoid has, for those of the swish family.
std::optional<double> getSwishBeta(ActivationAttr activation);

} // namespace mlir::xfmr

#endif // XFMR_LIB_DIALECT_IR_CANONICALFORMS_H
