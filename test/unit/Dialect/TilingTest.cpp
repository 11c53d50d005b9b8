//===- TilingTest.cpp - What of tiling only C++ can ask -------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion of consumers, for which there is no transform op, and the queries
// whether a slice can be fused with. Tiling and fusion of producers are tested
// in test/Dialect/IR/tiling.mlir.
//
//===----------------------------------------------------------------------===//

#include "DialectTest.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {
class TilingTest : public test::DialectTest {
protected:
  /// Tiles the one linalg.exp and fuses `consumer` into its loops.
  LogicalResult fuseConsumer(Operation *consumer, ArrayRef<int64_t> tileSizes,
                             bool parallel) {
    IRRewriter rewriter(&context);
    auto producer = find<linalg::ExpOp>();
    rewriter.setInsertionPoint(producer);
    scf::SCFTilingOptions options;
    options.setTileSizes(indices(tileSizes));
    options.setLoopType(parallel ? scf::SCFTilingOptions::LoopType::ForallOp
                                 : scf::SCFTilingOptions::LoopType::ForOp);
    FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
        rewriter, cast<TilingInterface>(producer.getOperation()), options);
    if (failed(tiled))
      return failure();
    rewriter.replaceOp(producer, tiled->replacements);
    if (failed(scf::tileAndFuseConsumer(rewriter, consumer, tiled->loops)))
      return failure();
    if (consumer->use_empty())
      rewriter.eraseOp(consumer);
    return verify(module.get());
  }

  bool fusesAfter(TilingInterface op, ArrayRef<unsigned> operands,
                  ArrayRef<SmallVector<int64_t>> offsets,
                  ArrayRef<SmallVector<int64_t>> sizes) {
    SmallVector<SmallVector<OpFoldResult>> o, s;
    for (auto [operandOffsets, operandSizes] :
         llvm::zip_equal(offsets, sizes)) {
      o.push_back(indices(operandOffsets));
      s.push_back(indices(operandSizes));
    }
    return op.isOpFusableWithProducerSlices(operands, o, s);
  }

  bool fusesBefore(TilingInterface op, unsigned result,
                   ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
    return op.isOpFusableWithConsumerSlice(result, indices(offsets),
                                           indices(sizes));
  }
};
} // namespace

static constexpr StringLiteral kNormAfterExp = R"mlir(
  func.func @f(%x: tensor<16x8xf32>, %e: tensor<16x8xf32>, %v: tensor<16xf32>)
      -> (tensor<16x8xf32>, tensor<16xf32>) {
    %0 = linalg.exp ins(%x : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
    %1:2 = xfmr.rmsnorm ins(%0 : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) rstd(%v : tensor<16xf32>)
        eps(1.0e-05) -> tensor<16x8xf32>, tensor<16xf32>
    return %1#0, %1#1 : tensor<16x8xf32>, tensor<16xf32>
  })mlir";

TEST_F(TilingTest, FusesNormAsConsumerIntoFor) {
  parse(kNormAfterExp);
  ASSERT_TRUE(succeeded(fuseConsumer(find<RMSNormOp>(), {4}, false)));
  auto norm = find<RMSNormOp>();
  EXPECT_TRUE(norm->getParentOfType<scf::ForOp>());
  EXPECT_EQ(cast<ShapedType>(norm.getInput().getType()).getShape(),
            ArrayRef<int64_t>({4, 8}));
  EXPECT_EQ(cast<ShapedType>(norm.getRstdInit().getType()).getShape(),
            ArrayRef<int64_t>({4}));
}

TEST_F(TilingTest, FusesNormAsConsumerIntoForall) {
  parse(kNormAfterExp);
  ASSERT_TRUE(succeeded(fuseConsumer(find<RMSNormOp>(), {4}, true)));
  EXPECT_TRUE(find<RMSNormOp>()->getParentOfType<scf::ForallOp>());
}

