//===- LinalgEmitter.h - Emits linalg on tensors or on memrefs -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_DIALECT_IR_LINALGEMITTER_H
#define XFMR_LIB_DIALECT_IR_LINALGEMITTER_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

/// (d0, .., dn) -> (d0, .., dk) with `count` results. AffineMap::getMajorSubMap
/// gives a null map where there are none.
inline AffineMap getLeadingDimsMap(Builder &builder, int64_t rank,
                                   int64_t count) {
  return AffineMap::get(
      rank, 0,
      builder.getMultiDimIdentityMap(rank).getResults().take_front(count),
      builder.getContext());
}

/// `value` widened or narrowed to the float type `to`, which rounds to nearest
/// even; scalars.
Value convertFloat(OpBuilder &builder, Location loc, Value value, Type to);

/// A float constant, rounded to `type`.
Value createFloat(OpBuilder &builder, Location loc, Type type, double value);

/// fma(alpha, x, r) of the scalars x and r in the accumulator type; with alpha
/// 1 that is x + r.
Value createResidualSum(OpBuilder &builder, Location loc, Type accumulator,
                        double alpha, Value x, Value r);

/// Emits linalg ops in destination-passing style. On tensors a temporary is a
/// `tensor.empty` and an op's value its result; on memrefs a temporary is an
/// allocation, freed by `freeTemporaries`, and an op's value its destination.
class LinalgEmitter {
public:
  using Body =
      function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;

  LinalgEmitter(OpBuilder &builder, Location loc, bool onTensors)
      : builder(builder), loc(loc), onTensors(onTensors) {}

  Value temporary(ArrayRef<OpFoldResult> sizes, Type element);
  void freeTemporaries();

  /// `destination` with every element `value`.
  Value fill(double value, Value destination);
  Value zeros(ArrayRef<OpFoldResult> sizes, Type element);

  /// A linalg.generic whose body gets the elements of inputs and destinations
  /// and returns those to store.
  SmallVector<Value> generic(ValueRange inputs, ValueRange destinations,
                             ArrayRef<AffineMap> maps,
                             ArrayRef<utils::IteratorType> iterators,
                             Body body);

  /// An elementwise generic over dims that all have the first destination's
  /// rank; `maps` are those of the inputs.
  SmallVector<Value> elementwise(ValueRange inputs,
                                 ArrayRef<AffineMap> inputMaps,
                                 ValueRange destinations, Body body);

  OpBuilder &builder;
  Location loc;

private:
  bool onTensors;
  SmallVector<Value> temporaries;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_DIALECT_IR_LINALGEMITTER_H
