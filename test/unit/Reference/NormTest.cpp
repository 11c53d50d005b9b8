//===- NormTest.cpp - Norms against numbers known otherwise -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;
using namespace mlir::xfmr::reference;

namespace {
class NormTest : public ReferenceTest {
protected:
  /// A norm of one row, the operands as the op writes them.
  std::string norm(StringRef op, StringRef x, StringRef rest,
                   StringRef result = "", StringRef gammaType = "",
                   StringRef betaType = "") {
    std::string xType = "tensor<?x?x" + x.str() + ">";
    std::string yType =
        "tensor<?x?x" + (result.empty() ? x : result).str() + ">";
    std::string text = "func.func @f(%x: " + xType + ", %y: " + yType;
    if (!gammaType.empty())
      text += ", %g: tensor<?x" + gammaType.str() + ">";
    if (!betaType.empty())
      text += ", %b: tensor<?x" + betaType.str() + ">";
    text += ") -> " + yType + " {\n%0 = xfmr." + op.str() +
            " ins(%x : " + xType + ")";
    if (!gammaType.empty())
      text += " gamma(%g : tensor<?x" + gammaType.str() + ">)";
    if (!betaType.empty())
      text += " beta(%b : tensor<?x" + betaType.str() + ">)";
    text += " outs(%y : " + yType + ") " + rest.str() + " -> " + yType +
            "\nreturn %0 : " + yType + "\n}";
    return text;
  }
};
} // namespace

/// A1: squares that overflow f16, a sum that does, a sum that stalls in bf16.
TEST_F(NormTest, A1SumOfSquares) {
  for (int64_t d : {7, 64, 4096}) {
    for (double value : {300.0, 8.0, -300.0}) {
      OwnedArray x = array("f16", {1, d}, {value}), y = array("f16", {1, d});
      SmallVector<Expected> results = evaluate(
          norm("rmsnorm", "f16", "eps(1.0e-6) rounding(scale_then_cast)"),
          {&x, &y});
      OwnedArray ones = array("f16", {1, d}, {value < 0 ? -1.0 : 1.0});
      EXPECT_TRUE(matches(ones, results[0]));
      OwnedArray zeros = array("f16", {1, d}, {0.0});
      EXPECT_EQ(compare(zeros.view, results[0]).mismatches, d);
    }
    OwnedArray x = array("bf16", {1, d}, {1.0}), y = array("bf16", {1, d});
    SmallVector<Expected> results = evaluate(
        norm("rmsnorm", "bf16", "eps(1.0e-6) rounding(cast_then_scale)"),
        {&x, &y});
    OwnedArray ones = array("bf16", {1, d}, {1.0});
    EXPECT_TRUE(matches(ones, results[0]));
  }
}

/// A2: a mean that is large beside the deviation.
TEST_F(NormTest, A2LargeMean) {
  for (auto [mean, first] : {std::pair(0.0, -1.3416),
                             {100.0, -1.3415},
                             {1000.0, -1.3415},
                             {1e4, -1.3313},
                             {1e6, 0.0}}) {
    OwnedArray x = array("f32", {1, 16}), y = array("f32", {1, 16});
    for (int64_t i = 0; i < 16; ++i)
      x.set(i, static_cast<float>(mean + 0.001 * i));
    SmallVector<Expected> results =
        evaluate(norm("layernorm", "f32", "eps(1.0e-5)"), {&x, &y});
    EXPECT_NEAR(results[0].value[0], first, 5.1e-5);
    EXPECT_LE(results[0].bound[0], 2e-6);
    for (long double value : results[0].value)
      EXPECT_FALSE(std::isnan(value));
  }
}

/// A3: five values in an arithmetic progression.
TEST_F(NormTest, A3Tail) {
  OwnedArray x = array("f32", {1, 5}, {100, 101, 102, 103, 104});
  OwnedArray y = array("f32", {1, 5});
  SmallVector<Expected> results =
      evaluate(norm("layernorm", "f32", "eps(0.0)"), {&x, &y});
  const double right[] = {-1.4142135623730951, -0.7071067811865476, 0,
                          0.7071067811865476, 1.4142135623730951};
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(results[0].value[i], right[i], 1e-15);
    EXPECT_LE(results[0].bound[i], 20 * 0x1p-24 * 1.5);
  }
}

