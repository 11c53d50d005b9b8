//===- WeightPacking.h - Loops that pack weights ----------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_WEIGHTPACKING_H
#define XFMR_LIB_CODEGEN_CPU_WEIGHTPACKING_H

#include "mlir/IR/PatternMatch.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

struct WeightPackingOptions {
  /// Bytes of a native vector.
  unsigned vectorBytes = 64;
  /// A packed weight of so many bytes is written past the caches, and a weight
  /// of so many is in none.
  int64_t nonTemporalFrom = 0;
  /// Bytes of one core's L2 cache: larger packed weights in a caller's memory
  /// are written past the caches where squares are transposed.
  int64_t l2Bytes = 0;
  /// A weight known to be smaller, in bytes, is packed by one thread.
  int64_t parallelFrom = 0;
  /// How many threads there are; 0 if that is not known.
  unsigned threads = 1;
};

/// How a weight's elements come into the order of the packed ones.
enum class PackingForm {
  /// Outputs follow each other in memory: runs of them are copied.
  Copy,
  /// Every second element is an output: runs are copied and thinned out.
  CopyEveryOther,
  /// Inputs follow each other in memory: squares are transposed in registers.
  Transpose,
  /// Any other strides.
  Gather
};

/// Whether the packed weight of `op` may have its source's own memory, at the
/// same address: what the types say. The rows of the source then follow each
/// other, and panels fill them.
bool mayPackInPlace(PackWeightOp op);

/// Whether it has, and the sizes allow for it. For ops that may.
Value emitIsInPlace(OpBuilder &builder, Location loc, PackWeightOp op);

/// Whether the packed memory of the op of this number overlaps none that
/// another op packs into, and that of no source; of its own one only in place.
Value emitHasOwnMemory(OpBuilder &builder, Location loc,
                       ArrayRef<PackWeightOp> ops, unsigned index);

/// Whether the two pack the even and the odd ones of every two elements that
/// follow each other, gates and ups most often.
bool isInterleavedPair(PackWeightOp even, PackWeightOp odd);

/// Emits loops for `op` before it; with `odd`, which makes an interleaved pair
/// with it, for both before `odd`, and the weight is read once. Returns the
/// form; with strides that are known at run time only, the one that is
/// expected.
PackingForm emitWeightPacking(RewriterBase &rewriter, PackWeightOp op,
                              PackWeightOp odd,
                              const WeightPackingOptions &options);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_WEIGHTPACKING_H
