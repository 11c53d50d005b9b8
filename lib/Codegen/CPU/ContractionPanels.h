//===- ContractionPanels.h - Contractions with packed weights ---*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_CONTRACTIONPANELS_H
#define XFMR_LIB_CODEGEN_CPU_CONTRACTIONPANELS_H

#include "AMXLeftSide.h"
#include "ContractionWeights.h"
#include "xfmr/Codegen/CPU/ContractionLowering.h"

namespace mlir::xfmr {

/// What became of a contraction.
enum class PanelForm {
  /// Nothing: it is no product of panels.
  None,
  /// Nothing, and nothing is left to do: one of its sizes is 0.
  Empty,
  /// A product of a weight that was packed before.
  Packed,
  /// A product of a matrix that is packed each time.
  PackedEachTime,
};

/// Makes a contraction of rows with one matrix, on strided memrefs, a product
/// of panels, at the rewriter's insertion point; the op is left in place.
PanelForm lowerToPanels(RewriterBase &rewriter, const ContractionInfo &info,
                        const ContractionLoweringOptions &options,
                        PackedWeights &weights, AMXLeftSides &leftSides);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_CONTRACTIONPANELS_H
