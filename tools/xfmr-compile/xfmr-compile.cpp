//===- xfmr-compile.cpp - Compiles functions ahead of time ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTool.h"

#include "xfmr/ExecutionEngine/CEntry.h"
#include "xfmr/ExecutionEngine/CHeader.h"
#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "xfmr/ExecutionEngine/Library.h"
#include "xfmr/ExecutionEngine/ObjectFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::xfmr;
namespace cl = llvm::cl;

namespace {

struct Options : CompilerOptions {
  Options() : CompilerOptions("xfmr-compile") {}

  cl::opt<std::string> output{
      "o",
      cl::desc(
          "The file to write: LLVM IR (.ll), assembly (.s), an object file "
          "(.o) or a shared library (.so)"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> header{
      "header",
      cl::desc(
          "The C header to write; by default beside the output, .h for its "
          "suffix. 'none' writes none"),
      cl::value_desc("file"), cl::cat(category)};
  cl::list<std::string> entries{
      "entry", cl::CommaSeparated,
      cl::desc("The functions to compile; by default all public ones"),
      cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> cpus{
      "cpu", cl::CommaSeparated,
      cl::desc(
          "The CPUs to compile for, by default host; help lists the names. "
          "With several, the best that the processor can run is chosen when "
          "the program is loaded. A CPU of another machine is named behind its "
          "triple: aarch64-linux-gnu/neoverse-n1"),
      cl::value_desc("name[,name...]"), cl::cat(category)};
  cl::opt<bool> runtimeChecks{
      "runtime-checks",
      cl::desc("Check shapes and layouts at run time (the default); without, a "
               "function's status is always 0"),
      cl::init(true), cl::cat(category)};
  cl::opt<std::string> linker{
      "linker",
      cl::desc(
          "What links a shared library; by default ld of PATH, or, where the "
          "code needs more than the C library, clang of this LLVM, cc, gcc or "
          "clang of PATH, or ld.lld"),
      cl::value_desc("program"), cl::cat(category)};
};

/// The functions to compile, which must have names that C can call.
llvm::Expected<std::vector<EntrySignature>>
getSignatures(ModuleOp module, const Options &options) {
  SmallVector<func::FuncOp> functions;
  for (StringRef name : options.entries) {
    llvm::Expected<func::FuncOp> function = findEntry(module, name);
    if (!function)
      return function.takeError();
    if (!llvm::is_contained(functions, *function))
      functions.push_back(*function);
  }
  if (options.entries.empty())
    functions = getPublicFunctions(module);
  if (functions.empty())
    return makeError("the module has no public function");
  std::vector<EntrySignature> signatures;
  for (func::FuncOp function : functions) {
    if (!isCIdentifier(function.getName()))
      return makeError("'" + function.getName() +
                       "' is no name for a C function");
    llvm::Expected<EntrySignature> signature = EntrySignature::get(function);
    if (!signature)
      return signature.takeError();
    signatures.push_back(std::move(*signature));
  }
  return signatures;
}

llvm::Error writeHeader(const Options &options,
                        ArrayRef<EntrySignature> signatures) {
  if (options.header == "none")
    return llvm::Error::success();
  SmallString<128> path(options.header.getValue());
  if (path.empty()) {
    path = options.output;
    llvm::sys::path::replace_extension(path, "h");
  }
  CHeaderInfo info;
  info.source = llvm::sys::path::filename(options.input).str();
  info.cpus = options.cpus.empty() ? "host" : llvm::join(options.cpus, ", ");
  info.usesThreads = options.threads != 1;
  info.checksDescriptors = options.runtimeChecks;
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << makeCHeader(signatures, info);
    os.flush();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return makeError("cannot write " + path + ": " + code.message());
  return llvm::Error::success();
}

llvm::Error run(const Options &options) {
  for (StringRef cpu : options.cpus) {
    if (!cpu.consume_back("help") || !(cpu.empty() || cpu.consume_back("/")))
      continue;
    if (cpu.empty())
      llvm::outs() << "host\n";
    for (const std::string &name : CPUTarget::getNames(cpu))
      llvm::outs() << name << "\n";
    return llvm::Error::success();
  }
  if (options.output.empty())
    return makeError("name the file to write with -o");
  std::optional<OutputKind> kind = getOutputKind(options.output);
  if (!kind)
    return makeError("cannot tell what to write to '" + options.output +
                     "': expected a name that ends in .ll, .s, .o or .so");
  if (llvm::Error error = options.verify())
    return error;

  auto input = InputModule::read(options.input);
  if (!input)
    return input.takeError();
  ModuleOp module = (*input)->get();
  auto signatures = getSignatures(module, options);
  if (!signatures)
    return signatures.takeError();

  LibraryOptions libraryOptions;
  libraryOptions.lowering = options.getLowering();
  libraryOptions.lowering.runtimeChecks = options.runtimeChecks;
  libraryOptions.optLevel = options.optLevel;
  if (!options.cpus.empty())
    libraryOptions.cpus.assign(options.cpus.begin(), options.cpus.end());
  llvm::LLVMContext llvmContext;
  llvm::Expected<Library> library =
      compileLibrary(module, *signatures, llvmContext, libraryOptions);
  if (!library)
    return library.takeError();

  LinkOptions link;
  link.linker = options.linker;
  link.openMP = options.threads != 1;
  if (llvm::Error error =
          writeOutput(*library->module, library->target, options.optLevel,
                      *kind, options.output, link))
    return error;
  return writeHeader(options, library->entries);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  initCompilerTool("xfmr-compile");
  Options options;
  parseCommandLine(
      argc, argv, options,
      "Compiles functions of xfmr ops for C programs to call.\n\n"
      "  xfmr-compile block.mlir -o block.so      also writes block.h\n");
  return finishTool("xfmr-compile", run(options));
}
