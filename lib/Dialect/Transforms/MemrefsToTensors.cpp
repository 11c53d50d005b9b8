//===- MemrefsToTensors.cpp - Ops on memrefs as ops on tensors ------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroups.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "xfmr/Dialect/IR/Aliasing.h"
#include "xfmr/Dialect/IR/Decomposition.h"
#include "xfmr/Dialect/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_MEMREFSTOTENSORS
#include "xfmr/Dialect/Transforms/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {
/// Lifts the ops of one block.
class BlockLifter {
public:
  BlockLifter(RewriterBase &rewriter, Block &block, bool temporariesOnly)
      : rewriter(rewriter), block(block), temporariesOnly(temporariesOnly) {}

  unsigned run();

private:
  bool isLiftable(Operation *op);
  bool touchesTemporary(Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return contents.contains(operand);
    });
  }
  /// Whether `op` has an operand in memory that overlaps one of `written`, and
  /// is not the same.
  bool readsOtherView(Operation *op, ArrayRef<Value> written) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isa<MemRefType>(operand.getType()) &&
             !contents.contains(operand) &&
             llvm::any_of(written, [&](Value other) {
               return other != operand && mayOverlap(other, operand);
             });
    });
  }
  void findStretches();
  void findPromotable();
  RankedTensorType getTensorType(Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    return RankedTensorType::get(type.getShape(), type.getElementType());
  }
  /// `reads` is false where only the shape counts.
  Value readBuffer(Location loc, Value buffer, bool isWritable, bool reads);
  void lift(Operation *op);
  void delayDeallocations(Operation *last);

  RewriterBase &rewriter;
  Block &block;
  bool temporariesOnly;
  /// Counts the ops that no value may be carried over, for each op: none where
  /// bufferization follows, which copies where it has to.
  DenseMap<Operation *, unsigned> stretches;
  /// Ops that are lifted, in program order.
  SmallVector<Operation *> lifted;
  /// Memory that holds nothing but results of ops that are lifted: it becomes
  /// those results. What it holds at this point of the block; null at first.
  llvm::MapVector<Value, Value> contents;
  /// Memory that is read as a value in this stretch of the block.
  SmallPtrSet<Value, 8> readBuffers;
  /// What lifted ops of this stretch have written to memory, which is not there
  /// before the stretch ends.
  llvm::MapVector<Value, Value> written;
};
} // namespace

/// Ops that never read an element of memory after they wrote another row, so
/// that they mean the same on tensors, whichever of their buffers are one.
/// Reductions keep reading: their results must be in memory of their own.
bool BlockLifter::isLiftable(Operation *op) {
  auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op);
  if (!destinationStyle || !destinationStyle.hasPureBufferSemantics())
    return false;
  // Networks keep their memory once they have it.
  if (isa<RowOpInterface>(op))
    return !temporariesOnly || !getNetwork(op);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return false;
  std::optional<RowDims> rows = getRowDims(op);
  if (!rows)
    return false;
  bool reduces = linalgOp.getNumReductionLoops() > 0;
  unsigned dims = std::min(rows->most, rows->preferred);
  for (OpOperand &operand : op->getOpOperands()) {
    RowAccess access = getRowAccess(operand, dims);
    if (access == RowAccess::Other)
      return false;
    if (!reduces)
      continue;
    if (linalgOp.isDpsInit(&operand) && !contents.contains(operand.get()))
      return false;
    // A product has no use for values without memory.
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (access == RowAccess::Free && type && type.getRank() > 1)
      return false;
  }
  return true;
}

/// A value is computed where it is written, which may be anywhere after the ops
/// that it stems from: nothing in between may touch memory. So whatever stands
/// between the first and the last op on temporaries is lifted with them. What
/// was written as a value is read as one; of memory that overlaps it, nothing
/// is known.
void BlockLifter::findStretches() {
  unsigned stretch = 0;
  SmallVector<Value> destinations;
  lifted.clear();
  auto beginStretch = [&] {
    ++stretch;
    destinations.clear();
    while (!lifted.empty() && !touchesTemporary(lifted.back()))
      lifted.pop_back();
  };
  auto isInStretch = [&] {
    return !lifted.empty() && stretches.lookup(lifted.back()) == stretch;
  };
  for (Operation &op : block) {
    bool liftable = isLiftable(&op);
    if (temporariesOnly) {
      bool isObstacle = !isMemoryEffectFree(&op) && !liftable &&
                        !isa<memref::AllocOp, memref::DeallocOp>(op);
      if (isObstacle || (liftable && readsOtherView(&op, destinations)))
        beginStretch();
    }
    stretches[&op] = stretch;
    if (!liftable ||
        (temporariesOnly && !isInStretch() && !touchesTemporary(&op)))
      continue;
    lifted.push_back(&op);
    for (Value init : cast<DestinationStyleOpInterface>(op).getDpsInits())
      if (!contents.contains(init))
        destinations.push_back(init);
  }
  if (temporariesOnly)
    beginStretch();
}

