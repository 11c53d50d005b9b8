//===- NarrowMasksToInteger.cpp - Masked accesses of f16 and bf16 ---------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../HiddenValue.h"
#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
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

/// The lane that a constant mask of one lane has.
static std::optional<int64_t> getOnlyLane(Value mask) {
  DenseElementsAttr constant;
  if (!matchPattern(mask, m_Constant(&constant)) ||
      !constant.getElementType().isInteger(1))
    return std::nullopt;
  std::optional<int64_t> only;
  for (auto [lane, bit] : llvm::enumerate(constant.getValues<bool>())) {
    if (!bit)
      continue;
    if (only)
      return std::nullopt;
    only = lane;
  }
  return only;
}

/// LLVM's x86 code generator stores such a lane as it was before a truncation,
/// and so writes past its end.
static bool storeOnlyLane(OpBuilder &builder, LLVM::MaskedStoreOp store) {
  std::optional<int64_t> lane = getOnlyLane(store.getMask());
  if (!lane)
    return false;
  Location loc = store.getLoc();
  Type element = cast<VectorType>(store.getValue().getType()).getElementType();
  Type i64 = builder.getI64Type();
  Value index = LLVM::ConstantOp::create(builder, loc, i64,
                                         builder.getI64IntegerAttr(*lane));
  Value value =
      LLVM::ExtractElementOp::create(builder, loc, store.getValue(), index);
  Value place = LLVM::GEPOp::create(builder, loc, store.getData().getType(),
                                    element, store.getData(), index);
  LLVM::StoreOp::create(builder, loc, value, place, store.getAlignment());
  store.erase();
  return true;
}

/// LLVM's x86 code generator has no non-temporal store of such vectors, and
/// makes of a store of their bits one of themselves: an empty assembly hides
/// where the bits come from.
static void storeWords(OpBuilder &builder, LLVM::StoreOp store) {
  // Of the size of a native vector, as the alignment is.
  int64_t partWords = store.getAlignment().value_or(0) / 4;
  auto type = cast<VectorType>(store.getValue().getType());
  int64_t words = type.getNumElements() / 2;
  if (type.getRank() != 1 || partWords == 0 || words % partWords != 0)
    return;
  Location loc = store.getLoc();
  Type word = builder.getI32Type();
  Value bits = LLVM::BitcastOp::create(
      builder, loc, VectorType::get({words}, word), store.getValue());
  for (int64_t offset = 0; offset < words; offset += partWords) {
    SmallVector<int32_t> lanes = llvm::to_vector(
        llvm::seq<int32_t>(static_cast<int32_t>(offset),
                           static_cast<int32_t>(offset + partWords)));
    Value part = LLVM::ShuffleVectorOp::create(builder, loc, bits, bits, lanes);
    part = xfmr::hideInRegister(builder, loc, part, "v");
    Value place = LLVM::GEPOp::create(
        builder, loc, store.getAddr().getType(), word, store.getAddr(),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    LLVM::StoreOp::create(builder, loc, part, place,
                          store.getAlignment().value_or(0),
                          /*isVolatile=*/false, /*isNonTemporal=*/true);
  }
  store.erase();
}

static bool isX86(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto triple = module ? module->getAttrOfType<StringAttr>(
                             LLVM::LLVMDialect::getTargetTripleAttrName())
                       : StringAttr();
  return triple && triple.getValue().starts_with("x86_64");
}

namespace {

struct NarrowMasksToInteger
    : xfmr::impl::NarrowMasksToIntegerBase<NarrowMasksToInteger> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (auto store = dyn_cast<LLVM::StoreOp>(op);
          store && store.getNontemporal() && isX86(op) &&
          getIntegerVector(store.getValue().getType())) {
        builder.setInsertionPoint(op);
        return storeWords(builder, store);
      }
      if (!isa<LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather,
               LLVM::masked_scatter>(op))
        return;
      // Pointers have no element type: operands and results are all there is.
      builder.setInsertionPoint(op);
      if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op))
        if (storeOnlyLane(builder, store))
          return;
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