TEST_F(TilingTest, FusesNetworkAsConsumer) {
  parse(R"mlir(
    func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = linalg.exp ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
      %1 = xfmr.swiglu_ffn ins(%0 : tensor<?x8xf32>) gate(%w : tensor<8x8xf32>) up(%w : tensor<8x8xf32>)
          down(%w : tensor<8x8xf32>) outs(%e : tensor<?x8xf32>) layout(in_out) -> tensor<?x8xf32>
      return %1 : tensor<?x8xf32>
    })mlir");
  ASSERT_TRUE(succeeded(fuseConsumer(find<SwiGLUFFNOp>(), {4}, true)));
  EXPECT_TRUE(find<SwiGLUFFNOp>()->getParentOfType<scf::ForallOp>());
}

TEST_F(TilingTest, FusesGateAsConsumerOfTilesOfBothDims) {
  parse(R"mlir(
    func.func @f(%x: tensor<16x8xf32>, %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %0 = linalg.exp ins(%x : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
      %1 = xfmr.gated_act gate(%0 : tensor<16x8xf32>) up(%x : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>)
          activation(silu) -> tensor<16x8xf32>
      return %1 : tensor<16x8xf32>
    })mlir");
  ASSERT_TRUE(succeeded(fuseConsumer(find<GatedActOp>(), {4, 2}, false)));
  auto gate = find<GatedActOp>();
  EXPECT_TRUE(gate->getParentOfType<scf::ForOp>());
  for (Value operand : gate->getOperands())
    EXPECT_EQ(cast<ShapedType>(operand.getType()).getShape(),
              ArrayRef<int64_t>({4, 2}));
}

TEST_F(TilingTest, DoesNotFuseNormOfPartsOfRows) {
  parse(kNormAfterExp);
  auto norm = find<RMSNormOp>();
  EXPECT_TRUE(failed(fuseConsumer(norm, {4, 4}, false)));
  // What is used is the norm of whole rows still.
  EXPECT_FALSE(norm->getParentOfType<scf::ForOp>());
  EXPECT_FALSE(norm->use_empty());
}

TEST_F(TilingTest, NormWithConsumerSlices) {
  parse(kNormAfterExp);
  auto norm = find<RMSNormOp>();
  EXPECT_TRUE(fusesBefore(norm, 0, {4, 0}, {4, 8}));
  EXPECT_FALSE(fusesBefore(norm, 0, {4, 0}, {4, 4}));
  EXPECT_FALSE(fusesBefore(norm, 0, {4, 4}, {4, 4}));
  EXPECT_TRUE(fusesBefore(norm, 1, {3}, {5}));
}

TEST_F(TilingTest, NormWithProducerSlices) {
  parse(R"mlir(
    func.func @f(%x: tensor<16x8xf32>, %g: tensor<8xf32>) -> tensor<16x8xf32> {
      %1 = xfmr.add_layernorm ins(%x : tensor<16x8xf32>) residual(%x : tensor<16x8xf32>) gamma(%g : tensor<8xf32>)
          outs(%x : tensor<16x8xf32>) eps(1.0e-05) -> tensor<16x8xf32>
      return %1 : tensor<16x8xf32>
    })mlir");
  auto norm = find<AddLayerNormOp>();
  EXPECT_TRUE(fusesAfter(norm, {0}, {{4, 0}}, {{4, 8}}));
  EXPECT_FALSE(fusesAfter(norm, {0}, {{4, 0}}, {{4, 4}}));
  // The same rows of both.
  EXPECT_TRUE(fusesAfter(norm, {0, 1}, {{4, 0}, {4, 0}}, {{4, 8}, {4, 8}}));
  EXPECT_FALSE(fusesAfter(norm, {0, 1}, {{4, 0}, {0, 0}}, {{4, 8}, {4, 8}}));
  EXPECT_FALSE(fusesAfter(norm, {0, 1}, {{4, 0}, {4, 0}}, {{4, 8}, {2, 8}}));
  // A gamma is needed whole.
  EXPECT_TRUE(fusesAfter(norm, {2}, {{0}}, {{8}}));
  EXPECT_FALSE(fusesAfter(norm, {2}, {{0}}, {{4}}));
  // A slice of another rank is none of this operand.
  EXPECT_FALSE(fusesAfter(norm, {0}, {{4}}, {{4}}));
}

TEST_F(TilingTest, NetworkWithSlices) {
  parse(R"mlir(
    func.func @f(%x: tensor<16x8xf32>, %w: tensor<8x32xf32>, %d: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %1 = xfmr.glu_ffn ins(%x : tensor<16x8xf32>) gate_up(%w : tensor<8x32xf32>) down(%d : tensor<16x8xf32>)
          outs(%x : tensor<16x8xf32>) activation(relu) layout(in_out) order(gate_up) -> tensor<16x8xf32>
      return %1 : tensor<16x8xf32>
    })mlir");
  auto ffn = find<GLUFFNOp>();
  EXPECT_TRUE(fusesAfter(ffn, {0}, {{4, 0}}, {{4, 8}}));
  EXPECT_FALSE(fusesAfter(ffn, {0}, {{4, 0}}, {{4, 4}}));
  EXPECT_TRUE(fusesAfter(ffn, {1}, {{0, 0}}, {{8, 32}}));
  EXPECT_FALSE(fusesAfter(ffn, {1}, {{0, 0}}, {{8, 16}}));
  EXPECT_FALSE(fusesAfter(ffn, {2}, {{0, 0}}, {{8, 8}}));
  EXPECT_TRUE(fusesBefore(ffn, 0, {4, 0}, {4, 8}));
  EXPECT_FALSE(fusesBefore(ffn, 0, {4, 0}, {4, 4}));
}

TEST_F(TilingTest, GatesWithSlices) {
  parse(R"mlir(
    func.func @f(%p: tensor<16x16xf32>, %x: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %1 = xfmr.gated_act gate_up(%p : tensor<16x16xf32>) outs(%x : tensor<16x8xf32>) activation(silu) order(gate_up)
          -> tensor<16x8xf32>
      return %1 : tensor<16x8xf32>
    })mlir");
  auto gate = find<GatedActOp>();
  EXPECT_TRUE(fusesAfter(gate, {0}, {{4, 0}}, {{4, 16}}));
  // Half of a packed row is all gates.
  EXPECT_FALSE(fusesAfter(gate, {0}, {{4, 0}}, {{4, 8}}));
  EXPECT_TRUE(fusesBefore(gate, 0, {4, 4}, {4, 4}));
}

TEST_F(TilingTest, DomainTileFromOperandTiles) {
  parse(kNormAfterExp);
  auto norm = find<RMSNormOp>();
  OpBuilder builder(norm);
  SmallVector<OpFoldResult> offsets, sizes;
  ASSERT_TRUE(succeeded(norm.getIterationDomainTileFromOperandTiles(
      builder, {0}, {indices({4, 0})}, {indices({3, 8})}, offsets, sizes)));
  EXPECT_EQ(getConstantIntValues(offsets), SmallVector<int64_t>({4, 0}));
  EXPECT_EQ(getConstantIntValues(sizes), SmallVector<int64_t>({3, 8}));
  // The destination of a statistic says the rows alone: the others are whole.
  ASSERT_TRUE(succeeded(norm.getIterationDomainTileFromOperandTiles(
      builder, {2}, {indices({5})}, {indices({2})}, offsets, sizes)));
  EXPECT_EQ(getConstantIntValues(offsets), SmallVector<int64_t>({5, 0}));
  EXPECT_EQ(getConstantIntValues(sizes), SmallVector<int64_t>({2, 8}));
  ASSERT_TRUE(succeeded(norm.getIterationDomainTileFromResultTile(
      builder, 1, indices({1}), indices({7}), offsets, sizes)));
  EXPECT_EQ(getConstantIntValues(offsets), SmallVector<int64_t>({1, 0}));
  EXPECT_EQ(getConstantIntValues(sizes), SmallVector<int64_t>({7, 8}));
}
