//===- RowGroups.h - Which ops work on the same rows ------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_DIALECT_TRANSFORMS_ROWGROUPS_H
#define XFMR_LIB_DIALECT_TRANSFORMS_ROWGROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

/// How an op that can be cut by rows may be cut: its first `most` loops are
/// parallel and number the leading dims of all its results; `preferred` of them
/// number rows rather than elements of a row.
struct RowDims {
  unsigned most = 0;
  unsigned preferred = 0;
};

/// Nothing when the op has no rows, with the reason.
std::optional<RowDims> getRowDims(Operation *op, std::string *reason = nullptr);

/// How an operand goes with the first loops of its op.
enum class RowAccess {
  Aligned, ///< its leading dims are the rows
  Free,    ///< every row needs the same of it
  Other
};
RowAccess getRowAccess(OpOperand &operand, unsigned numRowDims);

/// Ops of one block over the same rows, in program order; where one reads
/// another's result, it reads the same row of it.
struct RowOpGroup {
  SmallVector<Operation *> ops;
  unsigned numRowDims = 0;
};

/// Partitions the ops on tensors that can be cut by rows into groups such that
/// every group can take the place of its last op. `reportSplit` is called where
/// an op reads a result that is not in its group.
SmallVector<RowOpGroup> findRowOpGroups(
    Block &block,
    function_ref<void(Operation *op, Operation *producer, StringRef reason)>
        reportSplit);

} // namespace mlir::xfmr

#endif // XFMR_LIB_DIALECT_TRANSFORMS_ROWGROUPS_H
