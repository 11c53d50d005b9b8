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
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>

using namespace mlir;
using namespace mlir::xfmr::reference;

/// 2 to the power; without a call for what doubles hold as normal numbers.
static long double powerOfTwo(int exponent) {
  if (exponent < -1022 || exponent > 1023)
    return std::ldexp(1.0L, exponent);
  const uint64_t bits = static_cast<uint64_t>(exponent + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof(power));
  return power;
}

/// The exponent of a finite value that is not zero.
static int exponentOf(long double value) {
  const auto rounded = static_cast<double>(value);
  uint64_t bits;
  std::memcpy(&bits, &rounded, sizeof(bits));
  const int biased = static_cast<int>(bits >> 52) & 2047;
  if (biased == 0 || biased == 2047)
    return std::ilogb(value);
  // The conversion may have rounded up to the next power of two.
  const int exponent = biased - 1023;
  return std::fabs(value) < powerOfTwo(exponent) ? exponent - 1 : exponent;
}

long double FloatFormat::unitRoundoff() const { return powerOfTwo(-precision); }

long double FloatFormat::largest() const {
  return infinity() - powerOfTwo(maxExponent - precision + 1);
}

long double FloatFormat::infinity() const {
  return 2 * powerOfTwo(maxExponent);
}

long double FloatFormat::overflowThreshold() const {
  return infinity() - powerOfTwo(maxExponent - precision);
}

long double FloatFormat::smallest() const {
  return powerOfTwo(minExponent - precision + 1);
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
  int exponent = value == 0 ? format.minExponent : exponentOf(value);
  return std::clamp(exponent, format.minExponent, format.maxExponent) -
         format.precision + 1;
}

long double mlir::xfmr::reference::roundTo(const FloatFormat &format,
                                           long double value) {
  if (value == 0 || !std::isfinite(value))
    return value;
  if (std::fabs(value) >= format.infinity())
    return std::copysign(HUGE_VALL, value);
  // Beside the bias, the last place of a long double is the spacing, and the
  // addition rounds to it, ties to even. The subtraction is exact.
  static_assert(LDBL_MANT_DIG >= 64, "f64 needs a wider type beside it");
  const int spacing = spacingExponent(format, value);
  const long double bias =
      1.5L * powerOfTwo(spacing) * powerOfTwo(LDBL_MANT_DIG - 1);
  const long double rounded = (value + bias) - bias;
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
  return powerOfTwo(spacingExponent(format, value));
}

long double mlir::xfmr::reference::ulp(Type type, long double value) {
  std::optional<FloatFormat> format = getFloatFormat(type);
  return format ? ulp(*format, value) : 0;
}
