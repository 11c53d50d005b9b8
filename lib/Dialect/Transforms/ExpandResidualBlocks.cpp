//===- ExpandResidualBlocks.cpp - Residual blocks to norms and adds -------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "xfmr/Dialect/IR/Decomposition.h"
#include "xfmr/Dialect/Transforms/Passes.h"
#include "xfmr/Dialect/Transforms/Transforms.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_EXPANDRESIDUALBLOCKS
#include "xfmr/Dialect/Transforms/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

/// On tensors the types of the results, one for `init`; on memrefs none.
static TypeRange getResultTypes(const Value &init) {
  return isa<TensorType>(init.getType()) ? TypeRange(init) : TypeRange();
}

static Value getResult(Operation *op, Value init) {
  return op->getNumResults() ? op->getResult(0) : init;
}

Value xfmr::createNorm(OpBuilder &builder, Location loc, NormAttr norm,
                       Value input, Value gamma, Value beta, Value init) {
  Value rstd, mean;
  uint64_t normalizedDims = 1;
  TypeRange types = getResultTypes(init);
  if (norm.getKind() == NormKind::RMSNorm)
    return getResult(RMSNormOp::create(builder, loc, types, input, gamma, beta,
                                       init, rstd, norm.getStatistic(),
                                       norm.getEps().getValue(),
                                       norm.getEpsPosition(),
                                       norm.getWeightOffset().getValue(),
                                       normalizedDims, norm.getRounding()),
                     init);
  return getResult(LayerNormOp::create(
                       builder, loc, types, input, gamma, beta, init, rstd,
                       mean, norm.getUnbiased(), norm.getEps().getValue(),
                       norm.getEpsPosition(), norm.getWeightOffset().getValue(),
                       normalizedDims, norm.getRounding()),
                   init);
}

Value xfmr::createAddNorm(OpBuilder &builder, Location loc, NormAttr norm,
                          double alpha, ResidualRoundingAttr residualRounding,
                          Value input, Value residual, Value gamma, Value beta,
                          Value init) {
  Value sum, rstd, mean;
  uint64_t normalizedDims = 1;
  TypeRange types = getResultTypes(init);
  if (norm.getKind() == NormKind::RMSNorm)
    return getResult(AddRMSNormOp::create(
                         builder, loc, types, input, residual, gamma, beta, sum,
                         init, rstd, norm.getStatistic(),
                         norm.getEps().getValue(), norm.getEpsPosition(),
                         norm.getWeightOffset().getValue(), normalizedDims,
                         norm.getRounding(), APFloat(alpha), residualRounding),
                     init);
  return getResult(AddLayerNormOp::create(
                       builder, loc, types, input, residual, gamma, beta, sum,
                       init, rstd, mean, norm.getUnbiased(),
                       norm.getEps().getValue(), norm.getEpsPosition(),
                       norm.getWeightOffset().getValue(), normalizedDims,
                       norm.getRounding(), APFloat(alpha), residualRounding),
                   init);
}

namespace {
/// Expands one block.
class BlockExpander {
public:
  BlockExpander(RewriterBase &rewriter, ResidualBlockOp block)
      : rewriter(rewriter), block(block), loc(block.getLoc()),
        input(block.getInput()) {}

  LogicalResult expand();

private:
  bool onTensors() { return isa<TensorType>(input.getType()); }
  /// A tensor or buffer like the input.
  Value createTemporary();
  /// The block's result, from what the region yields.
  Value expandOutput(Value branch);

  RewriterBase &rewriter;
  ResidualBlockOp block;
  Location loc;
  Value input;
  SmallVector<Value> buffers;
};
} // namespace

Value BlockExpander::createTemporary() {
  auto type = cast<ShapedType>(input.getType());
  if (onTensors())
    return tensor::EmptyOp::create(rewriter, loc,
                                   tensor::getMixedSizes(rewriter, loc, input),
                                   type.getElementType());
  SmallVector<Value> dynamicSizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      dynamicSizes.push_back(memref::DimOp::create(rewriter, loc, input, dim));
  buffers.push_back(memref::AllocOp::create(
      rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
      dynamicSizes, rewriter.getI64IntegerAttr(64)));
  return buffers.back();
}

