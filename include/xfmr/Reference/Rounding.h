//===- Rounding.h - Rounding to the element types, exactly -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_REFERENCE_ROUNDING_H
#define XFMR_REFERENCE_ROUNDING_H

#include "mlir/IR/Types.h"
#include <optional>

namespace mlir::xfmr::reference {

/// A binary floating-point format with subnormals, infinities and NaN.
struct FloatFormat {
  /// Significand bits, the implicit one included.
  int precision;
  /// Exponents of the smallest normal number and of the largest number.
  int minExponent, maxExponent;

  /// Half the spacing at 1: the largest relative error of one rounding.
  long double unitRoundoff() const;
  /// The largest finite number.
  long double largest() const;
  /// The power of two after `largest`: infinity as a number.
  long double infinity() const;
  /// The smallest magnitude that rounds to infinity.
  long double overflowThreshold() const;
  /// The spacing of subnormal numbers, the smallest positive one.
  long double smallest() const;

  bool operator==(const FloatFormat &other) const {
    return precision == other.precision && minExponent == other.minExponent &&
           maxExponent == other.maxExponent;
  }
};

/// The format of f16, bf16, f32 or f64; nothing for other types.
std::optional<FloatFormat> getFloatFormat(Type type);

/// The value rounded to nearest, ties to even, with subnormals and overflow to
/// infinity. NaN, infinities and the sign of zero are kept.
long double roundTo(const FloatFormat &format, long double value);

/// The same for an element type; values of other types than f16, bf16, f32 and
/// f64 are returned as they are.
long double roundTo(Type type, long double value);

/// The spacing of the format at a value, whether or not the value is one of the
/// format's: that of subnormals near zero, that of the largest numbers beyond
/// the format's range.
long double ulp(const FloatFormat &format, long double value);

/// The same for an element type; 0 for other types than f16, bf16, f32, f64.
long double ulp(Type type, long double value);

} // namespace mlir::xfmr::reference

#endif // XFMR_REFERENCE_ROUNDING_H
