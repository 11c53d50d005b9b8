//===- RowLoweringClusters.cpp - Finding tensor ops between buffers -------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringClusters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

static bool isViewOp(Operation *op) {
  return isa<tensor::CastOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op);
}

bool rows::isLeaf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<bufferization::ToTensorOp>(op))
      return true;
    if (!isViewOp(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

bool rows::isFreeTensor(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  if (value.getDefiningOp<tensor::EmptyOp>())
    return true;
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.isSplat();
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill &&
         fill.value().getType() == getElementTypeOrSelf(value.getType());
}

static bool isTensorSink(Operation *op) {
  auto sink = dyn_cast<bufferization::MaterializeInDestinationOp>(op);
  return sink && isa<MemRefType>(sink.getDest().getType());
}

/// An op that is lowered as a part of a cluster rather than as a leaf of it.
static bool isClusterOp(Operation &op) {
  if (isTensorSink(&op))
    return true;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics() && op.getNumResults() > 0 &&
           !isFreeTensor(op.getResult(0));
  return isViewOp(&op) && !isLeaf(op.getResult(0)) &&
         !isFreeTensor(op.getResult(0));
}

static Value getLeafBuffer(Value leaf) {
  while (Operation *op = leaf.getDefiningOp()) {
    if (auto toTensor = dyn_cast<bufferization::ToTensorOp>(op))
      return toTensor.getBuffer();
    leaf = op->getOperand(0);
  }
  return {};
}

/// The op that a leaf's content is of the time of.
static Operation *getLeafOp(Value leaf) {
  Operation *op = leaf.getDefiningOp();
  while (!isa<bufferization::ToTensorOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// True when `op` (an op of no cluster between a cluster's leaves and sinks)
/// may write to one of `buffers`, or with `orRead`, read one.
static bool mayTouch(Operation *op, ArrayRef<Value> buffers, bool orRead) {
  auto overlaps = [&](Value value) {
    return !value || !isa<MemRefType>(value.getType()) ||
           llvm::any_of(buffers, [&](Value buffer) {
             return mayOverlap(value, buffer);
           });
  };
  auto effects = getEffectsRecursively(op);
  if (!effects)
    return true;
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    bool counts =
        isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()) ||
        (orRead && isa<MemoryEffects::Read>(effect.getEffect()));
    if (counts && overlaps(effect.getValue()))
      return true;
  }
  return false;
}

/// Whether `buffer` keeps its content from `leaf` on until the end of what
/// holds `user`, an op of a nested block.
static bool staysUntil(Operation *leaf, Value buffer, Operation *user) {
  Operation *ancestor = leaf->getBlock()->findAncestorOpInBlock(*user);
  if (!ancestor)
    return false;
  for (Operation *op = leaf->getNextNode(); op != ancestor->getNextNode();
       op = op->getNextNode())
    if (!isMemoryEffectFree(op) && mayTouch(op, buffer, /*orRead=*/false))
      return false;
  return true;
}

LogicalResult rows::checkCluster(const TensorCluster &cluster,
                                 std::string &reason, Operation **obstacle) {
  auto fail = [&](const Twine &text) {
    reason = text.str();
    return failure();
  };
  if (cluster.sinks.empty())
    return fail("its results are written to no buffer");
  llvm::SmallDenseSet<Operation *> members(cluster.ops.begin(),
                                           cluster.ops.end());
  SmallVector<Value> read, written;
  Operation *first = cluster.ops.front();
  for (Operation *op : cluster.ops) {
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType()) || isFreeTensor(operand))
        continue;
      if (isLeaf(operand)) {
        read.push_back(getLeafBuffer(operand));
        Operation *leaf = getLeafOp(operand);
        if (leaf->getBlock() != first->getBlock()) {
          if (!staysUntil(leaf, getLeafBuffer(operand), first))
            return fail("a tensor's buffer may change on the way into a loop");
        } else if (leaf->isBeforeInBlock(first)) {
          first = leaf;
        }
        continue;
      }
      if (!members.contains(operand.getDefiningOp()))
        return fail("a tensor is not in a buffer");
    }
    for (Operation *user : op->getUsers())
      if (!members.contains(user))
        return fail("'" + user->getName().getStringRef() +
                    "' uses a tensor of it");
  }
  // All is lowered where the last sink stands, so leaves must keep their
  // content until then, and nobody may look at an earlier sink's buffer before.
  Operation *last = cluster.ops.back();
  for (Operation *op = first; op != last; op = op->getNextNode()) {
    if (members.contains(op)) {
      if (isTensorSink(op))
        written.push_back(
            cast<bufferization::MaterializeInDestinationOp>(op).getDest());
      continue;
    }
    if (isa<bufferization::ToTensorOp>(op) || isMemoryEffectFree(op))
      continue;
    if (mayTouch(op, read, /*orRead=*/false) ||
        mayTouch(op, written, /*orRead=*/true)) {
      if (obstacle)
        *obstacle = op;
      return fail("'" + op->getName().getStringRef() +
                  "' touches its buffers in between");
    }
  }
  // A leaf taken of a buffer that an earlier sink of the same cluster wrote.
  for (Operation *op : cluster.ops)
    for (Value operand : op->getOperands())
      if (isa<TensorType>(operand.getType()) && isLeaf(operand))
        for (auto sink : cluster.sinks)
          if (sink->getBlock() == getLeafOp(operand)->getBlock() &&
              sink->isBeforeInBlock(getLeafOp(operand)) &&
              mayOverlap(sink.getDest(), getLeafBuffer(operand)))
            return fail("a result is read back from its buffer");
  return success();
}

