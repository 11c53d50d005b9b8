//===- VerifierUtils.h - Checks that the ops' verifiers share -*- C++ -*-===//
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

/// An operand with the name that the assembly gives it. Null when absent.
struct NamedOperand {
  StringRef name;
  Value value;
};

inline ShapedType shapedType(Value value) {
  return cast<ShapedType>(value.getType());
}

/// `4096`, `?` or `4x?x8`; `no dims` for a rank of 0.
std::string shapeText(ArrayRef<int64_t> shape);

/// True unless both are static and differ.
inline bool dimsMayMatch(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

/// All operands are tensors, or all are memrefs, and their elements are data.
LogicalResult verifyKinds(Operation *op, ArrayRef<NamedOperand> operands);

/// The operand's rank and dims are those expected, as far as both are static.
LogicalResult verifyShape(Operation *op, NamedOperand operand,
                          ArrayRef<int64_t> expected);

/// No operand's element type is wider than the accumulator.
LogicalResult verifyNotWider(Operation *op, ArrayRef<NamedOperand> operands,
                             Type accumulator);

/// No attribute that the op does not know: a misspelt name in the attribute
/// dictionary would otherwise stay, without effect, as a discardable one.
LogicalResult verifyNoUnknownAttributes(Operation *op);

/// As many results as destinations on tensors, none on memrefs.
LogicalResult verifyResults(Operation *op);

/// `value` is finite, in the accumulator type too.
bool isFiniteIn(Type accumulator, const APFloat &value);

/// The checks of a norm's attributes: eps, weight offset and rounding.
/// `input` and `result` are element types; `prefix` begins the names ("norm1
/// ").
LogicalResult verifyNormAttributes(Operation *op, StringRef prefix,
                                   const APFloat &eps,
                                   const APFloat &weightOffset, bool hasGamma,
                                   RoundingAttr rounding, Type input,
                                   Type result);

} // namespace mlir::xfmr

#endif // XFMR_LIB_DIALECT_IR_VERIFIERUTILS_H
