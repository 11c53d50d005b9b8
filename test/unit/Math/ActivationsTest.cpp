//===- ActivationsTest.cpp - Activations against MPFR -----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The references are the textbook formulas. The bounds: silu, swish and gelu 4
// ulp of f32 where the result is at least 2^-100 and 2^-100 below; tanh and
// sigmoid 1 ulp; f16 and bf16 0.51 ulp.
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/Math/Activations.h"
#include "MathJit.h"
#include "MathTestUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::test;

namespace {

/// What decides most comparisons is nearly exact.
TEST(MathReference, Approximations) {
  std::vector<MathReference> references;
  for (MathFunction function :
       {MathFunction::Exp, MathFunction::Tanh, MathFunction::Erf,
        MathFunction::Erfc, MathFunction::Sigmoid, MathFunction::Relu2,
        MathFunction::GeluErf, MathFunction::GeluTanh})
    references.push_back({function});
  for (long double beta : {1.0L, 1.702L, 0.5L, 3.3L, 3.7e-8L, -1.25L})
    references.push_back({MathFunction::Swish, beta});
  for (const MathReference &reference : references)
    for (float x : sampleF32(4096)) {
      long double exact = reference.exact(x);
      if (std::fabs(exact) < 0x1p-100L || !(std::fabs(exact) < 1e40L))
        continue;
      EXPECT_LE(std::fabs(reference.approximate(x) - exact),
                std::fabs(exact) * 0x1p-40L)
          << "function " << static_cast<int>(reference.function) << " of " << x;
    }
}

struct Case {
  std::string name;
  ActivationSpec spec;
  double maxUlps;
  long double floor;
};

ActivationSpec makeSpec(ActivationKind kind, double beta = 1.0) {
  ActivationSpec spec;
  spec.kind = kind;
  spec.beta = beta;
  return spec;
}

std::vector<Case> makeCases() {
  constexpr long double floor = 0x1p-100L;
  return {
      {"identity", makeSpec(ActivationKind::Identity), 0.0, 0},
      {"relu", makeSpec(ActivationKind::Relu), 0.0, 0},
      {"relu2", makeSpec(ActivationKind::Relu2), 0.5, 0},
      {"gelu_erf", makeSpec(ActivationKind::GeluErf), 4.0, floor},
      {"gelu_tanh", makeSpec(ActivationKind::GeluTanh), 4.0, floor},
      {"quick_gelu", makeSpec(ActivationKind::QuickGelu), 4.0, floor},
      {"silu", makeSpec(ActivationKind::Silu), 4.0, floor},
      {"swish_half", makeSpec(ActivationKind::Swish, 0.5), 4.0, floor},
      {"swish_steep", makeSpec(ActivationKind::Swish, 3.3), 4.0, floor},
      {"swish_flat", makeSpec(ActivationKind::Swish, 3.7e-8), 4.0, floor},
      {"swish_negative", makeSpec(ActivationKind::Swish, -1.25), 4.0, floor},
      {"sigmoid", makeSpec(ActivationKind::Sigmoid), 1.0, 0},
      {"tanh", makeSpec(ActivationKind::Tanh), 1.0, 0},
  };
}

MathReference getReference(const ActivationSpec &spec) {
  switch (spec.kind) {
  case ActivationKind::Identity:
    return {MathFunction::Identity};
  case ActivationKind::Relu:
    return {MathFunction::Relu};
  case ActivationKind::Relu2:
    return {MathFunction::Relu2};
  case ActivationKind::GeluErf:
    return {MathFunction::GeluErf};
  case ActivationKind::GeluTanh:
    return {MathFunction::GeluTanh};
  case ActivationKind::QuickGelu:
    return {MathFunction::Swish, 1.702L};
  case ActivationKind::Silu:
    return {MathFunction::Swish};
  case ActivationKind::Swish:
  case ActivationKind::ClampedSwish:
    return {MathFunction::Swish, spec.beta};
  case ActivationKind::Sigmoid:
    return {MathFunction::Sigmoid};
  case ActivationKind::Tanh:
    return {MathFunction::Tanh};
  }
  ADD_FAILURE() << "no reference";
  return {MathFunction::Identity};
}

/// Adds the activations, computed in `compute`, of arrays of `type`.
void addActivations(MathJit &jit, Type type, Type compute, unsigned lanes,
                    StringRef suffix) {
  for (const Case &c : makeCases())
    jit.add(c.name + suffix.str(), type, type, lanes, 1,
            [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
              if (type == compute)
                return buildActivation(b, loc, c.spec, x[0]);
              Type wide = VectorType::get({lanes}, compute);
              Value z = arith::ExtFOp::create(b, loc, wide, x[0]);
              z = buildActivation(b, loc, c.spec, z, type);
              return arith::TruncFOp::create(b, loc, x[0].getType(), z);
            });
}

template <typename FormatT, typename InputT = FormatT, typename Storage>
void compare(MathJit &jit, const Case &c, const std::vector<Storage> &inputs,
             StringRef suffix, double maxUlps) {
  std::vector<typename FormatT::Storage> results(inputs.size());
  jit.run(c.name + suffix.str(), {inputs.data()}, results.data(),
          inputs.size());
  Comparison<FormatT> comparison(maxUlps, c.floor);
  MathReference reference = getReference(c.spec);
  for (size_t i = 0; i < inputs.size(); ++i)
    comparison.add(InputT::toDouble(inputs[i]), reference,
                   FormatT::toDouble(results[i]));
  EXPECT_TRUE(comparison.passed())
      << c.name << suffix.str() << ": " << comparison.summary();
  ::testing::Test::RecordProperty(c.name + suffix.str(), comparison.summary());
}

TEST(Activations, F32) {
  MathJit jit;
  Type f32 = Float32Type::get(jit.getContext());
  addActivations(jit, f32, f32, 16, "_f32");
  ASSERT_EQ(jit.compile(/*expand=*/true), "");
  std::vector<float> inputs = sampleF32(getSampleCount(10000000));
  for (const Case &c : makeCases())
    compare<F32>(jit, c, inputs, "_f32", c.maxUlps);
}

TEST(Activations, F32ThroughTheMathLibrary) {
  MathJit jit;
  Type f32 = Float32Type::get(jit.getContext());
  addActivations(jit, f32, f32, 0, "_f32");
  ASSERT_EQ(jit.compile(/*expand=*/false), "");
  std::vector<float> inputs = sampleF32(getSampleCount(1 << 18));
  for (const Case &c : makeCases())
    // The library's own tanh may err by more than an ulp.
    if (c.spec.kind != ActivationKind::Tanh)
      compare<F32>(jit, c, inputs, "_f32", c.maxUlps);
}

TEST(Activations, EveryF16AndBF16) {
  for (bool isNative : getNativeForms()) {
    MathJit jit;
    Type f32 = Float32Type::get(jit.getContext());
    addActivations(jit, Float16Type::get(jit.getContext()), f32, 16, "_f16");
    addActivations(jit, BFloat16Type::get(jit.getContext()), f32, 16, "_bf16");
    ASSERT_EQ(jit.compile(/*expand=*/true, isNative), "");
    for (const Case &c : makeCases()) {
      compare<F16>(jit, c, allPatterns(), "_f16", 0.51);
      compare<BF16>(jit, c, allPatterns(), "_bf16", 0.51);
    }
  }
}

/// Of a sum that was not rounded before.
TEST(Activations, F32RoundedToBF16) {
  std::vector<float> inputs = sampleF32(getSampleCount(10000000));
  for (bool isNative : getNativeForms()) {
    MathJit jit;
    Type f32 = Float32Type::get(jit.getContext());
    Type bf16 = BFloat16Type::get(jit.getContext());
    for (const Case &c : makeCases())
      jit.add(c.name, f32, bf16, 16, 1,
              [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
                Value z = buildActivation(b, loc, c.spec, x[0], bf16);
                return arith::TruncFOp::create(b, loc,
                                               VectorType::get({16}, bf16), z);
              });
    ASSERT_EQ(jit.compile(/*expand=*/true, isNative), "");
    for (const Case &c : makeCases())
      compare<BF16, F32>(jit, c, inputs, "", 0.51);
  }
}

/// Also of what is less or more than a vector.
TEST(Activations, BF16OfAnyLengthGivesTheSameBits) {
  for (bool isNative : getNativeForms()) {
    MathJit jit;
    Type f32 = Float32Type::get(jit.getContext());
    Type bf16 = BFloat16Type::get(jit.getContext());
    for (const Case &c : makeCases())
      for (unsigned lanes : {16u, 8u, 32u, 0u})
        jit.add(c.name + std::to_string(lanes), bf16, bf16, lanes, 1,
                [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
                  Type wide = f32;
                  if (lanes)
                    wide = VectorType::get({lanes}, f32);
                  Value z = arith::ExtFOp::create(b, loc, wide, x[0]);
                  z = buildActivation(b, loc, c.spec, z, bf16);
                  return arith::TruncFOp::create(b, loc, x[0].getType(), z);
                });
    ASSERT_EQ(jit.compile(/*expand=*/true, isNative), "");
    std::vector<uint16_t> inputs = allPatterns(), expected(inputs.size()),
                          results(inputs.size());
    for (const Case &c : makeCases()) {
      jit.run(c.name + "16", {inputs.data()}, expected.data(), inputs.size());
      for (const char *lanes : {"8", "32", "0"}) {
        jit.run(c.name + lanes, {inputs.data()}, results.data(), inputs.size());
        for (size_t i = 0; i < inputs.size(); ++i) {
          if (!std::isnan(BF16::toDouble(inputs[i]))) {
            ASSERT_EQ(results[i], expected[i]) << c.name << lanes;
          }
        }
      }
    }
  }
}

TEST(Activations, F64) {
  MathJit jit;
  Type f64 = Float64Type::get(jit.getContext());
  addActivations(jit, f64, f64, 4, "_f64");
  ASSERT_EQ(jit.compile(/*expand=*/true), "");
  std::vector<double> inputs = sampleF64(1 << 14);
  for (Case c : makeCases()) {
    c.floor = 0x1p-100L;
    compare<F64>(jit, c, inputs, "_f64", 4.0);
  }
}

TEST(Activations, ScalarsAndVectorsGiveTheSameBits) {
  MathJit jit;
  Type f32 = Float32Type::get(jit.getContext());
  addActivations(jit, f32, f32, 16, "_16");
  addActivations(jit, f32, f32, 0, "_scalar");
  ASSERT_EQ(jit.compile(/*expand=*/true), "");
  std::vector<float> inputs = sampleF32(1 << 16);
  std::vector<uint32_t> vectors(inputs.size()), scalars(inputs.size());
  for (const Case &c : makeCases()) {
    jit.run(c.name + "_16", {inputs.data()}, vectors.data(), inputs.size());
    jit.run(c.name + "_scalar", {inputs.data()}, scalars.data(), inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!std::isnan(inputs[i])) {
        ASSERT_EQ(scalars[i], vectors[i]) << c.name << "(" << inputs[i] << ")";
      }
    }
  }
}

