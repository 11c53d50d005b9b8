//===- Array.cpp - Arrays of the evaluator -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

Number Storage::get(int64_t index) const {
  if (value.empty()) {
    if (data)
      return {readElement(kind, data, index), 0, 0};
    return undefined ? Number::unconstrained() : Number();
  }
  int64_t place = index - first;
  return {value[place], hard.empty() ? 0 : hard[place],
          soft.empty() ? 0 : soft[place], narrow.empty() ? 0 : narrow[place]};
}

void Storage::set(int64_t index, const Number &number) {
  if (value.empty()) {
    value.resize(size);
    if (data)
      for (int64_t place = 0; place < size; ++place)
        value[place] = readElement(kind, data, first + place);
    else if (undefined)
      hard.assign(size, HUGE_VAL);
  }
  int64_t place = index - first;
  value[place] = number.value;
  if (hard.empty() && number.hard != 0)
    hard.assign(size, 0);
  if (!hard.empty())
    hard[place] = static_cast<double>(number.hard);
  if (soft.empty() && number.soft != 0)
    soft.assign(size, 0);
  if (!soft.empty())
    soft[place] = static_cast<double>(number.soft);
  if (narrow.empty() && number.narrow != 0)
    narrow.assign(size, 0);
  if (!narrow.empty())
    narrow[place] = static_cast<double>(number.narrow);
}

int64_t mlir::xfmr::reference::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return -1;
    empty |= size == 0;
  }
  if (empty)
    return 0;
  for (int64_t size : shape)
    if (size > std::numeric_limits<int64_t>::max() / 64 / count)
      return -1;
    else
      count *= size;
  return count;
}

SmallVector<int64_t>
mlir::xfmr::reference::rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
  }
  return strides;
}

FailureOr<Array> Array::create(Type elementType, ArrayRef<int64_t> shape,
                               bool undefined) {
  std::optional<ElementKind> kind = getElementKind(elementType);
  int64_t count = countElements(shape);
  if (!kind || count < 0 || count > kMaxElements)
    return failure();
  Array array;
  array.elementType = elementType;
  array.shape.assign(shape.begin(), shape.end());
  array.strides = rowMajorStrides(shape);
  array.storage =
      std::make_shared<Storage>(*kind, elementType, count, undefined);
  return array;
}

int64_t Array::numElements() const { return countElements(shape); }

bool Array::isRowMajor() const {
  int64_t expected = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (shape[dim] != 1 && strides[dim] != expected)
      return false;
    expected *= shape[dim];
  }
  return true;
}

std::vector<int64_t> Array::offsets(int64_t begin, int64_t end) const {
  std::vector<int64_t> result = {0};
  for (int64_t dim = begin; dim < end; ++dim) {
    std::vector<int64_t> next;
    next.reserve(result.size() * shape[dim]);
    for (int64_t position : result)
      for (int64_t index = 0; index < shape[dim]; ++index)
        next.push_back(position + index * strides[dim]);
    result = std::move(next);
  }
  return result;
}

LogicalResult mlir::xfmr::reference::forEachIndex(
    ArrayRef<int64_t> shape,
    function_ref<LogicalResult(ArrayRef<int64_t>)> function) {
  if (countElements(shape) == 0)
    return success();
  SmallVector<int64_t> indices(shape.size(), 0);
  while (true) {
    if (failed(function(indices)))
      return failure();
    size_t dim = shape.size();
    while (dim > 0 && ++indices[dim - 1] == shape[dim - 1])
      indices[--dim] = 0;
    if (dim == 0)
      return success();
  }
}

void mlir::xfmr::reference::copyElements(const Array &from, Array &to) {
  std::vector<int64_t> source = from.offsets(), target = to.offsets();
  // An element may be read after its place was written only in one storage.
  if (from.storage == to.storage) {
    std::vector<Number> numbers(source.size());
    for (size_t i = 0; i < source.size(); ++i)
      numbers[i] = from.get(from.offset + source[i]);
    for (size_t i = 0; i < target.size(); ++i)
      to.set(to.offset + target[i], numbers[i]);
    return;
  }
  for (size_t i = 0; i < source.size(); ++i)
    to.set(to.offset + target[i], from.get(from.offset + source[i]));
}
