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
  /// A packed weight of so many bytes is written past the caches.
  int64_t nonTemporalFrom = 0;
  /// A weight known to be smaller, in bytes, is packed by one thread.
  int64_t parallelFrom = 0;
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

/// Emits loops for `op` before it. Returns the form; with strides that are
/// known at run time only, the one that is expected.
PackingForm emitWeightPacking(RewriterBase &rewriter, PackWeightOp op,
                              const WeightPackingOptions &options);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_WEIGHTPACKING_H
