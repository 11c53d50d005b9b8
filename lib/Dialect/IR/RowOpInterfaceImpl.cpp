//===- RowOpInterfaceImpl.cpp - Effects, speculation and shapes of row ops -*-
// C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowOpInterfaceImpl.h"
#include "ShapeUtils.h"
#include "VerifierUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::xfmr;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Memref inputs are read and destinations written; tensors have no effect.
static void getDestinationStyleEffects(DestinationStyleOpInterface op,
                                       Effects &effects) {
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
static bool canSpeculate(DestinationStyleOpInterface op) {
  return op.hasPureTensorSemantics() &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           return cast<ShapedType>(type).hasStaticShape();
         });
}

void row_op::getEffects(RowOpInterface op, Effects &effects) {
  getDestinationStyleEffects(op, effects);
}

Speculation::Speculatability row_op::getSpeculatability(RowOpInterface op) {
  return canSpeculate(op) ? Speculation::Speculatable
                          : Speculation::NotSpeculatable;
}

LogicalResult row_op::reifyResultShapes(RowOpInterface op, OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (isa<TensorType>(init.get().getType()))
      shapes.push_back(tensor::getMixedSizes(builder, op.getLoc(), init.get()));
  return success();
}

// A residual block's own operands; its region's effects count by themselves.
void ResidualBlockOp::getEffects(Effects &effects) {
  getDestinationStyleEffects(*this, effects);
}

Speculation::Speculatability ResidualBlockOp::getSpeculatability() {
  return canSpeculate(*this) ? Speculation::RecursivelySpeculatable
                             : Speculation::NotSpeculatable;
}
