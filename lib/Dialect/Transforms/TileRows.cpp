//===- TileRows.cpp - Loops over rows -------------------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroups.h"
#include "RowTiling.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "xfmr/Dialect/IR/Decomposition.h"
#include "xfmr/Dialect/Transforms/Passes.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_TILEROWS
#include "xfmr/Dialect/Transforms/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

/// Whether `op` reads a matrix again for every tile, so that a tile with more
/// rows reads it less often.
static bool isContraction(Operation *op, unsigned numRowDims) {
  if (getNetwork(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() > 0 &&
         llvm::any_of(linalgOp.getDpsInputOperands(), [&](OpOperand *input) {
           auto type = dyn_cast<ShapedType>(input->get().getType());
           return type && type.getRank() >= 2 &&
                  getRowAccess(*input, numRowDims) == RowAccess::Free;
         });
}

/// Blocks of the function whose ops are not yet part of something tiled or
/// structured.
static void collectBlocks(Operation *root, SmallVectorImpl<Block *> &blocks) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::ForallOp, scf::ParallelOp, ResidualBlockOp, linalg::LinalgOp>(
            op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        blocks.push_back(&block);
    return WalkResult::advance();
  });
}

/// The size of a destination-style op's result is that of its destination; a
/// `tensor.dim` of the result would keep the op from moving.
static void forwardDims(Block &block) {
  for (auto dim : block.getOps<tensor::DimOp>()) {
    Value source = dim.getSource();
    while (auto op = source.getDefiningOp<DestinationStyleOpInterface>())
      source = op.getTiedOpOperand(cast<OpResult>(source))->get();
    dim.getSourceMutable().assign(source);
  }
}

/// Gives ops whose results go no further than other ops of the block a
/// temporary, where the tensor that they name as destination is that of another
/// op too. A caller may pass one buffer as input and as destination, and rows
/// of the input may be needed after such an op.
static void separateTemporaries(RewriterBase &rewriter, Block &block) {
  // In the block's order, which the addresses of values are not.
  llvm::MapVector<Value, SmallVector<OpOperand *>> destinations;
  for (auto op : block.getOps<DestinationStyleOpInterface>())
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto linalgOp = dyn_cast<linalg::LinalgOp>(*op);
      bool isRead = !isa<RowOpInterface>(*op) &&
                    !(linalgOp && !linalgOp.payloadUsesValueFromOperand(&init));
      if (!isRead && isa<BlockArgument>(init.get()) &&
          isa<RankedTensorType>(init.get().getType()))
        destinations[init.get()].push_back(&init);
    }
  for (auto &[value, inits] : destinations) {
    if (inits.size() < 2)
      continue;
    for (OpOperand *init : inits) {
      auto op = cast<DestinationStyleOpInterface>(init->getOwner());
      if (!llvm::all_of(op.getTiedOpResult(init).getUsers(),
                        llvm::IsaPred<DestinationStyleOpInterface>))
        continue;
      rewriter.setInsertionPoint(op);
      Value temporary = tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          tensor::getMixedSizes(rewriter, op.getLoc(), value),
          cast<ShapedType>(value.getType()).getElementType());
      rewriter.modifyOpInPlace(op, [&] { init->set(temporary); });
    }
  }
}

/// Rows of a tile that reads no weights.
static constexpr int64_t kRows = 4;
/// Elements of a row that a thread takes by itself where rows are few.
static constexpr int64_t kLeastOfThread = 8192, kMostOfThread = 32768;

namespace {
struct TileRows : xfmr::impl::TileRowsBase<TileRows> {
  using TileRowsBase::TileRowsBase;