Value BlockExpander::expandOutput(Value branch) {
  Value init = block.getInit(), mask = block.getMask();
  double alpha = block.getAlpha().convertToDouble();
  switch (block.getTopology()) {
  case Topology::Post: {
    // The input may lie in the destination, and the select still needs it.
    Value norm = createAddNorm(rewriter, loc, block.getNorm1Attr(), alpha,
                               block.getResidualRoundingAttr(), input, branch,
                               block.getGamma1(), block.getBeta1(),
                               mask ? createTemporary() : init);
    return mask ? decomposeMaskedSelect(rewriter, loc, mask, input, norm, init)
                : norm;
  }
  case Topology::Sandwich:
    branch = createNorm(rewriter, loc, block.getNorm2Attr(), branch,
                        block.getGamma2(), block.getBeta2(), createTemporary());
    break;
  case Topology::BranchPost:
    branch = createNorm(rewriter, loc, block.getNorm1Attr(), branch,
                        block.getGamma1(), block.getBeta1(), createTemporary());
    break;
  case Topology::Pre:
  case Topology::None:
    break;
  }
  return decomposeResidualAdd(rewriter, loc, input, branch, alpha, mask, init);
}

/// Whether the argument may be replaced by a buffer of another layout.
static bool toleratesLayout(BlockArgument argument) {
  return llvm::all_of(argument.getUsers(), [](Operation *user) {
    return isa<memref::DimOp>(user) ||
           (isa<DestinationStyleOpInterface>(user) &&
            isa_and_nonnull<XfmrDialect, linalg::LinalgDialect>(
                user->getDialect()));
  });
}

LogicalResult BlockExpander::expand() {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(block);
  Value branchInput = input;
  bool normalizesInput = block.getTopology() == Topology::Pre ||
                         block.getTopology() == Topology::Sandwich;
  if (normalizesInput) {
    if (auto type = dyn_cast<MemRefType>(input.getType())) {
      auto identity = MemRefType::get(type.getShape(), type.getElementType());
      if (!toleratesLayout(block.getBranchInput()) && identity != type &&
          !memref::CastOp::areCastCompatible(identity, type))
        return rewriter.notifyMatchFailure(block, "unsupported layout");
    }
    branchInput =
        createNorm(rewriter, loc, block.getNorm1Attr(), input,
                   block.getGamma1(), block.getBeta1(), createTemporary());
    if (branchInput.getType() != input.getType() &&
        !toleratesLayout(block.getBranchInput()))
      branchInput =
          memref::CastOp::create(rewriter, loc, input.getType(), branchInput);
  }
  Operation *yield = block.getBody().front().getTerminator();
  Value branch = block.getBranchOutput();
  if (branch == block.getBranchInput())
    branch = branchInput;
  rewriter.inlineBlockBefore(&block.getBody().front(), block, branchInput);
  rewriter.eraseOp(yield);
  Value result = expandOutput(branch);
  for (Value buffer : llvm::reverse(buffers))
    memref::DeallocOp::create(rewriter, loc, buffer);
  if (onTensors())
    rewriter.replaceOp(block, result);
  else
    rewriter.eraseOp(block);
  return success();
}

LogicalResult xfmr::expandResidualBlock(RewriterBase &rewriter,
                                        ResidualBlockOp block) {
  return BlockExpander(rewriter, block).expand();
}

LogicalResult xfmr::expandResidualBlocks(RewriterBase &rewriter,
                                         Operation *root) {
  SmallVector<ResidualBlockOp> blocks;
  root->walk([&](ResidualBlockOp block) { blocks.push_back(block); });
  LogicalResult result = success();
  for (ResidualBlockOp block : blocks) {
    if (succeeded(expandResidualBlock(rewriter, block)))
      continue;
    result = block.emitOpError("expected a region that takes its argument in "
                               "any layout, since the normalised rows cannot "
                               "be stored in that of ")
             << block.getInput().getType();
  }
  return result;
}

namespace {
struct ExpandResidualBlocks
    : xfmr::impl::ExpandResidualBlocksBase<ExpandResidualBlocks> {
  void runOnOperation() override {
    getOperation()->walk([&](ResidualBlockOp block) {
      remark::passed(
          block.getLoc(),
          remark::RemarkOpts::name("expanded").category(getArgument()))
          << "residual block expanded"
          << remark::metric("topology", stringifyTopology(block.getTopology()));
    });
    IRRewriter rewriter(&getContext());
    if (failed(expandResidualBlocks(rewriter, getOperation())))
      signalPassFailure();
  }
};
} // namespace
