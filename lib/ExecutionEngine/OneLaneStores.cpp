//===- OneLaneStores.cpp - Masked stores of one lane as stores ------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneLaneStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <optional>

/// The lane that a constant mask of one lane has.
static std::optional<unsigned> getOnlyLane(llvm::Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> only;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    llvm::Constant *bit = constant->getAggregateElement(lane);
    if (!bit || !llvm::isa<llvm::ConstantInt>(bit))
      return std::nullopt;
    if (bit->isNullValue())
      continue;
    if (only)
      return std::nullopt;
    only = lane;
  }
  return only;
}

void mlir::xfmr::storeOnlyLanes(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store)
        continue;
      // The mask is the last operand.
      std::optional<unsigned> lane =
          getOnlyLane(store->getArgOperand(store->arg_size() - 1));
      if (!lane)
        continue;
      llvm::IRBuilder<> builder(store);
      llvm::Value *vector = store->getArgOperand(0);
      llvm::Type *element =
          llvm::cast<llvm::VectorType>(vector->getType())->getElementType();
      llvm::Value *address = builder.CreateConstInBoundsGEP1_64(
          element, store->getArgOperand(1), *lane);
      builder.CreateAlignedStore(builder.CreateExtractElement(vector, *lane),
                                 address, llvm::Align(1));
      store->eraseFromParent();
    }
  }
}
