//===- OperandDimsInterfaceImpl.cpp - Effects, speculation, result shapes -===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterfaceImpl.h"
#include "VerifierUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::xfmr;

SmallVector<int64_t> xfmr::detail::getDomainDims(Operation *op,
                                                 OpOperand &operand) {
  auto rowOp = cast<RowOpInterface>(op);
  int64_t domainRank =
      rowOp.getNumRowDims() + rowOp.getInnerIteratorTypes().size();
  return llvm::map_to_vector(
      rowOp.getOperandDims(operand), [&](OperandDim dim) {
        // A tile of a dim that is twice as long is two pieces of it.
        return dim.symbol < domainRank && dim.factor == 1 ? dim.symbol : -1;
      });
}

/// Memref inputs are read and destinations written; tensors have no effect. A
/// region's effects count by themselves.
void operand_dims::getEffects(
    OperandDimsInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    MemoryEffects::Effect *effect =
        op.isDpsInit(&operand)
            ? static_cast<MemoryEffects::Effect *>(MemoryEffects::Write::get())
            : MemoryEffects::Read::get();
    effects.emplace_back(effect, &operand, /*stage=*/0,
                         /*effectOnFullRegion=*/true,
                         SideEffects::DefaultResource::get());
  }
}

/// A dynamic dim may turn out not to match another, which is undefined: an op
/// with one must not run where it would not have run before.
Speculation::Speculatability
operand_dims::getSpeculatability(OperandDimsInterface op) {
  if (!op.hasPureTensorSemantics() ||
      llvm::any_of(op->getOperandTypes(), [](Type type) {
        return !cast<ShapedType>(type).hasStaticShape();
      }))
    return Speculation::NotSpeculatable;
  return op->getNumRegions() ? Speculation::RecursivelySpeculatable
                             : Speculation::Speculatable;
}

LogicalResult
operand_dims::reifyResultShapes(OperandDimsInterface op, OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (isa<TensorType>(init.get().getType()))
      shapes.push_back(tensor::getMixedSizes(builder, op.getLoc(), init.get()));
  return success();
}
