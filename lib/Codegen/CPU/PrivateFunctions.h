//===- PrivateFunctions.h - Functions that lowerings make -------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_PRIVATEFUNCTIONS_H
#define XFMR_LIB_CODEGEN_CPU_PRIVATEFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::xfmr {

/// A private function without a body, compiled for the same processor as
/// `caller` and put before `position` in the same module. A name that is taken
/// gets a number.
func::FuncOp createPrivateFunction(Location loc, FunctionOpInterface caller,
                                   Block::iterator position, StringRef name,
                                   FunctionType type);

/// The kernel of this name and type that `caller` may call: the one that the
/// module has, or a new one behind `caller` that `emitBody` fills from the
/// start of its entry block. It is never inlined: it is of some size, and does
/// not get better by knowing its operands.
func::FuncOp getKernelFunction(OpBuilder &builder, Location loc,
                               FunctionOpInterface caller, StringRef name,
                               FunctionType type,
                               function_ref<void(func::FuncOp)> emitBody);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_PRIVATEFUNCTIONS_H
