//===- BufferizableOpInterfaceImpl.cpp - Bufferization ----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/Dialect.h"
#include "xfmr/Dialect/IR/Xfmr.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::xfmr;

namespace {

/// Row ops write their destinations and never read them. The ops stay whole:
/// only as such can they say that a destination may be one of the inputs.
template <typename OpTy>
struct RowOpBufferization
    : DstBufferizableOpInterfaceExternalModel<RowOpBufferization<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    auto rowOp = cast<RowOpInterface>(op);
    if (!rowOp.isElementwiseInPlace())
      return false;
    // Only operands that are walked like the rows of the destination are last
    // read at the element that is then written: a gamma is read by every row.
    SmallVector<int64_t> destination =
        rowOp.getDomainDims(*rowOp.getDpsInitOperand(0));
    return llvm::all_of(operands, [&](OpOperand *operand) {
      return rowOp.getDomainDims(*operand) == destination;
    });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto destinationStyle = cast<DestinationStyleOpInterface>(op);
    if (destinationStyle.hasPureBufferSemantics())
      return success();
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    SmallVector<Value> destinations;
    for (OpOperand &init : destinationStyle.getDpsInitsMutable())
      destinations.push_back(buffers[init.getOperandNumber()]);
    rewriter.setInsertionPoint(op);
    mlir::clone(rewriter, op, /*newResultTypes=*/TypeRange(), buffers);
    replaceOpWithBufferizedValues(rewriter, op, destinations);
    return success();
  }
};

/// A residual block is expanded before it is bufferized: the type of its
/// region's argument belongs to the op.
struct ResidualBlockBufferization
    : DstBufferizableOpInterfaceExternalModel<ResidualBlockBufferization,
                                              ResidualBlockOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    if (cast<DestinationStyleOpInterface>(op).hasPureBufferSemantics())
      return success();
    return op->emitOpError("expected to be expanded before bufferization: run "
                           "xfmr-expand-residual-blocks first");
  }
};

struct YieldBufferization
    : BufferizableOpInterface::ExternalModel<YieldBufferization, YieldOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  LogicalResult bufferize(Operation *, RewriterBase &,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    return success(); // The block around it says what to do.
  }
};

/// Attaches the model of row ops to those of `Ops` that are.
template <typename... Ops> void attachToRowOps(MLIRContext &context) {
  auto attach = [&](auto *op) {
    using OpTy = std::remove_pointer_t<decltype(op)>;
    if constexpr (OpTy::template hasTrait<RowOpInterface::Trait>())
      OpTy::template attachInterface<RowOpBufferization<OpTy>>(context);
  };
  (attach(static_cast<Ops *>(nullptr)), ...);
}

} // namespace

void xfmr::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, XfmrDialect *) {
    attachToRowOps<
#define GET_OP_LIST
#include "xfmr/Dialect/IR/XfmrOps.cpp.inc"
        >(*context);
    ResidualBlockOp::attachInterface<ResidualBlockBufferization>(*context);
    YieldOp::attachInterface<YieldBufferization>(*context);
  });
}
