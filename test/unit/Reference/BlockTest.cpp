//===- BlockTest.cpp - Residual blocks, memrefs, arguments -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include <cmath>

using namespace mlir;
using namespace mlir::xfmr::reference;

namespace {
class BlockTest : public ReferenceTest {
protected:
  /// A block whose region multiplies z by a constant.
  std::string block(StringRef t, StringRef topology, StringRef factor,
                    StringRef rest = "", StringRef norms = "") {
    std::string m = "tensor<2x4x" + t.str() + ">";
    return "func.func @f(%x: " + m + ", %y: " + m +
           ", %mask: tensor<2xi1>) -> " + m + " {\n%0 = xfmr.residual_block " +
           topology.str() + " ins(%x : " + m + ") " + norms.str() +
           " outs(%y : " + m + ") " + rest.str() + " {\n^bb0(%z: " + m +
           "):\n%c = arith.constant dense<" + factor.str() + "> : " + m +
           "\n%f = arith.mulf %z, %c : " + m + "\nxfmr.yield %f : " + m +
           "\n} -> " + m + "\nreturn %0 : " + m + "\n}";
  }
};
} // namespace

/// Every topology on f64, by hand.
TEST_F(BlockTest, Topologies) {
  OwnedArray x = array("f64", {2, 4}, {1, 2, 3, 4, 2, 2, 4, 4}),
             y = array("f64", {2, 4}), mask = array("i1", {2}, {1.0});
  auto rms = [](const double *row) {
    double sum = 0;
    for (int i = 0; i < 4; ++i)
      sum += row[i] * row[i];
    return std::sqrt(sum / 4 + 0.5);
  };
  StringRef norm1 = "norm1(<rmsnorm, eps = 0.5>)";
  for (StringRef topology :
       {"pre", "post", "sandwich", "branch_post", "none"}) {
    std::string norms = topology == "none" ? "" : norm1.str();
    if (topology == "sandwich")
      norms += " norm2(<rmsnorm, eps = 0.5>)";
    SmallVector<Expected> results = evaluate(
        block("f64", topology, "3.0", "alpha(2.0)", norms), {&x, &y, &mask});
    for (int row = 0; row < 2; ++row) {
      double in[4], z[4], f[4], out[4];
      for (int i = 0; i < 4; ++i)
        in[i] = x.get(row * 4 + i);
      const bool before = topology == "pre" || topology == "sandwich";
      for (int i = 0; i < 4; ++i)
        f[i] = 3 * (z[i] = before ? in[i] / rms(in) : in[i]);
      const double scale = rms(f);
      if (topology == "sandwich" || topology == "branch_post")
        for (double &value : f)
          value /= scale;
      for (int i = 0; i < 4; ++i)
        out[i] = 2 * in[i] + f[i];
      if (topology == "post") {
        const double last = rms(out);
        for (double &value : out)
          value /= last;
      }
      for (int i = 0; i < 4; ++i) {
        EXPECT_NEAR(results[0].value[row * 4 + i], out[i], 1e-13)
            << topology.str();
        EXPECT_LT(results[0].bound[row * 4 + i], 1e-13);
      }
    }
  }
}

