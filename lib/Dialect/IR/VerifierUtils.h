//===- VerifierUtils.h - Checks that the ops' verifiers share ---*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_DIALECT_IR_VERIFIERUTILS_H
#define XFMR_LIB_DIALECT_IR_VERIFIERUTILS_H

#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

inline ShapedType shapedType(Value value) {
  return cast<ShapedType>(value.getType());
}

inline Type elementType(Value value) {
  return shapedType(value).getElementType();
}

/// No attribute that the op does not know: a misspelt name in the attribute
/// dictionary would otherwise stay, without effect, as a discardable one.
LogicalResult verifyNoUnknownAttributes(Operation *op);

/// All operands are tensors without an encoding, or all are memrefs, and their
/// elements are data, apart from a mask's.
LogicalResult verifyKinds(OperandDimsInterface op);

/// Every operand has the rank that the op says, and dims that the op says are
/// equal are so as far as they are static.
LogicalResult verifyOperandDims(OperandDimsInterface op);

/// No input's element type is wider than the accumulator; a mask is none.
LogicalResult verifyNotWider(OperandDimsInterface op, Type accumulator);

/// On memrefs a destination is no other operand, apart, where `inPlace`, from
/// an input that is walked like it.
LogicalResult verifyDestinations(OperandDimsInterface op, bool inPlace);

/// `value` is finite, in the accumulator type too.
bool isFiniteIn(Type accumulator, const APFloat &value);

/// The activation's parameters are finite in the accumulator type.
LogicalResult verifyActivation(Operation *op, ActivationAttr activation,
                               Type accumulator);

/// The checks of a norm's attributes: eps, weight offset and rounding.
/// `input` and `result` are element types; `prefix` begins the names
/// ("norm1 ").
LogicalResult verifyNormAttributes(Operation *op, StringRef prefix,
                                   const APFloat &eps,
                                   const APFloat &weightOffset, bool hasGamma,
                                   RoundingAttr rounding, Type input,
                                   Type result);

/// An unbiased variance needs two elements a row, as far as `row` is static.
LogicalResult verifyUnbiased(Operation *op, bool unbiased,
                             ArrayRef<int64_t> row);

} // namespace mlir::xfmr

#endif // XFMR_LIB_DIALECT_IR_VERIFIERUTILS_H
