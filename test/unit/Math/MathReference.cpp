//===- MathReference.cpp - Functions to any precision -----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathReference.h"

#include <cmath>
#include <mpfr.h>

using namespace mlir::xfmr::test;

namespace {

// The formulas below lose no more than a few of these bits.
constexpr mpfr_prec_t kPrecision = 192;

/// A number of MPFR, with the operations that the formulas need.
class Real {
public:
  Real() { mpfr_init2(number, kPrecision); }
  explicit Real(long double value) : Real() {
    mpfr_set_ld(number, value, MPFR_RNDN);
  }
  explicit Real(const char *decimal) : Real() {
    mpfr_set_str(number, decimal, 10, MPFR_RNDN);
  }
  Real(const Real &) = delete;
  Real &operator=(const Real &) = delete;
  ~Real() { mpfr_clear(number); }

  Real &add(const Real &other) {
    mpfr_add(number, number, other.number, MPFR_RNDN);
    return *this;
  }
  Real &multiply(const Real &other) {
    mpfr_mul(number, number, other.number, MPFR_RNDN);
    return *this;
  }
  Real &invert() {
    mpfr_ui_div(number, 1, number, MPFR_RNDN);
    return *this;
  }
  Real &negate() {
    mpfr_neg(number, number, MPFR_RNDN);
    return *this;
  }
  using Unary = int(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  Real &apply(Unary *function) {
    function(number, number, MPFR_RNDN);
    return *this;
  }
  /// 1 / (1 + exp(-x)).
  Real &sigmoid() { return negate().apply(mpfr_exp).add(Real(1)).invert(); }
  long double get() const { return mpfr_get_ld(number, MPFR_RNDN); }

private:
  mpfr_t number;
};

} // namespace

long double MathReference::exact(long double x) const {
  if (std::isnan(x) || function == MathFunction::Identity)
    return x;
  if (function == MathFunction::Relu)
    return x < 0 ? 0 : x;
  Real value(x);
  switch (function) {
  case MathFunction::Exp:
    return value.apply(mpfr_exp).get();
  case MathFunction::Expm1:
    return value.apply(mpfr_expm1).get();
  case MathFunction::Tanh:
    return value.apply(mpfr_tanh).get();
  case MathFunction::Erf:
    return value.apply(mpfr_erf).get();
  case MathFunction::Erfc:
    return value.apply(mpfr_erfc).get();
  case MathFunction::Sigmoid:
    return value.sigmoid().get();
  case MathFunction::Identity:
  case MathFunction::Relu:
    break;
  case MathFunction::Relu2:
    return x < 0 ? 0 : value.multiply(Real(x)).get();
  case MathFunction::GeluErf: {
    // x/2 erfc(-x / sqrt(2))
    if (std::isinf(x))
      return x < 0 ? 0 : x;
    Real root(0.5L);
    value.negate().multiply(root.apply(mpfr_sqrt)).apply(mpfr_erfc);
    return value.multiply(Real(x)).multiply(Real(0.5L)).get();
  }
  case MathFunction::GeluTanh: {
    // x/2 (1 + tanh(u)) = x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3)
    if (std::isinf(x))
      return x < 0 ? 0 : x;
    Real slope(-1);
    slope.apply(mpfr_acos).invert().multiply(Real(2)).apply(mpfr_sqrt);
    value.multiply(Real(x)).multiply(Real("0.044715")).add(Real(1));
    value.multiply(Real(x)).multiply(slope).multiply(Real(2));
    return value.sigmoid().multiply(Real(x)).get();
  }
  case MathFunction::Swish:
    if (std::isinf(x))
      return x * beta < 0 ? 0 : x;
    return value.multiply(Real(beta)).sigmoid().multiply(Real(x)).get();
  }
  return NAN;
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double MathReference::approximate(double x) const {
  switch (function) {
  case MathFunction::Exp:
    return std::exp(x);
  case MathFunction::Expm1:
    return std::expm1(x);
  case MathFunction::Tanh:
    return std::tanh(x);
  case MathFunction::Erf:
    return std::erf(x);
  case MathFunction::Erfc:
    return std::erfc(x);
  case MathFunction::Sigmoid:
    return sigmoid(x);
  case MathFunction::Identity:
    return x;
  case MathFunction::Relu:
    return x < 0 ? 0 : x;
  case MathFunction::Relu2:
    return x < 0 ? 0 : x * x;
  case MathFunction::GeluErf:
    return x / 2 * std::erfc(-x * 0.70710678118654752440);
  case MathFunction::GeluTanh:
    return x * sigmoid(1.59576912160573071176 * (x + 0.044715 * x * x * x));
  case MathFunction::Swish:
    return x * sigmoid(static_cast<double>(beta) * x);
  }
  return NAN;
}
