//===- AMXPermission.cpp - The kernel's permission to use tiles -----------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMXPermission.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::xfmr;

/// What the kernel answered: 0 when it granted the permission, else an error.
static constexpr StringLiteral kAnswer = "xfmr_amx_permission";
static constexpr StringLiteral kConstructor = "xfmr_ask_amx_permission";

// From Linux's arch/x86/include/uapi/asm/prctl.h and asm/fpu/types.h.
static constexpr int64_t kArchPrctl = 158;
static constexpr int64_t kRequestPermission = 0x1023;
static constexpr int64_t kTileData = 18;

static void addConstructor(OpBuilder &builder, Location loc, ModuleOp module) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  Type i64 = builder.getI64Type();
  LLVM::GlobalOp::create(builder, loc, i64, /*isConstant=*/false,
                         LLVM::Linkage::Internal, kAnswer,
                         builder.getI64IntegerAttr(-1));
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, kConstructor,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()),
                                  {}),
      LLVM::Linkage::Internal);
  // Constructors of other priorities come first.
  LLVM::GlobalCtorsOp::create(
      builder, loc,
      builder.getArrayAttr(
          FlatSymbolRefAttr::get(builder.getContext(), kConstructor)),
      builder.getI32ArrayAttr({65535}),
      builder.getArrayAttr(LLVM::ZeroAttr::get(builder.getContext())));

  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  SmallVector<Value> operands;
  for (int64_t value : {kArchPrctl, kRequestPermission, kTileData})
    operands.push_back(LLVM::ConstantOp::create(
        builder, loc, i64, builder.getI64IntegerAttr(value)));
  auto call = LLVM::InlineAsmOp::create(
      builder, loc, i64, operands, "syscall",
      "={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
  Value address = LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), kAnswer);
  LLVM::StoreOp::create(builder, loc, call.getRes(), address);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

Value mlir::xfmr::emitAMXPermitted(OpBuilder &builder, Location loc,
                                   ModuleOp module) {
  if (!module.lookupSymbol(kAnswer))
    addConstructor(builder, module.getLoc(), module);
  Value address = LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), kAnswer);
  Value answer =
      LLVM::LoadOp::create(builder, loc, builder.getI64Type(), address);
  Value granted = arith::ConstantIntOp::create(builder, loc, 0, 64);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, answer,
                               granted);
}

void mlir::xfmr::grantAMXPermission(ModuleOp module) {
  auto answer = module.lookupSymbol<LLVM::GlobalOp>(kAnswer);
  if (!answer)
    return;
  answer.setValueAttr(Builder(module.getContext()).getI64IntegerAttr(0));
  for (auto constructors :
       llvm::make_early_inc_range(module.getOps<LLVM::GlobalCtorsOp>()))
    if (llvm::all_of(constructors.getCtors(), [](Attribute symbol) {
          return cast<FlatSymbolRefAttr>(symbol).getValue() == kConstructor;
        }))
      constructors.erase();
  if (Operation *constructor = module.lookupSymbol(kConstructor))
    constructor->erase();
}
