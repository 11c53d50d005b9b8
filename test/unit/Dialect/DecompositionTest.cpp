//===- DecompositionTest.cpp - The decomposition on memrefs ---------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On memrefs the decomposition allocates: what it allocates it frees, and it
// writes its destinations only after the last read of its inputs, where that is
// promised.
//
//===----------------------------------------------------------------------===//

#include "xfmr/Dialect/IR/Decomposition.h"
#include "DialectTest.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {
class DecompositionTest : public test::DialectTest {
protected:
  /// Decomposes the one op of this kind; on memrefs it gives no values.
  template <typename OpTy> void decompose() {
    OpTy op = find<OpTy>();
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(builder);
    ASSERT_TRUE(succeeded(values));
    EXPECT_TRUE(values->empty());
    op.erase();
    expectFreed();
  }

  /// Every allocation is freed once, in its own block, after its last use.
  void expectFreed() {
    EXPECT_TRUE(succeeded(verify(module.get())));
    EXPECT_EQ(count<memref::AllocOp>(), count<memref::DeallocOp>());
    module->walk([](memref::AllocOp alloc) {
      Operation *dealloc = nullptr;
      for (Operation *user : alloc->getUsers())
        if (isa<memref::DeallocOp>(user)) {
          EXPECT_FALSE(dealloc) << "freed twice";
          dealloc = user;
        }
      ASSERT_TRUE(dealloc);
      EXPECT_EQ(dealloc->getBlock(), alloc->getBlock());
      for (Operation *user : alloc->getUsers())
        if (user != dealloc)
          EXPECT_TRUE(
              alloc->getBlock()->findAncestorOpInBlock(*user)->isBeforeInBlock(
                  dealloc));
    });
  }
};
} // namespace

TEST_F(DecompositionTest, NormFreesItsTemporaries) {
  parse(R"mlir(
    func.func @f(%x: memref<?x8xbf16>, %r: memref<?x8xbf16>, %y: memref<?x8xbf16>) {
      xfmr.add_layernorm ins(%x : memref<?x8xbf16>) residual(%r : memref<?x8xbf16>) outs(%y : memref<?x8xbf16>)
          eps(1.0e-05) residual_rounding(norm_then_round) rounding(scale_then_cast)
      return
    })mlir");
  decompose<AddLayerNormOp>();
  EXPECT_GT(count<memref::AllocOp>(), 0);
}

TEST_F(DecompositionTest, NormWritesIntoGivenStatistics) {
  parse(R"mlir(
    func.func @f(%x: memref<8xf32>, %v: memref<f32>) {
      xfmr.rmsnorm ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) rstd(%v : memref<f32>) eps(1.0e-05)
      return
    })mlir");
  decompose<RMSNormOp>();
  // The sum of squares alone.
  EXPECT_EQ(count<memref::AllocOp>(), 1);
}

TEST_F(DecompositionTest, NetworkFreesItsTemporaries) {
  parse(R"mlir(
    func.func @f(%x: memref<?x8xf16>, %w: memref<?x8xf16>, %d: memref<8x?xf16>, %y: memref<?x8xf16>) {
      xfmr.swiglu_ffn ins(%x : memref<?x8xf16>) gate_up(%w : memref<?x8xf16>) down(%d : memref<8x?xf16>)
          outs(%y : memref<?x8xf16>) layout(out_in) order(interleaved)
      return
    })mlir");
  decompose<SwiGLUFFNOp>();
  EXPECT_GT(count<memref::AllocOp>(), 0);
}

TEST_F(DecompositionTest, NetworkAccumulatesInTheDestination) {
  parse(R"mlir(
    func.func @f(%x: memref<4x8xf32>, %w: memref<8x16xf32>, %d: memref<16x8xf32>, %y: memref<4x8xf32>) {
      xfmr.ffn ins(%x : memref<4x8xf32>) up(%w : memref<8x16xf32>) down(%d : memref<16x8xf32>)
          outs(%y : memref<4x8xf32>) activation(relu) layout(in_out)
      return
    })mlir");
  auto ffn = find<FFNOp>();
  Value destination = ffn.getInit();
  decompose<FFNOp>();
  // The product before the activation, and the hidden values.
  EXPECT_EQ(count<memref::AllocOp>(), 2);
  // Zeros, then the down product: the last two writes.
  int64_t writes = 0;
  for (Operation *user : destination.getUsers())
    writes += isa<linalg::LinalgOp>(user);
  EXPECT_EQ(writes, 2);
}

TEST_F(DecompositionTest, GateNeedsNoTemporary) {
  parse(R"mlir(
    func.func @f(%p: memref<4x16xf32>, %y: memref<4x8xf32>) {
      xfmr.gated_act gate_up(%p : memref<4x16xf32>) outs(%y : memref<4x8xf32>) activation(silu) order(up_gate)
      return
    })mlir");
  decompose<GatedActOp>();
  EXPECT_EQ(count<memref::AllocOp>(), 0);
}

TEST_F(DecompositionTest, NetworkInBlocks) {
  parse(R"mlir(
    func.func @f(%x: memref<?x8xbf16>, %w: memref<8x100xbf16>, %d: memref<8x100xbf16>, %b: memref<100xbf16>, %y: memref<?x8xbf16>) {
      xfmr.ffn ins(%x : memref<?x8xbf16>) up(%w : memref<8x100xbf16>) down(%d : memref<8x100xbf16>)
          up_bias(%b : memref<100xbf16>) outs(%y : memref<?x8xbf16>) activation(gelu_tanh)
          layout(up = in_out, down = out_in)
      return
    })mlir");
  auto ffn = find<FFNOp>();
  Value destination = ffn.getInit();
  OpBuilder builder(ffn);
  ASSERT_TRUE(succeeded(
      decomposeFFNInBlocks(builder, ffn.getLoc(), ffn.getFFNSpec(), {32, 16})));
  ffn.erase();
  expectFreed();
  auto loop = find<scf::ForOp>();
  EXPECT_EQ(getConstantIntValue(loop.getStep()), 32);
  // What is accumulated is no wider than a block of columns or the result,
  // hidden values no wider than a block of them, but for the padding between
  // rows, which begin at multiples of 32.
  module->walk([](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    int64_t width = type.getShape().back();
    EXPECT_LE(width, 32 + 32);
    EXPECT_FALSE(ShapedType::isDynamic(width) &&
                 type.getElementType().isBF16());
  });
  // The destination is written after the loop alone.
  for (Operation *user : destination.getUsers())
    if (isa<linalg::LinalgOp>(user))
      EXPECT_TRUE(user->getBlock() == loop->getBlock() &&
                  loop->isBeforeInBlock(user));
}

TEST_F(DecompositionTest, BlocksAreOfMemrefs) {
  parse(R"mlir(
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
      %0 = xfmr.ffn ins(%x : tensor<4x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>)
          outs(%x : tensor<4x8xf32>) activation(relu) layout(in_out) -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    })mlir");
  auto ffn = find<FFNOp>();
  OpBuilder builder(ffn);
  EXPECT_TRUE(failed(
      decomposeFFNInBlocks(builder, ffn.getLoc(), ffn.getFFNSpec(), {32, 16})));
  EXPECT_EQ(count<scf::ForOp>(), 0);
}