/// The clusters by their values alone.
static SmallVector<TensorCluster> findConnectedOps(Block &block) {
  llvm::EquivalenceClasses<Operation *> classes;
  SmallVector<Operation *> members;
  for (Operation &op : block) {
    if (!isClusterOp(op))
      continue;
    members.push_back(&op);
    classes.insert(&op);
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (isa<TensorType>(operand.getType()) && producer &&
          producer->getBlock() == &block && isClusterOp(*producer))
        classes.unionSets(&op, producer);
    }
  }
  SmallVector<TensorCluster> clusters;
  DenseMap<Operation *, unsigned> clusterOf;
  for (Operation *op : members) {
    auto [it, inserted] =
        clusterOf.try_emplace(classes.getLeaderValue(op), clusters.size());
    if (inserted)
      clusters.emplace_back();
    TensorCluster &cluster = clusters[it->second];
    cluster.ops.push_back(op);
    if (isTensorSink(op))
      cluster.sinks.push_back(
          cast<bufferization::MaterializeInDestinationOp>(op));
  }
  return clusters;
}

SmallVector<TensorCluster> rows::findTensorClusters(Block &block) {
  SmallVector<TensorCluster> clusters = findConnectedOps(block);
  auto findObstacle = [&](size_t index) -> TensorCluster * {
    std::string reason;
    Operation *obstacle = nullptr;
    if (succeeded(checkCluster(clusters[index], reason, &obstacle)) ||
        !obstacle)
      return nullptr;
    auto *it = llvm::find_if(clusters, [&](const TensorCluster &other) {
      return llvm::is_contained(other.ops, obstacle);
    });
    return it == clusters.end() ? nullptr : &*it;
  };
  for (size_t index = 0; index < clusters.size();) {
    TensorCluster *other = findObstacle(index);
    if (!other) {
      ++index;
      continue;
    }
    // Lowered together, both read before either writes.
    TensorCluster &cluster = clusters[index];
    llvm::append_range(other->ops, cluster.ops);
    llvm::append_range(other->sinks, cluster.sinks);
    auto isBefore = [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    };
    llvm::sort(other->ops, isBefore);
    llvm::sort(other->sinks, isBefore);
    clusters.erase(&cluster);
    index = 0;
  }
  return clusters;
}

OpFoldResult rows::getTensorExtent(OpBuilder &builder, Location loc,
                                   Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return {};
  if (auto toTensor = dyn_cast<bufferization::ToTensorOp>(op)) {
    auto bufferType = dyn_cast<MemRefType>(toTensor.getBuffer().getType());
    if (!bufferType)
      return {};
    return builder.createOrFold<memref::DimOp>(loc, toTensor.getBuffer(), dim);
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return empty.getDynamicSize(dim);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return getTensorExtent(builder, loc, cast.getSource(), dim);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return getTensorExtent(
        builder, loc, linalgOp.getTiedOpOperand(cast<OpResult>(tensor))->get(),
        dim);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [position, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(position) && dim-- == 0)
        return size;
    return {};
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand.getMixedOutputShape()[dim];
  return {};
}

void rows::resolveTensorDims(RewriterBase &rewriter, Block &block) {
  for (auto op : llvm::make_early_inc_range(block.getOps<tensor::DimOp>())) {
    std::optional<int64_t> dim = op.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!dim || !type || *dim < 0 || *dim >= type.getRank())
      continue;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    OpFoldResult extent =
        getTensorExtent(rewriter, op.getLoc(), op.getSource(), *dim);
    if (!extent)
      continue;
    rewriter.replaceOp(
        op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), extent));
  }
}
