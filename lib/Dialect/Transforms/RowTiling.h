//===- RowTiling.h - One loop over rows for a group of ops ------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_DIALECT_TRANSFORMS_ROWTILING_H
#define XFMR_LIB_DIALECT_TRANSFORMS_ROWTILING_H

#include "RowGroups.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::xfmr {

/// Replaces the ops of the group by one `scf.forall` over tiles of at most
/// `tileRows` rows, for `threads` threads (0: unknown), in which every op
/// appears once. Returns null, without a change, when one tile holds all rows.
FailureOr<scf::ForallOp> tileRowGroup(RewriterBase &rewriter,
                                      const RowOpGroup &group, int64_t tileRows,
                                      int64_t threads);

/// The same for one op on memrefs.
FailureOr<scf::ForallOp> tileRowsOnMemrefs(RewriterBase &rewriter,
                                           TilingInterface op,
                                           unsigned numRowDims,
                                           int64_t tileRows, int64_t threads);

} // namespace mlir::xfmr

#endif // XFMR_LIB_DIALECT_TRANSFORMS_ROWTILING_H
