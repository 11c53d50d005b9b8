//===- DimChecks.h - Run-time checks of what the verifier could not see -*- C++
//-*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_DIALECT_IR_DIMCHECKS_H
#define XFMR_LIB_DIALECT_IR_DIMCHECKS_H

#include "mlir/IR/Builders.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

/// Makes the message of a failed check from the op and what it expected.
using MessageBuilder = function_ref<std::string(Operation *, StringRef)>;

/// One dim of an operand, by the operand's name in the assembly. The operand is
/// null when absent.
struct Dim {
  StringRef name;
  Value value;
  int64_t dim;
};

/// Emits assertions for dims that must be equal and of which one is dynamic at
/// least: those that the verifier could not compare.
class DimChecks {
public:
  DimChecks(Operation *op, OpBuilder &builder, Location loc,
            MessageBuilder message)
      : op(op), builder(builder), loc(loc), message(message) {}

  /// `a` has `factor` times as many elements as `b`.
  void expectEqual(const Dim &a, const Dim &b, int64_t factor = 1);

  /// The leading dims of `a` equal those of `b`.
  void expectLeadingEqual(StringRef nameA, Value a, StringRef nameB, Value b,
                          int64_t count);

  /// All dims are equal.
  void expectSameShape(StringRef nameA, Value a, StringRef nameB, Value b);

private:
  Value createSize(const Dim &dim);

  Operation *op;
  OpBuilder &builder;
  Location loc;
  MessageBuilder message;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_DIALECT_IR_DIMCHECKS_H