/// Rows that are no rows pass through.
TEST_F(BlockTest, Mask) {
  OwnedArray x = array("bf16", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
             y = array("bf16", {2, 4}), mask = array("i1", {2}, {0, 1});
  std::string source =
      block("bf16", "none", "3.0", "", "mask(%mask : tensor<2xi1>)");
  SmallVector<Expected> results = evaluate(source, {&x, &y, &mask});
  OwnedArray right = array("bf16", {2, 4}, {1, 2, 3, 4, 20, 24, 28, 32});
  EXPECT_TRUE(matches(right, results[0]));
}

/// bf16 rounds z, f and the sum; a plain implementation does the same, one that
/// keeps z wide does not.
TEST_F(BlockTest, RoundsWhereTheOpRounds) {
  OwnedArray y = array("bf16", {2, 4}), mask = array("i1", {2}, {1.0});
  Type half = type("bf16");
  int64_t wideWrong = 0;
  for (int trial = 0; trial < 50; ++trial) {
    OwnedArray x = randomArray("bf16", {2, 4});
    SmallVector<Expected> results = evaluate(
        block("bf16", "pre", "1.1015625", "",
              "norm1(<rmsnorm, eps = 1.0e-5, rounding = scale_then_cast>)"),
        {&x, &y, &mask});
    for (bool wide : {false, true}) {
      OwnedArray got = array("bf16", {2, 4});
      for (int row = 0; row < 2; ++row) {
        float sum = 0;
        for (int i = 0; i < 4; ++i)
          sum += static_cast<float>(x.get(row * 4 + i) * x.get(row * 4 + i));
        const float rstd = 1 / std::sqrt(sum / 4 + 1e-5f);
        for (int i = 0; i < 4; ++i) {
          const auto in = static_cast<float>(x.get(row * 4 + i));
          long double z = in * rstd;
          if (!wide)
            z = roundTo(half, z);
          long double f = roundTo(half, z * 1.1015625L);
          got.set(row * 4 + i, in + static_cast<float>(f));
        }
      }
      if (wide)
        wideWrong += compare(got.view, results[0]).mismatches;
      else
        EXPECT_TRUE(matches(got, results[0]));
    }
  }
  EXPECT_GT(wideWrong, 20);
}

/// A memref function: what is written comes back by argument, strides and
/// elements around it are kept, inputs are not written.
TEST_F(BlockTest, MemRefs) {
  OwnedArray x = array("f32", {2, 4}, {1, 1, 1, 1, 2, 2, 2, 2}),
             memory = array("f32", {2, 8}, {7.0});
  std::vector<char> before = x.memory;
  OwnedArray y(std::move(memory));
  y.view.shape = {2, 4};
  y.view.strides = {8, 2};
  func::FuncOp function = parse(R"(
    func.func @f(%x: memref<2x4xf32>, %y: memref<2x4xf32, strided<[8, 2]>>) {
      %s = memref.subview %y[1, 0] [1, 4] [1, 1]
          : memref<2x4xf32, strided<[8, 2]>> to memref<1x4xf32, strided<[8, 2], offset: 8>>
      %r = memref.subview %x[1, 0] [1, 4] [1, 1]
          : memref<2x4xf32> to memref<1x4xf32, strided<[4, 1], offset: 4>>
      xfmr.rmsnorm ins(%r : memref<1x4xf32, strided<[4, 1], offset: 4>>)
          outs(%s : memref<1x4xf32, strided<[8, 2], offset: 8>>) eps(0.0)
      return
    })");
  SmallVector<Expected> results = evaluate(function, {&x, &y});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].argument, 1);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(results[0].value[i], i < 4 ? 7 : 1);
  EXPECT_EQ(x.memory, before);
  EXPECT_EQ(y.get(8), 7);
}

/// A block on memrefs, whose region writes f to the block's own destination.
TEST_F(BlockTest, MemRefBlock) {
  OwnedArray x = array("f32", {1, 2}, {3, 4}),
             w = array("f32", {2, 2}, {1, 0, 0, 1}), y = array("f32", {1, 2});
  SmallVector<Expected> results = evaluate(R"(
    func.func @f(%x: memref<1x2xf32>, %w: memref<2x2xf32>, %y: memref<1x2xf32>) {
      xfmr.residual_block pre ins(%x : memref<1x2xf32>)
          norm1(<rmsnorm, eps = 0.0, statistic = l2>)
          outs(%y : memref<1x2xf32>) alpha(2.0) {
      ^bb0(%z: memref<1x2xf32>):
        xfmr.ffn ins(%z : memref<1x2xf32>) up(%w : memref<2x2xf32>)
            down(%w : memref<2x2xf32>) outs(%y : memref<1x2xf32>)
            activation(relu) layout(in_out)
        xfmr.yield %y : memref<1x2xf32>
      }
      return
    })",
                                           {&x, &w, &y});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].argument, 2);
  EXPECT_NEAR(results[0].value[0], 6.6, 1e-12);
  EXPECT_NEAR(results[0].value[1], 8.8, 1e-12);
  EXPECT_LT(results[0].bound[0], 1e-5);
}

