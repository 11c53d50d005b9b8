//===- LinalgTest.cpp - Structured, tensor, scalar ops ----------*- C++ -*-===//
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
class LinalgTest : public ReferenceTest {};
} // namespace

TEST_F(LinalgTest, Matmul) {
  OwnedArray a = randomArray("bf16", {3, 40}), b = randomArray("bf16", {40, 5}),
             c = randomArray("f32", {3, 5});
  SmallVector<Expected> results = evaluate(R"(
    func.func @f(%a: tensor<3x40xbf16>, %b: tensor<40x5xbf16>, %c: tensor<3x5xf32>)
        -> tensor<3x5xf32> {
      %0 = linalg.matmul ins(%a, %b : tensor<3x40xbf16>, tensor<40x5xbf16>)
          outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
      return %0 : tensor<3x5xf32>
    })",
                                           {&a, &b, &c});
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) {
      long double sum = c.get(i * 5 + j), magnitude = std::fabs(sum);
      for (int k = 0; k < 40; ++k) {
        sum += a.get(i * 40 + k) * b.get(k * 5 + j);
        magnitude += std::fabs(a.get(i * 40 + k) * b.get(k * 5 + j));
      }
      EXPECT_NEAR(results[0].value[i * 5 + j], sum, 1e-12);
      EXPECT_NEAR(results[0].bound[i * 5 + j] /
                      ((4 + std::sqrt(41.0L)) * 0x1p-24L * magnitude +
                       ulp(type("f32"), sum) / 2),
                  1, 1e-6);
    }
}

/// Transposed, broadcast and reversed reads; a weight that is only moved is not
/// copied (it is larger than what the evaluator would hold as numbers).
TEST_F(LinalgTest, Maps) {
  OwnedArray a = array("f32", {2, 3}, {1, 2, 3, 4, 5, 6}),
             b = array("f32", {3}, {10, 20, 30}), c = array("f32", {3, 2});
  SmallVector<Expected> results = evaluate(R"(
    #t = affine_map<(d0, d1) -> (d1, d0)>
    #r = affine_map<(d0, d1) -> (2 - d0)>
    #i = affine_map<(d0, d1) -> (d0, d1)>
    #p = affine_map<(d0, d1) -> (d0 mod 2)>
    func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3x2xf32>)
        -> tensor<3x2xf32> {
      %0 = linalg.generic {indexing_maps = [#t, #r, #p, #i],
                           iterator_types = ["parallel", "parallel"]}
          ins(%a, %b, %b : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
          outs(%c : tensor<3x2xf32>) {
      ^bb0(%x: f32, %y: f32, %w: f32, %z: f32):
        %i = linalg.index 0 : index
        %n = arith.index_cast %i : index to i64
        %f = arith.sitofp %n : i64 to f32
        %s = arith.addf %x, %y : f32
        %m = arith.mulf %w, %f : f32
        %o = arith.addf %s, %m : f32
        linalg.yield %o : f32
      } -> tensor<3x2xf32>
      return %0 : tensor<3x2xf32>
    })",
                                           {&a, &b, &c});
  // Row i: a[j][i] + b[2 - i] + b[i mod 2] * i.
  const double right[] = {31, 34, 42, 45, 33, 36};
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(results[0].value[i], right[i]);

  const char *moved = R"(
    func.func @f(%w: tensor<8x4xf32>, %x: tensor<1x4xf32>, %y: tensor<1x8xf32>)
        -> tensor<1x8xf32> {
      %e = tensor.empty() : tensor<4x8xf32>
      %t = linalg.transpose ins(%w : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>)
          permutation = [1, 0]
      %0 = linalg.matmul ins(%x, %t : tensor<1x4xf32>, tensor<4x8xf32>)
          outs(%y : tensor<1x8xf32>) -> tensor<1x8xf32>
      return %0 : tensor<1x8xf32>
    })";
  OwnedArray w = randomArray("f32", {8, 4}),
             x = array("f32", {1, 4}, {0, 0, 1, 0}), y = array("f32", {1, 8});
  results = evaluate(moved, {&w, &x, &y});
  for (int n = 0; n < 8; ++n)
    EXPECT_EQ(results[0].value[n], w.get(n * 4 + 2));
}

