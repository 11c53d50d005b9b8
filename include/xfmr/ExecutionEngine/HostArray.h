//===- HostArray.h - Arrays as compiled code takes them ---------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_HOSTARRAY_H
#define XFMR_EXECUTIONENGINE_HOSTARRAY_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace mlir::xfmr {

/// An array with memory of its own, aligned to 64 bytes. Sizes and strides are
/// in elements.
class HostArray {
public:
  HostArray() = default;

  /// An array of zeros, without gaps between its elements.
  static llvm::Expected<HostArray> create(Type elementType,
                                          ArrayRef<int64_t> shape);

  /// An array of zeros with the given strides and offset. The strides are not
  /// negative.
  static llvm::Expected<HostArray> create(Type elementType,
                                          ArrayRef<int64_t> shape,
                                          ArrayRef<int64_t> strides,
                                          int64_t offset);

  Type getElementType() const { return elementType; }
  ArrayRef<int64_t> getShape() const { return shape; }
  ArrayRef<int64_t> getStrides() const { return strides; }
  int64_t getOffset() const { return offset; }
  int64_t getNumElements() const;
  bool isContiguous() const;

  /// The start of the memory, which `getOffset()` elements precede the first.
  char *getBase() const { return memory.get(); }
  /// The first element.
  char *getData() const;
  /// The memory, gaps included.
  MutableArrayRef<char> getBytes() const { return {memory.get(), numBytes}; }

  /// A copy with memory of its own.
  llvm::Expected<HostArray> clone() const;

private:
  struct Free {
    void operator()(char *pointer) const { ::free(pointer); }
  };
  Type elementType;
  SmallVector<int64_t> shape, strides;
  int64_t offset = 0;
  size_t numBytes = 0;
  std::unique_ptr<char, Free> memory;
};

/// Calls `function` with the place of every element, in row-major order.
/// Strides are in elements.
void forEachElement(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                    llvm::function_ref<void(int64_t)> function);

/// The strides of an array without gaps.
SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape);

/// The number of elements of `shape`, or an error when it is beyond what memory
/// can hold.
llvm::Expected<int64_t> countElements(ArrayRef<int64_t> shape);

/// The value of the element at `pointer`, which is of an entry element type.
double readElement(const char *pointer, Type type);

/// Stores `value` at `pointer`, rounded to `type`: to nearest even, integers
/// towards zero.
void writeElement(char *pointer, Type type, double value);

/// What MLIR passes for an array: allocated and aligned pointers, offset, sizes
/// and strides.
class Descriptor {
public:
  /// A descriptor of the given rank, to be filled by compiled code.
  explicit Descriptor(int64_t rank) : rank(rank), words(3 + 2 * rank) {}
  explicit Descriptor(const HostArray &array);

  void *get() { return words.data(); }
  void clear() { llvm::fill(words, 0); }
  /// Puts the array where `memory` begins.
  void setMemory(char *memory) {
    words[0] = words[1] = reinterpret_cast<int64_t>(memory);
    words[2] = 0;
  }
  char *getAllocated() const { return reinterpret_cast<char *>(words[0]); }
  char *getAligned() const { return reinterpret_cast<char *>(words[1]); }
  int64_t getOffset() const { return words[2]; }
  ArrayRef<int64_t> getSizes() const { return ArrayRef(words).slice(3, rank); }
  ArrayRef<int64_t> getStrides() const {
    return ArrayRef(words).slice(3 + rank, rank);
  }

private:
  int64_t rank;
  SmallVector<int64_t> words;
};

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_HOSTARRAY_H
