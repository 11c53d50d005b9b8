//===- Views.cpp - Parts and other shapes of arrays -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

LogicalResult mlir::xfmr::reference::expectType(Interpreter &interpreter,
                                                Operation *op,
                                                const Array &array, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return op->emitOpError("expected a ranked type for the reference, got ")
           << type;
  SmallVector<int64_t> shape(shaped.getShape());
  if (shape.size() == array.shape.size())
    for (auto [size, actual] : llvm::zip_equal(shape, array.shape))
      if (ShapedType::isDynamic(size))
        size = actual;
  return interpreter.expectShape(op, array, shape, "the array");
}

FailureOr<Array> mlir::xfmr::reference::sliceArray(
    Interpreter &interpreter, OffsetSizeAndStrideOpInterface op,
    const Array &array, const llvm::SmallBitVector &dropped) {
  FailureOr<SmallVector<int64_t>> offsets =
      interpreter.indices(op, op.getMixedOffsets());
  FailureOr<SmallVector<int64_t>> sizes =
      interpreter.indices(op, op.getMixedSizes());
  FailureOr<SmallVector<int64_t>> strides =
      interpreter.indices(op, op.getMixedStrides());
  if (failed(offsets) || failed(sizes) || failed(strides))
    return failure();
  if (offsets->size() != array.shape.size()) {
    op->emitOpError("expected as many offsets as dims");
    return failure();
  }
  Array view = array;
  view.shape.clear();
  view.strides.clear();
  for (size_t dim = 0; dim < offsets->size(); ++dim) {
    const int64_t offset = (*offsets)[dim], size = (*sizes)[dim],
                  stride = (*strides)[dim], extent = array.shape[dim];
    // Compared without products that may overflow.
    bool inside = offset >= 0 && size >= 0 && offset <= extent;
    if (inside && size > 0) {
      inside = offset < extent;
      if (size > 1)
        inside &= stride >= 0 ? stride <= (extent - 1 - offset) / (size - 1)
                              : -stride <= offset / (size - 1);
    }
    if (!inside) {
      op->emitOpError("takes a part outside of dim ")
          << dim << ": offset " << offset << ", size " << size << ", stride "
          << stride << " of " << extent;
      return failure();
    }
    view.offset += size > 0 ? offset * array.strides[dim] : 0;
    if (dim < dropped.size() && dropped.test(dim))
      continue;
    view.shape.push_back(size);
    view.strides.push_back(stride * array.strides[dim]);
  }
  return view;
}

FailureOr<Array> mlir::xfmr::reference::expandArray(
    Interpreter &interpreter, Operation *op, Value source,
    ArrayRef<ReassociationIndices> groups, ArrayRef<int64_t> shape) {
  FailureOr<Array> array = interpreter.array(op, source);
  if (failed(array))
    return failure();
  if (groups.size() != array->shape.size() && !groups.empty()) {
    op->emitOpError("expected a group for every dim");
    return failure();
  }
  Array view = *array;
  view.shape.assign(shape.begin(), shape.end());
  view.strides.assign(shape.size(), 0);
  for (auto [dim, group] : llvm::enumerate(groups)) {
    SmallVector<int64_t> sizes;
    for (int64_t result : group)
      sizes.push_back(shape[result]);
    if (countElements(sizes) != array->shape[dim]) {
      op->emitOpError("splits dim ")
          << dim << " of size " << array->shape[dim] << " into "
          << countElements(sizes) << " elements";
      return failure();
    }
    int64_t stride = array->strides[dim];
    for (int64_t result : llvm::reverse(group)) {
      view.strides[result] = stride;
      stride *= std::max<int64_t>(shape[result], 1);
    }
  }
  return view;
}

FailureOr<Array> mlir::xfmr::reference::collapseArray(
    Interpreter &interpreter, Operation *op, Value source,
    ArrayRef<ReassociationIndices> groups, bool mayCopy) {
  FailureOr<Array> array = interpreter.array(op, source);
  if (failed(array))
    return failure();
  auto merge = [&](const Array &from) -> std::optional<Array> {
    Array view = from;
    view.shape.clear();
    view.strides.clear();
    for (const ReassociationIndices &group : groups) {
      int64_t size = 1, stride = 1;
      bool first = true;
      for (int64_t dim : llvm::reverse(group)) {
        // Dims of one element step nowhere.
        if (from.shape[dim] == 1)
          continue;
        if (first)
          stride = from.strides[dim];
        else if (size != 0 && from.strides[dim] != stride * size)
          return std::nullopt;
        first = false;
        size *= from.shape[dim];
      }
      view.shape.push_back(size);
      view.strides.push_back(stride);
    }
    return view;
  };
  if (std::optional<Array> view = merge(*array))
    return *view;
  if (mayCopy || array->numElements() == 0) {
    FailureOr<Array> copy =
        interpreter.create(op, array->elementType, array->shape);
    if (failed(copy))
      return failure();
    copyElements(*array, *copy);
    if (std::optional<Array> merged = merge(*copy))
      return *merged;
  }
  op->emitOpError("merges dims that are not contiguous");
  return failure();
}

FailureOr<int64_t>
mlir::xfmr::reference::elementPosition(Interpreter &interpreter, Operation *op,
                                       const Array &array, ValueRange indices) {
  SmallVector<OpFoldResult> mixed(indices.begin(), indices.end());
  FailureOr<SmallVector<int64_t>> place = interpreter.indices(op, mixed);
  if (failed(place))
    return failure();
  bool inside = place->size() == array.shape.size();
  for (auto [index, size] : llvm::zip(*place, array.shape))
    inside &= index >= 0 && index < size;
  if (!inside) {
    op->emitOpError("reads or writes out of bounds");
    return failure();
  }
  return array.at(*place);
}

LogicalResult mlir::xfmr::reference::runReadElement(Interpreter &interpreter,
                                                    Operation *op) {
  FailureOr<Array> array = interpreter.array(op, op->getOperand(0));
  if (failed(array))
    return failure();
  FailureOr<int64_t> position =
      elementPosition(interpreter, op, *array, op->getOperands().drop_front());
  if (failed(position))
    return failure();
  interpreter.bind(op->getResult(0), array->get(*position));
  return success();
}

LogicalResult mlir::xfmr::reference::runDim(Interpreter &interpreter,
                                            Operation *op) {
  FailureOr<Array> array = interpreter.array(op, op->getOperand(0));
  FailureOr<int64_t> dim = interpreter.index(op, op->getOperand(1));
  if (failed(array) || failed(dim))
    return failure();
  if (*dim < 0 || *dim >= array->rank())
    return op->emitOpError("expected a dim below ")
           << array->rank() << ", got " << *dim;
  interpreter.bind(op->getResult(0),
                   Number{static_cast<long double>(array->shape[*dim]), 0, 0});
  return success();
}
