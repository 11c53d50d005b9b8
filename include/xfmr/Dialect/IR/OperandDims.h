//===- OperandDims.h - What the dims of an op's operands are -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_OPERANDDIMS_H
#define XFMR_DIALECT_IR_OPERANDDIMS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::xfmr {

/// One dim of an operand: `factor` times the size that `symbol` stands for in
/// its op. Dims with the same symbol and factor are equal.
struct OperandDim {
  int64_t symbol;
  int64_t factor = 1;

  bool operator==(const OperandDim &other) const {
    return symbol == other.symbol && factor == other.factor;
  }
};

namespace detail {
/// `RowOpInterface::getDomainDims`, from the dims that the op declares.
SmallVector<int64_t> getDomainDims(Operation *op, OpOperand &operand);
} // namespace detail

} // namespace mlir::xfmr

#endif // XFMR_DIALECT_IR_OPERANDDIMS_H
