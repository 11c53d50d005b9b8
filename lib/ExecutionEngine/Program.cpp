//===- Program.cpp - A function compiled and run in this process ----------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/Program.h"

#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/ExecutionEngine/CEntry.h"
#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace mlir;
using namespace mlir::xfmr;

Results::Results(const EntrySignature &signature, const Arguments &arguments)
    : arguments(&arguments),
      scalars(std::make_unique<int64_t[]>(signature.results.size())) {
  for (const EntryValue &value : signature.results) {
    types.push_back(value.elementType);
    descriptors.emplace_back(value.getRank());
    isScalar.push_back(value.isScalar);
  }
}

Results::~Results() { release(); }

char *Results::getData(unsigned index) const {
  if (isScalar[index])
    return reinterpret_cast<char *>(&scalars[index]);
  const Descriptor &descriptor = descriptors[index];
  return descriptor.getAligned() +
         descriptor.getOffset() * getElementBytes(types[index]);
}

std::optional<unsigned> Results::getAliasedArgument(unsigned index) const {
  for (unsigned argument = 0; argument < arguments->size(); ++argument)
    if (!isScalar[index] &&
        descriptors[index].getAllocated() == (*arguments)[argument].getBase())
      return argument;
  return std::nullopt;
}

void Results::release() {
  for (size_t index = 0; index < size(); ++index) {
    char *memory = descriptors[index].getAllocated();
    bool isFirst = llvm::none_of(ArrayRef(descriptors).take_front(index),
                                 [&](const Descriptor &other) {
                                   return other.getAllocated() == memory;
                                 });
    // Two results may be one allocation.
    if (!isScalar[index] && isFirst && !getAliasedArgument(index))
      free(memory);
  }
  // In place: a call holds pointers to the descriptors.
  for (Descriptor &descriptor : descriptors)
    descriptor.clear();
}

llvm::Expected<std::unique_ptr<Program::Call>>
Program::Call::create(const Program &program, const Arguments &arguments,
                      llvm::function_ref<bool(unsigned)> mayOverwrite) {
  std::unique_ptr<Call> call(new Call(program, arguments));
  for (unsigned index = 0; index < arguments.size(); ++index)
    call->descriptors.emplace_back(arguments[index]);
  for (unsigned index = 0; index < arguments.size(); ++index)
    call->pointers.push_back(program.signature.arguments[index].isScalar
                                 ? arguments[index].getData()
                                 : call->descriptors[index].get());
  if (program.packed) {
    auto weights = PackedWeights::create(
        *program.packed, program.sizes, program.pack, call->pointers,
        [&](const EntrySignature &function, int32_t status) {
          return program.getMessage(function, status);
        },
        [&](unsigned index) {
          return mayOverwrite && mayOverwrite(index) && arguments.isAlone(index)
                     ? &arguments[index]
                     : nullptr;
        });
    if (!weights)
      return weights.takeError();
    call->weights = std::move(*weights);
    call->pointers =
        call->weights->getArguments(*program.packed, call->pointers);
  }
  Results &results = call->results;
  for (unsigned index = 0; index < results.size(); ++index)
    call->pointers.push_back(results.isScalar[index]
                                 ? &results.scalars[index]
                                 : results.descriptors[index].get());
  return call;
}

llvm::Expected<Results> Program::run(const Arguments &arguments) const {
  llvm::Expected<std::unique_ptr<Call>> call = Call::create(*this, arguments);
  if (!call)
    return call.takeError();
  if (int32_t status = (**call)())
    return llvm::createStringError(getMessage(status));
  return std::move((*call)->getResults());
}

std::string Program::getMessage(const EntrySignature &function,
                                int32_t status) const {
  SmallVector<std::string> all(messages);
  llvm::append_range(all, getDescriptorMessages(function));
  if (status >= 1 && status <= static_cast<int32_t>(all.size()))
    return all[status - 1];
  return "unknown status " + std::to_string(status);
}

llvm::Expected<std::unique_ptr<Program>>
Program::create(ModuleOp module, const EntrySignature &signature,
                const ProgramOptions &options) {
  llvm::Expected<CPUTarget> target = CPUTarget::get(options.lowering.cpu);
  if (!target)
    return target.takeError();
  auto cannotRun = [&] {
    return llvm::createStringError("this machine cannot run code for '" +
                                   options.lowering.cpu + "'");
  };
  if (options.lowering.emulate)
    target = CPUTarget::get("host");
  if (!target)
    return target.takeError();
  if (target->isForeign())
    return cannotRun();
  if (!target->isHost) {
    llvm::Expected<CPURequirements> requirements = getCPURequirements(*target);
    if (!requirements)
      return requirements.takeError();
    if (!hostMeets(*requirements))
      return cannotRun();
  }
  JITOptions jitOptions;
  jitOptions.optLevel = options.optLevel;
  jitOptions.notifyPerf = options.lowering.debugInfo;
  if (options.lowering.threads != 1) {
    std::string library = options.openMPLibrary.empty() ? findOpenMPLibrary()
                                                        : options.openMPLibrary;
    if (library.empty())
      return llvm::createStringError(
          "no OpenMP library: install libomp-22-dev, name one with "
          "--openmp-library, or use --threads=1");
    // The JIT would say what is wrong, but not what to do.
    std::string message;
    if (!llvm::sys::DynamicLibrary::getPermanentLibrary(library.c_str(),
                                                        &message)
             .isValid())
      return llvm::createStringError(
          "cannot load the OpenMP library (--openmp-library): " + message);
    jitOptions.libraries.push_back(library);
  }

  if (failed(lowerToCPU(module, options.lowering)))
    return llvm::createStringError("'" + signature.name +
                                   "' could not be lowered");
  std::unique_ptr<Program> program(new Program);
  program->signature = signature;
  program->messages = getStatusMessages(module);
  program->packed = getPackedSignatures(module, signature);

  LLVMModuleOptions llvmOptions;
  llvmOptions.optLevel = options.optLevel;
  llvmOptions.packedEntries = true;
  llvmOptions.errorMessages = false;
  auto context = std::make_unique<llvm::LLVMContext>();
  auto llvmModule =
      buildLLVMModule(module, *context, *target,
                      getLoweredSignatures(module, signature), llvmOptions);
  if (!llvmModule)
    return llvmModule.takeError();
  auto jit = JIT::create(std::move(context), std::move(*llvmModule), *target,
                         jitOptions);
  if (!jit)
    return jit.takeError();
  program->jit = std::move(*jit);
  auto lookup = [&](StringRef name, JIT::PackedEntry &place) -> llvm::Error {
    llvm::Expected<JIT::PackedEntry> entry = program->jit->lookupPacked(name);
    if (entry)
      place = *entry;
    return entry.takeError();
  };
  llvm::Error error = lookup(signature.name, program->entry);
  if (!error && program->packed)
    error = lookup(program->packed->pack.name, program->pack);
  if (!error && program->packed)
    error = lookup(program->packed->sizes.name, program->sizes);
  if (error)
    return llvm::Expected<std::unique_ptr<Program>>(std::move(error));
  return program;
}
