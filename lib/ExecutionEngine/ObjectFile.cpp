//===- ObjectFile.cpp - Files of compiled code ----------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/ObjectFile.h"

#include "xfmr/ExecutionEngine/JIT.h"
#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::xfmr;

std::optional<OutputKind> mlir::xfmr::getOutputKind(StringRef path) {
  return llvm::StringSwitch<std::optional<OutputKind>>(
             llvm::sys::path::extension(path))
      .Case(".ll", OutputKind::LLVMIR)
      .Case(".s", OutputKind::Assembly)
      .Case(".o", OutputKind::Object)
      .Case(".so", OutputKind::SharedLibrary)
      .Default(std::nullopt);
}

static llvm::Error emit(llvm::Module &module, const CPUTarget &target,
                        unsigned optLevel, OutputKind kind,
                        llvm::raw_pwrite_stream &os) {
  if (kind == OutputKind::LLVMIR) {
    module.print(os, /*AAW=*/nullptr);
    return llvm::Error::success();
  }
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      target.createTargetMachine(getCodeGenLevel(module, optLevel));
  if (!machine)
    return machine.takeError();
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, /*DwoOut=*/nullptr,
                                      kind == OutputKind::Assembly
                                          ? llvm::CodeGenFileType::AssemblyFile
                                          : llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("the target makes no such file");
  passes.run(module);
  return llvm::Error::success();
}

/// Writes the file at once when it is complete, never a part of it.
static llvm::Error writeFile(llvm::Module &module, const CPUTarget &target,
                             unsigned optLevel, OutputKind kind,
                             StringRef path) {
  SmallVector<char, 0> contents;
  llvm::raw_svector_ostream buffer(contents);
  if (llvm::Error error = emit(module, target, optLevel, kind, buffer))
    return error;
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << buffer.str();
    os.flush();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return llvm::createStringError("cannot write " + path + ": " +
                                   code.message());
  return llvm::Error::success();
}

/// The linker to use, and whether it is a compiler that knows the system's
/// libraries.
static llvm::Expected<std::pair<std::string, bool>>
findLinker(const LinkOptions &options) {
  if (!options.linker.empty()) {
    llvm::ErrorOr<std::string> path =
        llvm::sys::findProgramByName(options.linker);
    if (!path)
      return llvm::createStringError("cannot find the linker '" +
                                     options.linker + "'");
    bool isCompiler = !llvm::sys::path::filename(*path).contains("ld");
    return std::make_pair(*path, isCompiler);
  }
  if (auto path = llvm::sys::findProgramByName("clang", {XFMR_LLVM_TOOLS_DIR}))
    return std::make_pair(*path, true);
  for (StringRef name : {"cc", "gcc", "clang"})
    if (auto path = llvm::sys::findProgramByName(name))
      return std::make_pair(*path, true);
  if (auto path = llvm::sys::findProgramByName("ld.lld", {XFMR_LLVM_TOOLS_DIR}))
    return std::make_pair(*path, false);
  return llvm::createStringError(
      "no linker: install clang-22, gcc or lld-22, name one with --linker, or "
      "write an object file (.o) and link it yourself");
}

/// Runs a linker; what it says is the error.
static llvm::Error runLinker(ArrayRef<std::string> arguments) {
  SmallVector<StringRef> views(arguments.begin(), arguments.end());
  SmallString<128> log;
  int descriptor;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile(
          "xfmr-link", "txt", descriptor, log))
    return llvm::createStringError("no temporary file: " + code.message());
  llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  auto removeLog = llvm::scope_exit([&] { llvm::sys::fs::remove(log); });
  std::optional<StringRef> redirects[] = {std::nullopt, log.str(), log.str()};
  std::string message;
  int result = llvm::sys::ExecuteAndWait(arguments.front(), views,
                                         /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  if (result == 0)
    return llvm::Error::success();
  if (message.empty())
    if (auto buffer = llvm::MemoryBuffer::getFile(log))
      message = (*buffer)->getBuffer().trim().str();
  return llvm::createStringError("linking with " + arguments.front() +
                                 " failed: " + message);
}

/// Links by the system's own linker, without a compiler around it, which would
/// take longer to start than to link: true where that is possible, which is
/// where the code calls nothing but the C library, the mathematical one and
/// `library`.
static bool linkDirectly(StringRef object, StringRef path, StringRef library) {
  auto linker = llvm::sys::findProgramByName("ld");
  if (!linker)
    return false;
  SmallVector<std::string> arguments{
      *linker,     "-shared",        "-o",
      path.str(),  object.str(),     "-z",
      "defs",      "--eh-frame-hdr", "--hash-style=gnu",
      "--build-id"};
  if (!library.empty())
    llvm::append_values(arguments, library.str(), std::string("-rpath"),
                        llvm::sys::path::parent_path(library).str());
  llvm::append_values(arguments, std::string("--as-needed"), std::string("-lm"),
                      std::string("-lc"));
  return !llvm::errorToBool(runLinker(arguments));
}

static llvm::Error link(StringRef object, StringRef path,
                        const CPUTarget &target, const LinkOptions &options) {
  std::string library;
  if (options.openMP) {
    if (target.isForeign())
      return llvm::createStringError(
          "no OpenMP library for " + target.triple +
          ": compile with --threads=1, or write an object file (.o) and link "
          "it yourself");
    library = findOpenMPLibrary();
    if (library.empty())
      return llvm::createStringError(
          "no libomp.so in " XFMR_LLVM_LIBRARY_DIR
          ": install libomp-22-dev, compile with --threads=1, or write an "
          "object file (.o) and link it yourself");
  }
  if (options.linker.empty() && !target.isForeign() &&
      linkDirectly(object, path, library))
    return llvm::Error::success();
  auto linker = findLinker(options);
  if (!linker)
    return linker.takeError();
  auto [program, isCompiler] = *linker;
  SmallVector<std::string> arguments{program, "-shared", "-o", path.str(),
                                     object.str()};
  // The system's own linker need not know the other machine's files.
  if (target.isForeign() &&
      llvm::sys::path::filename(program).contains("clang"))
    llvm::append_values(arguments, "--target=" + target.triple,
                        std::string("-fuse-ld=lld"));
  if (options.openMP) {
    std::string directory = llvm::sys::path::parent_path(library).str();
    arguments.push_back(library);
    if (isCompiler)
      arguments.push_back("-Wl,-rpath," + directory);
    else
      llvm::append_values(arguments, std::string("-rpath"), directory);
  }
  // Where a compiler links, what the code calls of the mathematical library
  // is named in the file.
  if (isCompiler)
    arguments.push_back("-lm");
  return runLinker(arguments);
}

llvm::Error mlir::xfmr::writeOutput(llvm::Module &module,
                                    const CPUTarget &target, unsigned optLevel,
                                    OutputKind kind, StringRef path,
                                    const LinkOptions &options) {
  if (kind != OutputKind::SharedLibrary)
    return writeFile(module, target, optLevel, kind, path);
  SmallString<128> object;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("xfmr", "o", object))
    return llvm::createStringError("no temporary file: " + code.message());
  auto remove = llvm::scope_exit([&] { llvm::sys::fs::remove(object); });
  if (llvm::Error error =
          writeFile(module, target, optLevel, OutputKind::Object, object))
    return error;
  return link(object, path, target, options);
}
