//===- Lowering.h - From a description to the LLVM dialect ------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_LOWERING_H
#define XFMR_EXECUTIONENGINE_LOWERING_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <string>

namespace mlir::xfmr {

/// How to compile a module for the CPU.
struct LoweringOptions {
  /// `host` or a name that LLVM knows.
  std::string cpu = "host";
  /// One way of rounding for every number of rows.
  bool batchInvariant = false;
  /// Lower as for `cpu`, but make code for the host.
  bool emulate = false;
  /// Threads that the code may use: 1 needs no OpenMP library, 0 leaves their
  /// number to that library.
  int64_t threads = 1;
  /// Elements of a norm that are worth starting threads for; -1: what is known
  /// of the CPU.
  int64_t parallelFrom = -1;
  /// Rounding may change as docs/Numerics.md lists for `relaxed`.
  bool relaxed = false;
  bool runtimeChecks = true;
  /// Functions take packed weights, and others pack them.
  bool packWeights = true;
  /// Line tables that name the lines of the description.
  bool debugInfo = false;
  /// A pass pipeline to run first, in the form of --pass-pipeline.
  std::string passes;
};

/// Lowers `module` in place. What is wrong is reported at its location.
LogicalResult lowerToCPU(ModuleOp module, const LoweringOptions &options);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_LOWERING_H
