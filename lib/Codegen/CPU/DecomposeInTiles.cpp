//===- DecomposeInTiles.cpp - Bufferized ops to linalg --------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "xfmr/Dialect/IR/Decomposition.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_DECOMPOSEINTILES
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

/// Decomposes the op on tensors that are read from its buffers and written to
/// them, so that the values between its parts have no memory yet.
static LogicalResult decomposeOnTensors(RewriterBase &rewriter, Operation *op) {
  Location loc = op->getLoc();
  auto destinationStyle = cast<DestinationStyleOpInterface>(op);
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isInit = destinationStyle.isDpsInit(&operand);
    auto buffer = cast<MemRefType>(operand.get().getType());
    auto tensor =
        RankedTensorType::get(buffer.getShape(), buffer.getElementType());
    operands.push_back(bufferization::ToTensorOp::create(
        rewriter, loc, tensor, operand.get(), /*restrict=*/true,
        /*writable=*/isInit));
    if (isInit)
      types.push_back(tensor);
  }
  Operation *onTensors = mlir::clone(rewriter, op, types, operands);
  rewriter.setInsertionPoint(onTensors);
  FailureOr<SmallVector<Value>> results =
      cast<linalg::AggregatedOpInterface>(onTensors).decomposeOperation(
          rewriter);
  if (succeeded(results))
    for (auto [result, init] :
         llvm::zip_equal(*results, destinationStyle.getDpsInits()))
      bufferization::MaterializeInDestinationOp::create(
          rewriter, loc, /*result=*/Type(), result, init, /*restrict=*/true,
          /*writable=*/true);
  rewriter.eraseOp(onTensors);
  for (Value operand : operands)
    if (operand.use_empty())
      rewriter.eraseOp(operand.getDefiningOp());
  return LogicalResult(results);
}

namespace {
struct DecomposeInTiles : xfmr::impl::DecomposeInTilesBase<DecomposeInTiles> {
  using DecomposeInTilesBase::DecomposeInTilesBase;

  void runOnOperation() override {
    for (auto &[name, value] :
         {std::pair("hidden-block", hiddenBlock.getValue()),
          std::pair("column-block", columnBlock.getValue())})
      if (value < 1) {
        emitError(getOperation()->getLoc(), "expected a ")
            << name << " of 1 or more, got " << value;
        return signalPassFailure();
      }
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<RowOpInterface, ResidualBlockOp>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops)
      if (failed(decompose(rewriter, op)))
        return signalPassFailure();
  }

  LogicalResult decompose(RewriterBase &rewriter, Operation *op) {
    if (isa<ResidualBlockOp>(op))
      return op->emitOpError("expected to be expanded before it is decomposed: "
                             "run xfmr-expand-residual-blocks first");
    rewriter.setInsertionPoint(op);
    std::optional<FFNSpec> spec = getNetwork(op);
    auto destinationStyle = cast<DestinationStyleOpInterface>(op);
    if (!destinationStyle.hasPureBufferSemantics()) {
      if (!spec) // A value between ops on buffers.
        return decomposeValue(rewriter, op);
      remark::missed(
          op->getLoc(),
          remark::RemarkOpts::name("on-tensors").category(getArgument()))
          << (op->getName().getStringRef() +
              " is on tensors and left alone: bufferize first")
                 .str();
      return success();
    }
    LogicalResult result = failure();
    if (spec)
      result = decomposeFFNInBlocks(rewriter, op->getLoc(), *spec,
                                    {hiddenBlock, hiddenElements, columnBlock});
    else if (isa<GatedActOp>(op)) // One linalg op, without temporaries.
      result = LogicalResult(
          cast<linalg::AggregatedOpInterface>(op).decomposeOperation(rewriter));
    else
      result = decomposeOnTensors(rewriter, op);
    if (failed(result))
      return op->emitOpError("has no decomposition into linalg");
    rewriter.eraseOp(op);
    return success();
  }

  static LogicalResult decomposeValue(RewriterBase &rewriter, Operation *op) {
    FailureOr<SmallVector<Value>> results =
        cast<linalg::AggregatedOpInterface>(op).decomposeOperation(rewriter);
    if (failed(results))
      return op->emitOpError("has no decomposition into linalg");
    rewriter.replaceOp(op, *results);
    return success();
  }
};
} // namespace
