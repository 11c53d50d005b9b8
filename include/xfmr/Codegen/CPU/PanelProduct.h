//===- PanelProduct.h - Rows times packed panels of weights -----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// out[rows x columns] += lhs[rows x K] * panels. `xfmr-lower-contractions`
// makes one of a contraction with a weight, and one of the emitters below makes
// loops of it. What they emit is sequential; the pass puts threads around it.
//
// A product may be split along K at any multiple of the summation block of its
// emitter, and anywhere along rows and panels, without a change of bits: `out`
// holds the exact running total between blocks.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_CODEGEN_CPU_PANELPRODUCT_H
#define XFMR_CODEGEN_CPU_PANELPRODUCT_H

#include "xfmr/Codegen/CPU/ContractionLowering.h"

namespace mlir::xfmr {

/// A product of rows and packed weights. Sizes are what the operands' types
/// say, or values where those are dynamic.
struct PanelProduct {
  /// Rows times inputs: rank 2, any strides, f16, bf16, f32 or f64. Nothing
  /// beyond its `inputs` columns may be read.
  Value lhs;
  /// Panels (PanelLayout.h): [panels, inputs, width], or for weights in pairs
  /// [panels, ceil(inputs / 2), width, 2]. Zero padded to whole panels and
  /// pairs. The three inner dims are contiguous; panels may lie further apart.
  Value packed;
  /// Rows times columns: rank 2, any strides, in the accumulator type.
  Value out;
  /// The extents. `columns` need not be a multiple of the panels' width: the
  /// last panel's columns beyond it are computed and not stored.
  OpFoldResult rows, columns, inputs;
  /// The panel of `out`'s first column.
  OpFoldResult firstPanel;
  /// The input of the packed weights that multiplies `lhs`'s first column; the
  /// first of a pair, where weights are in pairs.
  OpFoldResult firstInput;
  /// `out` is to hold the product alone, whatever it holds before.
  bool overwrites = false;

  Type getLhsType() const { return getElementTypeOrSelf(lhs.getType()); }
  Type getWeightType() const { return getElementTypeOrSelf(packed.getType()); }
  Type getAccumulatorType() const {
    return getElementTypeOrSelf(out.getType());
  }
  /// Columns of a panel.
  int64_t getPanelWidth() const;
  /// Whether pairs of inputs lie beside each other.
  bool isInPairs() const {
    return cast<MemRefType>(packed.getType()).getRank() == 4;
  }
};

/// Inputs that share partial sums in vector code, in one chain from zero: in a
/// longer one, rounding errors of one sign (equal addends) would add up to more
/// than the bound of a product allows. Products of 16-bit weights have longer
/// blocks: what they are rounded to is coarser by far. Those of bf16 values
/// have the longest: a product has 16 digits, so that 256 equal ones are summed
/// without any rounding.
int64_t getPanelSummationBlock(Type lhsType, Type weightType);

/// Emits `product` in vector code at the rewriter's insertion point: a call of
/// a private function of the module, `xfmr_panel_product_*`, that serves all
/// products of these element types.
void emitVectorPanelProduct(RewriterBase &rewriter, Location loc,
                            const PanelProduct &product,
                            const ContractionLoweringOptions &options);

} // namespace mlir::xfmr

#endif // XFMR_CODEGEN_CPU_PANELPRODUCT_H
