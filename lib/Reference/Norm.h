//===- Norm.h - Norms of one row -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_REFERENCE_NORM_H
#define XFMR_LIB_REFERENCE_NORM_H

#include "Interpreter.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr::reference {

/// One norm with its parameters as the accumulator holds them, and its weights.
struct Norm {
  NormKind kind;
  long double eps, weightOffset;
  EpsPosition epsPosition;
  Statistic statistic;
  bool unbiased;
  FloatFormat acc;
  /// The format to which xhat is rounded before it is scaled, if it is.
  std::optional<FloatFormat> storage;
  /// Flattened; empty when absent.
  std::vector<Number> gamma, beta;

  /// The norm of `spec`, of data in `data` to results of type `result`.
  static Norm create(const NormSpec &spec, const FloatFormat &data,
                     Type result);
  /// Reads gamma and beta, which have the shape of the row.
  LogicalResult readWeights(Interpreter &interpreter, Operation *op,
                            const NormSpec &spec, ArrayRef<int64_t> rowShape);

  struct Statistics {
    Number rstd, mean;
  };
  /// Normalises one row: `y` gets the result before its last rounding.
  Statistics normalize(ArrayRef<Number> x, MutableArrayRef<Number> y) const;

private:
  long double rstdOf(long double statistic) const;
};

/// `alpha * x + r`, the sum of a residual, before its rounding to the format
/// of the data. What it is in the accumulator is `sumInAccumulator`.
Number residualSum(const FloatFormat &data, const FloatFormat &acc,
                   long double alpha, const Number &x, const Number &r);
Number sumInAccumulator(const FloatFormat &acc, long double alpha,
                        const Number &x, const Number &r);

/// What a norm sees of a residual sum.
Number visibleSum(const FloatFormat &data, const FloatFormat &acc,
                  long double alpha, const Number &x, const Number &r,
                  ResidualRounding rounding);

} // namespace mlir::xfmr::reference

#endif // XFMR_LIB_REFERENCE_NORM_H
