//===- OpenMPRuntime.h - Functions of OpenMP's run time ---------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_OPENMPRUNTIME_H
#define XFMR_LIB_CODEGEN_CPU_OPENMPRUNTIME_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::xfmr {

constexpr StringLiteral kThreadNumber = "omp_get_thread_num";
constexpr StringLiteral kNumThreads = "omp_get_num_threads";
constexpr StringLiteral kMaxThreads = "omp_get_max_threads";

/// Calls a function of OpenMP's run time that takes nothing and returns an i32.
/// It is declared in the module of `caller`, which the call will stand in; a
/// function of that name and of another type is an error.
FailureOr<Value> callOpenMP(OpBuilder &builder, Location loc,
                            func::FuncOp caller, StringRef name);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_OPENMPRUNTIME_H
