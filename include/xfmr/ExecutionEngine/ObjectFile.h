//===- ObjectFile.h - Files of compiled code --------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_OBJECTFILE_H
#define XFMR_EXECUTIONENGINE_OBJECTFILE_H

#include "mlir/Support/LLVM.h"
#include "xfmr/Target/CPUTarget.h"

#include <optional>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::xfmr {

/// What can be written for a module.
enum class OutputKind { LLVMIR, Assembly, Object, SharedLibrary };

/// The kind that the end of `path` names: .ll, .s, .o or .so.
std::optional<OutputKind> getOutputKind(StringRef path);

/// How to link a shared library.
struct LinkOptions {
  /// The C compiler to link with; when empty, `ld` of PATH, where that and the
  /// C library are enough, then clang of this LLVM, then `cc`, `gcc` and
  /// `clang` of PATH, then this LLVM's ld.lld.
  std::string linker;
  /// Link the OpenMP library, which is then found by the library's run path.
  bool openMP = false;
};

/// Writes `module` for `target` to `path`; `-` is the standard output, not for
/// shared libraries. Functions that name a CPU of their own are compiled for
/// that one.
llvm::Error writeOutput(llvm::Module &module, const CPUTarget &target,
                        unsigned optLevel, OutputKind kind, StringRef path,
                        const LinkOptions &link);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_OBJECTFILE_H
