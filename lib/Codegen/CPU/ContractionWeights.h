//===- ContractionWeights.h - Weights that are packed once ------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_CONTRACTIONWEIGHTS_H
#define XFMR_LIB_CODEGEN_CPU_CONTRACTIONWEIGHTS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "xfmr/Codegen/CPU/PanelLayout.h"

namespace mlir::xfmr {

/// A part of a weight that is packed as a whole.
struct PackedPart {
  Value packed;
  /// Where the part begins in the packed weight; the panel is whole.
  OpFoldResult firstPanel, firstInput;
};

/// The largest number that is known to divide `value`; 0 divides nothing but
/// itself, and is divided by all.
int64_t getKnownDivisor(OpFoldResult value);

/// The weights of one function that never change: constants, and arguments
/// marked `xfmr.weight`. Each is packed at the function's entry, once for each
/// layout, and freed before it returns.
class PackedWeights {
public:
  explicit PackedWeights(FunctionOpInterface function) : function(function) {}

  /// The packed form of `view`, a matrix in the order `order`: of the largest
  /// weight that it is a part of. Fails where `view` is part of no such weight,
  /// or does not begin with a panel.
  FailureOr<PackedPart> pack(RewriterBase &rewriter, Location loc, Value view,
                             WeightLayout order, const PanelLayout &layout);

  /// Whether `view` is part of a weight that never changes.
  static bool isWeight(Value view);

private:
  struct Packed {
    Value view;
    WeightLayout order;
    PanelLayout layout;
    Value packed;
  };

  bool isKnownAtEntry(Value value);
  Value cloneAtEntry(RewriterBase &rewriter, Value value);

  FunctionOpInterface function;
  /// The last op that was put at the function's entry.
  Operation *last = nullptr;
  SmallVector<Operation *> clones;
  SmallVector<Packed> packed;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_CONTRACTIONWEIGHTS_H
