//===- OneLaneStoresTest.cpp - Masked stores of one lane ------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/ExecutionEngine/OneLaneStores.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace mlir::xfmr;

/// A function that stores the low halves of four numbers under a mask.
static std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &context,
                                           const std::string &mask) {
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(
      "define void @f(<4 x i32> %x, ptr %p) {\n"
      "  %t = trunc <4 x i32> %x to <4 x i16>\n"
      "  call void @llvm.masked.store.v4i16.p0(<4 x i16> %t, ptr align 2 %p, "
      "<4 x i1> " +
          mask +
          ")\n"
          "  ret void\n"
          "}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  return module;
}

static unsigned countStores(llvm::Module &module) {
  unsigned count = 0;
  for (llvm::Instruction &instruction :
       llvm::instructions(*module.getFunction("f")))
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      count += store->getValueOperand()->getType()->isIntegerTy(16);
  return count;
}

TEST(OneLaneStores, OneLaneIsStored) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      parse(context, "<i1 0, i1 0, i1 1, i1 0>");
  ASSERT_TRUE(module);
  storeOnlyLanes(*module);
  EXPECT_EQ(countStores(*module), 1u);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
}

TEST(OneLaneStores, OtherMasksStay) {
  for (const char *mask : {"<i1 0, i1 1, i1 1, i1 0>", "zeroinitializer",
                           "<i1 1, i1 poison, i1 0, i1 0>"}) {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = parse(context, mask);
    ASSERT_TRUE(module);
    storeOnlyLanes(*module);
    EXPECT_EQ(countStores(*module), 0u) << mask;
  }
}
