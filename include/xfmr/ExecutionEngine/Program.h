//===- Program.h - A function compiled and run in this process --*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_PROGRAM_H
#define XFMR_EXECUTIONENGINE_PROGRAM_H

#include "xfmr/ExecutionEngine/Arguments.h"
#include "xfmr/ExecutionEngine/JIT.h"
#include "xfmr/ExecutionEngine/Lowering.h"
#include "xfmr/ExecutionEngine/PackedSignatures.h"

namespace mlir::xfmr {

/// How to compile a program.
struct ProgramOptions {
  LoweringOptions lowering;
  /// 0 to 3, as in -O3.
  unsigned optLevel = 3;
  /// The OpenMP library; when empty, that of this LLVM.
  std::string openMPLibrary;
};

/// The results of one call. Frees what the call allocated.
class Results {
public:
  Results(const EntrySignature &signature, const Arguments &arguments);
  Results(Results &&) = default;
  ~Results();

  size_t size() const { return descriptors.size(); }
  Type getElementType(unsigned index) const { return types[index]; }
  ArrayRef<int64_t> getShape(unsigned index) const {
    return descriptors[index].getSizes();
  }
  ArrayRef<int64_t> getStrides(unsigned index) const {
    return descriptors[index].getStrides();
  }
  /// The first element.
  char *getData(unsigned index) const;
  /// The argument whose memory the result is, or nothing.
  std::optional<unsigned> getAliasedArgument(unsigned index) const;

  /// Frees what the call allocated, for another call to fill this again.
  void release();

private:
  friend class Program;
  const Arguments *arguments;
  SmallVector<Type> types;
  /// Of rank 0 for a scalar, which `scalars` holds.
  SmallVector<Descriptor, 2> descriptors;
  SmallVector<bool> isScalar;
  std::unique_ptr<int64_t[]> scalars;
};

/// An entry function, ready to be called.
class Program {
public:
  /// Compiles the entry of `module`, which is lowered in place. Diagnostics of
  /// passes are emitted; the error then says no more than that.
  static llvm::Expected<std::unique_ptr<Program>>
  create(ModuleOp module, const EntrySignature &signature,
         const ProgramOptions &options);

  /// The signature in the source, of which calls take the arguments.
  const EntrySignature &getSignature() const { return signature; }

  /// Calls the function; an error has the message of a check that failed.
  llvm::Expected<Results> run(const Arguments &arguments) const;

  /// A call that is ready to be repeated: no work but the function's own.
  /// Weights that the function takes packed are packed here.
  class Call {
  public:
    /// Those for which `mayOverwrite` is true may lose what they hold: they
    /// are packed in place where that is possible.
    static llvm::Expected<std::unique_ptr<Call>>
    create(const Program &program, const Arguments &arguments,
           llvm::function_ref<bool(unsigned)> mayOverwrite = nullptr);
    /// The function's status.
    int32_t operator()() { return program.entry(pointers.data()); }
    Results &getResults() { return results; }
    /// The weights that were packed, or null.
    const PackedWeights *getPackedWeights() const {
      return weights ? &*weights : nullptr;
    }

  private:
    Call(const Program &program, const Arguments &arguments)
        : program(program), results(program.signature, arguments) {}

    const Program &program;
    std::optional<PackedWeights> weights;
    SmallVector<Descriptor, 2> descriptors;
    Results results;
    SmallVector<void *> pointers;
  };

  /// What a status says.
  std::string getMessage(int32_t status) const {
    return getMessage(packed ? packed->function : signature, status);
  }

private:
  /// What a status of one of the module's functions says.
  std::string getMessage(const EntrySignature &function, int32_t status) const;

  EntrySignature signature;
  /// Of the checks that all functions share.
  SmallVector<std::string> messages;
  std::unique_ptr<JIT> jit;
  JIT::PackedEntry entry = nullptr;
  /// Where lowering made the function one of packed weights.
  std::optional<PackedSignatures> packed;
  JIT::PackedEntry pack = nullptr, sizes = nullptr;
};

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_PROGRAM_H
