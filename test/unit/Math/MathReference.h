//===- MathReference.h - Functions to any precision -------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_UNIT_MATH_MATHREFERENCE_H
#define XFMR_TEST_UNIT_MATH_MATHREFERENCE_H

namespace mlir::xfmr::test {

enum class MathFunction {
  Exp,
  Expm1,
  Tanh,
  Erf,
  Erfc,
  Sigmoid,
  Identity,
  Relu,
  Relu2,
  GeluErf,
  GeluTanh,
  Swish
};

/// A function by its formula.
struct MathReference {
  MathFunction function;
  /// The slope of swish.
  long double beta = 1;

  /// The value, rounded correctly to a long double; by MPFR, in microseconds.
  long double exact(long double x) const;
  /// The value in double, in nanoseconds: where it is finite and 2^-100 or
  /// more, within 2^-40 of it.
  double approximate(double x) const;
};

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_UNIT_MATH_MATHREFERENCE_H
