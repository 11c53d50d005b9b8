//===- RowLowering.h - Row groups to strip-mined vector loops ---*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row group is a set of linalg ops over the same rows: elementwise ops and
// reductions over the trailing dims, read from buffers and written to buffers.
// It becomes loops over the rows; inside, every level of reductions is one
// strip-mined pass over the row, and one last pass stores the results.
//
// Two promises of the emitted code:
// - Order. A reduction's partial sums depend on the row's length, the vector
//   width and the types of the reduced elements alone: not on the number of
//   rows, the position, the alignment, the strides, what else is in the group,
//   or whether shapes are static.
// - Aliasing. A strip loads all its operands before it stores, and nothing that
//   a later pass still reads is stored over. So a result may be written over an
//   operand that is read at the same position.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_CODEGEN_CPU_ROWLOWERING_H
#define XFMR_CODEGEN_CPU_ROWLOWERING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::xfmr {

/// What the row lowering needs to know of the target.
struct RowLoweringOptions {
  /// Bytes of a native vector; a power of two.
  unsigned vectorBytes = 64;
  /// Vectors of partial sums that the reductions of one pass share; part of the
  /// order of summation, hence of the result's bits.
  unsigned accumulators = 8;
  /// Native vectors that a step of a storing pass handles.
  unsigned unroll = 4;
  /// Vector registers that there are.
  unsigned vectorRegisters = 32;
  /// Products of bf16 pairs may be summed by `vdpbf16ps`; part of the order of
  /// summation.
  bool useBF16Dot = false;
  /// Operands and results of this many bytes together and more: the next row is
  /// prefetched; 0 for never. Where two rows have more, that is into the second
  /// cache, and from `lastLevelBytes` on.
  int64_t prefetchFromBytes = 0;
  /// The size of the last cache.
  int64_t lastLevelBytes = 0;
  /// A result of this many bytes and more: non-temporal stores; 0 for never.
  int64_t nonTemporalFromBytes = 0;
  /// Elements of a row from which threads may share it, each with blocks of its
  /// own; 0 for never.
  int64_t shareRowsFrom = 0;
  /// Rows of which the inputs fit half of the vector registers stay there, and
  /// so many or less are taken a step; 0 for loops over every row.
  unsigned shortRows = 0;
  /// Exponentials that reach nothing but roundings to f16 or bf16 have the
  /// digits that these leave: `xfmr.rounded_to`.
  bool shortFunctions = false;
  /// The target is an x86 CPU: its non-temporal stores need a fence.
  bool isX86 = false;
  /// The category of remarks: the name of the pass.
  StringRef remarkCategory;
};

/// One output of an op of a group and the buffer that it is written to.
struct RowSink {
  linalg::LinalgOp op;
  unsigned output = 0;
  Value buffer;
};

/// The ops of a group in program order. An op may be on tensors or on memrefs;
/// tensor operands that no op of the group computes are found in `buffers`
/// (fills, empty tensors and splat constants need no entry).
struct RowGroup {
  SmallVector<linalg::LinalgOp> ops;
  DenseMap<Value, Value> buffers;
  SmallVector<RowSink> sinks;
};

/// Succeeds when `op` may be part of a row group; says why not in `reason`.
LogicalResult checkRowOp(linalg::LinalgOp op, std::string *reason = nullptr);

/// Emits the loops of `group` at the rewriter's insertion point, which all
/// scalars and buffers of the group must dominate. The ops of the group are
/// left in place. On failure nothing was emitted and `reason` says why.
LogicalResult lowerRowGroup(RewriterBase &rewriter, const RowGroup &group,
                            const RowLoweringOptions &options,
                            std::string *reason = nullptr);

/// Lowers everything in `block` (not in nested regions): clusters of tensor ops
/// between `bufferization.to_tensor` and
/// `bufferization.materialize_in_destination` become row groups, the other ops
/// among them are rewritten onto memrefs; linalg ops and copies on memrefs
/// become row groups of one op each.
void lowerRowGroupsInBlock(RewriterBase &rewriter, Block &block,
                           const RowLoweringOptions &options);

} // namespace mlir::xfmr

#endif // XFMR_CODEGEN_CPU_ROWLOWERING_H
