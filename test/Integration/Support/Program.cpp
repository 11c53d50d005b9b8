//===- Program.cpp - Compiles module text and calls its functions ---------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "GuardedMemory.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "xfmr/ExecutionEngine/CEntry.h"
#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "xfmr/InitAll.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::test;

static void registerOnce() {
  [[maybe_unused]] static bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    mlir::registerAllPasses();
    xfmr::registerAllPasses();
    xfmr::registerAllPipelines();
    return true;
  }();
}

std::unique_ptr<MLIRContext> test::createContext(bool multithreaded) {
  registerOnce();
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  xfmr::registerAllDialects(registry);
  registerLLVMTranslations(registry);
  return std::make_unique<MLIRContext>(
      registry, multithreaded ? MLIRContext::Threading::ENABLED
                              : MLIRContext::Threading::DISABLED);
}

llvm::Expected<std::unique_ptr<Program>>
Program::compile(StringRef text, const ProgramOptions &options) {
  std::unique_ptr<Program> program(new Program);
  program->context = createContext();
  MLIRContext *context = program->context.get();
  std::string diagnostics;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(diagnostics);
    os << diagnostic.getLocation() << ": " << diagnostic << '\n';
    for (Diagnostic &note : diagnostic.getNotes())
      os << note.getLocation() << ": note: " << note << '\n';
  });
  auto fail = [&](const llvm::Twine &what) {
    return llvm::createStringError(what + "\n" + diagnostics);
  };

  program->source = parseSourceString<ModuleOp>(text, context);
  if (!program->source)
    return fail("the module does not parse");
  SmallVector<EntrySignature, 0> signatures;
  for (func::FuncOp function : getPublicFunctions(*program->source)) {
    llvm::Expected<EntrySignature> signature = EntrySignature::get(function);
    if (!signature)
      return signature.takeError();
    program->signatures[signature->name] = *signature;
    signatures.push_back(std::move(*signature));
  }

  OwningOpRef<ModuleOp> lowered(program->source->clone());
  FailureOr<OpPassManager> pipeline = parsePassPipeline(
      ("builtin.module(xfmr-lower-to-cpu{cpu=" + options.cpu +
       " threads=" + std::to_string(options.threads) +
       " parallel-from=" + std::to_string(options.parallelFrom) +
       " emulate=" + (options.emulate ? "true" : "false") +
       " batch-invariant=" + (options.batchInvariant ? "true" : "false") +
       " separate-buffers=" + (options.separateBuffers ? "true" : "false") +
       " runtime-checks=true})"));
  if (failed(pipeline))
    return fail("the pipeline does not parse");
  PassManager pm(context);
  static_cast<OpPassManager &>(pm) = std::move(*pipeline);
  if (failed(pm.run(*lowered)))
    return fail("lowering failed");

  llvm::Expected<CPUTarget> target =
      CPUTarget::get(options.emulate ? "host" : options.cpu);
  if (!target)
    return target.takeError();
  LLVMModuleOptions moduleOptions;
  moduleOptions.optLevel = options.optLevel;
  moduleOptions.packedEntries = true;
  moduleOptions.errorMessages = false;
  SmallVector<std::string> statuses = getStatusMessages(*lowered);
  for (const EntrySignature &signature : signatures)
    if (auto packed = getPackedSignatures(*lowered, signature))
      program->packed[signature.name] = std::move(*packed);
  std::vector<EntrySignature> entries =
      getLoweredSignatures(*lowered, signatures);
  for (const EntrySignature &signature : entries) {
    SmallVector<std::string> &all = program->messages[signature.name];
    all = statuses;
    llvm::append_range(all, getDescriptorMessages(signature));
  }
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      buildLLVMModule(*lowered, *llvmContext, *target, entries, moduleOptions);
  if (!module) {
    llvm::Error error = module.takeError();
    return fail("translation failed: " + llvm::toString(std::move(error)));
  }
  JITOptions jitOptions;
  jitOptions.optLevel = options.optLevel;
  jitOptions.symbols = {{"malloc", reinterpret_cast<void *>(&allocateGuarded)},
                        {"free", reinterpret_cast<void *>(&freeGuarded)}};
  if (options.threads != 1)
    jitOptions.libraries.push_back(findOpenMPLibrary());
  llvm::Expected<std::unique_ptr<JIT>> jit = JIT::create(
      std::move(llvmContext), std::move(*module), *target, jitOptions);
  if (!jit)
    return jit.takeError();
  program->jit = std::move(*jit);
  // Now: a symbol that is missing should stop here and not in some call.
  for (const EntrySignature &signature : entries) {
    llvm::Expected<JIT::PackedEntry> entry =
        program->jit->lookupPacked(signature.name);
    if (!entry)
      return fail("linking failed: " + llvm::toString(entry.takeError()));
  }
  return program;
}

