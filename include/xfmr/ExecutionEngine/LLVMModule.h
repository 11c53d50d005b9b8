//===- LLVMModule.h - LLVM IR of a lowered module ---------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_LLVMMODULE_H
#define XFMR_EXECUTIONENGINE_LLVMMODULE_H

#include "xfmr/ExecutionEngine/EntrySignature.h"
#include "xfmr/Target/CPUTarget.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::xfmr {

/// How to make LLVM IR.
struct LLVMModuleOptions {
  /// 0 to 3, as in -O3.
  unsigned optLevel = 3;
  /// The C entries check the descriptors of their arguments.
  bool checkDescriptors = true;
  /// Follows the name of every C entry.
  std::string entrySuffix;
  /// Adds `<entry>.packed` for each entry.
  bool packedEntries = false;
  /// Adds `<entry>_error_message` for each entry.
  bool errorMessages = true;
};

/// Registers what the translation of a module in the LLVM dialect needs.
void registerLLVMTranslations(DialectRegistry &registry);

/// Translates a module in the LLVM dialect for `target`, with a C entry for
/// each of `signatures`, and optimises it. Nothing but the entries is visible
/// outside. The module needs no more than what `target` has, whatever the
/// target machine is that it is compiled with.
llvm::Expected<std::unique_ptr<llvm::Module>>
buildLLVMModule(ModuleOp lowered, llvm::LLVMContext &context,
                const CPUTarget &target, ArrayRef<EntrySignature> signatures,
                const LLVMModuleOptions &options);

/// The code generation level of an optimisation level from 0 to 3.
llvm::CodeGenOptLevel getCodeGenLevel(unsigned optLevel);

/// The same for `module`, and at least 1 where it uses AMX tiles: LLVM cannot
/// generate code at level 0 for tiles that live in more than one block.
llvm::CodeGenOptLevel getCodeGenLevel(const llvm::Module &module,
                                      unsigned optLevel);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_LLVMMODULE_H
