//===- PanelLayout.h - Where packed weights lie -----------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A weight of `inputs` x `outputs` elements is packed into panels of C outputs:
//
//   [ceil(outputs / C)][inputs][C]                f64, f32 and f16
//   [ceil(outputs / C)][ceil(inputs / 2)][C][2]   bf16
//
// A panel holds all inputs of its outputs, one step after the other, so that a
// product reads it in one stream whatever the number of rows. In bf16 two
// consecutive inputs lie beside each other: what products of pairs and of tiles
// read. Outputs and inputs beyond the weight's are zeros.
//
// C is two vectors of the type that products accumulate in, and no less than 64
// bytes of it: the layout depends on the element type and the width of vectors
// alone, and serves every number of rows.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_CODEGEN_CPU_PANELLAYOUT_H
#define XFMR_CODEGEN_CPU_PANELLAYOUT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/Dialect/IR/PackedWeights.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

/// How the elements of one packed weight lie.
struct PanelLayout {
  Type elementType;
  /// Outputs of a panel.
  int64_t columns = 0;
  /// Consecutive inputs of one output that lie beside each other.
  int64_t group = 1;

  /// The layout of weights whose products accumulate in `accumulator`, for a
  /// target with vectors of `vectorBytes`.
  static PanelLayout get(Type elementType, Type accumulator,
                         unsigned vectorBytes);
  /// The layout that a packed weight of this type has; its columns and group
  /// are static.
  static PanelLayout get(MemRefType packed);

  /// The type of a packed weight; sizes may be dynamic.
  MemRefType getType(int64_t inputs, int64_t outputs) const;

  /// The sizes of a packed weight.
  SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc,
                                     OpFoldResult inputs,
                                     OpFoldResult outputs) const;

  bool operator==(const PanelLayout &other) const {
    return elementType == other.elementType && columns == other.columns &&
           group == other.group;
  }
  bool operator!=(const PanelLayout &other) const { return !(*this == other); }
};

/// Allocates memory for `weight`, of rank 2 and in the order `order`, and packs
/// it: the op `xfmr.pack_weight`. The memory is the caller's to free.
Value createPackedWeight(OpBuilder &builder, Location loc, Value weight,
                         WeightLayout order, const PanelLayout &layout);

} // namespace mlir::xfmr

#endif // XFMR_CODEGEN_CPU_PANELLAYOUT_H
