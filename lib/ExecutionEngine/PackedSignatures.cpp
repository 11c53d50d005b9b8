//===- PackedSignatures.cpp - Calls of functions on packed weights --------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/PackedSignatures.h"

#include "mlir/IR/SymbolTable.h"
#include "xfmr/Dialect/IR/PackedWeights.h"

#include <chrono>

using namespace mlir;
using namespace mlir::xfmr;

/// The packed form of `weight`, of which there are several when `number` is
/// set.
static EntryValue getPackedValue(const EntryValue &weight, MemRefType type,
                                 std::optional<unsigned> number) {
  EntryValue value = llvm::cantFail(getEntryValue(type));
  value.name = weight.name + "_packed";
  if (number)
    value.name += std::to_string(*number);
  value.isWeight = true;
  value.packedFrom = weight.name;
  value.sourceArgument = weight.sourceArgument;
  return value;
}

/// The values that `arguments` are; empty when they are not those of `source`.
static SmallVector<EntryValue> getValues(ArrayRef<PackedArgument> arguments,
                                         const EntrySignature &source) {
  SmallVector<unsigned> count(source.arguments.size()), seen(count.size());
  for (const PackedArgument &argument : arguments) {
    if (argument.argument >= count.size())
      return {};
    count[argument.argument] += bool(argument.packed);
  }
  SmallVector<EntryValue> values;
  for (const PackedArgument &argument : arguments) {
    const EntryValue &of = source.arguments[argument.argument];
    if (argument.packed) {
      std::optional<unsigned> number;
      if (count[argument.argument] > 1)
        number = seen[argument.argument]++;
      values.push_back(getPackedValue(of, argument.packed, number));
      values.back().mayBeInPlace = argument.mayBeInPlace;
    } else {
      values.push_back(of);
      values.back().sizesOnly = argument.sizesOnly;
    }
  }
  // A name that the source has too.
  for (EntryValue &value : values)
    while (value.isPacked() &&
           llvm::any_of(source.arguments, [&](const EntryValue &other) {
             return other.name == value.name;
           }))
      value.name += '_';
  return values;
}

std::optional<PackedSignatures>
mlir::xfmr::getPackedSignatures(ModuleOp lowered,
                                const EntrySignature &source) {
  auto find = [&](StringRef suffix) {
    return lowered.lookupSymbol((source.name + suffix).str());
  };
  Operation *function = find(""), *pack = find(kPackWeightsSuffix);
  if (!function || !pack)
    return std::nullopt;
  SmallVector<EntryValue> arguments =
      getValues(getPackedArguments(function), source);
  SmallVector<EntryValue> packing = getValues(getPackedArguments(pack), source);
  if (arguments.empty() || packing.empty())
    return std::nullopt;

  PackedSignatures signatures{source, {}, {}};
  signatures.function.arguments = std::move(arguments);
  signatures.pack.name = (source.name + kPackWeightsSuffix).str();
  signatures.pack.role = EntrySignature::Role::PackWeights;
  signatures.sizes.name = (source.name + kPackedSizesSuffix).str();
  signatures.sizes.role = EntrySignature::Role::PackedSizes;
  signatures.pack.function = signatures.sizes.function = source.name;
  for (EntryValue &value : packing) {
    // Nothing else may need the weight.
    if (llvm::any_of(signatures.function.arguments,
                     [&](const EntryValue &other) {
                       return other.sourceArgument == value.sourceArgument &&
                              !other.isPacked() && !other.sizesOnly;
                     }))
      value.mayBeInPlace = false;
    signatures.pack.arguments.push_back(value);
    if (value.isPacked()) {
      signatures.sizes.results.push_back(value);
    } else {
      value.sizesOnly = true;
      signatures.sizes.arguments.push_back(value);
    }
  }
  return signatures;
}

std::vector<EntrySignature>
mlir::xfmr::getLoweredSignatures(ModuleOp lowered,
                                 ArrayRef<EntrySignature> sources) {
  std::vector<EntrySignature> all;
  for (const EntrySignature &source : sources) {
    std::optional<PackedSignatures> packed =
        getPackedSignatures(lowered, source);
    if (!packed) {
      all.push_back(source);
      continue;
    }
    all.push_back(std::move(packed->function));
    all.push_back(std::move(packed->pack));
    all.push_back(std::move(packed->sizes));
  }
  return all;
}

llvm::Expected<PackedWeights> PackedWeights::create(
    const PackedSignatures &signatures, JIT::PackedEntry sizes,
    JIT::PackedEntry pack, ArrayRef<void *> arguments,
    function_ref<std::string(const EntrySignature &, int32_t)> getMessage,
    function_ref<HostArray *(unsigned)> getMemory) {
  PackedWeights weights;
  auto call = [&](const EntrySignature &signature,
                  JIT::PackedEntry entry) -> llvm::Error {
    SmallVector<void *> pointers;
    for (const EntryValue &value : signature.arguments)
      if (!value.isPacked())
        pointers.push_back(arguments[value.sourceArgument]);
    for (Descriptor &descriptor : weights.descriptors)
      pointers.push_back(descriptor.get());
    if (int32_t status = entry(pointers.data()))
      return llvm::createStringError(signature.name + ": " +
                                     getMessage(signature, status));
    return llvm::Error::success();
  };
  for (const EntryValue &value : signatures.sizes.results)
    weights.descriptors.emplace_back(value.getRank());
  // What may be packed in place, and is all that its weight is packed to.
  auto isAlone = [&](const EntryValue &value) {
    return value.mayBeInPlace &&
           llvm::count_if(signatures.sizes.results,
                          [&](const EntryValue &other) {
                            return other.sourceArgument == value.sourceArgument;
                          }) == 1;
  };
  if (llvm::Error error = call(signatures.sizes, sizes))
    return llvm::Expected<PackedWeights>(std::move(error));
  for (auto [value, descriptor] :
       llvm::zip_equal(signatures.sizes.results, weights.descriptors)) {
    int64_t bytes = descriptor.getSizes().front() *
                    descriptor.getStrides().front() *
                    getElementBytes(value.elementType);
    weights.numBytes += bytes;
    HostArray *memory =
        getMemory && isAlone(value) ? getMemory(value.sourceArgument) : nullptr;
    if (memory && memory->isContiguous() && memory->getOffset() == 0 &&
        static_cast<int64_t>(memory->getBytes().size()) == bytes) {
      weights.numBytesInPlace += bytes;
      descriptor.setMemory(memory->getBase());
      continue;
    }
    llvm::Expected<HostArray> array =
        HostArray::create(value.elementType, descriptor.getSizes());
    if (!array)
      return array.takeError();
    descriptor = Descriptor(*array);
    weights.arrays.push_back(std::move(*array));
  }
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = call(signatures.pack, pack))
    return llvm::Expected<PackedWeights>(std::move(error));
  weights.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return weights;
}

SmallVector<void *>
PackedWeights::getArguments(const PackedSignatures &signatures,
                            ArrayRef<void *> arguments) {
  SmallVector<void *> pointers;
  auto *packed = descriptors.begin();
  // Both functions have the packed weights in one order.
  for (const EntryValue &value : signatures.function.arguments)
    pointers.push_back(value.isPacked() ? (packed++)->get()
                                        : arguments[value.sourceArgument]);
  return pointers;
}
