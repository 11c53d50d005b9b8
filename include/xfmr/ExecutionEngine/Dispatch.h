//===- Dispatch.h - One function for several processors ---------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_DISPATCH_H
#define XFMR_EXECUTIONENGINE_DISPATCH_H

#include "xfmr/Target/CPUTarget.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace mlir::xfmr {

/// A function compiled for a CPU, and what that needs.
struct DispatchLevel {
  llvm::Function *function;
  CPURequirements requirements;
};

/// Adds `symbol`, which is the first function of `levels` that the processor
/// can run, or when there is none a function that does nothing but return the
/// status -1 and clear its results, the last `numResults` pointers of its
/// arguments. It is an ELF indirect function: the loader asks cpuid once,
/// before the program's own code runs, and there is no state to initialise or
/// to share between threads.
void addDispatch(llvm::Module &module, llvm::StringRef symbol,
                 llvm::ArrayRef<DispatchLevel> levels,
                 llvm::ArrayRef<uint64_t> resultBytes);

/// Sorts levels so that one that needs all that another needs, and more, comes
/// first.
void sortByPreference(llvm::SmallVectorImpl<CPUTarget> &targets,
                      llvm::SmallVectorImpl<CPURequirements> &requirements);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_DISPATCH_H
