//===- JIT.cpp - Compiled functions in this process -----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/JIT.h"

#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::xfmr;

JIT::JIT() = default;

JIT::~JIT() {
  if (jit)
    llvm::consumeError(jit->deinitialize(jit->getMainJITDylib()));
}

llvm::Expected<std::unique_ptr<JIT>>
JIT::create(std::unique_ptr<llvm::LLVMContext> context,
            std::unique_ptr<llvm::Module> module, const CPUTarget &target,
            const JITOptions &options) {
  llvm::orc::JITTargetMachineBuilder machine{llvm::Triple(target.triple)};
  SmallVector<StringRef> features;
  StringRef(target.features).split(features, ',', -1, /*KeepEmpty=*/false);
  machine.setCPU(target.cpu)
      .addFeatures(std::vector<std::string>(features.begin(), features.end()))
      .setRelocationModel(llvm::Reloc::PIC_)
      .setCodeGenOptLevel(getCodeGenLevel(*module, options.optLevel));

  auto createLayer = [&](llvm::orc::ExecutionSession &session)
      -> llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>> {
    auto layer = std::make_unique<llvm::orc::RTDyldObjectLinkingLayer>(
        session, [](const llvm::MemoryBuffer &) {
          return std::make_unique<llvm::SectionMemoryManager>();
        });
    // LLVM owns the listeners.
    if (auto *gdb = llvm::JITEventListener::createGDBRegistrationListener())
      layer->registerJITEventListener(*gdb);
    if (options.notifyPerf)
      if (auto *perf = llvm::JITEventListener::createPerfJITEventListener())
        layer->registerJITEventListener(*perf);
    return layer;
  };
  auto lljit = llvm::orc::LLJITBuilder()
                   .setJITTargetMachineBuilder(std::move(machine))
                   .setObjectLinkingLayerCreator(createLayer)
                   .create();
  if (!lljit)
    return lljit.takeError();

  std::unique_ptr<JIT> result(new JIT);
  result->jit = std::move(*lljit);
  llvm::orc::JITDylib &dylib = result->jit->getMainJITDylib();
  llvm::orc::SymbolMap symbols;
  for (const auto &[name, address] : options.symbols)
    symbols[result->jit->mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (llvm::Error error =
          dylib.define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return error;
  // The process comes first: a library's dependencies are searched with it, and
  // memory of its `malloc` may not be the process's to free.
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      result->jit->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  dylib.addGenerator(std::move(*process));
  for (const std::string &library : options.libraries) {
    auto generator = llvm::orc::DynamicLibrarySearchGenerator::Load(
        library.c_str(), result->jit->getDataLayout().getGlobalPrefix());
    if (!generator)
      return generator.takeError();
    dylib.addGenerator(std::move(*generator));
  }
  if (llvm::Error error = result->jit->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return error;
  if (llvm::Error error = result->jit->initialize(dylib))
    return error;
  return result;
}

llvm::Expected<JIT::PackedEntry> JIT::lookupPacked(StringRef entry) {
  auto address = jit->lookup((entry + ".packed").str());
  if (!address)
    return address.takeError();
  return address->toPtr<PackedEntry>();
}

std::string mlir::xfmr::findOpenMPLibrary() {
  for (StringRef path : {XFMR_LLVM_LIBRARY_DIR "/libomp.so"})
    if (llvm::sys::fs::exists(path))
      return path.str();
  return {};
}
