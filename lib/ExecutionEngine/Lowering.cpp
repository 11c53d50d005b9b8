//===- Lowering.cpp - From a description to the LLVM dialect --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/Lowering.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "xfmr/Pipelines/Pipelines.h"

using namespace mlir;
using namespace mlir::xfmr;

LogicalResult mlir::xfmr::lowerToCPU(ModuleOp module,
                                     const LoweringOptions &options) {
  if (!options.passes.empty()) {
    FailureOr<OpPassManager> passes = parsePassPipeline(options.passes);
    if (failed(passes))
      return failure();
    if (passes->getOpName() && *passes->getOpName() != "builtin.module")
      return emitError(module.getLoc(),
                       "expected a pass pipeline on builtin.module, got "
                       "one on ")
             << *passes->getOpName();
    PassManager first(module.getContext());
    (void)applyPassManagerCLOptions(first);
    static_cast<OpPassManager &>(first) = std::move(*passes);
    if (failed(first.run(module)))
      return failure();
  }
  // A script of transforms is not part of the program.
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (op.getName().getDialectNamespace() == "transform")
      op.erase();
  PassManager pm(module.getContext());
  (void)applyPassManagerCLOptions(pm);
  CPUPipelineOptions pipeline;
  pipeline.cpu = options.cpu;
  pipeline.batchInvariant = options.batchInvariant;
  pipeline.emulate = options.emulate;
  pipeline.threads = options.threads;
  pipeline.parallelFrom = options.parallelFrom;
  pipeline.numerics =
      options.relaxed ? NumericsMode::Relaxed : NumericsMode::Exact;
  pipeline.runtimeChecks = options.runtimeChecks;
  pipeline.packWeights = options.packWeights;
  buildLowerToCPUPipeline(pm, pipeline);
  if (options.debugInfo)
    pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
  // Once at the end: after every pass it takes a tenth of the time to compile.
  pm.enableVerifier(false);
  if (failed(pm.run(module)))
    return failure();
  return verify(module);
}
