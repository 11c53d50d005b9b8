//===- FloatBuilder.cpp - Short names for ops on floats -------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "xfmr/Dialect/IR/RoundedTo.h"

using namespace mlir;
using namespace mlir::xfmr;

Type FloatBuilder::cloneWith(Type newElement) const {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(newElement);
  return newElement;
}

static Value makeConstant(OpBuilder &builder, Location loc, Type type,
                          TypedAttr scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    scalar = DenseElementsAttr::get(vector, Attribute(scalar));
  return arith::ConstantOp::create(builder, loc, scalar);
}

Value FloatBuilder::constant(double value) {
  return makeConstant(builder, loc, type, builder.getFloatAttr(element, value));
}

Value FloatBuilder::integer(int64_t value) {
  return makeConstant(
      builder, loc, intType,
      builder.getIntegerAttr(getElementTypeOrSelf(intType), value));
}

Value FloatBuilder::exp2ForBF16(Operand a) {
  Value result = build<math::Exp2Op>(a);
  result.getDefiningOp()->setAttr(kRoundedToAttrName,
                                  TypeAttr::get(builder.getBF16Type()));
  return result;
}

int64_t FloatBuilder::getBits(double value) {
  return cast<FloatAttr>(builder.getFloatAttr(element, value))
      .getValue()
      .bitcastToAPInt()
      .getSExtValue();
}

std::pair<double, double> FloatBuilder::split(LongConstant value) const {
  if (!isF32())
    return {value.hi, value.lo};
  double hi = static_cast<float>(value.hi);
  return {hi, static_cast<float>(value.hi - hi + value.lo)};
}

Value FloatBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = fma(sum, x, coefficient);
  return sum;
}
