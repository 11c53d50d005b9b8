//===- TileSizes.h - How many rows the tiles of a loop have -----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_TILESIZES_H
#define XFMR_LIB_CODEGEN_CPU_TILESIZES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::xfmr {

/// The ops that say how many rows a tile of `loop` has; none where the loop may
/// be cut between tiles alone.
SmallVector<affine::AffineMinOp> getTileSizes(scf::ForallOp loop);

/// Tiles that start at `row` have no rows from `end` on, by any of `sizes`, and
/// `step` rows at most.
void endTilesAt(RewriterBase &rewriter, ArrayRef<affine::AffineMinOp> sizes,
                int64_t step, Value row, Value end);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_TILESIZES_H
