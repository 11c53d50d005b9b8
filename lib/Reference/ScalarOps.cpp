//===- ScalarOps.cpp - Ops on single elements -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"
#include "Bounds.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// A function of one float whose result is within so many ulp, its rounding
/// included; of f16 and bf16 within 0.51.
static ScalarFunction makeUnary(long double (*function)(long double),
                                const FloatFormat &format, long double ulps) {
  return [=](const Number *operands) {
    Number result = applyFunction(operands[0], function);
    if (std::isfinite(result.value))
      result.soft += (format.precision < 24 ? std::fmin(0.01L, ulps)
                                            : std::fmax(0, ulps - 0.5L)) *
                     ulp(format, result.value);
    return result;
  };
}

static ScalarFunction makeExactUnary(long double (*function)(long double)) {
  return [=](const Number *operands) {
    return applyFunction(operands[0], function);
  };
}

static Number divide(const Number &a, const Number &b) {
  long double quotient = a.value / b.value;
  if (a.isExact() && b.isExact())
    return {quotient, 0, 0};
  long double least = std::fabs(b.value) - b.error();
  if (!(least > 0) || a.isUnconstrained())
    return Number::unconstrained(quotient);
  return normalized({quotient, (a.hard + scaleRadius(quotient, b.hard)) / least,
                     (a.soft + scaleRadius(quotient, b.soft)) / least,
                     (a.narrow + scaleRadius(quotient, b.narrow)) / least});
}

/// A function of two floats, its error from those at the corners.
static Number applyBinary(const Number &a, const Number &b,
                          long double (*function)(long double, long double)) {
  long double value = function(a.value, b.value);
  if (a.isExact() && b.isExact())
    return {value, 0, 0};
  if (a.isUnconstrained() || b.isUnconstrained())
    return Number::unconstrained(value);
  long double spread = 0;
  for (long double x : {a.value - a.error(), a.value + a.error()})
    for (long double y : {b.value - b.error(), b.value + b.error()})
      spread = std::fmax(spread, std::fabs(function(x, y) - value));
  return normalized({value, spread, 0});
}

/// NaN when one is NaN; `nan` functions prefer the other.
static long double maximum(long double a, long double b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : std::fmax(a, b);
}
static long double minimum(long double a, long double b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : std::fmin(a, b);
}

/// The larger radius is that of a minimum or maximum.
static ScalarFunction makeMinMax(long double (*function)(long double,
                                                         long double)) {
  return [=](const Number *operands) {
    const Number &a = operands[0], &b = operands[1];
    return normalized({function(a.value, b.value), std::fmax(a.hard, b.hard),
                       std::fmax(a.soft, b.soft)});
  };
}

static bool compareFloats(arith::CmpFPredicate predicate, long double a,
                          long double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::UNE:
    return unordered || a != b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  }
  return false;
}

/// A truth value that may be the other one has a radius of 1.
static Number makeTruth(bool value, bool certain) {
  return {value ? 1.0L : 0.0L, certain ? 0.0L : 1.0L, 0};
}

static Number compareNumbers(arith::CmpFPredicate predicate, const Number &a,
                             const Number &b) {
  bool certain = a.isExact() && b.isExact();
  if (!certain && !a.isUnconstrained() && !b.isUnconstrained())
    certain = !(std::fabs(a.value - b.value) <= a.error() + b.error());
  return makeTruth(compareFloats(predicate, a.value, b.value), certain);
}

static Number selectNumber(const Number &condition, const Number &ifTrue,
                           const Number &ifFalse) {
  const Number &chosen = condition.value != 0 ? ifTrue : ifFalse;
  const Number &other = condition.value != 0 ? ifFalse : ifTrue;
  if (condition.isExact())
    return chosen;
  if (chosen.isUnconstrained() || other.isUnconstrained())
    return Number::unconstrained(chosen.value);
  if (std::isfinite(chosen.value) != std::isfinite(other.value))
    return Number::unconstrained(chosen.value);
  if (!std::isfinite(chosen.value))
    return chosen.value == other.value ||
                   (std::isnan(chosen.value) && std::isnan(other.value))
               ? chosen
               : Number::unconstrained(chosen.value);
  return {chosen.value,
          std::fabs(chosen.value - other.value) +
              std::fmax(chosen.hard, other.hard),
          std::fmax(chosen.soft, other.soft)};
}

