//===- ExpandNarrowFloatTest.cpp - bf16 and f16 against APFloat -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathJit.h"
#include "MathTestUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::xfmr::test;
using llvm::APFloat;

namespace {

class ExpandNarrowFloat : public ::testing::Test {
protected:
  void SetUp() override {
    MLIRContext *context = jit.getContext();
    f16 = Float16Type::get(context);
    bf16 = BFloat16Type::get(context);
    f32 = Float32Type::get(context);
    f64 = Float64Type::get(context);
    for (unsigned lanes : {0u, 16u}) {
      std::string suffix = lanes ? "_vector" : "_scalar";
      add<arith::ExtFOp>("bf16_f32" + suffix, bf16, f32, lanes);
      add<arith::ExtFOp>("bf16_f64" + suffix, bf16, f64, lanes);
      add<arith::TruncFOp>("f32_bf16" + suffix, f32, bf16, lanes);
      add<arith::TruncFOp>("f64_bf16" + suffix, f64, bf16, lanes);
      add<arith::TruncFOp>("f64_f16" + suffix, f64, f16, lanes);
    }
    ASSERT_EQ(jit.compile(/*expand=*/true), "");
  }

  template <typename Op>
  void add(const std::string &name, Type from, Type to, unsigned lanes) {
    jit.add(name, from, to, lanes, 1,
            [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
              Type type = to;
              if (lanes)
                type = VectorType::get({lanes}, to);
              return Op::create(b, loc, type, x[0]);
            });
  }

  /// Rounds every input to 16 bits and compares with APFloat. With
  /// `sameForScalars` the scalar form is compared too.
  template <typename From>
  void checkTruncation(const std::string &name, std::vector<From> inputs,
                       const llvm::fltSemantics &to, uint16_t infinity) {
    while (inputs.size() % 16)
      inputs.push_back(0);
    std::vector<uint16_t> vectors(inputs.size()), scalars(inputs.size());
    jit.run(name + "_vector", {inputs.data()}, vectors.data(), inputs.size());
    jit.run(name + "_scalar", {inputs.data()}, scalars.data(), inputs.size());
    int64_t failures = 0;
    for (size_t i = 0; i < inputs.size() && failures < 10; ++i) {
      bool ok;
      uint16_t expected = 0;
      if (std::isnan(inputs[i])) {
        ok = (vectors[i] & 0x7fff) > infinity &&
             (scalars[i] & 0x7fff) > infinity;
      } else {
        APFloat value(inputs[i]);
        bool losesInfo;
        value.convert(to, APFloat::rmNearestTiesToEven, &losesInfo);
        expected = value.bitcastToAPInt().getZExtValue();
        ok = vectors[i] == expected && scalars[i] == expected;
      }
      if (!ok && ++failures)
        ADD_FAILURE() << name << " of " << llvm::utohexstr(bits(inputs[i]))
                      << ": vector " << llvm::utohexstr(vectors[i])
                      << ", scalar " << llvm::utohexstr(scalars[i])
                      << ", expected " << llvm::utohexstr(expected);
    }
  }

  static uint64_t bits(float x) { return bitCast<uint32_t>(x); }
  static uint64_t bits(double x) { return bitCast<uint64_t>(x); }

  MathJit jit;
  Type f16, bf16, f32, f64;
};

TEST_F(ExpandNarrowFloat, EveryBF16Extends) {
  std::vector<uint16_t> inputs = allPatterns();
  std::vector<float> singles(inputs.size());
  std::vector<double> doubles(inputs.size());
  for (const char *suffix : {"_vector", "_scalar"}) {
    jit.run(std::string("bf16_f32") + suffix, {inputs.data()}, singles.data(),
            inputs.size());
    jit.run(std::string("bf16_f64") + suffix, {inputs.data()}, doubles.data(),
            inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      long double expected = BF16::toReal(inputs[i]);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(singles[i]) && std::isnan(doubles[i])) << i;
        continue;
      }
      ASSERT_EQ(singles[i], expected) << i;
      ASSERT_EQ(doubles[i], expected) << i;
      ASSERT_EQ(std::signbit(singles[i]), std::signbit(expected)) << i;
      ASSERT_EQ(std::signbit(doubles[i]), std::signbit(expected)) << i;
    }
  }
}