  void runOnOperation() override {
    if (tileRows < 0) {
      emitError(getOperation()->getLoc(),
                "expected tile-rows of 0 or more, got ")
          << tileRows.getValue();
      return signalPassFailure();
    }
    if (productRows < 1) {
      emitError(getOperation()->getLoc(),
                "expected product-rows of 1 or more, got ")
          << productRows.getValue();
      return signalPassFailure();
    }
    if (threads < 0) {
      emitError(getOperation()->getLoc(), "expected threads of 0 or more, got ")
          << threads.getValue();
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    SmallVector<Block *> blocks;
    collectBlocks(getOperation(), blocks);
    for (Block *block : blocks)
      if (failed(tileTensors(rewriter, *block)) ||
          failed(tileMemrefs(rewriter, *block)))
        return signalPassFailure();
  }

  int64_t getTileRows(ArrayRef<Operation *> ops, unsigned numRowDims) {
    if (tileRows > 0)
      return tileRows;
    int64_t rows = kRows, bytes = 0;
    bool readsWeights = false;
    for (Operation *op : ops) {
      if (!isContraction(op, numRowDims))
        continue;
      readsWeights = true;
      rows = std::max(rows, productRows.getValue());
      for (OpOperand &operand : op->getOpOperands())
        if (getRowAccess(operand, numRowDims) == RowAccess::Aligned)
          bytes = std::max(
              bytes, getRowBytes(cast<ShapedType>(operand.get().getType()),
                                 numRowDims));
    }
    if (!readsWeights)
      return getRowsOfThread(ops, numRowDims);
    while (bytes > 0 && 2 * rows <= mostProductRows &&
           2 * rows * bytes <= productBytes)
      rows *= 2;
    return rows;
  }

  /// Of a few rows that are worth a thread each, no tile has all. Still longer
  /// ones are shared.
  int64_t getRowsOfThread(ArrayRef<Operation *> ops, unsigned numRowDims) {
    int64_t elements = 0, rows = 0;
    for (Operation *op : ops) {
      auto type = cast<ShapedType>(cast<DestinationStyleOpInterface>(op)
                                       .getDpsInits()
                                       .front()
                                       .getType());
      if (!type.hasStaticShape())
        return kRows;
      ArrayRef<int64_t> shape = type.getShape();
      rows = ShapedType::getNumElements(shape.take_front(numRowDims));
      elements = std::max(
          elements, ShapedType::getNumElements(shape.drop_front(numRowDims)));
    }
    bool oneEach = threads != 1 && rows > 1 && rows <= kRows &&
                   elements >= kLeastOfThread && elements <= kMostOfThread;
    if (!oneEach)
      return kRows;
    return threads == 0 ? 1 : llvm::divideCeil(rows, threads.getValue());
  }

  /// More than any cache where it is not known.
  static int64_t getRowBytes(ShapedType type, unsigned numRowDims) {
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t size : type.getShape().drop_front(numRowDims)) {
      if (ShapedType::isDynamic(size))
        return std::numeric_limits<int32_t>::max();
      bytes *= size;
    }
    return bytes;
  }

  remark::RemarkOpts getRemark(StringRef name) {
    return remark::RemarkOpts::name(name).category(getArgument());
  }

  void reportTiled(Location loc, scf::ForallOp loop, int64_t rows,
                   const std::string &names) {
    if (loop)
      remark::passed(loc, getRemark("rows-tiled"))
          << "one loop over rows for: " + names
          << remark::metric("tile-rows", rows);
    else
      remark::analysis(loc, getRemark("one-tile"))
          << "all rows in one tile: " + names
          << remark::metric("tile-rows", rows);
  }

  LogicalResult tileTensors(RewriterBase &rewriter, Block &block) {
    separateTemporaries(rewriter, block);
    forwardDims(block);
    SmallVector<RowOpGroup> groups = findRowOpGroups(
        block, [&](Operation *op, Operation *producer, StringRef reason) {
          remark::missed(op->getLoc(), getRemark("not-fused"))
              << (op->getName().getStringRef() + " is not fused with " +
                  producer->getName().getStringRef())
                     .str()
              << remark::reason("{0}", reason);
        });
    for (RowOpGroup &group : groups) {
      Location loc = group.ops.back()->getLoc();
      int64_t rows = getTileRows(group.ops, group.numRowDims);
      std::string names =
          llvm::join(llvm::map_range(group.ops,
                                     [](Operation *op) {
                                       return op->getName().getStringRef();
                                     }),
                     ", ");
      FailureOr<scf::ForallOp> loop =
          tileRowGroup(rewriter, group, rows, threads);
      if (failed(loop))
        return failure();
      reportTiled(loc, *loop, rows, names);
    }
    return success();
  }

  LogicalResult tileMemrefs(RewriterBase &rewriter, Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op);
      if (!destinationStyle || !destinationStyle.hasPureBufferSemantics())
        continue;
      std::optional<RowDims> dims = getRowDims(&op);
      if (!dims || dims->preferred == 0)
        continue;
      unsigned numRowDims = std::min(dims->most, dims->preferred);
      // Another order of the rows must not change what is read.
      if (llvm::any_of(op.getOpOperands(), [&](OpOperand &operand) {
            return getRowAccess(operand, numRowDims) == RowAccess::Other;
          }))
        continue;
      Location loc = op.getLoc();
      std::string name = op.getName().getStringRef().str();
      int64_t rows = getTileRows(&op, numRowDims);
      FailureOr<scf::ForallOp> loop = tileRowsOnMemrefs(
          rewriter, cast<TilingInterface>(op), numRowDims, rows, threads);
      if (failed(loop))
        return failure();
      reportTiled(loc, *loop, rows, name);
    }
    return success();
  }
};
} // namespace
