//===- xfmr-compile.cpp - Compiles functions ahead of time ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolSupport.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "xfmr/ExecutionEngine/CEntry.h"
#include "xfmr/ExecutionEngine/CHeader.h"
#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "xfmr/ExecutionEngine/Library.h"
#include "xfmr/ExecutionEngine/ObjectFile.h"
#include "xfmr/Pipelines/Pipelines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::xfmr;
namespace cl = llvm::cl;

namespace {

/// The options are members, so that there is no global state before main().
struct Options {
  cl::OptionCategory category{"xfmr-compile options"};

  cl::opt<std::string> input{cl::Positional, cl::desc("<file.mlir>"),
                             cl::init("-"), cl::cat(category)};
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
  cl::opt<bool> batchInvariant{
      "batch-invariant",
      cl::desc("A row's bits do not depend on how many rows there are, at the "
               "cost of speed where f16 and bf16 products of many rows could "
               "be rounded otherwise"),
      cl::cat(category)};
  cl::opt<bool> emulate{
      "emulate",
      cl::desc("Lower as for --cpu, but make code for this machine, which "
               "emulates that CPU's own instructions"),
      cl::cat(category)};
  cl::opt<int64_t> threads{
      "threads",
      cl::desc(
          "Threads to use; above 1 with OpenMP, 0 for its choice. 1 needs no "
          "OpenMP library"),
      cl::init(1), cl::cat(category)};
  cl::opt<int64_t> parallelFrom{
      "parallel-from",
      cl::desc("Elements of a norm that are worth starting threads for, other "
               "work is measured by it; -1 for what is known of the CPU"),
      cl::init(-1), cl::cat(category)};
  cl::opt<bool> packWeights{
      "pack-weights",
      cl::desc("Functions take packed weights, and others beside them pack "
               "weights once (the default); without, weights are packed in "
               "every call"),
      cl::init(true), cl::cat(category)};
  cl::opt<bool> runtimeChecks{
      "runtime-checks",
      cl::desc("Check shapes and layouts at run time (the default); without, a "
               "function's status is always 0"),
      cl::init(true), cl::cat(category)};
  cl::opt<NumericsMode> numerics{
      "numerics", cl::desc("Which changes of rounding passes may make"),
      cl::init(NumericsMode::Exact),
      cl::values(clEnumValN(NumericsMode::Exact, "exact", "none (the default)"),
                 clEnumValN(NumericsMode::Relaxed, "relaxed",
                            "those that docs/Numerics.md lists as relaxed")),
      cl::cat(category)};
  cl::opt<std::string> passes{
      "passes",
      cl::desc("Passes to run before the CPU pipeline, e.g. "
               "'builtin.module(canonicalize)'"),
      cl::value_desc("pipeline"), cl::cat(category)};
  cl::opt<unsigned> optLevel{"O", cl::Prefix,
                             cl::desc("LLVM's optimisation level, 0 to 3"),
                             cl::init(3), cl::cat(category)};
  cl::opt<bool> debugInfo{
      "g", cl::desc("Debug information: the lines of the input file"),
      cl::cat(category)};
  cl::opt<std::string> linker{
      "linker",
      cl::desc(
          "What links a shared library; by default clang of this LLVM, cc, "
          "gcc or clang of PATH, or ld.lld"),
      cl::value_desc("program"), cl::cat(category)};
};

llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(message);
}

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
  if (options.threads < 0)
    return makeError("--threads: expected 0 or more");
  if (options.parallelFrom < -1)
    return makeError("--parallel-from: expected -1 or more");
  if (options.optLevel > 3)
    return makeError("-O: expected a level from 0 to 3");

  DialectRegistry registry;
  registerToolDialects(registry);
  registerLLVMTranslations(registry);
  MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler handler(*sources, &context);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.input);
  if (!buffer)
    return makeError(options.input + ": " + buffer.getError().message());
  sources->AddNewSourceBuffer(std::move(*buffer), SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return makeError(options.input + " could not be read");
  auto signatures = getSignatures(*module, options);
  if (!signatures)
    return signatures.takeError();

  LibraryOptions libraryOptions;
  libraryOptions.lowering.batchInvariant = options.batchInvariant;
  libraryOptions.lowering.emulate = options.emulate;
  libraryOptions.lowering.threads = options.threads;
  libraryOptions.lowering.parallelFrom = options.parallelFrom;
  libraryOptions.lowering.relaxed = options.numerics == NumericsMode::Relaxed;
  libraryOptions.lowering.runtimeChecks = options.runtimeChecks;
  libraryOptions.lowering.packWeights = options.packWeights;
  libraryOptions.lowering.debugInfo = options.debugInfo;
  libraryOptions.lowering.passes = options.passes;
  libraryOptions.optLevel = options.optLevel;
  if (!options.cpus.empty())
    libraryOptions.cpus.assign(options.cpus.begin(), options.cpus.end());
  llvm::LLVMContext llvmContext;
  llvm::Expected<Library> library =
      compileLibrary(*module, *signatures, llvmContext, libraryOptions);
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
  // The options of LLVM's own tools, which its library registers, would take
  // names such as --threads.
  cl::ResetCommandLineParser();
  initTool("xfmr-compile");
  registerToolPasses();
  registerPassManagerCLOptions();
  registerAsmPrinterCLOptions();
  Options options;
  cl::HideUnrelatedOptions({&options.category, &cl::getGeneralCategory()});
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles functions of xfmr ops for C programs to call.\n\n"
      "  xfmr-compile block.mlir -o block.so      also writes block.h\n");
  if (llvm::Error error = run(options)) {
    llvm::errs() << "xfmr-compile: error: " << llvm::toString(std::move(error))
                 << "\n";
    return 1;
  }
  return 0;
}
