//===- ShapeUtils.h - Sizes and slices --------------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_DIALECT_IR_SHAPEUTILS_H
#define XFMR_LIB_DIALECT_IR_SHAPEUTILS_H

#include "mlir/IR/Builders.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

/// The sizes of a tensor or memref, constants where they are static.
SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc,
                                   Value value);

/// The size of one dim.
OpFoldResult getSize(OpBuilder &builder, Location loc, Value value,
                     int64_t dim);

/// `tensor.extract_slice` or `memref.subview`; strides are 1 unless given.
Operation *createSlice(OpBuilder &builder, Location loc, Value source,
                       ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes,
                       ArrayRef<OpFoldResult> strides = {});

/// True when a tile of this size is known to be all of the dim.
bool isWholeDim(OpFoldResult size, Value value, int64_t dim);

/// The slices that hold gate and up, in this order, for a tile of what would be
/// either of them: `packed` has twice as many elements along `dim`.
std::pair<Operation *, Operation *>
slicePackedGateUp(OpBuilder &builder, Location loc, Value packed, int64_t dim,
                  GateUpOrder order, ArrayRef<OpFoldResult> offsets,
                  ArrayRef<OpFoldResult> sizes);

/// Gate and up as two values of one packed along dim `dim`, in this order.
std::pair<Value, Value> unpackGateUp(OpBuilder &builder, Location loc,
                                     Value packed, int64_t dim,
                                     GateUpOrder order);

} // namespace mlir::xfmr

#endif // XFMR_LIB_DIALECT_IR_SHAPEUTILS_H
