//===- Library.cpp - Functions compiled ahead of time ---------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/Library.h"

#include "xfmr/ExecutionEngine/CEntry.h"
#include "xfmr/ExecutionEngine/Dispatch.h"
#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "xfmr/ExecutionEngine/PackedSignatures.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::xfmr;

/// Bytes that a C entry writes for a result.
static uint64_t getResultBytes(const EntryValue &value) {
  return value.isScalar ? getElementBytes(value.elementType)
                        : 8 * (3 + 2 * value.getRank());
}

/// Makes `entries` such that they are those for another CPU too: sizes of
/// packed weights that differ are open. Fails when anything else differs.
static LogicalResult mergeEntries(std::vector<EntrySignature> &entries,
                                  ArrayRef<EntrySignature> others) {
  if (entries.size() != others.size())
    return failure();
  auto merge = [](SmallVector<EntryValue> &values,
                  ArrayRef<EntryValue> otherValues) {
    if (values.size() != otherValues.size())
      return failure();
    for (auto [value, other] : llvm::zip_equal(values, otherValues)) {
      if (value.name != other.name || value.sizesOnly != other.sizesOnly ||
          value.getRank() != other.getRank())
        return failure();
      value.mayBeInPlace &= other.mayBeInPlace;
      for (auto [size, otherSize] : llvm::zip_equal(value.shape, other.shape))
        if (size != otherSize)
          size = ShapedType::kDynamic;
    }
    return success();
  };
  for (auto [entry, other] : llvm::zip_equal(entries, others))
    if (entry.name != other.name ||
        failed(merge(entry.arguments, other.arguments)) ||
        failed(merge(entry.results, other.results)))
      return failure();
  return success();
}

/// Compiles for one CPU. `messages` are those of the functions' checks, and
/// `entries` what lowering made of the functions.
static llvm::Expected<std::unique_ptr<llvm::Module>>
compileFor(ModuleOp module, ArrayRef<EntrySignature> signatures,
           llvm::LLVMContext &context, const LibraryOptions &options,
           const CPUTarget &target, StringRef suffix,
           SmallVector<std::string> &messages,
           std::vector<EntrySignature> &entries) {
  OwningOpRef<ModuleOp> lowered(module.clone());
  LoweringOptions lowering = options.lowering;
  // What code emulates need not be what it is for.
  lowering.cpu = lowering.emulate ? options.cpus[0] : target.getName();
  if (failed(lowerToCPU(*lowered, lowering)))
    return llvm::createStringError("the module could not be lowered for '" +
                                   lowering.cpu + "'");
  messages = getStatusMessages(*lowered);
  entries = getLoweredSignatures(*lowered, signatures);
  LLVMModuleOptions llvmOptions;
  llvmOptions.optLevel = options.optLevel;
  llvmOptions.checkDescriptors = options.lowering.runtimeChecks;
  llvmOptions.entrySuffix = suffix.str();
  llvmOptions.errorMessages = suffix.empty();
  return buildLLVMModule(*lowered, context, target, entries, llvmOptions);
}

llvm::Expected<Library>
mlir::xfmr::compileLibrary(ModuleOp module, ArrayRef<EntrySignature> signatures,
                           llvm::LLVMContext &context,
                           const LibraryOptions &options) {
  SmallVector<CPUTarget> targets;
  for (const std::string &cpu : options.cpus) {
    llvm::Expected<CPUTarget> target = CPUTarget::get(cpu);
    if (!target)
      return target.takeError();
    if (!targets.empty() && target->triple != targets[0].triple)
      return llvm::createStringError("one file cannot hold code for both '" +
                                     options.cpus[0] + "' and '" + cpu + "'");
    targets.push_back(std::move(*target));
  }
  if (options.lowering.emulate) {
    if (targets.size() != 1)
      return llvm::createStringError(
          "code that emulates a CPU is for the host alone: name one CPU");
    llvm::Expected<CPUTarget> host = CPUTarget::get("host");
    if (!host)
      return host.takeError();
    targets[0] = std::move(*host);
  }
  SmallVector<std::string> messages;
  std::vector<EntrySignature> entries;
  if (targets.size() == 1) {
    auto compiled = compileFor(module, signatures, context, options, targets[0],
                               "", messages, entries);
    if (!compiled)
      return compiled.takeError();
    return Library{std::move(*compiled), targets[0], std::move(entries)};
  }

  SmallVector<CPURequirements> requirements;
  for (const CPUTarget &target : targets) {
    llvm::Expected<CPURequirements> needs = getCPURequirements(target);
    if (!needs)
      return needs.takeError();
    requirements.push_back(std::move(*needs));
  }
  sortByPreference(targets, requirements);
  // The code around the functions is for any processor of the architecture.
  llvm::Expected<CPUTarget> baseline =
      CPUTarget::get(targets[0].triple + "/x86-64");
  if (!baseline)
    return baseline.takeError();
  auto machine = baseline->createTargetMachine(getCodeGenLevel(0));
  if (!machine)
    return machine.takeError();
  auto combined = std::make_unique<llvm::Module>("xfmr", context);
  combined->setDataLayout((*machine)->createDataLayout());
  combined->setTargetTriple((*machine)->getTargetTriple());

  llvm::Linker linker(*combined);
  SmallVector<std::string> suffixes;
  for (const CPUTarget &target : targets) {
    std::string suffix = target.isHost ? ".host" : "." + target.cpu;
    std::replace(suffix.begin(), suffix.end(), '-', '_');
    if (llvm::is_contained(suffixes, suffix))
      return llvm::createStringError("the CPU '" + target.cpu +
                                     "' is named twice");
    suffixes.push_back(suffix);
    SmallVector<std::string> ownMessages;
    std::vector<EntrySignature> ownEntries;
    auto compiled = compileFor(module, signatures, context, options, target,
                               suffix, ownMessages, ownEntries);
    if (!compiled)
      return compiled.takeError();
    if (suffixes.size() > 1 && ownMessages != messages)
      return llvm::createStringError(
          "the runtime checks for '" + target.cpu + "' and '" + targets[0].cpu +
          "' differ: compile for one of them, or without checks");
    messages = std::move(ownMessages);
    if (suffixes.size() == 1)
      entries = std::move(ownEntries);
    else if (failed(mergeEntries(entries, ownEntries)))
      return llvm::createStringError(
          "the weights that are packed for '" + target.cpu + "' and '" +
          targets[0].cpu +
          "' differ: compile for one of them, or without packing");
    if (linker.linkInModule(std::move(*compiled)))
      return llvm::createStringError("the code for '" + target.cpu +
                                     "' cannot be linked with the rest");
  }

  std::string unsupported =
      "this processor can run none of what was compiled for: " +
      llvm::join(options.cpus, ", ");
  for (const EntrySignature &signature : entries) {
    SmallVector<DispatchLevel> levels;
    for (auto [suffix, needs] : llvm::zip_equal(suffixes, requirements))
      levels.push_back({combined->getFunction(signature.name + suffix), needs});
    addDispatch(*combined, signature.name, levels,
                llvm::map_to_vector(signature.results, getResultBytes));
    SmallVector<std::string> all(messages);
    llvm::append_range(all, getDescriptorMessages(signature));
    addErrorMessageFunction(*combined, signature.name, all, unsupported);
  }
  return Library{std::move(combined), std::move(*baseline), std::move(entries)};
}
