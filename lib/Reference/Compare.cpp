//===- Compare.cpp - Comparison with what was expected -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "xfmr/Reference/Evaluator.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

/// How far off a value is, infinite for a wrong class; nothing when the two are
/// right because both are NaN or the same infinity.
static long double getError(const std::optional<FloatFormat> &format,
                            long double got, long double value,
                            long double bound) {
  if (std::isnan(got) || std::isnan(value))
    return std::isnan(got) && std::isnan(value) ? 0 : HUGE_VALL;
  if (std::isinf(value))
    return got == value ? 0 : HUGE_VALL;
  if (std::isinf(got)) {
    // Infinity is the number after the largest: right when a value within the
    // bound rounds to it.
    if (!format)
      return HUGE_VALL;
    long double infinity = std::copysign(format->infinity(), got);
    long double error = std::fabs(infinity - value);
    if (std::fabs(value) >= format->infinity() &&
        std::signbit(value) == std::signbit(got))
      return 0;
    return error <= bound ? error : HUGE_VALL;
  }
  return std::fabs(got - value);
}

static SmallVector<int64_t> unflatten(int64_t index, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> indices(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    indices[dim] = index % shape[dim];
    index /= shape[dim];
  }
  return indices;
}

Comparison mlir::xfmr::reference::compare(const ArrayView &got,
                                          const Expected &expected) {
  Comparison result;
  result.count = expected.value.size();
  std::optional<ElementKind> kind = getElementKind(got.elementType);
  if (ArrayRef<int64_t>(got.shape) != ArrayRef<int64_t>(expected.shape) ||
      got.strides.size() != got.shape.size() || !kind ||
      got.elementType != expected.elementType ||
      countElements(got.shape) != result.count) {
    result.mismatches = std::max<int64_t>(result.count, 1);
    result.worstUlp = result.worstRelative = result.worstBoundFraction =
        HUGE_VALL;
    return result;
  }
  std::optional<FloatFormat> format = getFloatFormat(got.elementType);
  int64_t worst = -1, index = 0;
  auto compareElement = [&](ArrayRef<int64_t> indices) {
    int64_t position = 0;
    for (auto [i, stride] : llvm::zip_equal(indices, got.strides))
      position += i * stride;
    const int64_t current = index++;
    const long double value = expected.value[current];
    const long double bound = expected.bound[current];
    if (std::isinf(bound))
      return success();
    const long double element = readElement(*kind, got.data, position);
    const long double error = getError(format, element, value, bound);
    result.mismatches += !(error <= bound);
    const long double fraction = error == 0  ? 0
                                 : bound > 0 ? error / bound
                                             : HUGE_VALL;
    const long double spacing = format ? ulp(*format, value) : 1;
    if (error > 0) {
      result.worstUlp = std::fmax(result.worstUlp, error / spacing);
      if (std::isfinite(value) && value != 0)
        result.worstRelative =
            std::fmax(result.worstRelative, error / std::fabs(value));
    }
    if (worst < 0 || fraction > result.worstBoundFraction) {
      worst = current;
      result.worstBoundFraction = fraction;
      result.worstGot = element;
      result.worstExpected = value;
      result.worstBound = bound;
    }
    return success();
  };
  (void)forEachIndex(got.shape, compareElement);
  if (worst >= 0)
    result.worstIndex = unflatten(worst, got.shape);
  return result;
}
