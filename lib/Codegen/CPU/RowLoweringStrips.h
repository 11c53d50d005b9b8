//===- RowLoweringStrips.h - Strips of a buffer as vectors ------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWLOWERINGSTRIPS_H
#define XFMR_LIB_CODEGEN_CPU_ROWLOWERINGSTRIPS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::xfmr {

/// Loads and stores vectors whose lanes lie along any direction of a buffer:
/// adjacent lanes by vector loads, others by gather and scatter on a flat view.
class StripAccess {
public:
  /// What does not depend on the position of a strip is emitted before `hoist`,
  /// which every accessed buffer must dominate.
  StripAccess(OpBuilder &builder, Location loc, Operation *hoist)
      : builder(builder), loc(loc), hoist(hoist) {}

  /// True when strips are plain vector loads. `steps` holds, for each dim of
  /// the buffer, by how many positions a lane lies after the one before it.
  /// Booleans take a byte each in memory but a bit each in a vector, so never.
  static bool isDirect(MemRefType type, ArrayRef<int64_t> steps);

  /// A vector of `width` elements from `indices` on. Lanes whose bit in `mask`
  /// is off (no mask: none) are not read and hold zero.
  Value load(Value buffer, ValueRange indices, ArrayRef<int64_t> steps,
             int64_t width, Value mask);

  /// Stores the lanes of `vector` whose bit in `mask` is on. Masks have their
  /// set bits first. A `nonTemporal` store without a mask is known to be
  /// aligned to a native vector, and leaves the cache alone.
  void store(Value vector, Value buffer, ValueRange indices,
             ArrayRef<int64_t> steps, Value mask, int64_t streamAlignment = 0);

private:
  /// A buffer seen as one dim of stride 1 from its first element on.
  struct Flat {
    Value view;
    SmallVector<Value> strides;
  };
  struct LaneOffsets {
    Value buffer;
    SmallVector<int64_t> steps;
    int64_t width;
    Value offsets;
  };

  const Flat &getFlat(Value buffer);
  Value getFlatIndex(const Flat &flat, ValueRange indices);
  Value getLaneOffsets(Value buffer, ArrayRef<int64_t> steps, int64_t width);
  Value getAllTrue(int64_t width);
  /// Booleans take a byte each in memory but a bit each in a vector, so they
  /// are accessed one by one: `access` gets a lane and the buffer's indices of
  /// it.
  Value forEachLane(ValueRange indices, ArrayRef<int64_t> steps, int64_t width,
                    Value mask, Value init,
                    function_ref<Value(Value, ValueRange, Value)> access);

  OpBuilder &builder;
  Location loc;
  Operation *hoist;
  DenseMap<Value, Flat> flats;
  SmallVector<LaneOffsets> laneOffsets;
};

/// `value`, a scalar, in every lane of a vector of `width` elements.
Value broadcastLanes(OpBuilder &builder, Location loc, Value value,
                     int64_t width);

/// Folds the upper half of a vector's lanes onto the lower half until `width`
/// (a power of two) lanes are left: one fixed tree.
Value foldLanes(OpBuilder &builder, Location loc, Value vector, int64_t width,
                function_ref<Value(Value, Value)> combine);

/// `foldLanes` down to a scalar.
Value reduceLanes(OpBuilder &builder, Location loc, Value vector,
                  function_ref<Value(Value, Value)> combine);

/// `reduceLanes` of several vectors at once, a power of two of them: lane r of
/// the result is what vector r becomes, by the same tree. Vectors share a
/// register from the step on from which half of one has nothing more to do.
Value reduceRows(OpBuilder &builder, Location loc, ArrayRef<Value> vectors,
                 function_ref<Value(Value, Value)> combine);

/// `size` rounded down to a multiple of `step`, a power of two.
Value emitRoundDown(OpBuilder &builder, Location loc, Value size, int64_t step);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGSTRIPS_H