/// An xhat between two neighbours, of which both are right: what is computed
/// from either and rounded is right, though ulps are larger beyond 4.
TEST_F(NormTest, BothNeighboursAcrossPowerOfTwo) {
  OwnedArray x = array("bf16", {1, 2}, {254.0 / 128, 188.0 / 128});
  OwnedArray y = array("bf16", {1, 2});
  const double low = 145.0 / 128, high = 146.0 / 128;
  const double gammaValue = static_cast<float>((4 + 0.6 * 0x1p-5) / high);
  OwnedArray gamma = array("f32", {2}, {gammaValue});
  SmallVector<Expected> results = evaluate(
      norm("rmsnorm", "bf16", "eps(0.0) rounding(cast_then_scale)", "", "f32"),
      {&x, &y, &gamma});
  const long double value = results[0].value[0], bound = results[0].bound[0];
  EXPECT_EQ(value, static_cast<long double>(gammaValue) * low);
  EXPECT_LT(value, 4);
  const long double fromHigh = roundTo(type("bf16"), gammaValue * high);
  EXPECT_GT(fromHigh, 4);
  EXPECT_LE(fromHigh - value, bound);
  // Nothing farther is right: the difference of the two, and half an ulp.
  EXPECT_LE(bound, gammaValue * (high - low) + 0x1p-6 + 1e-5);
}

/// A11: where eps goes, and what is without it.
TEST_F(NormTest, A11Eps) {
  OwnedArray zeros = array("f16", {2, 4}, {0.0}), y16 = array("f16", {2, 4});
  OwnedArray beta = array("f16", {4}, {0.5, -1.0, 2.0, 0.0});
  OwnedArray gamma = array("f16", {4}, {1.0});
  SmallVector<Expected> results =
      evaluate(norm("layernorm", "f16",
                    "eps(1.0e-12) rounding(scale_then_cast)", "", "f16", "f16"),
               {&zeros, &y16, &gamma, &beta});
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(results[0].value[i], beta.get(i % 4));

  OwnedArray zeros32 = array("f32", {1, 4}, {0.0}), y32 = array("f32", {1, 4});
  for (StringRef op : {"rmsnorm", "layernorm"}) {
    results = evaluate(norm(op, "f32", "eps(0.0)"), {&zeros32, &y32});
    for (long double value : results[0].value)
      EXPECT_TRUE(std::isnan(value));
    for (long double bound : results[0].bound)
      EXPECT_EQ(bound, 0);
  }

  OwnedArray x = array("f32", {1, 128}, {1e-3}), y = array("f32", {1, 128});
  results = evaluate(norm("rmsnorm", "f32", "eps(1.0e-6)"), {&x, &y});
  EXPECT_NEAR(results[0].value[0], 0.707107, 1e-6);
  results =
      evaluate(norm("rmsnorm", "f32", "eps(1.0e-6) statistic(l2)"), {&x, &y});
  EXPECT_NEAR(results[0].value[0], 1e-3 / std::sqrt(128e-6 + 1e-6), 1e-8);
  results = evaluate(
      norm("rmsnorm", "f32", "eps(1.0e-3) eps_position(outside)"), {&x, &y});
  EXPECT_NEAR(results[0].value[0], 0.5, 1e-6);
}

