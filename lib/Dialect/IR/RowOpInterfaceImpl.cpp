//===- RowOpInterfaceImpl.cpp - Effects, speculation and shapes of row ops -*-
//C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

static LogicalResult reifyDestinations(DestinationStyleOpInterface op,
                                       OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (isa<TensorType>(init.get().getType()))
      shapes.push_back(tensor::getMixedSizes(builder, op.getLoc(), init.get()));
  return success();
}

#define XFMR_ROW_OP_INTERFACES(OpTy)                                           \
  void OpTy::getEffects(Effects &effects) {                                    \
    getDestinationStyleEffects(*this, effects);                                \
  }                                                                            \
  Speculation::Speculatability OpTy::getSpeculatability() {                    \
    return canSpeculate(*this) ? Speculation::Speculatable                     \
                               : Speculation::NotSpeculatable;                 \
  }                                                                            \
  LogicalResult OpTy::reifyResultShapes(OpBuilder &builder,                    \
                                        ReifiedRankedShapedTypeDims &shapes) { \
    return reifyDestinations(*this, builder, shapes);                          \
  }

XFMR_ROW_OP_INTERFACES(RMSNormOp)
XFMR_ROW_OP_INTERFACES(LayerNormOp)
XFMR_ROW_OP_INTERFACES(AddRMSNormOp)
XFMR_ROW_OP_INTERFACES(AddLayerNormOp)
XFMR_ROW_OP_INTERFACES(FFNOp)
XFMR_ROW_OP_INTERFACES(GLUFFNOp)
XFMR_ROW_OP_INTERFACES(SwiGLUFFNOp)
XFMR_ROW_OP_INTERFACES(GatedActOp)

#undef XFMR_ROW_OP_INTERFACES

// A residual block's own operands; its region's effects count by themselves.
void ResidualBlockOp::getEffects(Effects &effects) {
  getDestinationStyleEffects(*this, effects);
}

Speculation::Speculatability ResidualBlockOp::getSpeculatability() {
  return canSpeculate(*this) ? Speculation::RecursivelySpeculatable
                             : Speculation::NotSpeculatable;
}
