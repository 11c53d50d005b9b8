//===- RowLoweringBlocks.cpp - Row groups of a block ----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringClusters.h"
#include "xfmr/Codegen/CPU/ContractionLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

LogicalResult rows::lowerBufferOp(RewriterBase &rewriter, linalg::LinalgOp op,
                                  const RowLoweringOptions &options,
                                  std::string &reason) {
  RowGroup group;
  group.ops.push_back(op);
  for (auto [output, init] : llvm::enumerate(op.getDpsInits()))
    group.sinks.push_back({op, static_cast<unsigned>(output), init});
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  if (failed(lowerRowGroup(rewriter, group, options, &reason)))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// Erases what only led to a lowered cluster.
static void eraseDeadTensorOps(RewriterBase &rewriter, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    bool isTensorOp = isa<bufferization::ToTensorOp, tensor::EmptyOp,
                          tensor::CastOp, tensor::ExtractSliceOp,
                          tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
                      (isa<linalg::FillOp>(op) && op.getNumResults() > 0);
    if (isTensorOp && op.use_empty())
      rewriter.eraseOp(&op);
  }
}

static bool isContiguous(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.getLayout().isIdentity() ||
         memref::isStaticShapeAndContiguousRowMajor(type);
}

static Value stripCasts(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer;
}

void mlir::xfmr::lowerRowGroupsInBlock(RewriterBase &rewriter, Block &block,
                                       const RowLoweringOptions &options) {
  StringRef category = options.remarkCategory;
  resolveTensorDims(rewriter, block);
  for (const TensorCluster &cluster : findTensorClusters(block)) {
    std::string reason;
    if (succeeded(checkCluster(cluster, reason))) {
      lowerCluster(rewriter, cluster, options);
      continue;
    }
    remark::missed(cluster.ops.back()->getLoc(),
                   remark::RemarkOpts::name("TensorsLeft").category(category))
        << "left tensor ops alone" << remark::reason("{0}", reason);
  }
  eraseDeadTensorOps(rewriter, block);

  for (Operation &op : llvm::make_early_inc_range(block)) {
    std::string reason;
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      if (stripCasts(copy.getSource()) == stripCasts(copy.getTarget())) {
        rewriter.eraseOp(copy);
        continue;
      }
      // What is contiguous becomes one memcpy; the rest would call the run
      // time.
      auto source = dyn_cast<MemRefType>(copy.getSource().getType());
      auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
      if (!source || !target ||
          (isContiguous(copy.getSource()) && isContiguous(copy.getTarget())))
        continue;
      rewriter.setInsertionPoint(copy);
      auto lifted = linalg::CopyOp::create(rewriter, copy.getLoc(),
                                           copy.getSource(), copy.getTarget());
      // What fails stays as a linalg op, which becomes scalar loops.
      (void)lowerBufferOp(rewriter, lifted, options, reason);
      rewriter.eraseOp(copy);
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !linalgOp.hasPureBufferSemantics())
      continue;
    // The product is lowered first.
    if (auto fill = dyn_cast<linalg::FillOp>(op);
        fill && makesZerosForProduct(fill))
      continue;
    Location loc = op.getLoc();
    if (succeeded(lowerBufferOp(rewriter, linalgOp, options, reason)))
      remark::passed(
          loc, remark::RemarkOpts::name("RowGroupLowered").category(category))
          << "lowered an op on memrefs";
    else if (failed(matchContraction(linalgOp)))
      remark::missed(loc, remark::RemarkOpts::name("OpLeft").category(category))
          << "left an op alone" << remark::reason("{0}", reason);
  }
}