/// A13: the same row rounded in two orders, exact bits; an offset in acc.
TEST_F(NormTest, A13RoundingOrder) {
  OwnedArray x = array("bf16", {1, 4}, {8, 8, 8, 1});
  OwnedArray gamma = array("bf16", {4}, {0.75, 1.375, 0.75, 1.5});
  OwnedArray y = array("bf16", {1, 4});
  OwnedArray a = array("bf16", {1, 4}, {.859375, 1.578125, .859375, .21484375});
  OwnedArray b =
      array("bf16", {1, 4}, {.86328125, 1.5859375, .86328125, .215820312});
  SmallVector<Expected> castFirst =
      evaluate(norm("rmsnorm", "bf16", "eps(1.0e-6) rounding(cast_then_scale)",
                    "", "bf16"),
               {&x, &y, &gamma});
  SmallVector<Expected> scaleFirst =
      evaluate(norm("rmsnorm", "bf16", "eps(1.0e-6) rounding(scale_then_cast)",
                    "", "bf16"),
               {&x, &y, &gamma});
  EXPECT_TRUE(matches(a, castFirst[0]));
  EXPECT_TRUE(matches(b, scaleFirst[0]));
  EXPECT_EQ(compare(a.view, scaleFirst[0]).mismatches, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(roundTo(type("bf16"), castFirst[0].value[i]), a.get(i));
    EXPECT_EQ(roundTo(type("bf16"), scaleFirst[0].value[i]), b.get(i));
  }
  // All but one of the products are ties, which the bound leaves open.
  EXPECT_EQ(compare(b.view, castFirst[0]).mismatches, 1);

  OwnedArray ones = array("f32", {1, 4}, {1.0}), y32 = array("f32", {1, 4});
  OwnedArray big = array("bf16", {4}, {15.8125});
  SmallVector<Expected> offset = evaluate(
      norm("rmsnorm", "f32", "eps(1.0e-6) weight_offset(1.0)", "", "bf16"),
      {&ones, &y32, &big});
  EXPECT_NEAR(offset[0].value[0], 16.8125, 1e-5);
  OwnedArray wrong = array("f32", {1, 4}, {16.75});
  EXPECT_EQ(compare(wrong.view, offset[0]).mismatches, 4);
}

/// A row with NaN or infinity, beside a good one.
TEST_F(NormTest, SpecialRows) {
  const double inf = HUGE_VAL, nan = NAN;
  OwnedArray x = array("f32", {3, 3}, {1, inf, -2, 1, nan, 2, 3, 4, 5});
  OwnedArray y = array("f32", {3, 3});
  SmallVector<Expected> results =
      evaluate(norm("rmsnorm", "f32", "eps(1.0e-5)"), {&x, &y});
  EXPECT_EQ(results[0].value[0], 0);
  EXPECT_TRUE(std::isnan(results[0].value[1]));
  EXPECT_EQ(results[0].value[2], 0);
  for (int i = 3; i < 6; ++i)
    EXPECT_TRUE(std::isnan(results[0].value[i]));
  EXPECT_NEAR(results[0].value[6], 3 / std::sqrt(50.0 / 3 + 1e-5), 1e-7);
  results = evaluate(norm("layernorm", "f32", "eps(1.0e-5)"), {&x, &y});
  for (int i = 0; i < 6; ++i)
    EXPECT_TRUE(std::isnan(results[0].value[i]));
  EXPECT_NEAR(results[0].value[7], 0, 1e-7);
}

/// Squares that may overflow leave the row open; up to 2^60 it is not NaN.
TEST_F(NormTest, OverflowingSquares) {
  OwnedArray x = array("f32", {1, 8}, {0x1p100}), y = array("f32", {1, 8});
  SmallVector<Expected> results =
      evaluate(norm("rmsnorm", "f32", "eps(1.0e-5)"), {&x, &y});
  EXPECT_TRUE(std::isinf(results[0].bound[0]));
  OwnedArray nan = array("f32", {1, 8}, {NAN});
  EXPECT_TRUE(matches(nan, results[0]));

  OwnedArray safe = array("f32", {1, 512}, {0x1p60}),
             ySafe = array("f32", {1, 512});
  results = evaluate(norm("rmsnorm", "f32", "eps(1.0e-5)"), {&safe, &ySafe});
  OwnedArray nans = array("f32", {1, 512}, {NAN});
  OwnedArray zeros = array("f32", {1, 512}, {0.0});
  EXPECT_EQ(compare(nans.view, results[0]).mismatches, 512);
  EXPECT_TRUE(matches(zeros, results[0]));
}

