//===- FloatBuilder.h - Short names for ops on floats ---------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_MATH_FLOATBUILDER_H
#define XFMR_LIB_CODEGEN_MATH_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include <tuple>

namespace mlir::xfmr {

/// A constant of more digits than f64 has: hi + lo.
struct LongConstant {
  double hi, lo;
};

/// Builds ops on values of one float type, scalar or vector, and on integers of
/// the same width and shape. Formulas read as in the comment above them: an
/// operand is a value or a number. Callers give at most one operand that builds
/// ops itself, since compilers differ in the order in which they evaluate
/// arguments.
class FloatBuilder {
public:
  /// A value, or a constant still to be built.
  class Operand {
  public:
    Operand(Value value) : value(value) {}
    Operand(double constant) : constant(constant) {}

  private:
    friend class FloatBuilder;
    Value value;
    double constant = 0.0;
  };

  FloatBuilder(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type),
        element(cast<FloatType>(getElementTypeOrSelf(type))),
        intType(cloneWith(builder.getIntegerType(element.getWidth()))) {}

  bool isF32() const { return element.isF32(); }

  /// The float constant nearest to `value`.
  Value constant(double value);
  /// `value` as a sum of two constants of the type.
  std::pair<double, double> split(LongConstant value) const;

  Value add(Operand a, Operand b) { return build<arith::AddFOp>(a, b); }
  Value sub(Operand a, Operand b) { return build<arith::SubFOp>(a, b); }
  Value mul(Operand a, Operand b) { return build<arith::MulFOp>(a, b); }
  Value div(Operand a, Operand b) { return build<arith::DivFOp>(a, b); }
  Value neg(Operand a) { return build<arith::NegFOp>(a); }
  /// a * b + c, rounded once.
  Value fma(Operand a, Operand b, Operand c) {
    return build<math::FmaOp>(a, b, c);
  }
  Value abs(Operand a) { return build<math::AbsFOp>(a); }
  /// `magnitude`, which is not negative, with the sign of `sign`; f32 only.
  Value copySign(Value magnitude, Value sign) {
    Value bits = andInt(toBits(sign), INT32_MIN);
    return fromBits(
        arith::OrIOp::create(builder, loc, bits, toBits(magnitude)));
  }
  /// NaN stays NaN in both. Compilers make one instruction of it when one
  /// operand is a constant other than zero and NaN.
  Value max(Operand a, Operand b) { return build<arith::MaximumFOp>(a, b); }
  Value min(Operand a, Operand b) { return build<arith::MinimumFOp>(a, b); }
  Value clamp(Operand a, double low, double high) {
    return min(max(a, low), high);
  }
  /// The lesser of `a` and a positive constant, which NaN may become: an
  /// integer operation, of which CPUs have more units.
  Value limitAbove(Value a, double limit) {
    return fromBits(minInt(toBits(a), getBits(limit)));
  }
  Value less(Operand a, Operand b) {
    return build<arith::CmpFOp>(arith::CmpFPredicate::OLT, a, b);
  }
  Value equal(Operand a, Operand b) {
    return build<arith::CmpFOp>(arith::CmpFPredicate::OEQ, a, b);
  }
  Value select(Value condition, Operand a, Operand b) {
    return build<arith::SelectOp>(condition, a, b);
  }
  Value exp(Operand a) { return build<math::ExpOp>(a); }
  /// 2^a of the digits that bf16 needs, for a up to `kMostExp2`; see
  /// `kRoundedToAttrName`.
  Value exp2ForBF16(Operand a);
  Value erfc(Operand a) { return build<math::ErfcOp>(a); }
  Value tanh(Operand a) { return build<math::TanhOp>(a); }

  /// The polynomial with the given coefficients, the highest power first.
  Value polynomial(Value x, ArrayRef<double> coefficients);

  /// The bits of the float constant nearest to `value`.
  int64_t getBits(double value);
  Value toBits(Value a) {
    return arith::BitcastOp::create(builder, loc, intType, a);
  }
  Value fromBits(Value a) {
    return arith::BitcastOp::create(builder, loc, type, a);
  }
  Value addInt(Value a, int64_t b) {
    return arith::AddIOp::create(builder, loc, a, integer(b));
  }
  Value andInt(Value a, int64_t b) {
    return arith::AndIOp::create(builder, loc, a, integer(b));
  }
  Value orInt(Value a, int64_t b) {
    return arith::OrIOp::create(builder, loc, a, integer(b));
  }
  Value minInt(Value a, int64_t b) {
    return arith::MinSIOp::create(builder, loc, a, integer(b));
  }
  Value maxInt(Value a, int64_t b) {
    return arith::MaxSIOp::create(builder, loc, a, integer(b));
  }
  Value shiftLeft(Value a, int64_t b) {
    return arith::ShLIOp::create(builder, loc, a, integer(b));
  }

private:
  Type cloneWith(Type newElement) const;
  Value integer(int64_t value);

  template <typename T> T get(T argument) { return argument; }
  Value get(Operand operand) {
    return operand.value ? operand.value : constant(operand.constant);
  }
  template <typename Op, typename... Args> Value build(Args... args) {
    // Elements of a braced list are evaluated in order.
    std::tuple<decltype(get(args))...> values{get(args)...};
    return std::apply(
        [&](auto... v) -> Value { return Op::create(builder, loc, v...); },
        values);
  }

  OpBuilder &builder;
  Location loc;
  Type type;
  FloatType element;
  Type intType;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_MATH_FLOATBUILDER_H
