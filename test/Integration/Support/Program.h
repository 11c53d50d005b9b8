//===- Program.h - Compiles module text and calls its functions -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_INTEGRATION_SUPPORT_PROGRAM_H
#define XFMR_TEST_INTEGRATION_SUPPORT_PROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "xfmr/ExecutionEngine/EntrySignature.h"
#include "xfmr/ExecutionEngine/HostArray.h"
#include "xfmr/ExecutionEngine/JIT.h"
#include "xfmr/ExecutionEngine/PackedSignatures.h"
#include "xfmr/Reference/Evaluator.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace mlir::xfmr::test {

using reference::ArrayView;

/// How a program is compiled.
struct ProgramOptions {
  /// The option `threads` of the pipeline.
  unsigned threads = 1;
  /// The option `parallel-from` of the pipeline: threads are used for the
  /// smallest rows too.
  int64_t parallelFrom = 0;
  unsigned optLevel = 2;
  /// The option `cpu` of the pipeline.
  std::string cpu = "host";
  /// The options `emulate` and `batch-invariant` of the pipeline.
  bool emulate = false, batchInvariant = false;
  /// The option `separate-buffers` of the pipeline: memory beside each
  /// temporary is checked.
  bool separateBuffers = false;
};

/// What a caller passes: an array, and how many elements of its memory lie
/// before it (the descriptor's offset).
struct Argument {
  ArrayView view;
  int64_t offset = 0;

  Argument(ArrayView view, int64_t offset = 0)
      : view(std::move(view)), offset(offset) {}
};

/// A result that a function returned: a view of memory, and whether that memory
/// is the caller's to free.
struct Returned {
  ArrayView view;
  void *owned = nullptr;
};

/// The public functions of a module, compiled by the CPU pipeline into this
/// process. The source module is kept beside for the reference.
class Program {
public:
  /// Parses, lowers and compiles. An error holds every diagnostic.
  static llvm::Expected<std::unique_ptr<Program>>
  compile(StringRef text, const ProgramOptions &options = {});

  MLIRContext *getContext() { return context.get(); }
  func::FuncOp getSource(StringRef function);

  /// Calls a function. Arguments are arrays as the function's signature has
  /// them; a failed check is an error with its message.
  llvm::Error call(StringRef function, ArrayRef<Argument> arguments,
                   SmallVectorImpl<Returned> &results);

  /// The type that `text` names: `f32`, `bf16`, `i1`.
  Type getType(StringRef text);

private:
  Program() = default;
  llvm::Expected<std::optional<PackedWeights>> packWeights(
      StringRef function, SmallVectorImpl<void *> &pointers,
      function_ref<std::string(const EntrySignature &, int32_t)> getMessage);

  // Members are destroyed in reverse order.
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> source;
  llvm::StringMap<EntrySignature> signatures;
  /// Of the functions that take packed weights.
  llvm::StringMap<PackedSignatures> packed;
  llvm::StringMap<SmallVector<std::string>> messages;
  std::unique_ptr<JIT> jit;
};

/// Frees what the results own.
void freeResults(SmallVectorImpl<Returned> &results);

/// A context with all dialects that programs use.
std::unique_ptr<MLIRContext> createContext(bool multithreaded = false);

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_INTEGRATION_SUPPORT_PROGRAM_H