// Case A20.
TEST(Activations, SiluExtremes) {
  MathJit jit;
  Type f32 = Float32Type::get(jit.getContext());
  Type f16 = Float16Type::get(jit.getContext());
  addActivations(jit, f32, f32, 0, "_f32");
  addActivations(jit, f16, f32, 1, "_f16");
  ASSERT_EQ(jit.compile(/*expand=*/true), "");
  auto run = [&](const char *name, float x) {
    float result = 0;
    jit.run(name, {&x}, &result, 1);
    return result;
  };
  float infinity = HUGE_VALF;
  for (const char *name : {"silu_f32", "gelu_erf_f32", "gelu_tanh_f32",
                           "quick_gelu_f32", "swish_flat_f32"}) {
    EXPECT_EQ(run(name, -infinity), 0.0f) << name;
    EXPECT_EQ(run(name, infinity), infinity) << name;
    EXPECT_TRUE(std::isnan(run(name, NAN))) << name;
    EXPECT_EQ(run(name, 0x1.fffffep+127f), 0x1.fffffep+127f) << name;
    EXPECT_EQ(run(name, -0x1.fffffep+127f), 0.0f) << name;
    EXPECT_EQ(run(name, 0.0f), 0.0f) << name;
  }
  for (float x : {1e4f, 104.0f, 89.0f})
    EXPECT_EQ(run("silu_f32", x), x);
  // -12 in f16 gives the f16 nearest to -7.3731e-5.
  uint16_t x = 0xca00, result = 0;
  jit.run("silu_f16", {&x}, &result, 1);
  EXPECT_NEAR(static_cast<double>(F16::toReal(result)), -7.3731e-5, 6e-8);
}

