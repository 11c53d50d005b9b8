//===- consumer.cpp - A program that embeds the dialect -------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "xfmr/InitAll.h"
#include "xfmr/Version.h"

using namespace mlir;

static const char *const source = R"mlir(
func.func @norm(%x: tensor<?x64xf32>, %g: tensor<64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x64xf32>) gamma(%g : tensor<64xf32>)
      outs(%y : tensor<?x64xf32>) eps(1.0e-5) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
)mlir";

static int countOps(ModuleOp module, StringRef dialect) {
  int count = 0;
  module.walk([&](Operation *op) {
    count += op->getName().getDialectNamespace() == dialect;
  });
  return count;
}

int main() {
  DialectRegistry registry;
  registry.insert<func::FuncDialect>();
  xfmr::registerAllDialects(registry);
  xfmr::registerAllPasses();
  xfmr::registerAllPipelines();

  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(source, &context, "consumer");
  if (!module || countOps(*module, "xfmr") != 1)
    return 1;

  PassManager manager(&context);
  if (failed(parsePassPipeline("xfmr-to-linalg", manager)) ||
      failed(manager.run(*module)))
    return 1;
  module->print(llvm::outs());
  llvm::outs() << "// by xfmr " XFMR_VERSION_STRING "\n";
  return countOps(*module, "xfmr") == 0 && countOps(*module, "linalg") > 0 ? 0
                                                                           : 1;
}
