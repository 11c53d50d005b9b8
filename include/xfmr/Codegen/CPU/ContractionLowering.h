//===- ContractionLowering.h - Contractions to register tiles ---*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// out[b.., m.., n..] += sum_k lhs[b.., m.., k..] * rhs[b.., n.., k..], with the
// dims of each operand in any order. Rows times one matrix are a product of
// packed panels (PanelProduct.h). Of others, the right side's innermost dim
// selects the form, whatever its stride, so that strided operands give the same
// bits:
// - n innermost: vectors along n, one fma an element for each k;
// - k innermost: vectors along k, the lanes' partial sums added by one fixed
// tree. In both, blocks of 64 steps along k have partial sums of their own, and
// an element's order of additions depends on K, the vector width and the
// accumulator type alone, not on M, N, the tile or the position.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_CODEGEN_CPU_CONTRACTIONLOWERING_H
#define XFMR_CODEGEN_CPU_CONTRACTIONLOWERING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "xfmr/Target/CPUTarget.h"

namespace mlir::xfmr {

/// What the contraction lowering needs to know of the target.
struct ContractionLoweringOptions {
  /// The target's facts; `vectorBytes` is a power of two.
  CPUTarget target;
  /// Rows of the register tile of a contraction without a weight; a power of
  /// two.
  unsigned tileRows = 8;
  /// One way of rounding for every number of rows.
  bool batchInvariant = false;
  /// Threads that share the columns of a product; 0 if that is not known.
  unsigned threads = 0;
};

/// A contraction and the roles of its operands and loops. When no dim belongs
/// to the second input alone, the inputs are swapped: a matrix-vector product
/// has its matrix as right side.
struct ContractionInfo {
  linalg::LinalgOp op;
  /// Operand numbers of the two sides.
  unsigned lhs = 0, rhs = 1;
  /// Loops of each kind, in loop order.
  SmallVector<unsigned> batch, m, n, k;

  AffineMap getLhsMap() const;
  AffineMap getRhsMap() const;
  AffineMap getOutMap() const;
  /// Whether the right side's innermost dim is a reduced one.
  bool isDotForm() const;
};

/// Recognises a multiply-accumulate of two inputs into an f32 or f64 output;
/// the inputs may be widened inside the body. `reason` says why not.
FailureOr<ContractionInfo> matchContraction(linalg::LinalgOp op,
                                            std::string *reason = nullptr);

/// Whether `op` multiplies rows by one matrix, the same for all of them, so
/// that threads can share its columns.
bool isPanelProduct(linalg::LinalgOp op);

/// What sets the output of `op`, on memrefs, to zeros right before it; null
/// where nothing does.
linalg::FillOp getZeros(linalg::LinalgOp op);

/// Whether `fill` makes zeros for a product of rows by one matrix, whose
/// lowering may do without them.
bool makesZerosForProduct(linalg::FillOp fill);

/// Whether all operands are strided memrefs.
LogicalResult checkMemrefs(linalg::LinalgOp op, std::string *reason = nullptr);

/// Emits the loops of a contraction on memrefs at the rewriter's insertion
/// point; the op is left in place. On failure nothing was emitted.
LogicalResult lowerContraction(RewriterBase &rewriter,
                               const ContractionInfo &info,
                               const ContractionLoweringOptions &options,
                               std::string *reason = nullptr);

} // namespace mlir::xfmr

#endif // XFMR_CODEGEN_CPU_CONTRACTIONLOWERING_H
