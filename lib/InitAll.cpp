//===- InitAll.cpp - Registers all that the project has -------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "xfmr/Codegen/CPU/Passes.h"
#include "xfmr/Codegen/Math/Passes.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "xfmr/Dialect/Transforms/Passes.h"
#include "xfmr/Pipelines/Pipelines.h"

void mlir::xfmr::registerAllDialects(DialectRegistry &registry) {
  registerXfmrDialect(registry);
}

void mlir::xfmr::registerAllPasses() {
  registerXfmrTransformsPasses();
  registerXfmrCodegenCPUPasses();
  registerXfmrCodegenMathPasses();
}

void mlir::xfmr::registerAllPipelines() { registerPipelines(); }
