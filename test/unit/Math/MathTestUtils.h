//===- MathTestUtils.h - Formats, bounds and samples -----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_UNIT_MATH_MATHTESTUTILS_H
#define XFMR_TEST_UNIT_MATH_MATHTESTUTILS_H

#include "MathReference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace mlir::xfmr::test {

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// A binary float format and how its bits are held in memory.
template <typename StorageT, int ExponentBits, int MantissaBits> struct Format {
  using Storage = StorageT;
  static constexpr int mantissaBits = MantissaBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int minExponent = 1 - bias;
  static constexpr uint64_t exponentMask = (uint64_t(1) << ExponentBits) - 1;
  /// A little less than the largest number, and than 1e40.
  static constexpr double largest = bias < 100    ? 65000.0
                                    : bias < 1000 ? 3.3e38
                                                  : 1e40;

  /// The value of the bits; exact.
  static long double toReal(Storage storage) {
    uint64_t bits = 0;
    std::memcpy(&bits, &storage, sizeof(storage));
    uint64_t mantissa = bits & ((uint64_t(1) << MantissaBits) - 1);
    int exponent = (bits >> MantissaBits) & exponentMask;
    long double sign = (bits >> (MantissaBits + ExponentBits)) & 1 ? -1 : 1;
    if (exponent == static_cast<int>(exponentMask))
      return mantissa ? std::nanl("") : sign * HUGE_VALL;
    if (exponent == 0)
      return sign * std::ldexp(static_cast<long double>(mantissa),
                               minExponent - MantissaBits);
    return sign * std::ldexp(static_cast<long double>(
                                 mantissa | (uint64_t(1) << MantissaBits)),
                             exponent - bias - MantissaBits);
  }

  /// The value of the bits of a format that double holds; exact.
  static double toDouble(Storage storage) {
    if constexpr (std::is_floating_point_v<Storage>)
      return storage;
    return static_cast<double>(toReal(storage));
  }

  /// The spacing of the format at a finite value, subnormal numbers included.
  static long double ulp(long double value) {
    if (value == 0)
      return std::ldexp(1.0L, minExponent - MantissaBits);
    int exponent = std::max(std::ilogb(value), minExponent);
    return std::ldexp(1.0L, exponent - MantissaBits);
  }

  /// True where the value rounds to an infinity.
  static bool overflows(long double value) {
    long double max = std::ldexp(2.0L, bias);
    return std::fabs(value) >= max - ulp(max / 2) / 2;
  }
};

using F16 = Format<uint16_t, 5, 10>;
using BF16 = Format<uint16_t, 8, 7>;
using F32 = Format<float, 8, 23>;
using F64 = Format<double, 11, 52>;

/// Compares results with references: class first, then the error, in ulp where
/// the reference is at least `floor` and in absolute terms (at most `floor`)
/// below. Keeps the largest error and the first failure.
template <typename FormatT> class Comparison {
public:
  Comparison(long double maxUlps, long double floor)
      : maxUlps(maxUlps), floor(floor) {}

  void add(long double input, long double reference, long double result) {
    ++count;
    if (std::isnan(reference) || std::isnan(result)) {
      if (!(std::isnan(reference) && std::isnan(result)))
        fail(input, reference, result);
      return;
    }
    if (FormatT::overflows(reference) || std::isinf(result)) {
      if (!FormatT::overflows(reference) || !std::isinf(result) ||
          std::signbit(reference) != std::signbit(result))
        fail(input, reference, result);
      return;
    }
    long double error = std::fabs(result - reference);
    if (std::fabs(reference) < floor) {
      if (!(error <= floor))
        fail(input, reference, result);
      return;
    }
    error /= FormatT::ulp(reference);
    if (error > worst)
      worst = error, worstInput = input;
    if (!(error <= maxUlps))
      fail(input, reference, result);
  }

  /// Compares with `reference`. Double decides where what it is off does not
  /// matter; elsewhere, and for the largest error, the exact value does.
  void add(double input, const MathReference &reference, double result) {
    if (isSurelyRight(input, reference.approximate(input), result))
      ++count;
    else
      add(input, reference.exact(input), result);
  }

  bool passed() const { return failures == 0; }
  std::string summary() const {
    return std::to_string(count) + " values, largest error " +
           std::to_string(static_cast<double>(worst)) + " ulp at " +
           show(worstInput) + ", " + std::to_string(failures) + " failures" +
           firstFailure;
  }

private:
  static std::string show(long double value) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.17Lg", value);
    return text;
  }
  void fail(long double input, long double reference, long double result) {
    if (failures++ == 0)
      firstFailure = "; first: f(" + show(input) + ") = " + show(result) +
                     ", expected " + show(reference);
  }

  bool isSurelyRight(double input, double approximate, double result) const {
    static const double leastNormal = std::ldexp(1.0, FormatT::minExponent);
    if (FormatT::bias > 1000)
      return false; // A double decides nothing about doubles.
    if (std::isnan(approximate))
      return std::isnan(input) && std::isnan(result);
    double magnitude = std::fabs(approximate);
    if (magnitude > 1e40)
      return std::isinf(result) &&
             std::signbit(result) == std::signbit(approximate);
    if (magnitude < 0x1p-200)
      return result == 0;
    if (magnitude < static_cast<double>(floor) / 2)
      return std::fabs(result) < static_cast<double>(floor) / 2;
    if (magnitude < static_cast<double>(floor) * 1.001 ||
        magnitude > FormatT::largest)
      return false;
    double ulp = bitCast<double>(bitCast<uint64_t>(approximate) &
                                 (uint64_t(2047) << 52));
    ulp = std::max(ulp, leastNormal) / (uint64_t(1) << FormatT::mantissaBits);
    double error = std::fabs(result - approximate);
    constexpr double slack = 0x1p-12; // Much more than a double is off.
    return error == 0 ||
           error <
               (static_cast<double>(std::min(maxUlps, worst)) - slack) * ulp;
  }

  long double maxUlps, floor;
  long double worst = 0, worstInput = 0;
  int64_t count = 0, failures = 0;
  std::string firstFailure;
};