/// Sums in a half type round as often as they please; maxima are exact.
TEST_F(LinalgTest, Reductions) {
  OwnedArray a = array("bf16", {1, 512}, {1.0}),
             out = array("bf16", {1}, {0.0});
  auto source = [](StringRef op) {
    return "func.func @f(%a: tensor<1x512xbf16>, %o: tensor<1xbf16>) -> "
           "tensor<1xbf16> {\n%0 = linalg.reduce {" +
           op.str() +
           "} ins(%a : tensor<1x512xbf16>) outs(%o : tensor<1xbf16>) "
           "dimensions = [1]\nreturn %0 : tensor<1xbf16>\n}";
  };
  SmallVector<Expected> results = evaluate(source("arith.addf"), {&a, &out});
  EXPECT_EQ(results[0].value[0], 512);
  OwnedArray stalled = array("bf16", {1}, {256.0});
  EXPECT_TRUE(matches(stalled, results[0]));
  results = evaluate(source("arith.maximumf"), {&a, &out});
  EXPECT_EQ(results[0].value[0], 1);
  EXPECT_LE(results[0].bound[0], 0x1p-8);
}

TEST_F(LinalgTest, Softmax) {
  OwnedArray x = array("f32", {2, 3}, {1, 2, 3, 1000, 1000, -HUGE_VAL}),
             y = array("f32", {2, 3});
  SmallVector<Expected> results = evaluate(R"(
    func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = linalg.softmax dimension(1) ins(%x : tensor<2x3xf32>)
          outs(%y : tensor<2x3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    })",
                                           {&x, &y});
  const double right[] = {0.09003057317038046,
                          0.24472847105479764,
                          0.6652409557748219,
                          0.5,
                          0.5,
                          0};
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(results[0].value[i], right[i], 1e-15);
    EXPECT_LT(results[0].bound[i], 1e-5);
  }
}

/// Slices, shapes, calls, loops and conditions.
TEST_F(LinalgTest, TensorsAndControl) {
  OwnedArray x = array("f32", {2, 6}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
             n = array("index", {}, {3});
  SmallVector<Expected> results = evaluate(R"(
    func.func private @twice(%x: f32) -> f32 {
      %0 = arith.addf %x, %x : f32
      return %0 : f32
    }
    func.func @f(%x: tensor<2x6xf32>, %n: index)
        -> (tensor<2x2xf32>, tensor<3x2x2xf32>, f32, index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %s = tensor.extract_slice %x[0, 1] [2, 2] [1, 3]
          : tensor<2x6xf32> to tensor<2x2xf32>
      %a = tensor.collapse_shape %x [[0, 1]] : tensor<2x6xf32> into tensor<12xf32>
      %e = tensor.expand_shape %a [[0, 1, 2]] output_shape [3, 2, 2]
          : tensor<12xf32> into tensor<3x2x2xf32>
      %i = tensor.insert_slice %s into %e[1, 0, 0] [1, 2, 2] [1, 1, 1]
          : tensor<2x2xf32> into tensor<3x2x2xf32>
      %v = tensor.extract %x[%c1, %n] : tensor<2x6xf32>
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %v) -> f32 {
        %t = func.call @twice(%acc) : (f32) -> f32
        scf.yield %t : f32
      }
      %big = arith.constant 70.0 : f32
      %less = arith.cmpf olt, %r, %big : f32
      %choice = arith.select %less, %c0, %c1 : index
      return %s, %i, %r, %choice
          : tensor<2x2xf32>, tensor<3x2x2xf32>, f32, index
    })",
                                           {&x, &n});
  ASSERT_EQ(results.size(), 4u);
  const double slice[] = {1, 4, 7, 10};
  for (int i = 0; i < 12; ++i) {
    if (i < 4)
      EXPECT_EQ(results[0].value[i], slice[i]);
    EXPECT_EQ(results[1].value[i], i / 4 == 1 ? slice[i % 4] : i);
  }
  EXPECT_EQ(results[2].value[0], 72);
  EXPECT_EQ(results[3].value[0], 1);
}

