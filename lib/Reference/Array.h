//===- Array.h - Arrays of the evaluator -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_REFERENCE_ARRAY_H
#define XFMR_LIB_REFERENCE_ARRAY_H

#include "Number.h"
#include "mlir/Support/LLVM.h"
#include "xfmr/Reference/Elements.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <vector>

namespace mlir::xfmr::reference {

/// The elements behind one or more arrays. They are the caller's memory, read
/// where it is, until the first write, which makes them numbers of our own; or
/// numbers from the start; or not yet written at all.
class Storage {
public:
  /// The caller's memory; elements `first` to `first + size - 1` from `data`.
  Storage(ElementKind kind, Type type, const void *data, int64_t first,
          int64_t size)
      : kind(kind), format(getFloatFormat(type)), data(data), first(first),
        size(size) {}
  /// Numbers of our own: zeros, or unconstrained ones.
  Storage(ElementKind kind, Type type, int64_t size, bool undefined)
      : kind(kind), format(getFloatFormat(type)), size(size),
        undefined(undefined) {}

  /// The number as it was written, before its rounding to the element type.
  Number get(int64_t index) const;
  /// The number that an op reads.
  Number read(int64_t index) const {
    Number number = get(index);
    return isBorrowed() || !format ? number : settle(*format, number);
  }
  void set(int64_t index, const Number &number);

  bool isBorrowed() const { return data && value.empty(); }
  const void *getData() const { return data; }
  ElementKind getKind() const { return kind; }
  int64_t getFirst() const { return first; }
  int64_t getSize() const { return size; }
  /// Widens the part of the caller's memory that belongs to the storage.
  void extend(int64_t newFirst, int64_t newSize) {
    first = newFirst;
    size = newSize;
  }
  bool isWritten() const { return !value.empty(); }

private:
  ElementKind kind;
  std::optional<FloatFormat> format;
  const void *data = nullptr;
  int64_t first = 0, size = 0;
  bool undefined = false;
  std::vector<long double> value;
  /// Empty while all are zero.
  std::vector<double> hard, soft, narrow;
};

/// Numbers of arrays that are made: beyond it an op is refused, not the process
/// ended for lack of memory.
inline constexpr int64_t kMaxElements = int64_t(1) << 28;

/// A strided view of a storage.
struct Array {
  std::shared_ptr<Storage> storage;
  Type elementType;
  int64_t offset = 0;
  SmallVector<int64_t> shape, strides;

  /// A row-major array of zeros, or of unconstrained numbers. It fails when the
  /// shape is negative or too large or the type cannot be held.
  static FailureOr<Array> create(Type elementType, ArrayRef<int64_t> shape,
                                 bool undefined = false);

  int64_t rank() const { return shape.size(); }
  int64_t numElements() const;
  /// The storage index of the element.
  int64_t at(ArrayRef<int64_t> indices) const {
    int64_t position = offset;
    for (auto [index, stride] : llvm::zip_equal(indices, strides))
      position += index * stride;
    return position;
  }
  Number read(int64_t position) const { return storage->read(position); }
  Number get(int64_t position) const { return storage->get(position); }
  void set(int64_t position, const Number &number) {
    storage->set(position, number);
  }
  /// True for one run of elements without gaps, row-major.
  bool isRowMajor() const;

  /// The part of the storage index that the dims [begin, end) give, row-major.
  std::vector<int64_t> offsets(int64_t begin, int64_t end) const;
  std::vector<int64_t> offsets() const { return offsets(0, rank()); }
};

/// The product of the sizes, or -1 when one is negative or it is too large.
int64_t countElements(ArrayRef<int64_t> shape);

/// The row-major strides of a shape.
SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape);

/// Calls the function for every index tuple of the shape, row-major; stops and
/// fails when it does.
LogicalResult
forEachIndex(ArrayRef<int64_t> shape,
             function_ref<LogicalResult(ArrayRef<int64_t>)> function);

/// Copies unrounded numbers; the shapes are equal. Safe for overlapping arrays.
void copyElements(const Array &from, Array &to);

} // namespace mlir::xfmr::reference

#endif // XFMR_LIB_REFERENCE_ARRAY_H
