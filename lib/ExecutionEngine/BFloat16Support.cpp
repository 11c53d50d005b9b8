//===- BFloat16Support.cpp - bf16 on processors without it ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BFloat16Support.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

static bool isBFloatVector(llvm::Type *type) {
  return type->isVectorTy() && type->getScalarType()->isBFloatTy();
}

/// The operand of a masked memory operation that has the type of the elements,
/// or -1 for another operation.
static int getElementsOperand(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::masked_gather:
  case Intrinsic::masked_load:
    return 2;
  case Intrinsic::masked_scatter:
  case Intrinsic::masked_store:
    return 0;
  default:
    return -1;
  }
}

/// Moves the bits of bf16 vectors as those of integers.
static void moveAsIntegers(IntrinsicInst &call, unsigned elements) {
  IRBuilder<> builder(&call);
  auto *type = cast<llvm::VectorType>(call.getArgOperand(elements)->getType());
  llvm::Type *bits =
      llvm::VectorType::get(builder.getInt16Ty(), type->getElementCount());
  SmallVector<Value *> operands(call.args());
  Value *&value = operands[elements];
  value = isa<PoisonValue>(value) ? PoisonValue::get(bits)
                                  : builder.CreateBitCast(value, bits);
  SmallVector<llvm::Type *> overloads{bits};
  for (Value *operand : operands)
    if (operand->getType()->isPtrOrPtrVectorTy())
      overloads.push_back(operand->getType());
  CallInst *moved =
      builder.CreateIntrinsic(call.getIntrinsicID(), overloads, operands);
  moved->setAttributes(call.getAttributes());
  moved->copyMetadata(call);
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(builder.CreateBitCast(moved, type));
  call.eraseFromParent();
}

/// Rounds an f32 to the nearest bf16, to even: the routine that code generation
/// calls where a processor lacks the instruction. libgcc has it from version 13
/// on only.
static void addConversion(Module &module) {
  if (Function *known = module.getFunction("__truncsfbf2");
      known && !known->isDeclaration())
    return;
  IRBuilder<> builder(module.getContext());
  auto *type = llvm::FunctionType::get(builder.getBFloatTy(),
                                       {builder.getFloatTy()}, false);
  auto *function = cast<Function>(
      module.getOrInsertFunction("__truncsfbf2", type).getCallee());
  function->setLinkage(GlobalValue::InternalLinkage);
  function->addFnAttr(Attribute::NoUnwind);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  Value *x = function->getArg(0);
  Value *bits = builder.CreateBitCast(x, builder.getInt32Ty());
  Value *odd = builder.CreateAnd(builder.CreateLShr(bits, 16), 1);
  Value *rounded =
      builder.CreateAdd(bits, builder.CreateAdd(odd, builder.getInt32(0x7fff)));
  // Rounding must not carry a NaN into an infinity.
  Value *quiet = builder.CreateOr(bits, 0x400000);
  Value *result =
      builder.CreateSelect(builder.CreateFCmpUNO(x, x), quiet, rounded);
  result =
      builder.CreateTrunc(builder.CreateLShr(result, 16), builder.getInt16Ty());
  builder.CreateRet(builder.CreateBitCast(result, builder.getBFloatTy()));
  appendToCompilerUsed(module, {function});
}

void mlir::xfmr::supportBFloat16(Module &module) {
  bool usesBFloat = false;
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : llvm::make_early_inc_range(block)) {
        usesBFloat |= instruction.getType()->getScalarType()->isBFloatTy();
        auto *call = dyn_cast<IntrinsicInst>(&instruction);
        int elements = call ? getElementsOperand(*call) : -1;
        if (elements >= 0 &&
            isBFloatVector(call->getArgOperand(elements)->getType()))
          moveAsIntegers(*call, elements);
      }
  if (usesBFloat)
    addConversion(module);
}
