//===- AMXPermission.h - The kernel's permission to use tiles ---*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux keeps the state of AMX tiles for processes that asked for it. A module
// with tile code holds a constructor that asks when the module is loaded, so
// that nothing else is needed to run it, and a variable with the kernel's
// answer. Where the kernel refuses (it is older than 5.16, the processor has no
// tiles, or a thread has a signal stack too small for them), code takes its
// vector path.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_AMXPERMISSION_H
#define XFMR_LIB_CODEGEN_CPU_AMXPERMISSION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::xfmr {

/// An i1 that is true where the process may use tiles. The module gets the
/// constructor and the variable, once.
Value emitAMXPermitted(OpBuilder &builder, Location loc, ModuleOp module);

/// Makes the answer "granted" where a module has the variable, without asking:
/// for emulated tiles.
void grantAMXPermission(ModuleOp module);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_AMXPERMISSION_H
