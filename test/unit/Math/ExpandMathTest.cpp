//===- ExpandMathTest.cpp - exp, expm1, tanh, erf, erfc by MPFR -*- C++ -*-===//
//--------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathJit.h"
#include "MathTestUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "xfmr/Dialect/IR/RoundedTo.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::xfmr::test;

namespace {

struct Function {
  const char *name;
  Value (*build)(OpBuilder &, Location, Value);
  MathReference reference;
  double maxUlps;
};

template <typename Op> Value build(OpBuilder &b, Location loc, Value x) {
  return Op::create(b, loc, x);
}

const Function functions[] = {
    {"exp", build<math::ExpOp>, {MathFunction::Exp}, 0.90},
    {"expm1", build<math::ExpM1Op>, {MathFunction::Expm1}, 1.7},
    {"tanh", build<math::TanhOp>, {MathFunction::Tanh}, 0.80},
    {"erf", build<math::ErfOp>, {MathFunction::Erf}, 1.0},
    {"erfc", build<math::ErfcOp>, {MathFunction::Erfc}, 1.45},
};

void addFunctions(MathJit &jit, Type type, unsigned lanes, StringRef suffix) {
  for (const Function &function : functions)
    jit.add((function.name + suffix).str(), type, type, lanes, 1,
            [&](OpBuilder &b, Location loc, ValueRange x) {
              return function.build(b, loc, x[0]);
            });
}

template <typename FormatT, typename Storage>
void compare(MathJit &jit, const std::vector<Storage> &inputs, StringRef suffix,
             double maxUlps) {
  std::vector<Storage> results(inputs.size());
  for (const Function &function : functions) {
    jit.run((function.name + suffix).str(), {inputs.data()}, results.data(),
            inputs.size());
    Comparison<FormatT> comparison(maxUlps ? maxUlps : function.maxUlps,
                                   /*floor=*/0);
    for (size_t i = 0; i < inputs.size(); ++i)
      comparison.add(FormatT::toDouble(inputs[i]), function.reference,
                     FormatT::toDouble(results[i]));
    EXPECT_TRUE(comparison.passed())
        << function.name << suffix.str() << ": " << comparison.summary();
    ::testing::Test::RecordProperty(function.name + suffix.str(),
                                    comparison.summary());
  }
}

TEST(ExpandMath, F32) {
  MathJit jit;
  addFunctions(jit, Float32Type::get(jit.getContext()), 16, "_f32");
  ASSERT_EQ(jit.compile(/*expand=*/true), "");
  compare<F32>(jit, sampleF32(getSampleCount(10000000)), "_f32", 0);
}

TEST(ExpandMath, EveryF16AndBF16) {
  MathJit jit;
  addFunctions(jit, Float16Type::get(jit.getContext()), 16, "_f16");
  addFunctions(jit, BFloat16Type::get(jit.getContext()), 16, "_bf16");
  ASSERT_EQ(jit.compile(/*expand=*/true), "");
  compare<F16>(jit, allPatterns(), "_f16", 0.51);
  compare<BF16>(jit, allPatterns(), "_bf16", 0.51);
}

TEST(ExpandMath, ScalarsAndVectorsOfAnyLengthGiveTheSameBits) {
  MathJit jit;
  Type f32 = Float32Type::get(jit.getContext());
  addFunctions(jit, f32, 16, "_16");
  addFunctions(jit, f32, 4, "_4");
  addFunctions(jit, f32, 0, "_scalar");
  ASSERT_EQ(jit.compile(/*expand=*/true), "");
  std::vector<float> inputs = sampleF32(1 << 16);
  std::vector<uint32_t> expected(inputs.size()), results(inputs.size());
  for (const Function &function : functions) {
    std::string name = function.name;
    jit.run(name + "_16", {inputs.data()}, expected.data(), inputs.size());
    for (const char *suffix : {"_4", "_scalar"}) {
      jit.run(name + suffix, {inputs.data()}, results.data(), inputs.size());
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (!std::isnan(inputs[i])) {
          ASSERT_EQ(results[i], expected[i])
              << name << suffix << "(" << inputs[i] << ")";
        }
      }
    }
  }
}

TEST(ExpandMath, NativeScaleGivesTheSameBits) {
  if (!llvm::sys::getHostCPUFeatures().lookup("avx512f"))
    GTEST_SKIP() << "no AVX-512";
  std::vector<float> inputs = sampleF32(1 << 20);
  // Where results are subnormal, zero and infinite.
  for (int step = 0; step < (1 << 12); ++step)
    for (float start : {-88.0f, -105.0f, 87.5f})
      inputs.push_back(start + step * 0x1p-9f);
  std::vector<uint32_t> results[2];
  for (bool nativeScale : {false, true}) {
    MathJit jit;
    Type f32 = Float32Type::get(jit.getContext());
    jit.add("exp", f32, f32, 16, 1,
            [](OpBuilder &b, Location loc, ValueRange x) -> Value {
              return math::ExpOp::create(b, loc, x[0]);
            });
    ASSERT_EQ(jit.compile(/*expand=*/true, nativeScale), "");
    results[nativeScale].resize(inputs.size());
    jit.run("exp", {inputs.data()}, results[nativeScale].data(), inputs.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!std::isnan(inputs[i])) {
      ASSERT_EQ(results[0][i], results[1][i]) << "exp(" << inputs[i] << ")";
    }
}

/// Twice the error that is added here fits into a hundredth of an ulp.
TEST(ExpandMath, RoundedExp) {
  std::vector<float> inputs = sampleF32(getSampleCount(1 << 21));
  for (int step = 0; step < (1 << 16); ++step)
    inputs.push_back(-step * 0x1p-9f);
  for (bool isNative : getNativeForms()) {
    MathJit jit;
    Type f32 = Float32Type::get(jit.getContext());
    Type halves[] = {Float16Type::get(jit.getContext()),
                     BFloat16Type::get(jit.getContext())};
    for (Type half : halves)
      jit.add(half.isF16() ? "f16" : "bf16", f32, half, 16, 1,
              [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
                auto exp = math::ExpOp::create(b, loc, x[0]);
                exp->setAttr(xfmr::kRoundedToAttrName, TypeAttr::get(half));
                return arith::TruncFOp::create(
                    b, loc, VectorType::get({16}, half), exp);
              });
    ASSERT_EQ(jit.compile(/*expand=*/true, isNative), "");
    std::vector<uint16_t> f16(inputs.size()), bf16(inputs.size());
    jit.run("f16", {inputs.data()}, f16.data(), inputs.size());
    jit.run("bf16", {inputs.data()}, bf16.data(), inputs.size());
    Comparison<F16> ofF16(0.505, /*floor=*/0);
    Comparison<BF16> ofBF16(0.505, /*floor=*/0);
    MathReference reference{MathFunction::Exp};
    for (size_t i = 0; i < inputs.size(); ++i) {
      ofF16.add(inputs[i], reference, F16::toDouble(f16[i]));
      ofBF16.add(inputs[i], reference, BF16::toDouble(bf16[i]));
    }
    EXPECT_TRUE(ofF16.passed()) << ofF16.summary();
    EXPECT_TRUE(ofBF16.passed()) << ofBF16.summary();
  }
}

} // namespace