/// The gates, of every kind.
TEST(Gates, F32) {
  MathJit jit;
  Type f32 = Float32Type::get(jit.getContext());
  std::vector<Case> cases = makeCases();
  Case clamped{"clamped", makeSpec(ActivationKind::ClampedSwish, 1.702), 0, 0};
  clamped.spec.limit = 7;
  clamped.spec.upOffset = 1;
  cases.push_back(clamped);
  for (const Case &c : cases)
    jit.add(c.name, f32, f32, 16, 2,
            [&](OpBuilder &b, Location loc, ValueRange x) {
              return buildGate(b, loc, c.spec, x[0], x[1]);
            });
  ASSERT_EQ(jit.compile(/*expand=*/true), "");

  // A corner of every kind against one of every other, then random pairs.
  const float corners[] = {0,     1,   -1,   7,         -7,         1e4f,
                           -1e4f, 104, -104, 1e38f,     -1e38f,     NAN,
                           -200,  89,  -89,  HUGE_VALF, -HUGE_VALF, 0x1p-140f};
  std::vector<float> gates, ups;
  for (float gate : corners)
    for (float up : corners)
      gates.push_back(gate), ups.push_back(up);
  uint32_t state = 1;
  while (gates.size() < (1 << 13)) {
    state = state * 1664525u + 1013904223u;
    gates.push_back((static_cast<int32_t>(state) >> 8) * 0x1p-19f);
    state = state * 1664525u + 1013904223u;
    ups.push_back((static_cast<int32_t>(state) >> 8) * 0x1p-20f);
  }
  std::vector<float> results(gates.size());
  for (const Case &c : cases) {
    jit.run(c.name, {gates.data(), ups.data()}, results.data(), gates.size());
    // One more rounding for the product, and one for the offset; both are
    // relative to results that may be smaller in their binade.
    Comparison<F32> comparison(6.0, 0x1p-93L);
    MathReference reference = getReference(c.spec);
    for (size_t i = 0; i < gates.size(); ++i) {
      long double g = gates[i], u = ups[i], expected;
      if (c.spec.kind == ActivationKind::ClampedSwish) {
        g = g > 7 ? 7 : g;
        u = u > 7 ? 7 : u < -7 ? -7 : u;
        expected = reference.exact(g) * (u + 1);
      } else {
        long double act = reference.exact(g);
        // The product of a result below its floor with a large number.
        if (std::fabs(act) < 0x1p-100L && std::fabs(u) > 128)
          continue;
        expected =
            (F32::overflows(act) ? std::copysign(HUGE_VALL, act) : act) * u;
      }
      comparison.add(g, expected, results[i]);
    }
    EXPECT_TRUE(comparison.passed()) << c.name << ": " << comparison.summary();
  }
}

} // namespace
