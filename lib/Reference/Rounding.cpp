//===- Rounding.cpp - Rounding to the element types, exactly -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Reference/Rounding.h"
#include "mlir/IR/BuiltinTypes.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::xfmr::reference;

long double FloatFormat::unitRoundoff() const {
  return std::ldexp(1.0L, -precision);
}

long double FloatFormat::largest() const {
  return infinity() - std::ldexp(1.0L, maxExponent - precision + 1);
}

long double FloatFormat::infinity() const {
  return std::ldexp(1.0L, maxExponent + 1);
}

long double FloatFormat::overflowThreshold() const {
  return infinity() - std::ldexp(1.0L, maxExponent - precision);
}

long double FloatFormat::smallest() const {
  return std::ldexp(1.0L, minExponent - precision + 1);
}

std::optional<FloatFormat> mlir::xfmr::reference::getFloatFormat(Type type) {
  if (!type)
    return std::nullopt;
  if (type.isF16())
    return FloatFormat{11, -14, 15};
  if (type.isBF16())
    return FloatFormat{8, -126, 127};
  if (type.isF32())
    return FloatFormat{24, -126, 127};
  if (type.isF64())
    return FloatFormat{53, -1022, 1023};
  return std::nullopt;
}

/// The exponent of the spacing at a finite value.
static int spacingExponent(const FloatFormat &format, long double value) {
  int exponent = value == 0 ? format.minExponent : std::ilogb(value);
  return std::clamp(exponent, format.minExponent, format.maxExponent) -
         format.precision + 1;
}

long double mlir::xfmr::reference::roundTo(const FloatFormat &format,
                                           long double value) {
  if (value == 0 || !std::isfinite(value))
    return value;
  // The scaling is exact and the scaled value has its unit at the last place
  // of the format, so the one rounding is that to an integer.
  int spacing = spacingExponent(format, value);
  long double rounded =
      std::ldexp(std::nearbyint(std::ldexp(value, -spacing)), spacing);
  if (std::fabs(rounded) >= format.infinity())
    return std::copysign(HUGE_VALL, value);
  return rounded == 0 ? std::copysign(0.0L, value) : rounded;
}

long double mlir::xfmr::reference::roundTo(Type type, long double value) {
  std::optional<FloatFormat> format = getFloatFormat(type);
  return format ? roundTo(*format, value) : value;
}

long double mlir::xfmr::reference::ulp(const FloatFormat &format,
                                       long double value) {
  if (!std::isfinite(value))
    value = format.largest();
  return std::ldexp(1.0L, spacingExponent(format, value));
}

long double mlir::xfmr::reference::ulp(Type type, long double value) {
  std::optional<FloatFormat> format = getFloatFormat(type);
  return format ? ulp(*format, value) : 0;
}