/// The bound of a norm of exact inputs is the contract's formula.
TEST_F(NormTest, BoundIsTheFormula) {
  const int64_t d = 300;
  OwnedArray x = randomArray("f32", {4, d}), y = array("f32", {4, d});
  OwnedArray gamma = randomArray("f32", {d}), beta = randomArray("f32", {d});
  for (StringRef op : {"rmsnorm", "layernorm"}) {
    SmallVector<Expected> results =
        evaluate(norm(op, "f32", "eps(1.0e-5)", "", "f32", "f32"),
                 {&x, &y, &gamma, &beta});
    for (int64_t i = 0; i < 4 * d; ++i) {
      long double g = gamma.get(i % d), b = beta.get(i % d);
      long double value = results[0].value[i];
      long double xhat = (value - b) / g;
      long double formula =
          ulp(type("f32"), value) / 2 +
          (16 + d / 256.0L) * 0x1p-24L *
              (std::fabs(g) * std::fmax(1, std::fabs(xhat)) + std::fabs(b));
      EXPECT_NEAR(results[0].bound[i] / formula, 1, 1e-9);
    }
  }
}

/// f32 arithmetic in a plain order is right, eps in the wrong place is not.
TEST_F(NormTest, PlainImplementation) {
  const int64_t d = 1000;
  OwnedArray x = randomArray("f32", {8, d}, 0.01), y = array("f32", {8, d});
  SmallVector<Expected> results =
      evaluate(norm("rmsnorm", "f32", "eps(1.0e-5)"), {&x, &y});
  for (bool outside : {false, true}) {
    OwnedArray got = array("f32", {8, d});
    for (int64_t row = 0; row < 8; ++row) {
      float partial[16] = {}, sum = 0;
      for (int64_t i = 0; i < d; ++i) {
        auto value = static_cast<float>(x.get(row * d + i));
        partial[i % 16] = std::fma(value, value, partial[i % 16]);
      }
      for (float part : partial)
        sum += part;
      float scale = outside ? 1 / (std::sqrt(sum / d) + 1e-5f)
                            : 1 / std::sqrt(sum / d + 1e-5f);
      for (int64_t i = 0; i < d; ++i)
        got.set(row * d + i, static_cast<float>(x.get(row * d + i)) * scale);
    }
    EXPECT_EQ(static_cast<bool>(matches(got, results[0])), !outside);
  }
}

/// The corrected two-pass variance is right whatever the mean, the difference
/// of mean squares is not.
TEST_F(NormTest, LargeMeanImplementations) {
  int64_t wrong = 0;
  for (double mean : {0.0, 1.0, 1e3, 1e5})
    for (int64_t d : {2, 5, 16, 1000, 4096})
      for (bool corrected : {true, false}) {
        OwnedArray x = randomArray("f32", {2, d}), y = array("f32", {2, d}),
                   got = array("f32", {2, d});
        for (int64_t i = 0; i < 2 * d; ++i)
          x.set(i, x.get(i) + mean);
        SmallVector<Expected> results =
            evaluate(norm("layernorm", "f32", "eps(1.0e-5)"), {&x, &y});
        for (int64_t row = 0; row < 2; ++row) {
          auto sum = [&](auto term) {
            float partial[64] = {}, total = 0;
            for (int64_t i = 0; i < d; ++i)
              partial[i % 64] += term(static_cast<float>(x.get(row * d + i)));
            for (float part : partial)
              total += part;
            return total;
          };
          const float count = d;
          const float m = sum([](float v) { return v; }) / count;
          float dm = 0, variance;
          if (corrected) {
            dm = sum([&](float v) { return v - m; }) / count;
            variance = sum([&](float v) { return (v - m) * (v - m); }) / count;
            variance = std::fmax(variance - dm * dm, 0.0f);
          } else {
            variance = sum([](float v) { return v * v; }) / count - m * m;
          }
          const float rstd = 1 / std::sqrt(variance + 1e-5f);
          for (int64_t i = 0; i < d; ++i)
            got.set(row * d + i,
                    ((static_cast<float>(x.get(row * d + i)) - m) - dm) * rstd);
        }
        if (corrected)
          EXPECT_TRUE(matches(got, results[0])) << mean << " " << d;
        else if (mean >= 1e3)
          wrong += compare(got.view, results[0]).mismatches > 0;
      }
  EXPECT_GE(wrong, 9);
}

