//===- JIT.h - Compiled functions in this process ---------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_JIT_H
#define XFMR_EXECUTIONENGINE_JIT_H

#include "mlir/Support/LLVM.h"
#include "xfmr/Target/CPUTarget.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
namespace orc {
class LLJIT;
} // namespace orc
} // namespace llvm

namespace mlir::xfmr {

/// How to run code in this process.
struct JITOptions {
  unsigned optLevel = 3;
  /// Shared libraries that the code calls.
  SmallVector<std::string> libraries;
  /// Addresses that the code calls by these names, whatever else has them: an
  /// embedder's own `malloc` and `free`, say.
  SmallVector<std::pair<std::string, void *>, 0> symbols;
  /// Tell `perf` the names and lines of the code, in ~/.debug/jit.
  bool notifyPerf = false;
};

/// Code in the memory of this process. gdb sees its symbols.
class JIT {
public:
  /// Compiles `module`, whose context it takes over.
  static llvm::Expected<std::unique_ptr<JIT>>
  create(std::unique_ptr<llvm::LLVMContext> context,
         std::unique_ptr<llvm::Module> module, const CPUTarget &target,
         const JITOptions &options);
  ~JIT();

  /// A packed entry (see addPackedEntry).
  using PackedEntry = int32_t (*)(void **);
  llvm::Expected<PackedEntry> lookupPacked(StringRef entry);

private:
  JIT();
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// The OpenMP library of this LLVM, or an empty path when there is none.
std::string findOpenMPLibrary();

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_JIT_H
