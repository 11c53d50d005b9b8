//===- RowLoops.h - Loops over rows that may be cut anywhere ----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_ROWLOOPS_H
#define XFMR_DIALECT_IR_ROWLOOPS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::xfmr {

/// Of an `scf.forall` over tiles of rows: it may be cut between any two rows.
/// `affine.min` alone says how many rows a tile has, of the step and of what is
/// left up to the loop's bound.
inline constexpr llvm::StringLiteral kAnyRowsAttrName = "xfmr.any_rows";

} // namespace mlir::xfmr

#endif // XFMR_DIALECT_IR_ROWLOOPS_H
