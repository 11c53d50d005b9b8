//===- Decomposition.h - The ops' meaning as linalg -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one decomposition of every op, which `linalg::AggregatedOpInterface`
// offers too. On tensors it returns the op's results; on memrefs it writes the
// destinations, allocates and frees its temporaries, and returns nothing.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_DECOMPOSITION_H
#define XFMR_DIALECT_IR_DECOMPOSITION_H

#include "mlir/IR/Builders.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

/// What `op` says of its network; nothing when it is none.
std::optional<FFNSpec> getNetwork(Operation *op);

/// Results are sum, norm, rstd and mean, as far as they have destinations.
FailureOr<SmallVector<Value>> decomposeNorm(OpBuilder &builder, Location loc,
                                            const NormSpec &spec);

/// The network over the whole hidden dim.
FailureOr<SmallVector<Value>> decomposeFFN(OpBuilder &builder, Location loc,
                                           const FFNSpec &spec);

/// How a network is cut into blocks.
struct FFNBlocks {
  /// Hidden values that are computed before they are multiplied by the down
  /// weights. Where it is a multiple of 256, no result's bits depend on it.
  int64_t hidden = 1024;
  /// Where the number of rows is known, blocks are longer while no more hidden
  /// values than these are in one: each is a start of threads.
  int64_t hiddenElements = 0;
  /// Columns of gate and up that are accumulated before the activation takes
  /// them: no temporary of theirs is wider. Of more than 128, half or less in a
  /// short block, so that threads have something to share.
  int64_t columns = 128;
};

/// The network on memrefs in blocks of the hidden dim: a loop over blocks of
/// about `blocks.hidden` hidden values, each computed for all rows and then
/// accumulated into the down product, in the order of the hidden dim. In a
/// block, an `scf.forall` over columns, whose iterations are independent.
LogicalResult decomposeFFNInBlocks(OpBuilder &builder, Location loc,
                                   const FFNSpec &spec,
                                   const FFNBlocks &blocks);

/// fma(alpha, x, f) of the residual block's type, where `mask` (may be null) is
/// true, and x elsewhere, into `init`. Returns the result on tensors, else
/// null.
Value decomposeResidualAdd(OpBuilder &builder, Location loc, Value x, Value f,
                           double alpha, Value mask, Value init);

/// x where `mask` is false, y elsewhere, into `init`. Returns the result on
/// tensors, else null.
Value decomposeMaskedSelect(OpBuilder &builder, Location loc, Value mask,
                            Value x, Value y, Value init);

} // namespace mlir::xfmr

#endif // XFMR_DIALECT_IR_DECOMPOSITION_H