static ScalarFunction getFloatFunction(Operation *op, const FloatFormat &format,
                                       bool relaxed) {
  using Fn = ScalarFunction;
  auto binary = [](Number (*function)(const Number &, const Number &)) -> Fn {
    return [=](const Number *o) { return function(o[0], o[1]); };
  };
  auto unary = [&](long double (*function)(long double), long double ulps) {
    return makeUnary(function, format, ulps);
  };
  // Of functions of which those of f64 are the library's, and others our own.
  long double ownUlps = format.precision == 53 ? 4 : 1;
  // std's overloads, for a pointer to the one of long double.
  using U = long double (*)(long double);
  using B = long double (*)(long double, long double);
  return TypeSwitch<Operation *, Fn>(op)
      .Case([&](arith::AddFOp) { return binary(add); })
      .Case([&](arith::SubFOp) { return binary(subtract); })
      .Case([&](arith::MulFOp) { return binary(multiply); })
      .Case([&](arith::DivFOp) { return binary(divide); })
      .Case([&](arith::RemFOp) -> Fn {
        return [](const Number *o) {
          return o[0].isExact() && o[1].isExact()
                     ? Number{std::fmod(o[0].value, o[1].value), 0, 0}
                     : Number::unconstrained();
        };
      })
      .Case([&](math::FmaOp) -> Fn {
        return [](const Number *o) { return add(multiply(o[0], o[1]), o[2]); };
      })
      .Case([&](arith::NegFOp) {
        return makeExactUnary(+[](long double x) { return -x; });
      })
      .Case([&](arith::MaximumFOp) { return makeMinMax(maximum); })
      .Case([&](arith::MinimumFOp) { return makeMinMax(minimum); })
      .Case([&](arith::MaxNumFOp) { return makeMinMax(B(std::fmax)); })
      .Case([&](arith::MinNumFOp) { return makeMinMax(B(std::fmin)); })
      .Case([](arith::ExtFOp) -> Fn {
        return [](const Number *o) { return o[0]; };
      })
      .Case([&](arith::TruncFOp) -> Fn {
        return [format](const Number *o) { return roundNarrow(format, o[0]); };
      })
      .Case([&](math::AbsFOp) { return makeExactUnary(U(std::fabs)); })
      .Case([&](math::CeilOp) { return makeExactUnary(U(std::ceil)); })
      .Case([&](math::FloorOp) { return makeExactUnary(U(std::floor)); })
      .Case([&](math::TruncOp) { return makeExactUnary(U(std::trunc)); })
      .Case([&](math::RoundOp) { return makeExactUnary(U(std::round)); })
      .Case(
          [&](math::RoundEvenOp) { return makeExactUnary(U(std::nearbyint)); })
      .Case([&](math::SqrtOp) { return unary(U(std::sqrt), 0.5L); })
      .Case([&](math::RsqrtOp) {
        // Two roundings; of half types, two in f32 and one.
        return unary(
            +[](long double x) { return 1 / std::sqrt(x); },
            format.precision < 24 ? 1 : 2);
      })
      .Case([&](math::ExpOp) -> Fn {
        ScalarFunction exp = unary(U(std::exp), 1);
        if (!relaxed || format.precision != 24)
          return exp;
        return [exp](const Number *o) {
          Number result = exp(o);
          if (std::isfinite(result.value))
            result.narrow = result.value * kNarrowError;
          return result;
        };
      })
      .Case([&](math::Exp2Op) { return unary(U(std::exp2), 1); })
      .Case([&](math::ExpM1Op) { return unary(U(std::expm1), 4); })
      .Case([&](math::LogOp) { return unary(U(std::log), 4); })
      .Case([&](math::Log2Op) { return unary(U(std::log2), 4); })
      .Case([&](math::Log10Op) { return unary(U(std::log10), 4); })
      .Case([&](math::Log1pOp) { return unary(U(std::log1p), 4); })
      .Case([&](math::TanhOp) { return unary(U(std::tanh), ownUlps); })
      .Case([&](math::ErfOp) { return unary(U(std::erf), ownUlps); })
      .Case([&](math::ErfcOp) { return unary(U(std::erfc), 4); })
      .Case([&](math::SinOp) { return unary(U(std::sin), 4); })
      .Case([&](math::CosOp) { return unary(U(std::cos), 4); })
      .Case([&](math::PowFOp) -> Fn {
        return [format](const Number *o) {
          Number power = applyBinary(o[0], o[1], B(std::pow));
          if (std::isfinite(power.value))
            power.soft += (format.precision < 24 ? 0.01L : 3.5L) *
                          ulp(format, power.value);
          return power;
        };
      })
      .Case([&](math::CopySignOp) -> Fn {
        return [](const Number *o) {
          return applyBinary(o[0], o[1], B(std::copysign));
        };
      })
      .Case([&](math::ClampFOp) -> Fn {
        return [](const Number *o) {
          return normalized(
              {std::fmin(std::fmax(o[0].value, o[1].value), o[2].value),
               std::fmax(o[0].hard, std::fmax(o[1].hard, o[2].hard)),
               std::fmax(o[0].soft, std::fmax(o[1].soft, o[2].soft))});
        };
      })
      .Default([](Operation *) -> Fn { return nullptr; });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static unsigned getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex()           ? 64
         : isa<IntegerType>(element) ? cast<IntegerType>(element).getWidth()
                                     : 0;
}

