//===- CompilerTool.h - What tools that compile share -----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TOOLS_COMMON_COMPILERTOOL_H
#define XFMR_TOOLS_COMMON_COMPILERTOOL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "xfmr/ExecutionEngine/Lowering.h"
#include "xfmr/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::xfmr {

inline llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(message);
}

/// The options of all tools that compile; a tool adds its own by derivation.
/// They are members, so that there is no global state before main().
struct CompilerOptions {
  explicit CompilerOptions(StringRef tool)
      : categoryName((tool + " options").str()), category(categoryName) {}

  /// The category refers to it.
  std::string categoryName;
  llvm::cl::OptionCategory category;

  llvm::cl::opt<std::string> input{
      llvm::cl::Positional, llvm::cl::desc("<file.mlir>"), llvm::cl::init("-"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> batchInvariant{
      "batch-invariant",
      llvm::cl::desc("A row's bits do not depend on how many rows there are, "
                     "at the cost of speed where f16 and bf16 products of many "
                     "rows could be rounded otherwise"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> emulate{
      "emulate",
      llvm::cl::desc("Lower as for --cpu, but make code for this machine, "
                     "which emulates that CPU's own instructions"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> packWeights{
      "pack-weights",
      llvm::cl::desc("Functions take packed weights, and others beside them "
                     "pack weights once (the default); without, weights are "
                     "packed in every call"),
      llvm::cl::init(true), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> threads{
      "threads",
      llvm::cl::desc("Threads to use; above 1 with OpenMP, 0 for its choice. 1 "
                     "needs no OpenMP library"),
      llvm::cl::init(1), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> parallelFrom{
      "parallel-from",
      llvm::cl::desc("Elements of a norm that are worth starting threads for, "
                     "other work is measured by it; -1 for what is known of "
                     "the CPU"),
      llvm::cl::init(-1), llvm::cl::cat(category)};
  llvm::cl::opt<NumericsMode> numerics{
      "numerics", llvm::cl::desc("Which changes of rounding passes may make"),
      llvm::cl::init(NumericsMode::Exact),
      llvm::cl::values(
          clEnumValN(NumericsMode::Exact, "exact", "none (the default)"),
          clEnumValN(NumericsMode::Relaxed, "relaxed",
                     "those that docs/Numerics.md lists as relaxed")),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> passes{
      "passes",
      llvm::cl::desc("Passes to run before the CPU pipeline, e.g. "
                     "'builtin.module(canonicalize)'; a reference does not see "
                     "them"),
      llvm::cl::value_desc("pipeline"), llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> optLevel{
      "O", llvm::cl::Prefix,
      llvm::cl::desc("LLVM's optimisation level, 0 to 3"), llvm::cl::init(3),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> debugInfo{
      "g",
      llvm::cl::desc("Debug information: the lines of the input file, for gdb "
                     "and perf"),
      llvm::cl::cat(category)};

  /// An error names an option whose value is none.
  llvm::Error verify() const;
  /// How to lower, the CPU apart.
  LoweringOptions getLowering() const;
};

/// The names that `--cpu=help` prints.
void printCPUNames(raw_ostream &os);

/// A file of MLIR with what it needs to live; diagnostics quote its lines.
class InputModule {
public:
  /// Reads a file, `-` for the standard input.
  static llvm::Expected<std::unique_ptr<InputModule>> read(StringRef path);

  ModuleOp get() const { return *module; }

private:
  explicit InputModule(const DialectRegistry &registry)
      : context(registry), handler(*sources, &context) {}

  MLIRContext context;
  std::shared_ptr<llvm::SourceMgr> sources =
      std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};

/// What comes before options are made: LLVM's own would take their names.
void initCompilerTool(const char *tool);
/// Parses the command line; `options` are all that `--help` shows.
void parseCommandLine(int argc, char **argv, CompilerOptions &options,
                      const char *overview);
/// What main() returns; an error is printed.
int finishTool(const char *tool, llvm::Error error);

} // namespace mlir::xfmr

#endif // XFMR_TOOLS_COMMON_COMPILERTOOL_H
