//===- RowLoweringClusters.h - Tensor ops between buffers -------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWLOWERINGCLUSTERS_H
#define XFMR_LIB_CODEGEN_CPU_ROWLOWERINGCLUSTERS_H

#include "RowLoweringDetail.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace mlir::xfmr::rows {

/// Tensor ops of one block that are connected by the values they compute, in
/// program order, with the ops that write results to buffers.
struct TensorCluster {
  SmallVector<Operation *> ops;
  SmallVector<bufferization::MaterializeInDestinationOp> sinks;
};

/// The clusters of `block`. Those that would change what others still read are
/// one.
SmallVector<TensorCluster> findTensorClusters(Block &block);

/// Whether all of a cluster can be lowered where its last sink stands; says why
/// not in `reason`, and names the op that stands in the way, if one does.
LogicalResult checkCluster(const TensorCluster &cluster, std::string &reason,
                           Operation **obstacle = nullptr);

/// Whether `value` is a leaf of clusters: in a buffer already, or a view of
/// one.
bool isLeaf(Value value);

/// Fills, empty tensors and splat constants: every user makes its own.
bool isFreeTensor(Value value);

/// Replaces `tensor.dim` ops in `block` by dims of buffers and sizes of empty
/// tensors where these are known.
void resolveTensorDims(RewriterBase &rewriter, Block &block);

/// The extent of a tensor's dim from what it was made from; null when unknown.
OpFoldResult getTensorExtent(OpBuilder &builder, Location loc, Value tensor,
                             int64_t dim);

/// Lowers an op on memrefs as a group of its own and erases it; on failure
/// nothing changes and `reason` says why.
LogicalResult lowerBufferOp(RewriterBase &rewriter, linalg::LinalgOp op,
                            const RowLoweringOptions &options,
                            std::string &reason);

/// Lowers a cluster that passed `checkCluster` and erases it.
void lowerCluster(RewriterBase &rewriter, const TensorCluster &cluster,
                  const RowLoweringOptions &options);

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGCLUSTERS_H
