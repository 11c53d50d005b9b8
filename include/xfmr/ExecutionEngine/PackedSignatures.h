//===- PackedSignatures.h - Calls of functions on packed weights -*- C++-*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowering a function with weights may make three of it (PackedWeights.h): the
// function on packed weights, one that packs them and one that gives their
// sizes. All three are entries like any other.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_PACKEDSIGNATURES_H
#define XFMR_EXECUTIONENGINE_PACKEDSIGNATURES_H

#include "xfmr/ExecutionEngine/EntrySignature.h"
#include "xfmr/ExecutionEngine/HostArray.h"
#include "xfmr/ExecutionEngine/JIT.h"

#include <optional>

namespace mlir::xfmr {

struct PackedSignatures {
  /// Takes packed weights in the place of weights.
  EntrySignature function;
  /// Takes the weights, and the packed weights that it fills.
  EntrySignature pack;
  /// Takes the weights and returns the packed weights without memory: their
  /// sizes and strides.
  EntrySignature sizes;
};

/// What lowering made of the entry of this signature; nothing when it has no
/// weight that is packed outside of it.
std::optional<PackedSignatures>
getPackedSignatures(ModuleOp lowered, const EntrySignature &source);

/// The signatures of all entries that lowering made of these.
std::vector<EntrySignature> getLoweredSignatures(ModuleOp lowered,
                                                 ArrayRef<EntrySignature>);

/// Packed weights, in memory of their own or in that of the weights.
class PackedWeights {
public:
  /// Packs the weights among `arguments`, pointers to descriptors and scalars
  /// as the source's signature has them. The entries are those of
  /// `signatures`; a status other than 0 is that of one of them. `getMemory`
  /// gives the array of an argument that may be overwritten, or null; it has to
  /// live as long as this.
  static llvm::Expected<PackedWeights>
  create(const PackedSignatures &signatures, JIT::PackedEntry sizes,
         JIT::PackedEntry pack, ArrayRef<void *> arguments,
         function_ref<std::string(const EntrySignature &, int32_t)> getMessage,
         function_ref<HostArray *(unsigned)> getMemory = nullptr);

  /// The arguments of the function on packed weights, given those of the
  /// source's. They are valid as long as this is.
  SmallVector<void *> getArguments(const PackedSignatures &signatures,
                                   ArrayRef<void *> arguments);

  int64_t getNumBytes() const { return numBytes; }
  /// Of these, those in the memory of the weights.
  int64_t getNumBytesInPlace() const { return numBytesInPlace; }
  /// How long packing took.
  double getSeconds() const { return seconds; }

private:
  double seconds = 0;
  int64_t numBytes = 0, numBytesInPlace = 0;
  SmallVector<HostArray> arrays;
  SmallVector<Descriptor> descriptors;
};

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_PACKEDSIGNATURES_H
