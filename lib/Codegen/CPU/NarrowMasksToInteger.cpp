//===- NarrowMasksToInteger.cpp - Masked accesses of f16 and bf16 ---------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_NARROWMASKSTOINTEGER
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;

/// The vector of integers as wide as the f16 or bf16 elements of `type`.
static VectorType getIntegerVector(Type type) {
  auto vectorType = dyn_cast<VectorType>(type);
  if (!vectorType || (!vectorType.getElementType().isF16() &&
                      !vectorType.getElementType().isBF16()))
    return {};
  return vectorType.clone(IntegerType::get(type.getContext(), 16));
}

namespace {

struct NarrowMasksToInteger
    : xfmr::impl::NarrowMasksToIntegerBase<NarrowMasksToInteger> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (!isa<LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather,
               LLVM::masked_scatter>(op))
        return;
      // Pointers have no element type: operands and results are all there is.
      builder.setInsertionPoint(op);
      for (OpOperand &operand : op->getOpOperands())
        if (VectorType type = getIntegerVector(operand.get().getType()))
          operand.set(LLVM::BitcastOp::create(builder, op->getLoc(), type,
                                              operand.get()));
      builder.setInsertionPointAfter(op);
      for (OpResult result : op->getResults()) {
        VectorType type = getIntegerVector(result.getType());
        if (!type)
          continue;
        Type narrow = result.getType();
        result.setType(type);
        auto cast =
            LLVM::BitcastOp::create(builder, op->getLoc(), narrow, result);
        result.replaceAllUsesExcept(cast, cast);
      }
    });
  }
};

} // namespace
