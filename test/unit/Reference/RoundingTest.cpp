//===- RoundingTest.cpp - Rounding, spacing, elements in memory -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::xfmr::reference;

namespace {
class RoundingTest : public ReferenceTest {};
} // namespace

/// Every pattern of a half type is read, and written back as it was.
TEST_F(RoundingTest, HalfPatternsRoundTrip) {
  for (StringRef name : {"f16", "bf16"}) {
    Type half = type(name);
    for (unsigned bits = 0; bits < 65536; ++bits) {
      auto pattern = static_cast<uint16_t>(bits);
      long double value = readElement(half, &pattern, 0);
      uint16_t written = 0;
      writeElement(half, &written, 0, value);
      if (std::isnan(value)) {
        uint16_t infinity = name == "f16" ? 0x7c00 : 0x7f80;
        EXPECT_GT(written & 0x7fff, infinity);
      } else {
        EXPECT_EQ(written, pattern) << name.str();
        EXPECT_EQ(roundTo(half, value), value);
      }
    }
  }
}

TEST_F(RoundingTest, KnownPatterns) {
  struct Case {
    StringRef type;
    uint16_t bits;
    double value;
  };
  for (Case c : {Case{"f16", 0x3c00, 1.0}, Case{"f16", 0x0001, 0x1p-24},
                 Case{"f16", 0x03ff, 0x3ffp-24}, Case{"f16", 0x7bff, 65504.0},
                 Case{"f16", 0xc900, -10.0}, Case{"bf16", 0x3f80, 1.0},
                 Case{"bf16", 0x0001, 0x1p-133}, Case{"bf16", 0xc2f7, -123.5},
                 Case{"bf16", 0x7f7f, 0x1.fep127}})
    EXPECT_EQ(readElement(type(c.type), &c.bits, 0), c.value);
}

/// Between any two neighbours the middle goes to the even one, and what is next
/// to the middle to the nearer one.
TEST_F(RoundingTest, TiesToEven) {
  for (StringRef name : {"f16", "bf16"}) {
    Type half = type(name);
    const uint16_t last = name == "f16" ? 0x7bff : 0x7f7f;
    for (uint16_t bits = 0; bits < last; ++bits) {
      uint16_t next = bits + 1;
      long double low = readElement(half, &bits, 0);
      long double high = readElement(half, &next, 0);
      long double middle = (low + high) / 2;
      EXPECT_EQ(roundTo(half, middle), bits % 2 ? high : low);
      EXPECT_EQ(roundTo(half, std::nextafter(middle, low)), low);
      EXPECT_EQ(roundTo(half, std::nextafter(middle, high)), high);
      EXPECT_EQ(roundTo(half, -middle), bits % 2 ? -high : -low);
      EXPECT_EQ(ulp(half, low), high - low);
      EXPECT_EQ(ulp(half, middle), high - low);
    }
  }
}

/// The hardware's conversions are another implementation.
TEST_F(RoundingTest, SameAsConversions) {
  std::uniform_int_distribution<uint64_t> bits;
  for (int i = 0; i < 200000; ++i) {
    uint64_t pattern = bits(generator);
    double value;
    std::memcpy(&value, &pattern, sizeof(value));
    if (std::isnan(value))
      continue;
    // Most doubles are out of f32's range: scale half of them into it.
    if (i % 2)
      value = std::ldexp(value, -std::ilogb(value) - i % 160);
    EXPECT_EQ(roundTo(type("f32"), value), static_cast<float>(value));
    long double wide = value + value * 0x1p-54L * (i % 7);
    EXPECT_EQ(roundTo(type("f64"), wide), static_cast<double>(wide));
  }
  EXPECT_EQ(roundTo(type("f64"), 0x1p-1075L), 0);
  EXPECT_EQ(roundTo(type("f64"), 0x1.8p-1075L), 0x1p-1074L);
}

TEST_F(RoundingTest, Overflow) {
  EXPECT_EQ(roundTo(type("f16"), 65519.99L), 65504);
  EXPECT_EQ(roundTo(type("f16"), 65520), HUGE_VALL);
  EXPECT_EQ(roundTo(type("f16"), -1e300L), -HUGE_VALL);
  EXPECT_EQ(roundTo(type("bf16"), 0x1.ffp127L), HUGE_VALL);
  EXPECT_EQ(roundTo(type("bf16"), 0x1.fefp127L), 0x1.fep127L);
  EXPECT_TRUE(std::signbit(roundTo(type("f16"), -1e-30L)));
  EXPECT_EQ(ulp(type("f16"), 1e9L), 32);
  EXPECT_EQ(ulp(type("f16"), 0), 0x1p-24L);
}

TEST_F(RoundingTest, Integers) {
  int64_t memory = 0;
  for (auto [name, value] : {std::pair<StringRef, long double>("i8", -128),
                             {"i16", 32767},
                             {"i32", -2147483648.0L},
                             {"i64", 9223372036854775807.0L},
                             {"index", -1},
                             {"i1", 1}}) {
    writeElement(type(name), &memory, 0, value);
    EXPECT_EQ(readElement(type(name), &memory, 0), value) << name.str();
  }
  EXPECT_EQ(getElementSize(type("f80")), 0);
  EXPECT_TRUE(std::isnan(readElement(type("f80"), &memory, 0)));
}
