//===- VectorCode.cpp - LLVM's passes for code in vectors -----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorCode.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace mlir::xfmr;

/// The first round makes values equal that `gvn` then merges; the last one
/// takes away what that leaves.
constexpr llvm::StringLiteral kPasses =
    "function(lower-expect,sroa,early-cse<memssa>,simplifycfg,"
    "instcombine<no-verify-fixpoint>,loop-simplify,lcssa,"
    "loop-mssa(loop-rotate,licm),simplifycfg,gvn,jump-threading,"
    "loop-mssa(licm),"
    "instcombine<no-verify-fixpoint>,simplifycfg,adce),globaldce";

static bool isVectorCode(llvm::Function &function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  return llvm::all_of(loops.getLoopsInPreorder(), [](llvm::Loop *loop) {
    return !loop->isInnermost() ||
           llvm::hasUnrollTransformation(loop) == llvm::TM_SuppressedByUser;
  });
}

bool mlir::xfmr::isVectorCode(llvm::Module &module) {
  return llvm::all_of(module, [](llvm::Function &function) {
    return function.isDeclaration() || ::isVectorCode(function);
  });
}

llvm::Error mlir::xfmr::optimizeVectorCode(llvm::Module &module,
                                           llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, kPasses))
    return error;
  passes.run(module, modules);
  return llvm::Error::success();
}