/// An op may be lifted because a buffer is promotable, and the other way round:
/// from all buffers down to those of which all users are lifted.
void BlockLifter::findPromotable() {
  for (auto alloc : block.getOps<memref::AllocOp>())
    contents[alloc] = Value();
  auto keeps = [&](std::pair<Value, Value> content) {
    std::optional<unsigned> stretch;
    return llvm::all_of(content.first.getUsers(), [&](Operation *user) {
      if (user->getBlock() != &block)
        return false;
      if (isa<memref::DeallocOp, memref::DimOp>(user))
        return true;
      if (!stretch)
        stretch = stretches.lookup(user);
      return isLiftable(user) && stretches.lookup(user) == *stretch;
    });
  };
  size_t before;
  do {
    findStretches();
    before = contents.size();
    contents.remove_if([&](auto content) { return !keeps(content); });
  } while (contents.size() != before);
}

Value BlockLifter::readBuffer(Location loc, Value buffer, bool isWritable,
                              bool reads) {
  auto *promoted = contents.find(buffer);
  if (promoted == contents.end()) {
    if (Value value = written.lookup(buffer))
      return value;
    readBuffers.insert(memref::skipViewLikeOps(cast<MemrefValue>(buffer)));
    return bufferization::ToTensorOp::create(rewriter, loc,
                                             getTensorType(buffer), buffer,
                                             /*restrict=*/true, isWritable);
  }
  if (promoted->second && reads)
    return promoted->second;
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  return tensor::EmptyOp::create(rewriter, loc, alloc.getMixedSizes(),
                                 alloc.getType().getElementType());
}

void BlockLifter::lift(Operation *op) {
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  auto destinationStyle = cast<DestinationStyleOpInterface>(op);
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    bool isInit = destinationStyle.isDpsInit(&operand);
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool reads =
        !isInit || (linalgOp && linalgOp.payloadUsesValueFromOperand(&operand));
    if (isa<MemRefType>(value.getType()))
      value = readBuffer(loc, value, isInit, reads);
    operands.push_back(value);
    if (isInit)
      types.push_back(value.getType());
  }
  Operation *lifted = mlir::clone(rewriter, op, types, operands);
  for (auto [result, init] :
       llvm::zip_equal(lifted->getResults(), destinationStyle.getDpsInits())) {
    auto *promoted = contents.find(init);
    if (promoted != contents.end()) {
      promoted->second = result;
      continue;
    }
    bufferization::MaterializeInDestinationOp::create(
        rewriter, loc, /*result=*/Type(), result, init, /*restrict=*/true,
        /*writable=*/true);
    if (temporariesOnly)
      written[init] = result;
  }
  rewriter.eraseOp(op);
}

/// What is read as a value may be computed as late as where the last result is
/// written: what it is read from lives until then.
void BlockLifter::delayDeallocations(Operation *last) {
  SmallVector<memref::DeallocOp> deallocations(
      block.getOps<memref::DeallocOp>());
  for (memref::DeallocOp dealloc : deallocations)
    if (readBuffers.contains(dealloc.getMemref()) &&
        dealloc->isBeforeInBlock(last))
      rewriter.moveOpAfter(dealloc, last);
  readBuffers.clear();
  written.clear();
}

unsigned BlockLifter::run() {
  findPromotable();
  for (auto [number, op] : llvm::enumerate(lifted)) {
    bool isLast = number + 1 == lifted.size() ||
                  stretches.lookup(lifted[number + 1]) != stretches.lookup(op);
    Operation *next = op->getNextNode();
    lift(op);
    if (isLast)
      delayDeallocations(next->getPrevNode());
  }
  for (auto [buffer, value] : contents) {
    auto alloc = buffer.getDefiningOp<memref::AllocOp>();
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
      rewriter.setInsertionPoint(user);
      if (auto dim = dyn_cast<memref::DimOp>(user)) {
        Value empty = tensor::EmptyOp::create(rewriter, dim.getLoc(),
                                              alloc.getMixedSizes(),
                                              alloc.getType().getElementType());
        rewriter.replaceOpWithNewOp<tensor::DimOp>(dim, empty, dim.getIndex());
      } else {
        rewriter.eraseOp(user);
      }
    }
    rewriter.eraseOp(alloc);
  }
  return lifted.size();
}

namespace {
struct MemrefsToTensors : xfmr::impl::MemrefsToTensorsBase<MemrefsToTensors> {
  using MemrefsToTensorsBase::MemrefsToTensorsBase;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ResidualBlockOp, linalg::LinalgOp>(op))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    IRRewriter rewriter(&getContext());
    for (Block *block : blocks)
      if (unsigned lifted =
              BlockLifter(rewriter, *block, temporariesOnly).run())
        remark::passed(
            block->getParentOp()->getLoc(),
            remark::RemarkOpts::name("lifted").category(getArgument()))
            << "ops on memrefs became ops on tensors"
            << remark::metric("ops", lifted);
  }
};
} // namespace
