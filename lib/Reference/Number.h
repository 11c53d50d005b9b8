//===- Number.h - Numbers that know how far off they may be -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_REFERENCE_NUMBER_H
#define XFMR_LIB_REFERENCE_NUMBER_H

#include "xfmr/Reference/Rounding.h"
#include <cfloat>
#include <cmath>
#include <limits>

namespace mlir::xfmr::reference {

/// A value and how far a correct implementation's may be from it, in two parts.
/// `hard` errors are those that really occur as a whole when they occur: a
/// value near a rounding boundary that falls to the other side. They add up.
/// `soft` errors are the many small ones of accumulator arithmetic, independent
/// or common to a row. Sums add them as such: see `contractionError`.
///
/// `narrow` is what may come on top where a number ends in a rounding to f16 or
/// bf16: exponentials, their products and quotients, and the sums of positive
/// ones need no more digits than are left then. See `roundNarrow`.
///
/// As an op leaves it, a number lacks its last rounding, to its element type;
/// `settle` gives what the next op reads.
struct Number {
  long double value = 0, hard = 0, soft = 0, narrow = 0;

  /// A number of which the contract says nothing, NaN included.
  static Number unconstrained(long double value = 0) {
    return {value, HUGE_VALL, 0};
  }
  /// A number of which the contract says that it is not NaN.
  static Number anyButNaN(long double value = 0) { return {value, DBL_MAX, 0}; }

  bool isUnconstrained() const { return std::isinf(hard); }
  bool isExact() const { return hard == 0 && soft == 0; }
  long double error() const { return hard + soft; }
};

/// |factor| * radius, where no radius gives none even for an infinite factor,
/// and a number that is unconstrained stays so when multiplied by zero.
inline long double scaleRadius(long double factor, long double radius) {
  if (radius == 0 || std::isinf(radius))
    return radius;
  return std::fabs(factor) * radius;
}

/// A class that is certain has no error; an error that is NaN is not known.
inline Number normalized(Number number) {
  if (number.isUnconstrained())
    return number;
  if (!std::isfinite(number.value))
    return {number.value, 0, 0};
  if (std::isnan(number.hard) || std::isnan(number.soft) ||
      std::isinf(number.soft))
    return Number::unconstrained(number.value);
  return number;
}

/// Makes a value beyond the range of the format an infinity, and one that may
/// or may not be unconstrained.
inline Number overflowed(const FloatFormat &format, Number number) {
  number = normalized(number);
  if (number.isUnconstrained() || !std::isfinite(number.value))
    return number;
  long double magnitude = std::fabs(number.value);
  if (magnitude - number.error() >= format.overflowThreshold())
    return {std::copysign(HUGE_VALL, number.value), 0, 0};
  if (magnitude + number.error() >= format.overflowThreshold())
    return number.hard >= DBL_MAX ? number
                                  : Number::unconstrained(number.value);
  return number;
}

/// The number rounded to the format. Where the value is within its error of a
/// boundary both neighbours are right: their difference is the hard error.
inline Number roundWithin(const FloatFormat &format, Number number) {
  number = overflowed(format, number);
  long double rounded = roundTo(format, number.value);
  if (number.isExact() || number.isUnconstrained() || number.hard >= DBL_MAX ||
      !std::isfinite(number.value))
    return {rounded, number.hard, 0};
  long double low = roundTo(format, number.value - number.error());
  long double high = roundTo(format, number.value + number.error());
  return {rounded, std::fmax(rounded - low, high - rounded), 0};
}

/// What an op that rounds to f16 or bf16 makes of a number, before it is
/// rounded: of `narrow`, a hundredth of an ulp counts.
inline Number roundNarrow(const FloatFormat &format, Number number) {
  if (format.precision < 24 && std::isfinite(number.value))
    number.soft += std::fmin(number.narrow, ulp(format, number.value) / 100);
  number.narrow = 0;
  return number;
}

/// What an op that reads an element of the type sees. f16 and bf16 are storage:
/// the rounding to them is part of the meaning. f32 and f64 are accumulators,
/// inside which a value may be got in another way of the same real value, so
/// the rounding is one more small error.
inline Number settle(const FloatFormat &format, Number number) {
  if (format.precision < 24)
    return roundWithin(format, number);
  number = overflowed(format, number);
  if (number.isUnconstrained() || !std::isfinite(number.value))
    return number;
  if (!number.isExact() || roundTo(format, number.value) != number.value)
    number.soft += ulp(format, number.value) / 2;
  return number;
}

inline Number add(const Number &a, const Number &b) {
  bool isSum = a.value >= 0 && b.value >= 0;
  return normalized({a.value + b.value, a.hard + b.hard, a.soft + b.soft,
                     isSum ? a.narrow + b.narrow : 0});
}

inline Number subtract(const Number &a, const Number &b) {
  return normalized({a.value - b.value, a.hard + b.hard, a.soft + b.soft});
}

inline Number multiply(const Number &a, const Number &b) {
  return normalized(
      {a.value * b.value,
       scaleRadius(a.value, b.hard) + scaleRadius(b.value, a.hard) +
           scaleRadius(a.hard, b.error()) + scaleRadius(a.soft, b.hard),
       scaleRadius(a.value, b.soft) + scaleRadius(b.value, a.soft) +
           scaleRadius(a.soft, b.soft),
       scaleRadius(a.value, b.narrow) + scaleRadius(b.value, a.narrow)});
}

/// f(number) for a function that is continuous and nearly monotonic over its
/// error. The error of f itself is not part of it.
template <typename Function>
Number applyFunction(const Number &number, Function &&function) {
  long double value = function(number.value);
  if (number.isUnconstrained())
    return Number::unconstrained(value);
  if (number.isExact() || !std::isfinite(number.value))
    return {value, 0, 0};
  long double error = number.error();
  long double up = std::fabs(function(number.value + error) - value);
  long double down = std::fabs(function(number.value - error) - value);
  if (!std::isfinite(value) || !std::isfinite(up) || !std::isfinite(down))
    return Number::unconstrained(value);
  long double spread = std::fmax(up, down);
  return {value, spread * (number.hard / error),
          spread * (number.soft / error)};
}

} // namespace mlir::xfmr::reference

#endif // XFMR_LIB_REFERENCE_NUMBER_H
