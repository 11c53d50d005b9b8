//===- Contraction.h - Products of rows and weights -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_REFERENCE_CONTRACTION_H
#define XFMR_LIB_REFERENCE_CONTRACTION_H

#include "Array.h"
#include "Bounds.h"

namespace mlir::xfmr::reference {

/// A weight as a contraction reads it: `inputs` x `outputs` elements at
/// `offset + input * inputStride + output * outputStride` of a storage.
struct WeightView {
  const Storage *storage = nullptr;
  int64_t offset = 0, inputStride = 0, outputStride = 0;
  int64_t inputs = 0, outputs = 0;
};

/// Rows of values to contract, row-major, and how far off they may be. Radii
/// are empty when all are zero. `own` are errors that accumulators made, which
/// are independent of each other.
template <typename Real> struct Rows {
  int64_t count = 0, terms = 0;
  std::vector<Real> value;
  std::vector<double> hard, soft, own;

  void resize(int64_t newCount, int64_t newTerms) {
    count = newCount;
    terms = newTerms;
    value.assign(count * terms, 0);
    hard.clear();
    soft.clear();
    own.clear();
  }
  void set(int64_t row, int64_t term, const Number &number,
           long double ownError) {
    int64_t place = row * terms + term;
    value[place] = static_cast<Real>(number.value);
    auto setRadius = [&](std::vector<double> &radii, long double radius) {
      if (radii.empty() && radius == 0)
        return;
      if (radii.empty())
        radii.assign(value.size(), 0);
      radii[place] = static_cast<double>(radius);
    };
    setRadius(hard, number.hard);
    setRadius(soft, number.soft);
    setRadius(own, ownError);
  }
};

/// One element of the product, before its bias.
struct Product {
  long double value = 0, hard = 0;
  ContractionSums sums;
};

/// Multiplies the rows by the weight; `result` is rows x outputs, row-major.
/// The weight is read once, a few outputs at a time. Real is double, and long
/// double when the accumulator is f64.
template <typename Real>
void contract(const Rows<Real> &rows, const WeightView &weight,
              std::vector<Product> &result);

extern template void contract<double>(const Rows<double> &, const WeightView &,
                                      std::vector<Product> &);
extern template void contract<long double>(const Rows<long double> &,
                                           const WeightView &,
                                           std::vector<Product> &);

} // namespace mlir::xfmr::reference

#endif // XFMR_LIB_REFERENCE_CONTRACTION_H
