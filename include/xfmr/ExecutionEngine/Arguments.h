//===- Arguments.h - The arguments of a call --------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_ARGUMENTS_H
#define XFMR_EXECUTIONENGINE_ARGUMENTS_H

#include "xfmr/ExecutionEngine/EntrySignature.h"
#include "xfmr/ExecutionEngine/HostArray.h"
#include "xfmr/ExecutionEngine/Initializer.h"

#include <functional>
#include <map>
#include <optional>

namespace mlir::xfmr {

/// Where arguments come from. Arguments are known by their position.
struct ArgumentOptions {
  /// How to fill arrays that have no entry below. Normal numbers of deviation 1
  /// become ones of deviation 0.02 in weights of two dimensions and more, as
  /// models initialise them.
  Initializer initializer;
  std::map<unsigned, Initializer> initializers;
  /// The path of a .npy file, the value of a scalar, or `@` and the position of
  /// an earlier argument, whose memory is shared.
  std::map<unsigned, std::string> given;
  /// Shapes, for the sizes that a type leaves open.
  std::map<unsigned, SmallVector<int64_t>> shapes;
  /// Fills sizes that follow from those that are known, see
  /// inferArgumentShapes.
  std::function<void(MutableArrayRef<SmallVector<int64_t>>)> inferShapes;
  /// The size of the dimensions that are still open then.
  std::optional<int64_t> dynamicSize;
  uint64_t seed = 0;
};

/// Reads `128x576`.
llvm::Expected<SmallVector<int64_t>> parseShape(StringRef text);

/// The arguments of one call: an array for each, of rank 0 for a scalar.
/// Arguments may share an array.
class Arguments {
public:
  static llvm::Expected<Arguments> create(const EntrySignature &signature,
                                          const ArgumentOptions &options);

  size_t size() const { return arrays.size(); }
  HostArray &operator[](unsigned index) const { return *arrays[index]; }
  /// The first argument that has this argument's memory.
  unsigned getOwner(unsigned index) const;

  /// The shapes of all arguments.
  SmallVector<SmallVector<int64_t>> getShapes() const;

  /// Whether no other argument has the memory of argument `index`.
  bool isAlone(unsigned index) const;
  /// Copies, which share memory among each other as these do. The arguments for
  /// which `isShared` is true are not copied.
  llvm::Expected<Arguments>
  clone(llvm::function_ref<bool(unsigned)> isShared = nullptr) const;
  /// Overwrites the contents of argument `index` with those in `other`, a
  /// clone.
  void restore(unsigned index, const Arguments &other);
  /// Whether the contents of argument `index` are those in `other`, a clone.
  bool isEqual(unsigned index, const Arguments &other) const;

private:
  SmallVector<std::shared_ptr<HostArray>> arrays;
};

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_ARGUMENTS_H