/// A half type is rounded after every op, f32 only in the end.
TEST_F(LinalgTest, ScalarRounding) {
  const char *source = R"(
    func.func @f(%x: tensor<1xbf16>, %y: tensor<1xf32>)
        -> (tensor<1xbf16>, tensor<1xf32>) {
      %s = arith.mulf %x, %x : tensor<1xbf16>
      %t = arith.mulf %s, %x : tensor<1xbf16>
      %u = arith.mulf %y, %y : tensor<1xf32>
      %v = arith.mulf %u, %y : tensor<1xf32>
      return %t, %v : tensor<1xbf16>, tensor<1xf32>
    })";
  OwnedArray x = array("bf16", {1}, {1.0078125}), y = array("f32", {1}, {1.1});
  SmallVector<Expected> results = evaluate(source, {&x, &y});
  // 1.0078125^2 is 1.01568.., which rounds to 1.015625.
  EXPECT_EQ(results[0].value[0], 1.015625L * 1.0078125L);
  EXPECT_EQ(results[0].bound[0], 0x1p-8L);
  const long double cube = y.get(0) * y.get(0) * y.get(0);
  EXPECT_NEAR(results[1].value[0], cube, 1e-15);
  EXPECT_NEAR(results[1].bound[0], 0x1p-24L * 2.1L, 0x1p-24L * 0.15L);
  // What is uncertain in a condition is so in what it selects.
  OwnedArray third = array("f32", {}, {1.0f / 3});
  results = evaluate(R"(
    func.func @f(%x: f32) -> (f32, f32) {
      %three = arith.constant 3.0 : f32
      %one = arith.constant 1.0 : f32
      %p = arith.mulf %x, %three : f32
      %q = arith.mulf %p, %x : f32
      %ge = arith.cmpf ogt, %q, %x : f32
      %s = arith.select %ge, %one, %three : f32
      %e = math.exp %x : f32
      return %s, %e : f32, f32
    })",
                     {&third});
  EXPECT_GE(results[0].bound[0], 2);
  EXPECT_NEAR(results[1].value[0], std::exp(third.get(0)), 1e-15);
  EXPECT_NEAR(results[1].bound[0] / 0x1p-23L, 1, 1e-9);
}

TEST_F(LinalgTest, Errors) {
  OwnedArray a = array("f32", {2, 3}), b = array("f32", {4, 2}),
             c = array("f32", {2, 2});
  EXPECT_NE(evaluationError(R"(
    func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>)
        -> tensor<?x?xf32> {
      %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
          outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })",
                            {&a, &b, &c})
                .find("disagree on the extent of loop 2"),
            std::string::npos);
  OwnedArray n = array("index", {}, {3});
  EXPECT_NE(evaluationError(R"(
    func.func @f(%a: tensor<?x?xf32>, %n: index) -> f32 {
      %c0 = arith.constant 0 : index
      %0 = tensor.extract %a[%c0, %n] : tensor<?x?xf32>
      return %0 : f32
    })",
                            {&a, &n})
                .find("out of bounds"),
            std::string::npos);
  EXPECT_NE(evaluationError(R"(
    func.func @f(%a: tensor<?x?xf32>, %n: index) -> tensor<?x2xf32> {
      %0 = tensor.extract_slice %a[0, %n] [2, 2] [1, 1]
          : tensor<?x?xf32> to tensor<2x2xf32>
      %1 = tensor.cast %0 : tensor<2x2xf32> to tensor<?x2xf32>
      return %1 : tensor<?x2xf32>
    })",
                            {&a, &n})
                .find("outside of dim 1"),
            std::string::npos);
  EXPECT_NE(evaluationError(R"(
    func.func @f(%a: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
      %0 = func.call @f(%a, %n) : (tensor<?x?xf32>, index) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })",
                            {&a, &n})
                .find("too deep"),
            std::string::npos);
}
