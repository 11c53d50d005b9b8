//===- CompilerTool.cpp - What tools that compile share -------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTool.h"
#include "ToolSupport.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "xfmr/Target/CPUTarget.h"

using namespace mlir;
using namespace mlir::xfmr;
namespace cl = llvm::cl;

llvm::Error CompilerOptions::verify() const {
  if (threads < 0)
    return makeError("--threads: expected 0 or more");
  if (parallelFrom < -1)
    return makeError("--parallel-from: expected -1 or more");
  if (optLevel > 3)
    return makeError("-O: expected a level from 0 to 3");
  return llvm::Error::success();
}

LoweringOptions CompilerOptions::getLowering() const {
  LoweringOptions lowering;
  lowering.batchInvariant = batchInvariant;
  lowering.emulate = emulate;
  lowering.packWeights = packWeights;
  lowering.threads = threads;
  lowering.parallelFrom = parallelFrom;
  lowering.relaxed = numerics == NumericsMode::Relaxed;
  lowering.debugInfo = debugInfo;
  lowering.passes = passes;
  return lowering;
}

void mlir::xfmr::printCPUNames(raw_ostream &os) {
  os << "host\n";
  for (const std::string &name : CPUTarget::getNames())
    os << name << "\n";
}

llvm::Expected<std::unique_ptr<InputModule>> InputModule::read(StringRef path) {
  DialectRegistry registry;
  registerToolDialects(registry);
  registerLLVMTranslations(registry);
  std::unique_ptr<InputModule> input(new InputModule(registry));
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  input->sources->AddNewSourceBuffer(std::move(*buffer), SMLoc());
  input->module = parseSourceFile<ModuleOp>(input->sources, &input->context);
  if (!input->module)
    return makeError(path + " could not be read");
  return input;
}

void mlir::xfmr::initCompilerTool(const char *tool) {
  cl::ResetCommandLineParser();
  initTool(tool);
  registerToolPasses();
  registerPassManagerCLOptions();
  registerAsmPrinterCLOptions();
}

void mlir::xfmr::parseCommandLine(int argc, char **argv,
                                  CompilerOptions &options,
                                  const char *overview) {
  cl::HideUnrelatedOptions({&options.category, &cl::getGeneralCategory()});
  cl::ParseCommandLineOptions(argc, argv, overview);
}

int mlir::xfmr::finishTool(const char *tool, llvm::Error error) {
  llvm::outs().flush();
  if (!error)
    return 0;
  llvm::errs() << tool << ": error: " << llvm::toString(std::move(error))
               << "\n";
  return 1;
}
