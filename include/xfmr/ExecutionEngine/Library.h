//===- Library.h - Functions compiled ahead of time -------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_LIBRARY_H
#define XFMR_EXECUTIONENGINE_LIBRARY_H

#include "xfmr/ExecutionEngine/EntrySignature.h"
#include "xfmr/ExecutionEngine/Lowering.h"
#include "xfmr/Target/CPUTarget.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::xfmr {

/// How to compile a library.
struct LibraryOptions {
  /// `lowering.cpu` is not used: `cpus` says what to compile for. With several,
  /// a call goes to the code for the first that the processor can run, in the
  /// order of what they need, most first.
  LoweringOptions lowering;
  SmallVector<std::string> cpus{"host"};
  unsigned optLevel = 3;
};

/// Functions compiled to LLVM IR, and the target to make object code with.
struct Library {
  std::unique_ptr<llvm::Module> module;
  CPUTarget target;
  /// The entries: the functions, and those that pack their weights.
  std::vector<EntrySignature> entries;
};

/// Compiles functions of `module`, which is left as it is, with a C entry for
/// each. Diagnostics of passes are emitted; the error then says no more.
llvm::Expected<Library> compileLibrary(ModuleOp module,
                                       ArrayRef<EntrySignature> signatures,
                                       llvm::LLVMContext &context,
                                       const LibraryOptions &options);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_LIBRARY_H
