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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "xfmr/Dialect/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_MEMREFSTOTENSORS
#include "xfmr/Dialect/Transforms/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

/// Ops that never read an element of memory after they wrote another row, so
/// that they mean the same on tensors, whichever of their buffers are one.
static bool isLiftable(Operation *op) {
  auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op);
  if (!destinationStyle || !destinationStyle.hasPureBufferSemantics())
    return false;
  if (isa<RowOpInterface>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() > 0)
    return false;
  std::optional<RowDims> rows = getRowDims(op);
  return rows && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           unsigned dims = std::min(rows->most, rows->preferred);
           return getRowAccess(operand, dims) != RowAccess::Other;
         });
}

namespace {
/// Lifts the ops of one block.
class BlockLifter {
public:
  BlockLifter(RewriterBase &rewriter, Block &block)
      : rewriter(rewriter), block(block) {}

  unsigned run();

private:
  /// Memory that holds nothing but results of ops that are lifted: it becomes
  /// those results.
  bool isPromotable(memref::AllocOp alloc);
  RankedTensorType getTensorType(Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    return RankedTensorType::get(type.getShape(), type.getElementType());
  }
  Value readBuffer(Location loc, Value buffer, bool isWritable);
  void lift(Operation *op);

  RewriterBase &rewriter;
  Block &block;
  /// What promoted memory holds, at this point of the block; null at first.
  llvm::MapVector<Value, Value> contents;
};
} // namespace

bool BlockLifter::isPromotable(memref::AllocOp alloc) {
  return llvm::all_of(alloc->getUsers(), [&](Operation *user) {
    return user->getBlock() == &block &&
           (isa<memref::DeallocOp, memref::DimOp>(user) || isLiftable(user));
  });
}

Value BlockLifter::readBuffer(Location loc, Value buffer, bool isWritable) {
  auto *promoted = contents.find(buffer);
  if (promoted == contents.end())
    return bufferization::ToTensorOp::create(rewriter, loc,
                                             getTensorType(buffer), buffer,
                                             /*restrict=*/true, isWritable);
  if (promoted->second)
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
    if (isa<MemRefType>(value.getType()))
      value = readBuffer(loc, value, isInit);
    operands.push_back(value);
    if (isInit)
      types.push_back(value.getType());
  }
  Operation *lifted = mlir::clone(rewriter, op, types, operands);
  for (auto [result, init] :
       llvm::zip_equal(lifted->getResults(), destinationStyle.getDpsInits())) {
    auto *promoted = contents.find(init);
    if (promoted != contents.end())
      promoted->second = result;
    else
      bufferization::MaterializeInDestinationOp::create(
          rewriter, loc, /*result=*/Type(), result, init, /*restrict=*/true,
          /*writable=*/true);
  }
  rewriter.eraseOp(op);
}

unsigned BlockLifter::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : block) {
    if (isLiftable(&op))
      ops.push_back(&op);
    if (auto alloc = dyn_cast<memref::AllocOp>(op);
        alloc && isPromotable(alloc))
      contents[alloc] = Value();
  }
  for (Operation *op : ops)
    lift(op);
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
  return ops.size();
}

namespace {
struct MemrefsToTensors : xfmr::impl::MemrefsToTensorsBase<MemrefsToTensors> {
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
      if (unsigned lifted = BlockLifter(rewriter, *block).run())
        remark::passed(
            block->getParentOp()->getLoc(),
            remark::RemarkOpts::name("lifted").category(getArgument()))
            << "ops on memrefs became ops on tensors"
            << remark::metric("ops", lifted);
  }
};
} // namespace
