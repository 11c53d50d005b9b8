//===- xfmr-opt.cpp - The optimizer driver --------------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolSupport.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::xfmr::initTool("xfmr-opt");
  mlir::xfmr::registerToolPasses();
  mlir::DialectRegistry registry;
  mlir::xfmr::registerToolDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "xfmr optimizer driver\n", registry));
}