/// Saved statistics, several normalised dims, unbiased variance.
TEST_F(NormTest, Statistics) {
  OwnedArray x = array("f32", {1, 2, 2}, {1, 2, 3, 6});
  OwnedArray y = array("f32", {1, 2, 2}), rstd = array("f32", {1}),
             mean = array("f32", {1});
  SmallVector<Expected> results = evaluate(
      R"(func.func @f(%x: tensor<1x2x2xf32>, %y: tensor<1x2x2xf32>,
                      %r: tensor<1xf32>, %m: tensor<1xf32>)
             -> (tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>) {
        %0:3 = xfmr.layernorm ins(%x : tensor<1x2x2xf32>)
            outs(%y : tensor<1x2x2xf32>) rstd(%r : tensor<1xf32>)
            mean(%m : tensor<1xf32>) eps(0.5) eps_position(outside) unbiased
            normalized_dims(2)
            -> tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>
        return %0#0, %0#1, %0#2
            : tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>
      })",
      {&x, &y, &rstd, &mean});
  ASSERT_EQ(results.size(), 3u);
  // Deviations -2 -1 0 3: squares 14, variance 14/3.
  const double factor = 1 / (std::sqrt(14.0 / 3) + 0.5);
  EXPECT_NEAR(results[0].value[0], -2 * factor, 1e-12);
  EXPECT_NEAR(results[0].value[3], 3 * factor, 1e-12);
  EXPECT_NEAR(results[1].value[0], factor, 1e-12);
  EXPECT_EQ(results[2].value[0], 3);
}

/// Both results of the sum and norm; which sum the norm sees.
TEST_F(NormTest, AddNorm) {
  // 1 + 2^-9 + ... in bf16: the sums round, so the two modes differ.
  OwnedArray x = array("bf16", {1, 2}, {1.0, 3.0});
  OwnedArray r = array("bf16", {1, 2}, {0x1p-8, 0.0});
  OwnedArray s = array("bf16", {1, 2}), y = array("f32", {1, 2});
  auto source = [](StringRef rounding) {
    return R"(func.func @f(%x: tensor<1x2xbf16>, %r: tensor<1x2xbf16>,
                           %s: tensor<1x2xbf16>, %y: tensor<1x2xf32>)
                  -> (tensor<1x2xbf16>, tensor<1x2xf32>) {
      %0:2 = xfmr.add_rmsnorm ins(%x : tensor<1x2xbf16>)
          residual(%r : tensor<1x2xbf16>) sum(%s : tensor<1x2xbf16>)
          outs(%y : tensor<1x2xf32>) eps(0.0) residual_rounding()" +
           rounding.str() + R"()
          -> tensor<1x2xbf16>, tensor<1x2xf32>
      return %0#0, %0#1 : tensor<1x2xbf16>, tensor<1x2xf32>
    })";
  };
  for (auto [rounding, seen] :
       {std::pair<StringRef, double>("round_then_norm", 1.0),
        {"norm_then_round", 1 + 0x1p-8}}) {
    SmallVector<Expected> results =
        evaluate(source(rounding), {&x, &r, &s, &y});
    ASSERT_EQ(results.size(), 2u);
    OwnedArray sum = array("bf16", {1, 2}, {1.0, 3.0});
    EXPECT_TRUE(matches(sum, results[0]));
    EXPECT_NEAR(results[1].value[0], seen / std::sqrt((seen * seen + 9) / 2),
                1e-9);
    // The sum is exact in f32, so its rounding is certain.
    EXPECT_LT(results[1].bound[0], 1e-4);
  }
}
