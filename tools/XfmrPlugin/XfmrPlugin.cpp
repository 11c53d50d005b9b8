//===- XfmrPlugin.cpp - The project as a plugin of mlir-opt ---------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For stock mlir-opt, by --load-dialect-plugin and --load-pass-plugin. Passes
// are then reached by --pass-pipeline: a plugin cannot add a flag of its own.
// Never load it into the project's own tools, which already hold the dialect.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "xfmr/InitAll.h"
#include "xfmr/Version.h"

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Xfmr", XFMR_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            mlir::xfmr::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Xfmr", XFMR_VERSION_STRING, [] {
            mlir::xfmr::registerAllPasses();
            mlir::xfmr::registerAllPipelines();
          }};
}