/// The low bits as a signed number; i1 as 0 or 1.
static long double wrap(unsigned width, uint64_t bits) {
  if (width == 1)
    return bits & 1;
  if (width < 64)
    return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
  return static_cast<int64_t>(bits);
}

static int64_t asSigned(unsigned width, long double value) {
  auto integer = static_cast<int64_t>(value);
  return width == 1 ? -(integer & 1) : integer;
}

static uint64_t asUnsigned(unsigned width, long double value) {
  auto integer = static_cast<uint64_t>(static_cast<int64_t>(value));
  return width >= 64 ? integer : integer & ((uint64_t(1) << width) - 1);
}

static bool compareIntegers(arith::CmpIPredicate predicate, unsigned width,
                            long double x, long double y) {
  const int64_t a = asSigned(width, x), b = asSigned(width, y);
  const uint64_t ua = asUnsigned(width, x), ub = asUnsigned(width, y);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

/// Two integers to one, as bits; nothing where the result is not defined.
using IntegerFunction = std::optional<uint64_t> (*)(unsigned width, int64_t a,
                                                    int64_t b, uint64_t ua,
                                                    uint64_t ub);

static IntegerFunction getIntegerFunction(Operation *op) {
  using Bits = std::optional<uint64_t>;
#define XFMR_INTEGER(expression)                                               \
  [](auto) -> IntegerFunction {                                                \
    return [](unsigned w, int64_t a, int64_t b, uint64_t ua,                   \
              uint64_t ub) -> Bits {                                           \
      (void)w, (void)a, (void)b, (void)ua, (void)ub;                           \
      return expression;                                                       \
    };                                                                         \
  }
  // A quotient that has no value: by zero, or the one that overflows.
#define XFMR_DIVIDES (b != 0 && !(b == -1 && a == INT64_MIN))
  return TypeSwitch<Operation *, IntegerFunction>(op)
      .Case<arith::AddIOp>(XFMR_INTEGER(Bits(ua + ub)))
      .Case<arith::SubIOp>(XFMR_INTEGER(Bits(ua - ub)))
      .Case<arith::MulIOp>(XFMR_INTEGER(Bits(ua * ub)))
      .Case<arith::AndIOp>(XFMR_INTEGER(Bits(ua & ub)))
      .Case<arith::OrIOp>(XFMR_INTEGER(Bits(ua | ub)))
      .Case<arith::XOrIOp>(XFMR_INTEGER(Bits(ua ^ ub)))
      .Case<arith::DivSIOp>(XFMR_INTEGER(XFMR_DIVIDES ? Bits(a / b) : Bits()))
      .Case<arith::RemSIOp>(XFMR_INTEGER(XFMR_DIVIDES ? Bits(a % b) : Bits()))
      .Case<arith::FloorDivSIOp>(XFMR_INTEGER(
          XFMR_DIVIDES ? Bits(a / b - (a % b != 0 && (a < 0) != (b < 0)))
                       : Bits()))
      .Case<arith::CeilDivSIOp>(XFMR_INTEGER(
          XFMR_DIVIDES ? Bits(a / b + (a % b != 0 && (a < 0) == (b < 0)))
                       : Bits()))
      .Case<arith::DivUIOp>(XFMR_INTEGER(ub ? Bits(ua / ub) : Bits()))
      .Case<arith::CeilDivUIOp>(
          XFMR_INTEGER(ub ? Bits(ua / ub + (ua % ub != 0)) : Bits()))
      .Case<arith::RemUIOp>(XFMR_INTEGER(ub ? Bits(ua % ub) : Bits()))
      .Case<arith::MaxSIOp>(XFMR_INTEGER(Bits(a > b ? a : b)))
      .Case<arith::MinSIOp>(XFMR_INTEGER(Bits(a < b ? a : b)))
      .Case<arith::MaxUIOp>(XFMR_INTEGER(Bits(ua > ub ? ua : ub)))
      .Case<arith::MinUIOp>(XFMR_INTEGER(Bits(ua < ub ? ua : ub)))
      .Case<arith::ShLIOp>(XFMR_INTEGER(ub < w ? Bits(ua << ub) : Bits()))
      .Case<arith::ShRUIOp>(XFMR_INTEGER(ub < w ? Bits(ua >> ub) : Bits()))
      .Case<arith::ShRSIOp>(XFMR_INTEGER(ub < w ? Bits(a >> ub) : Bits()))
      .Default([](Operation *) -> IntegerFunction { return nullptr; });
#undef XFMR_DIVIDES
#undef XFMR_INTEGER
}

/// A value converted: its radius, if any, is kept.
static ScalarFunction makeConversion(unsigned width, bool isSigned) {
  return [=](const Number *o) {
    long double value =
        isSigned ? static_cast<long double>(asSigned(width, o[0].value))
                 : static_cast<long double>(asUnsigned(width, o[0].value));
    return Number{value, o[0].hard, o[0].soft};
  };
}

static ScalarFunction makeToInteger(unsigned width, bool isSigned) {
  return [=](const Number *o) {
    Number cut =
        applyFunction(o[0], +[](long double x) { return std::trunc(x); });
    long double low = isSigned ? -std::ldexp(1.0L, width - 1) : 0;
    long double high = std::ldexp(1.0L, isSigned ? width - 1 : width);
    if (!(cut.value >= low && cut.value < high))
      return Number::unconstrained();
    if (!isSigned)
      cut.value = wrap(width, static_cast<uint64_t>(cut.value));
    return cut;
  };
}

static ScalarFunction getConversion(Operation *op) {
  const unsigned from =
      op->getNumOperands() ? getWidth(op->getOperand(0).getType()) : 0;
  const unsigned to = getWidth(op->getResult(0).getType());
  return TypeSwitch<Operation *, ScalarFunction>(op)
      .Case<arith::SIToFPOp>(
          [=](auto) { return makeConversion(from, /*isSigned=*/true); })
      .Case<arith::UIToFPOp>(
          [=](auto) { return makeConversion(from, /*isSigned=*/false); })
      .Case<arith::FPToSIOp>(
          [=](auto) { return makeToInteger(to, /*isSigned=*/true); })
      .Case<arith::FPToUIOp>(
          [=](auto) { return makeToInteger(to, /*isSigned=*/false); })
      .Case<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp, arith::ExtUIOp,
            arith::IndexCastUIOp>([=](auto conversion) -> ScalarFunction {
        const bool isSigned =
            !isa<arith::ExtUIOp, arith::IndexCastUIOp>(*conversion);
        return [=](const Number *o) {
          uint64_t bits =
              isSigned ? static_cast<uint64_t>(asSigned(from, o[0].value))
                       : asUnsigned(from, o[0].value);
          return Number{wrap(to, bits), o[0].hard, o[0].soft};
        };
      })
      .Default([](Operation *) -> ScalarFunction { return nullptr; });
}

/// The bits as another type. Those of a value that is not certain say nothing.
static ScalarFunction makeBitcast(Type from, Type to) {
  std::optional<ElementKind> source = getElementKind(from);
  std::optional<ElementKind> target = getElementKind(to);
  if (!source || !target)
    return nullptr;
  return [=](const Number *o) {
    char memory[8] = {};
    writeElement(*source, memory, 0, o[0].value);
    long double value = readElement(*target, memory, 0);
    return o[0].isExact() ? Number{value, 0, 0} : Number::unconstrained(value);
  };
}

static ScalarFunction makeInteger(IntegerFunction function, unsigned width) {
  return [=](const Number *o) {
    std::optional<uint64_t> bits = function(
        width, asSigned(width, o[0].value), asSigned(width, o[1].value),
        asUnsigned(width, o[0].value), asUnsigned(width, o[1].value));
    const bool certain = o[0].isExact() && o[1].isExact();
    if (!bits || (!certain && width != 1))
      return Number::unconstrained();
    return Number{wrap(width, *bits), certain ? 0.0L : 1.0L, 0};
  };
}

//===----------------------------------------------------------------------===//
// Affine ops, and all together
//===----------------------------------------------------------------------===//

std::optional<int64_t> mlir::xfmr::reference::evaluateAffine(
    AffineExpr expression, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dim.getPosition() < dims.size()
               ? std::optional(dims[dim.getPosition()])
               : std::nullopt;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbol.getPosition() < symbols.size()
               ? std::optional(symbols[symbol.getPosition()])
               : std::nullopt;
  auto binary = cast<AffineBinaryOpExpr>(expression);
  std::optional<int64_t> a = evaluateAffine(binary.getLHS(), dims, symbols);
  std::optional<int64_t> b = evaluateAffine(binary.getRHS(), dims, symbols);
  int64_t result;
  if (!a || !b)
    return std::nullopt;
  if (expression.getKind() == AffineExprKind::Add)
    return llvm::AddOverflow(*a, *b, result) ? std::nullopt
                                             : std::optional(result);
  if (expression.getKind() == AffineExprKind::Mul)
    return llvm::MulOverflow(*a, *b, result) ? std::nullopt
                                             : std::optional(result);
  if (*b <= 0)
    return std::nullopt;
  const int64_t remainder = ((*a % *b) + *b) % *b;
  if (expression.getKind() == AffineExprKind::Mod)
    return remainder;
  const int64_t floor = (*a - remainder) / *b;
  return expression.getKind() == AffineExprKind::FloorDiv
             ? floor
             : floor + (remainder != 0);
}

/// apply, min or max: the first, least or greatest result of the map.
static ScalarFunction makeAffine(AffineMap map, bool least) {
  return [=](const Number *o) {
    SmallVector<int64_t> operands;
    for (unsigned i = 0; i < map.getNumInputs(); ++i) {
      if (!o[i].isExact())
        return Number::unconstrained();
      operands.push_back(static_cast<int64_t>(o[i].value));
    }
    ArrayRef<int64_t> all(operands);
    std::optional<int64_t> result;
    for (AffineExpr expression : map.getResults()) {
      std::optional<int64_t> value =
          evaluateAffine(expression, all.take_front(map.getNumDims()),
                         all.drop_front(map.getNumDims()));
      if (!value)
        return Number::unconstrained();
      result = !result ? *value
               : least ? std::min(*result, *value)
                       : std::max(*result, *value);
    }
    return result ? Number{static_cast<long double>(*result), 0, 0}
                  : Number::unconstrained();
  };
}

ScalarFunction mlir::xfmr::reference::getScalarFunction(Operation *op,
                                                        bool relaxed) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return nullptr;
  Type result = getElementTypeOrSelf(op->getResult(0).getType());
  const unsigned width =
      op->getNumOperands() ? getWidth(op->getOperand(0).getType()) : 0;
  if (ScalarFunction conversion = getConversion(op))
    return conversion;
  if (isa<arith::BitcastOp>(op))
    return makeBitcast(getElementTypeOrSelf(op->getOperand(0).getType()),
                       result);
  if (IntegerFunction function = getIntegerFunction(op))
    return makeInteger(function, width);
  if (std::optional<FloatFormat> format = getFloatFormat(result))
    if (ScalarFunction function = getFloatFunction(op, *format, relaxed))
      return function;
  return TypeSwitch<Operation *, ScalarFunction>(op)
      .Case([](arith::CmpFOp compare) -> ScalarFunction {
        return [predicate = compare.getPredicate()](const Number *o) {
          return compareNumbers(predicate, o[0], o[1]);
        };
      })
      .Case([=](arith::CmpIOp compare) -> ScalarFunction {
        return [predicate = compare.getPredicate(), width](const Number *o) {
          return makeTruth(
              compareIntegers(predicate, width, o[0].value, o[1].value),
              o[0].isExact() && o[1].isExact());
        };
      })
      .Case([](arith::SelectOp) -> ScalarFunction {
        return [](const Number *o) { return selectNumber(o[0], o[1], o[2]); };
      })
      .Case([](affine::AffineApplyOp apply) {
        return makeAffine(apply.getAffineMap(), false);
      })
      .Case([](affine::AffineMinOp least) {
        return makeAffine(least.getAffineMap(), true);
      })
      .Case([](affine::AffineMaxOp greatest) {
        return makeAffine(greatest.getAffineMap(), false);
      })
      .Default([](Operation *) -> ScalarFunction { return nullptr; });
}