/// Arguments in one memory are aliases: the second op sees what the first
/// wrote.
TEST_F(BlockTest, AliasedMemRefs) {
  OwnedArray x = array("f32", {1, 4}, {2.0}), alias = array("f32", {1, 4}),
             z = array("f32", {1, 4});
  alias.view.data = x.view.data;
  SmallVector<Expected> results = evaluate(R"(
    func.func @f(%x: memref<1x4xf32>, %y: memref<1x4xf32>, %z: memref<1x4xf32>) {
      xfmr.rmsnorm ins(%x : memref<1x4xf32>) outs(%y : memref<1x4xf32>) eps(0.0)
      linalg.add ins(%x, %x : memref<1x4xf32>, memref<1x4xf32>)
          outs(%z : memref<1x4xf32>)
      return
    })",
                                           {&x, &alias, &z});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[2].argument, 2);
  EXPECT_EQ(results[2].value[0], 2);
}

/// Every op of the dialect has a meaning and a bound in words.
TEST_F(BlockTest, EveryOpHasAnEntry) {
  SmallVector<StringRef> names = supportedOps();
  int64_t count = 0;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != "xfmr")
      continue;
    ++count;
    EXPECT_TRUE(llvm::is_contained(names, op.getStringRef()))
        << op.getStringRef().str();
    EXPECT_TRUE(llvm::any_of(getOpBounds(), [&](const OpBound &bound) {
      return bound.op == op.getStringRef() && !bound.bound.empty();
    })) << op.getStringRef().str();
  }
  EXPECT_EQ(count, static_cast<int64_t>(getOpBounds().size()));
}

/// Errors name what is wrong and where.
TEST_F(BlockTest, Errors) {
  OwnedArray x = array("f32", {2, 4}), y = array("f32", {2, 4}),
             short3 = array("f32", {3}), negative = array("index", {}, {-1.0});
  EXPECT_NE(evaluationError("func.func @f(%x: tensor<2x4xf32>) { return }", {})
                .find("expected 1 arguments, got 0"),
            std::string::npos);
  OwnedArray half = array("f16", {2, 4}), wide = array("f32", {2, 5});
  for (const OwnedArray *wrong : {&half, &wide, &short3})
    EXPECT_NE(
        evaluationError("func.func @f(%x: tensor<?x4xf32>) { return }", {wrong})
            .find("argument 0"),
        std::string::npos);
  EXPECT_NE(evaluationError(R"(
    func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %g: tensor<?xf32>)
        -> tensor<?x?xf32> {
      %0 = xfmr.rmsnorm ins(%x : tensor<?x?xf32>) gamma(%g : tensor<?xf32>)
          outs(%y : tensor<?x?xf32>) eps(1.0e-5) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })",
                            {&x, &y, &short3})
                .find("expected gamma to have shape [4], got [3]"),
            std::string::npos);
  EXPECT_NE(evaluationError(R"(
    func.func @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
      %0 = math.sinh %x : tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    })",
                            {&x})
                .find("'math.sinh' op is not supported by the reference"),
            std::string::npos);
  EXPECT_NE(evaluationError(R"(
    func.func @f(%n: index) -> tensor<?xf32> {
      %0 = tensor.empty(%n) : tensor<?xf32>
      return %0 : tensor<?xf32>
    })",
                            {&negative})
                .find("cannot hold"),
            std::string::npos);
  EXPECT_NE(evaluationError("func.func private @f(%x: tensor<2x4xf32>)", {&x})
                .find("without a body"),
            std::string::npos);
}

/// Numbers, classes, and an element that is left open.
TEST_F(BlockTest, Compare) {
  OwnedArray got = array("f32", {5}, {1.5, NAN, HUGE_VAL, -0.0, 9});
  Expected expected;
  expected.elementType = type("f32");
  expected.shape = {5};
  expected.value = {1, NAN, HUGE_VALL, 0, 3};
  expected.bound = {0.5, 0, 0, 0, HUGE_VALL};
  EXPECT_EQ(compare(got.view, expected).mismatches, 0);
  expected.bound[0] = 0.25;
  Comparison comparison = compare(got.view, expected);
  EXPECT_EQ(comparison.mismatches, 1);
  EXPECT_EQ(comparison.worstIndex[0], 0);
  EXPECT_EQ(comparison.worstBoundFraction, 2);
  EXPECT_EQ(comparison.worstUlp, 0x1p22L);
  expected.value = {1.5, 1, -HUGE_VALL, NAN, HUGE_VALL};
  expected.bound = {0, 100, 0, 100, 0};
  EXPECT_EQ(compare(got.view, expected).mismatches, 4);
  got.view.shape = {1, 5};
  got.view.strides = {5, 1};
  EXPECT_EQ(compare(got.view, expected).mismatches, 5);
}