func::FuncOp Program::getSource(StringRef function) {
  return source->lookupSymbol<func::FuncOp>(function);
}

Type Program::getType(StringRef text) {
  return llvm::StringSwitch<Type>(text)
      .Case("f16", Float16Type::get(getContext()))
      .Case("bf16", BFloat16Type::get(getContext()))
      .Case("f32", Float32Type::get(getContext()))
      .Case("f64", Float64Type::get(getContext()))
      .Case("i1", IntegerType::get(getContext(), 1));
}

/// Packs the weights among `pointers`, where the function takes packed ones,
/// and puts the packed ones there.
llvm::Expected<std::optional<PackedWeights>> Program::packWeights(
    StringRef function, SmallVectorImpl<void *> &pointers,
    function_ref<std::string(const EntrySignature &, int32_t)> getMessage) {
  auto found = packed.find(function);
  if (found == packed.end())
    return std::nullopt;
  const PackedSignatures &signatures = found->second;
  auto sizes = jit->lookupPacked(signatures.sizes.name);
  if (!sizes)
    return sizes.takeError();
  auto pack = jit->lookupPacked(signatures.pack.name);
  if (!pack)
    return pack.takeError();
  auto weights =
      PackedWeights::create(signatures, *sizes, *pack, pointers, getMessage);
  if (!weights)
    return weights.takeError();
  SmallVector<void *> arguments = weights->getArguments(signatures, pointers);
  llvm::append_range(arguments, ArrayRef(pointers).take_back(
                                    signatures.function.results.size()));
  pointers = std::move(arguments);
  return std::move(*weights);
}

llvm::Error Program::call(StringRef function, ArrayRef<Argument> arguments,
                          SmallVectorImpl<Returned> &results) {
  auto found = signatures.find(function);
  if (found == signatures.end())
    return llvm::createStringError("no function " + function);
  const EntrySignature &signature = found->second;
  if (signature.arguments.size() != arguments.size())
    return llvm::createStringError("wrong number of arguments");
  // A descriptor: allocated and aligned pointers, offset, sizes, strides.
  std::vector<std::vector<int64_t>> descriptors;
  descriptors.reserve(arguments.size() + signature.results.size());
  for (auto [argument, value] :
       llvm::zip_equal(arguments, signature.arguments)) {
    auto address = reinterpret_cast<int64_t>(argument.view.data) -
                   argument.offset * getElementBytes(value.elementType);
    std::vector<int64_t> words{address, address, argument.offset};
    llvm::append_range(words, argument.view.shape);
    llvm::append_range(words, argument.view.strides);
    descriptors.push_back(std::move(words));
  }
  for (const EntryValue &result : signature.results)
    descriptors.emplace_back(3 + 2 * result.getRank());
  SmallVector<void *> pointers;
  for (std::vector<int64_t> &words : descriptors)
    pointers.push_back(words.data());
  auto getMessage = [&](const EntrySignature &called, int32_t status) {
    ArrayRef<std::string> texts = messages[called.name];
    return status > 0 && status <= static_cast<int32_t>(texts.size())
               ? texts[status - 1]
               : "status " + std::to_string(status);
  };

  auto weights = packWeights(function, pointers, getMessage);
  if (!weights)
    return weights.takeError();
  llvm::Expected<JIT::PackedEntry> entry = jit->lookupPacked(function);
  if (!entry)
    return entry.takeError();
  if (int32_t status = (*entry)(pointers.data()))
    return llvm::createStringError(getMessage(signature, status));

  results.clear();
  for (auto [i, result] : llvm::enumerate(signature.results)) {
    ArrayRef<int64_t> words = descriptors[arguments.size() + i];
    int64_t rank = result.getRank();
    Returned returned;
    returned.view.elementType = result.elementType;
    returned.view.shape.assign(words.begin() + 3, words.begin() + 3 + rank);
    returned.view.strides.assign(words.begin() + 3 + rank, words.end());
    returned.view.data = reinterpret_cast<char *>(words[1]) +
                         words[2] * getElementBytes(result.elementType);
    bool isArgument =
        llvm::any_of(ArrayRef(descriptors).take_front(arguments.size()),
                     [&](const std::vector<int64_t> &argument) {
                       return argument[0] == words[0];
                     });
    if (!isArgument)
      returned.owned = reinterpret_cast<void *>(words[0]);
    results.push_back(std::move(returned));
  }
  return llvm::Error::success();
}

void test::freeResults(SmallVectorImpl<Returned> &results) {
  SmallVector<void *> freed;
  for (Returned &result : results)
    if (result.owned && !llvm::is_contained(freed, result.owned)) {
      freeGuarded(result.owned);
      freed.push_back(result.owned);
    }
  results.clear();
}
