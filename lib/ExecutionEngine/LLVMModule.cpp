//===- LLVMModule.cpp - LLVM IR of a lowered module -----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/LLVMModule.h"

#include "BFloat16Support.h"
#include "OneLaneStores.h"
#include "VectorCode.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "xfmr/ExecutionEngine/CEntry.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace mlir::xfmr;

void mlir::xfmr::registerLLVMTranslations(DialectRegistry &registry) {
  registerAllToLLVMIRTranslations(registry);
}

llvm::CodeGenOptLevel mlir::xfmr::getCodeGenLevel(unsigned optLevel) {
  return *llvm::CodeGenOpt::getLevel(std::min(optLevel, 3u));
}

static bool usesTiles(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.getName().starts_with("llvm.x86.tile");
  });
}

llvm::CodeGenOptLevel mlir::xfmr::getCodeGenLevel(const llvm::Module &module,
                                                  unsigned optLevel) {
  return getCodeGenLevel(optLevel == 0 && usesTiles(module) ? 1 : optLevel);
}

/// Makes every function one for `target`, whatever it is compiled with.
static void setTargetAttributes(llvm::Module &module, const CPUTarget &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    // A lowering may have asked for features of its own.
    if (!target.features.empty() && !function.hasFnAttribute("target-features"))
      function.addFnAttr("target-features", target.features);
    // Some CPUs prefer half-width vectors in LLVM's tables, to spare the clock
    // of code that hardly uses them.
    function.addFnAttr("prefer-vector-width",
                       std::to_string(target.vectorBytes * 8));
    // Lets debuggers and profilers walk the stack.
    function.setUWTableKind(llvm::UWTableKind::Default);
  }
}

/// Makes functions that are called in one place part of their callers. LLVM
/// would do so too, but after it has simplified the function, and would then
/// simplify the whole once more.
static void inlineOnlyCalls(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (function.hasLocalLinkage() && function.use_empty())
      function.eraseFromParent();
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (!function.hasLocalLinkage())
      continue;
    auto *call = function.hasOneUse()
                     ? llvm::dyn_cast<llvm::CallInst>(*function.user_begin())
                     : nullptr;
    if (!call || call->getCalledFunction() != &function || call->isNoInline() ||
        call->getFunction() == &function)
      continue;
    auto isSame = [&](StringRef attribute) {
      return function.getFnAttribute(attribute) ==
             call->getFunction()->getFnAttribute(attribute);
    };
    llvm::InlineFunctionInfo info;
    if (isSame("target-cpu") && isSame("target-features") &&
        llvm::InlineFunction(*call, info, /*MergeAttributes=*/true).isSuccess())
      function.eraseFromParent();
  }
}

llvm::Expected<std::unique_ptr<llvm::Module>> mlir::xfmr::buildLLVMModule(
    ModuleOp lowered, llvm::LLVMContext &context, const CPUTarget &target,
    ArrayRef<EntrySignature> signatures, const LLVMModuleOptions &options) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      target.createTargetMachine(getCodeGenLevel(options.optLevel));
  if (!machine)
    return machine.takeError();
  SmallVector<std::string> messages = getStatusMessages(lowered);
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(lowered, context, "xfmr");
  if (!module)
    return llvm::createStringError(
        "the lowered module cannot be translated to LLVM IR");
  if (options.optLevel == 0 && usesTiles(*module))
    emitRemark(lowered.getLoc(),
               "code is generated at level 1, not 0: AMX tiles need it");
  module->setDataLayout((*machine)->createDataLayout());
  module->setTargetTriple((*machine)->getTargetTriple());

  llvm::StringSet<> exported;
  for (const EntrySignature &signature : signatures) {
    std::string symbol = signature.name + options.entrySuffix;
    llvm::Expected<llvm::Function *> entry =
        addCEntry(*module, signature, symbol, options.checkDescriptors,
                  messages.size() + 1);
    if (!entry)
      return entry.takeError();
    exported.insert(symbol);
    if (options.packedEntries) {
      addPackedEntry(*module, **entry, symbol + ".packed");
      exported.insert(symbol + ".packed");
    }
    if (options.errorMessages) {
      SmallVector<std::string> all(messages);
      llvm::append_range(all, getDescriptorMessages(signature));
      addErrorMessageFunction(*module, symbol, all);
      exported.insert(symbol + "_error_message");
    }
  }
  llvm::internalizeModule(*module, [&](const llvm::GlobalValue &value) {
    return exported.contains(value.getName());
  });
  setTargetAttributes(*module, target);
  // After it: of several levels, all share one conversion, which therefore is
  // for any processor.
  if (!target.convertsBF16)
    supportBFloat16(*module);

  if (options.optLevel > 0)
    inlineOnlyCalls(*module);
  std::string error;
  llvm::raw_string_ostream os(error);
  if (llvm::verifyModule(*module, &os))
    return llvm::createStringError("the LLVM IR is not valid: " + error);
  llvm::Error optimized =
      options.optLevel > 1 && isVectorCode(*module)
          ? optimizeVectorCode(*module, **machine)
          : makeOptimizingTransformer(options.optLevel, /*sizeLevel=*/0,
                                      machine->get())(module.get());
  if (optimized)
    return optimized;
  storeOnlyLanes(*module);
  return module;
}
