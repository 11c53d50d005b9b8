//===- WorkloadTest.cpp - The work of a call, and sizes that follow -------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/Workload.h"
#include "TestUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "xfmr/ExecutionEngine/EntrySignature.h"
#include "xfmr/ExecutionEngine/ShapeInference.h"

using namespace mlir;
using namespace mlir::xfmr;
using test::unwrap;

namespace {

constexpr int64_t kOpen = ShapedType::kDynamic;
using Shapes = SmallVector<SmallVector<int64_t>>;

struct WorkloadTest : testing::Test {
  WorkloadTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerXfmrDialect(registry);
    context.appendDialectRegistry(registry);
  }

  func::FuncOp parse(StringRef source) {
    module = parseSourceString<ModuleOp>(source, &context);
    return unwrap(findEntry(*module, "f"));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const char *const kBlock = R"mlir(
func.func @f(%x: tensor<?x24xf32>, %g: tensor<?xf32>, %wg: tensor<?x24xf32>,
             %wu: tensor<?x24xf32>, %wd: tensor<24x?xf32>, %y: tensor<?x?xf32>)
    -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x24xf32>
  %t = tensor.empty(%rows) : tensor<?x24xf32>
  %0 = xfmr.residual_block pre ins(%x : tensor<?x24xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%g : tensor<?xf32>))
      outs(%t : tensor<?x24xf32>) {
  ^bb0(%z: tensor<?x24xf32>):
    %f = xfmr.swiglu_ffn ins(%z : tensor<?x24xf32>) gate(%wg : tensor<?x24xf32>)
        up(%wu : tensor<?x24xf32>) down(%wd : tensor<24x?xf32>)
        outs(%t : tensor<?x24xf32>) layout(out_in) -> tensor<?x24xf32>
    xfmr.yield %f : tensor<?x24xf32>
  } -> tensor<?x24xf32>
  %1 = linalg.negf ins(%0 : tensor<?x24xf32>) outs(%y : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  %2 = tensor.cast %1 : tensor<?x?xf32> to tensor<?x24xf32>
  return %2 : tensor<?x24xf32>
}
)mlir";

TEST_F(WorkloadTest, SizesFollow) {
  func::FuncOp function = parse(kBlock);
  Shapes shapes{{7, 24},     {kOpen},     {40, 24},
                {kOpen, 24}, {24, kOpen}, {kOpen, kOpen}};
  inferArgumentShapes(function, shapes);
  EXPECT_EQ(shapes,
            Shapes({{7, 24}, {24}, {40, 24}, {40, 24}, {24, 40}, {7, 24}}));
  // What nothing is known of stays open.
  shapes = {{kOpen, 24}, {kOpen},     {kOpen, 24},
            {kOpen, 24}, {24, kOpen}, {kOpen, 24}};
  inferArgumentShapes(function, shapes);
  EXPECT_EQ(shapes, Shapes({{kOpen, 24},
                            {24},
                            {kOpen, 24},
                            {kOpen, 24},
                            {24, kOpen},
                            {kOpen, 24}}));
}

TEST_F(WorkloadTest, FlopsOfABlock) {
  func::FuncOp function = parse(kBlock);
  std::optional<double> flops = countFlops(
      function, {{7, 24}, {24}, {40, 24}, {40, 24}, {24, 40}, {7, 24}});
  ASSERT_TRUE(flops.has_value());
  double network = 2.0 * 7 * 40 * (24 + 24 + 24) + 2 * 7 * 40;
  double block = 7 * 24 * (2 + 4), negation = 7 * 24;
  EXPECT_EQ(*flops, network + block + negation);
}

TEST_F(WorkloadTest, FlopsOfContractions) {
  func::FuncOp function = parse(R"mlir(
func.func @f(%a: memref<?x8xf32>, %b: memref<8x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x?xf32>)
      outs(%c : memref<?x?xf32>)
  return
}
)mlir");
  EXPECT_EQ(countFlops(function, {{3, 8}, {8, 5}, {3, 5}}), 2.0 * 3 * 8 * 5);
}

TEST_F(WorkloadTest, WhatIsNotKnownIsNotCounted) {
  func::FuncOp function = parse(R"mlir(
func.func private @g(tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @f(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = call @g(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
)mlir");
  EXPECT_EQ(countFlops(function, {{4, 8}}), std::nullopt);
}

TEST_F(WorkloadTest, DestinationsAreNotRead) {
  func::FuncOp function = parse(R"mlir(
func.func @f(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>,
             %unused: memref<4x8xf32>) {
  xfmr.rmsnorm ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) eps(1.0e-05)
  linalg.add ins(%x, %x : memref<4x8xf32>, memref<4x8xf32>)
      outs(%z : memref<4x8xf32>)
  return
}
)mlir");
  EXPECT_TRUE(readsArgument(function, 0));
  EXPECT_FALSE(readsArgument(function, 1));
  // Other dialects' ops may read their destinations.
  EXPECT_TRUE(readsArgument(function, 2));
  EXPECT_FALSE(readsArgument(function, 3));
}

} // namespace
