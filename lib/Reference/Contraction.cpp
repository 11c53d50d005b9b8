//===- Contraction.cpp - Products of rows and weights -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include <algorithm>
#include <array>

using namespace mlir;
using namespace mlir::xfmr::reference;

/// Outputs that are worked on together: enough to fill vector registers.
static constexpr int64_t kTile = 8;

namespace {
/// A few columns of the weight, input-major.
template <typename Real> struct Tile {
  std::vector<std::array<Real, kTile>> weight;
  /// Errors of the weights themselves; empty when they are exact.
  std::vector<std::array<Real, kTile>> radius;
};

/// Sums over the terms, for each output of the tile.
template <typename Real> struct Sums {
  Real value[kTile] = {}, magnitude[kTile] = {}, walk[kTile] = {};
  Real hard[kTile] = {}, softSquares[kTile] = {}, softCommon[kTile] = {};
  Real ownSquares[kTile] = {};
  bool unconstrained = false;
};
} // namespace

template <typename Real>
static void loadTile(const WeightView &view, int64_t first, int64_t width,
                     Tile<Real> &tile) {
  const Storage &storage = *view.storage;
  tile.weight.assign(view.inputs, {});
  tile.radius.clear();
  const bool borrowed = storage.isBorrowed();
  for (int64_t column = 0; column < width; ++column) {
    int64_t start = view.offset + (first + column) * view.outputStride;
    for (int64_t input = 0; input < view.inputs; ++input) {
      int64_t position = start + input * view.inputStride;
      if (borrowed) {
        tile.weight[input][column] = static_cast<Real>(
            readElement(storage.getKind(), storage.getData(), position));
        continue;
      }
      Number number = storage.read(position);
      tile.weight[input][column] = static_cast<Real>(number.value);
      if (number.isExact())
        continue;
      if (tile.radius.empty())
        tile.radius.assign(view.inputs, {});
      tile.radius[input][column] = static_cast<Real>(number.error());
    }
  }
}

template <typename Real>
static void addProducts(const Real *x, const Tile<Real> &tile, int64_t terms,
                        Sums<Real> &sums) {
  // In locals, the sums stay in registers.
  Real value[kTile] = {}, magnitude[kTile] = {}, walk[kTile] = {};
  for (int64_t j = 0; j < terms; ++j) {
    const Real factor = x[j];
    const Real *weight = tile.weight[j].data();
    for (int64_t c = 0; c < kTile; ++c) {
      Real product = factor * weight[c];
      value[c] += product;
      magnitude[c] += std::fabs(product);
      walk[c] += value[c] * value[c];
    }
  }
  std::copy_n(value, kTile, sums.value);
  std::copy_n(magnitude, kTile, sums.magnitude);
  std::copy_n(walk, kTile, sums.walk);
}

template <typename Real>
static void addRadii(const Rows<Real> &rows, int64_t row,
                     const Tile<Real> &tile, Sums<Real> &sums) {
  const int64_t start = row * rows.terms;
  for (int64_t j = 0; j < rows.terms; ++j) {
    const Real hard = rows.hard.empty() ? 0 : rows.hard[start + j];
    const Real soft = rows.soft.empty() ? 0 : rows.soft[start + j];
    const Real own = rows.own.empty() ? 0 : rows.own[start + j];
    if (std::isinf(hard))
      sums.unconstrained = true;
    if (hard == 0 && soft == 0 && own == 0)
      continue;
    const Real common = rows.value[start + j] < 0 ? -soft : soft;
    for (int64_t c = 0; c < kTile; ++c) {
      const Real w = tile.weight[j][c];
      sums.hard[c] += std::fabs(w) * hard;
      sums.softSquares[c] += w * soft * (w * soft);
      sums.softCommon[c] += w * common;
      sums.ownSquares[c] += w * own * (w * own);
    }
  }
  if (tile.radius.empty())
    return;
  for (int64_t j = 0; j < rows.terms; ++j) {
    Real factor = std::fabs(rows.value[start + j]);
    if (!rows.hard.empty())
      factor += rows.hard[start + j];
    if (!rows.soft.empty())
      factor += rows.soft[start + j];
    for (int64_t c = 0; c < kTile; ++c) {
      const Real radius = tile.radius[j][c];
      if (radius != 0)
        sums.hard[c] += std::isinf(radius) ? radius : factor * radius;
    }
  }
}

template <typename Real>
void mlir::xfmr::reference::contract(const Rows<Real> &rows,
                                     const WeightView &weight,
                                     std::vector<Product> &result) {
  result.assign(rows.count * weight.outputs, {});
  const bool exact = rows.hard.empty() && rows.soft.empty() && rows.own.empty();
  Tile<Real> tile;
  for (int64_t first = 0; first < weight.outputs; first += kTile) {
    const int64_t width = std::min(kTile, weight.outputs - first);
    loadTile(weight, first, width, tile);
    for (int64_t row = 0; row < rows.count; ++row) {
      Sums<Real> sums;
      addProducts(rows.value.data() + row * rows.terms, tile, rows.terms, sums);
      if (!exact || !tile.radius.empty())
        addRadii(rows, row, tile, sums);
      for (int64_t c = 0; c < width; ++c) {
        Product &product = result[row * weight.outputs + first + c];
        product.value = sums.value[c];
        product.hard = sums.unconstrained ? HUGE_VALL : sums.hard[c];
        product.sums.magnitude = sums.magnitude[c];
        product.sums.walk = sums.walk[c];
        product.sums.ownSquares = sums.ownSquares[c];
        product.sums.softSquares = sums.softSquares[c];
        product.sums.softCommon = sums.softCommon[c];
      }
    }
  }
}

template void mlir::xfmr::reference::contract<double>(const Rows<double> &,
                                                      const WeightView &,
                                                      std::vector<Product> &);
template void mlir::xfmr::reference::contract<long double>(
    const Rows<long double> &, const WeightView &, std::vector<Product> &);