TEST_F(ExpandNarrowFloat, F32ToBF16) {
  std::vector<float> inputs = sampleF32(getSampleCount(1 << 22));
  // Every bf16 with what decides the rounding behind it: ties and their
  // neighbours, NaN with only low bits, subnormal numbers.
  for (uint32_t upper = 0; upper < 1 << 16; ++upper)
    for (uint32_t lower :
         {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      inputs.push_back(bitCast<float>(upper << 16 | lower));
  checkTruncation("f32_bf16", std::move(inputs), APFloat::BFloat(), 0x7f80);
}

/// Every value of the format and the middle between it and the next, as f64,
/// with neighbours that a rounding to f32 in between would drop.
template <typename FormatT> std::vector<double> makeHardF64() {
  std::vector<double> inputs = sampleF64(1 << 18);
  for (uint16_t pattern : allPatterns()) {
    long double exact = FormatT::toReal(pattern);
    double value = static_cast<double>(exact);
    if (std::isnan(exact) || std::isinf(exact)) {
      inputs.push_back(value);
      continue;
    }
    double middle = static_cast<double>(exact + (std::signbit(exact) ? -1 : 1) *
                                                    FormatT::ulp(exact) / 2);
    for (double x : {value, middle})
      for (double near :
           {x, std::nextafter(x, HUGE_VAL), std::nextafter(x, -HUGE_VAL),
            x * (1 + 0x1p-26), x * (1 - 0x1p-26), x * (1 + 0x1p-40)})
        inputs.push_back(near);
  }
  // NaN with its only mantissa bits beyond those of f32; far below and above.
  for (double x :
       {bitCast<double>(uint64_t(0x7ff0000000000001)),
        bitCast<double>(uint64_t(0xfff8000000000000)), 1e-300, -1e-300,
        0x1p-1074, 1e300, -1e300, 0x1p128, 0x1.fffffefffffffp+127})
    inputs.push_back(x);
  return inputs;
}

TEST_F(ExpandNarrowFloat, F64ToBF16RoundsOnce) {
  checkTruncation("f64_bf16", makeHardF64<BF16>(), APFloat::BFloat(), 0x7f80);
}

TEST_F(ExpandNarrowFloat, F64ToF16RoundsOnce) {
  checkTruncation("f64_f16", makeHardF64<F16>(), APFloat::IEEEhalf(), 0x7c00);
}

/// A vector of f32 rounded to bf16; `byHalves`, its even and its odd elements
/// for themselves.
Value roundVector(OpBuilder &b, Location loc, Value x, bool byHalves) {
  auto round = [&](Value vector) -> Value {
    auto type = cast<VectorType>(vector.getType());
    return arith::TruncFOp::create(b, loc, type.clone(b.getBF16Type()), vector);
  };
  if (!byHalves)
    return round(x);
  auto halves = vector::DeinterleaveOp::create(b, loc, x);
  return vector::InterleaveOp::create(b, loc, round(halves.getRes1()),
                                      round(halves.getRes2()));
}

TEST(ExpandNarrowFloatNatively, EverySubnormalAmongOthers) {
  if (!llvm::sys::getHostCPUFeatures().lookup("avx512bf16"))
    GTEST_SKIP() << "no AVX512-BF16";
  struct Form {
    const char *name;
    unsigned lanes;
    bool byHalves;
  };
  const Form forms[] = {{"one", 16, false},
                        {"two", 32, false},
                        {"three", 48, false},
                        {"halves", 32, true},
                        {"wide_halves", 96, true}};
  MathJit portable, native;
  for (MathJit *jit : {&portable, &native}) {
    Type bf16 = BFloat16Type::get(jit->getContext());
    Type f32 = Float32Type::get(jit->getContext());
    for (const Form &form : forms)
      jit->add(form.name, f32, bf16, form.lanes, 1,
               [&](OpBuilder &b, Location loc, ValueRange x) {
                 return roundVector(b, loc, x[0], form.byHalves);
               });
    ASSERT_EQ(jit->compile(/*expand=*/true, /*native=*/jit == &native), "");
  }
  const uint32_t others[] = {0x3f800000, 0x00000000, 0x80000000, 0x7f800001,
                             0xff800000, 0x00800000, 0x80ffffff, 0x00000001,
                             0x42f7a3b1, 0xffffffff, 0x7f7fffff};
  // All that are below 2^-126, with either sign, and a few above; a multiple of
  // the lanes.
  constexpr uint32_t count = 96 << 13;
  std::vector<uint32_t> inputs(count);
  std::vector<uint16_t> expected(count), results(count);
  uint32_t other = 0;
  for (uint32_t sign : {0u, 0x80000000u})
    for (uint32_t from = 0; from < 0x800100; from += count / 2) {
      for (uint32_t i = 0; i < count / 2; ++i) {
        inputs[2 * i + i % 2] = sign | (from + i);
        inputs[2 * i + (i + 1) % 2] = others[other++ % std::size(others)];
      }
      for (const Form &form : forms) {
        portable.run(form.name, {inputs.data()}, expected.data(), count);
        native.run(form.name, {inputs.data()}, results.data(), count);
        ASSERT_EQ(results, expected) << form.name << " from " << from;
      }
    }
}

// Vectors without others, of which no test for zeros must be missed.
TEST(ExpandNarrowFloatNatively, OneSubnormalInAVector) {
  if (!llvm::sys::getHostCPUFeatures().lookup("avx512bf16"))
    GTEST_SKIP() << "no AVX512-BF16";
  constexpr unsigned lanes = 96;
  for (bool byHalves : {false, true}) {
    MathJit jit;
    jit.add("round", Float32Type::get(jit.getContext()),
            BFloat16Type::get(jit.getContext()), lanes, 1,
            [&](OpBuilder &b, Location loc, ValueRange x) {
              return roundVector(b, loc, x[0], byHalves);
            });
    ASSERT_EQ(jit.compile(/*expand=*/true, /*native=*/true), "");
    std::vector<float> inputs(lanes * lanes, 1.0f);
    std::vector<uint16_t> expected(lanes * lanes, 0x3f80),
        results(lanes * lanes);
    for (unsigned place = 0; place < lanes; ++place) {
      inputs[place * lanes + place] = place % 2 ? 0x1p-130f : -0x1p-130f;
      expected[place * lanes + place] = place % 2 ? 0x0008 : 0x8008;
    }
    jit.run("round", {inputs.data()}, results.data(), inputs.size());
    EXPECT_EQ(results, expected);
  }
}

} // namespace
