//===- StripLoops.h - Loops in strips over known extents --------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_STRIPLOOPS_H
#define XFMR_LIB_CODEGEN_CPU_STRIPLOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace mlir::xfmr {

/// The extent of a dim: static, or that of a buffer's dim, or a value.
struct LoopExtent {
  int64_t extent = ShapedType::kDynamic;
  Value source;
  unsigned sourceDim = 0;

  bool isDynamic() const { return ShapedType::isDynamic(extent); }
  bool isKnown() const { return !isDynamic() || source; }
};

/// Index constants, each of which is emitted once, before a mark.
class HoistedConstants {
public:
  HoistedConstants(OpBuilder &builder, Location loc, Operation *hoist)
      : builder(builder), loc(loc), hoist(hoist) {}

  Value get(int64_t value);

private:
  OpBuilder &builder;
  Location loc;
  Operation *hoist;
  /// By any value: a DenseMap cannot hold the largest.
  std::map<int64_t, Value> constants;
};

/// A loop that LLVM leaves as it is: a step is as much as the registers hold.
/// `body` gets the position and the carried values, and returns the next ones.
SmallVector<Value>
emitStripLoop(OpBuilder &builder, Location loc, Value from, Value to,
              Value step, ValueRange inits,
              function_ref<SmallVector<Value>(Value, ValueRange)> body);

/// Emits loops over dims by their number. What bounds a loop is the same for
/// all positions: each such value is emitted once, before a mark.
class StripLoops {
public:
  using Values = SmallVector<Value>;

  /// The sources of `extents`, which must outlive this, dominate `hoist`.
  StripLoops(OpBuilder &builder, Location loc, Operation *hoist,
             ArrayRef<LoopExtent> extents)
      : builder(builder), loc(loc), hoist(hoist), extents(extents),
        constants(builder, loc, hoist) {}

  bool isDynamic(unsigned dim) const { return extents[dim].isDynamic(); }
  Value getConstant(int64_t value) { return constants.get(value); }
  Value getExtent(unsigned dim);
  /// A dim's extent rounded down to a multiple of `step`, a power of two.
  Value getMultiple(unsigned dim, int64_t step);
  /// The lanes of a vector that a dim's extent fills after its last multiple of
  /// `lanes`.
  Value getTailMask(unsigned dim, int64_t lanes);
  /// The same for vectors of the even elements among the `lanes`, or of the odd
  /// ones.
  Value getTailMaskOfHalf(unsigned dim, int64_t lanes, unsigned parity);

  /// A strip loop with a constant step.
  Values emitFor(Value from, Value to, int64_t step, ValueRange inits,
                 function_ref<Values(Value, ValueRange)> body) {
    return emitStripLoop(builder, loc, from, to, getConstant(step), inits,
                         body);
  }

  /// Whether anything may be left of `dim` after whole vectors of `lanes`.
  bool hasTail(unsigned dim, int64_t lanes) const {
    return isDynamic(dim) || extents[dim].extent % lanes != 0;
  }

  /// What is left of `dim` after whole vectors of `lanes`, at the position and
  /// under the mask that `body` gets, if anything is left, and where `when`
  /// holds if there is such a condition; `inits` otherwise.
  Values emitTail(unsigned dim, int64_t lanes, ValueRange inits,
                  function_ref<Values(Value from, Value mask)> body,
                  Value when = {});

  /// What is left of a dynamic `dim` from `from` on, a multiple of `lanes`, in
  /// vectors of `lanes` that all have a mask: one body for the whole ones and
  /// the last, as that is less code and seldom run. `body` gets a condition
  /// that is true for the last one, if it is not whole.
  Values
  emitRest(unsigned dim, Value from, int64_t lanes, ValueRange inits,
           function_ref<Values(Value from, Value isTail, ValueRange)> body);
  /// `mask`, which is one of the tail's, where `isTail`, or all lanes.
  Value emitMaskIf(Value isTail, Value mask);

private:
  OpBuilder &builder;
  Location loc;
  Operation *hoist;
  ArrayRef<LoopExtent> extents;
  HoistedConstants constants;
  DenseMap<unsigned, Value> sizes;
  DenseMap<std::pair<unsigned, int64_t>, Value> multiples, masks, halfMasks[2];
};

/// `value`, an f32 or an index, of which LLVM does not know what it is.
Value emitHidden(OpBuilder &builder, Location loc, Value value);

/// `condition`, which code that branches on it may take to be false.
Value emitUnlikely(OpBuilder &builder, Location loc, Value condition);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_STRIPLOOPS_H
