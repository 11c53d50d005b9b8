//===- Views.h - Parts and other shapes of arrays -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_REFERENCE_VIEWS_H
#define XFMR_LIB_REFERENCE_VIEWS_H

#include "Interpreter.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::xfmr::reference {

/// An error unless the array has the static sizes of the type.
LogicalResult expectType(Interpreter &interpreter, Operation *op,
                         const Array &array, Type type);

/// The part that offsets, sizes and strides name, without the dropped dims.
FailureOr<Array> sliceArray(Interpreter &interpreter,
                            OffsetSizeAndStrideOpInterface op,
                            const Array &array,
                            const llvm::SmallBitVector &dropped);

/// tensor.extract_slice and memref.subview.
template <typename OpTy>
LogicalResult runSlice(Interpreter &interpreter, Operation *op) {
  auto slice = cast<OpTy>(op);
  FailureOr<Array> array = interpreter.array(op, slice.getSource());
  if (failed(array))
    return failure();
  FailureOr<Array> view =
      sliceArray(interpreter, slice, *array, slice.getDroppedDims());
  if (failed(view))
    return failure();
  interpreter.bind(slice, *view);
  return success();
}

/// Dims split as the groups say; a view always.
FailureOr<Array> expandArray(Interpreter &interpreter, Operation *op,
                             Value source,
                             ArrayRef<ReassociationIndices> groups,
                             ArrayRef<int64_t> shape);

/// Dims merged as the groups say: a view where they are contiguous, otherwise a
/// copy or an error.
FailureOr<Array> collapseArray(Interpreter &interpreter, Operation *op,
                               Value source,
                               ArrayRef<ReassociationIndices> groups,
                               bool mayCopy);

/// tensor.expand_shape and memref.expand_shape.
template <typename OpTy>
LogicalResult runExpandShape(Interpreter &interpreter, Operation *op) {
  auto expand = cast<OpTy>(op);
  FailureOr<SmallVector<int64_t>> shape =
      interpreter.indices(op, expand.getMixedOutputShape());
  if (failed(shape))
    return failure();
  FailureOr<Array> view = expandArray(interpreter, op, expand.getSrc(),
                                      expand.getReassociationIndices(), *shape);
  if (failed(view))
    return failure();
  interpreter.bind(expand, *view);
  return success();
}

/// tensor.collapse_shape and memref.collapse_shape, which never copies.
template <typename OpTy, bool mayCopy>
LogicalResult runCollapseShape(Interpreter &interpreter, Operation *op) {
  auto collapse = cast<OpTy>(op);
  FailureOr<Array> view =
      collapseArray(interpreter, op, collapse.getSrc(),
                    collapse.getReassociationIndices(), mayCopy);
  if (failed(view))
    return failure();
  interpreter.bind(collapse, *view);
  return success();
}

/// The place of an element, or an error when it is out of bounds.
FailureOr<int64_t> elementPosition(Interpreter &interpreter, Operation *op,
                                   const Array &array, ValueRange indices);

/// tensor.extract and memref.load: the first operand's element at the others.
LogicalResult runReadElement(Interpreter &interpreter, Operation *op);

/// tensor.dim and memref.dim.
LogicalResult runDim(Interpreter &interpreter, Operation *op);

} // namespace mlir::xfmr::reference

#endif // XFMR_LIB_REFERENCE_VIEWS_H