/// How many samples a test takes: XFMR_MATH_SAMPLES, or the default.
inline int64_t getSampleCount(int64_t byDefault) {
  const char *text = std::getenv("XFMR_MATH_SAMPLES");
  int64_t count = text ? std::atoll(text) : byDefault;
  return std::max<int64_t>(count & ~int64_t(15), 16);
}

/// Every bit pattern of a 16-bit format.
inline std::vector<uint16_t> allPatterns() {
  std::vector<uint16_t> all(1 << 16);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<uint16_t>(i);
  return all;
}

/// f32 values: the corner cases, then half spread over all bit patterns (NaN,
/// infinities and subnormal numbers are among them) and half over |x| in
/// [2^-24, 128), where the functions are not trivial. The steps are odd
/// multiples near the golden section, which leave no gaps.
inline std::vector<float> sampleF32(int64_t count) {
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1.0f,
                               -1.0f,
                               1e4f,
                               -1e4f,
                               -200.0f,
                               104.0f,
                               -104.0f,
                               89.0f,
                               -89.0f,
                               88.72283f,
                               -88.72283f,
                               88.72284f,
                               -88.72284f,
                               -103.97f,
                               -103.98f,
                               0x1p-149f,
                               -0x1p-149f,
                               0x1p-126f,
                               -0x1p-126f,
                               0x1.fffffep+127f,
                               -0x1.fffffep+127f,
                               HUGE_VALF,
                               -HUGE_VALF,
                               std::nanf(""),
                               -std::nanf(""),
                               -12.0f,
                               -10.0f,
                               -9.99999f};
  for (uint32_t i = 0; values.size() < static_cast<size_t>(count); ++i) {
    values.push_back(bitCast<float>(i * 2654435769u));
    uint32_t low = bitCast<uint32_t>(0x1p-24f),
             high = bitCast<uint32_t>(128.0f);
    uint64_t spread = uint64_t(i * 2654435769u) * (high - low) >> 32;
    values.push_back(bitCast<float>(static_cast<uint32_t>(low + spread) |
                                    (i & 1 ? 0x80000000u : 0)));
  }
  values.resize(count);
  return values;
}

/// f64 values with |x| in [2^-40, 2^10), and the corner cases.
inline std::vector<double> sampleF64(int64_t count) {
  std::vector<double> values = {0.0,      -0.0,      1.0,          -1.0,
                                1e4,      -1e4,      700.0,        -700.0,
                                710.0,    -710.0,    1e308,        -1e308,
                                HUGE_VAL, -HUGE_VAL, std::nan(""), 0x1p-1074};
  uint64_t state = 1;
  while (values.size() < static_cast<size_t>(count)) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t low = bitCast<uint64_t>(0x1p-40), high = bitCast<uint64_t>(0x1p10);
    uint64_t bits = low + (state >> 1) % (high - low);
    values.push_back(bitCast<double>(bits | (state & (uint64_t(1) << 63))));
  }
  values.resize(count);
  return values;
}

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_UNIT_MATH_MATHTESTUTILS_H
