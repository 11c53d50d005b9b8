//===- ToolSupport.h - What every tool starts with --------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TOOLS_COMMON_TOOLSUPPORT_H
#define XFMR_TOOLS_COMMON_TOOLSUPPORT_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::xfmr {

/// Sets up what `--version` prints and where a crash asks to be reported. To be
/// called first in `main`, before the command line is parsed.
void initTool(const char *toolName);

/// Adds MLIR's dialects and extensions and the project's own.
void registerToolDialects(DialectRegistry &registry);

/// Registers MLIR's passes and the project's passes and pipelines.
void registerToolPasses();

} // namespace mlir::xfmr

#endif // XFMR_TOOLS_COMMON_TOOLSUPPORT_H
