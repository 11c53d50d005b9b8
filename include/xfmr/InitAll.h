//===- InitAll.h - Registers all that the project has -----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place of registration: what every tool, the plugin and an embedding
// program call. MLIR's own dialects, extensions and passes are the caller's to
// register, since a program may already hold them.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_INITALL_H
#define XFMR_INITALL_H

namespace mlir {
class DialectRegistry;

namespace xfmr {

/// Adds the project's dialects, with the external models of their interfaces.
void registerAllDialects(DialectRegistry &registry);

/// Registers the project's passes with MLIR's pass registry.
void registerAllPasses();

/// Registers the project's named pipelines with MLIR's pass registry.
void registerAllPipelines();

} // namespace xfmr
} // namespace mlir

#endif // XFMR_INITALL_H
