//===- Evaluator.h - The meaning of xfmr ops, executable --------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle: it evaluates a function in wider arithmetic than the ops' own,
// rounds where the ops round, and says for every element of every result how
// far from its value a correct implementation may be. It is written from the
// ops' contract and shares nothing with their decomposition.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_REFERENCE_EVALUATOR_H
#define XFMR_REFERENCE_EVALUATOR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace mlir::xfmr::reference {

/// A typed array in memory; strides are in elements. `data` is element
/// [0, .., 0]. A scalar has rank 0.
struct ArrayView {
  void *data = nullptr;
  Type elementType;
  SmallVector<int64_t> shape;
  SmallVector<int64_t> strides;

  /// A contiguous row-major array.
  static ArrayView rowMajor(void *data, Type elementType,
                            ArrayRef<int64_t> shape);
};

/// One result to check: reference and allowed error of every element,
/// row-major.
///
/// The value is the exact one before its last rounding, to `elementType`; the
/// bound holds that rounding. A value that certainly overflows the type is an
/// infinity. An infinite bound marks an element that the contract leaves open
/// (an overflowing square, a statistic of 0 without eps, ...): anything is
/// right there, NaN included.
struct Expected {
  Type elementType;
  SmallVector<int64_t> shape;
  std::vector<long double> value, bound;
  /// The number of the memref argument that was written; -1 for a result.
  int64_t argument = -1;
};

/// Evaluates the function on the arguments: scalars are arrays of rank 0, and
/// arguments are neither written nor copied as a whole. Gives the function's
/// results in order, then the final contents of every memref argument that the
/// function wrote, in the order of arguments. Memref arguments of one element
/// type whose memory overlaps are seen as aliases. What cannot be evaluated is
/// reported as an error at its op. With `relaxed`, what numerics=relaxed allows
/// is right as well.
FailureOr<SmallVector<Expected>> evaluate(func::FuncOp function,
                                          ArrayRef<ArrayView> arguments,
                                          bool relaxed = false);

/// How an array differs from what was expected. An element is wrong when its
/// class differs (NaN, the infinities, numbers; the sign of a zero is free) or
/// when `!(error <= bound)`. Where a value is within its bound of the overflow
/// to infinity, both are right.
struct Comparison {
  /// Elements that are wrong, of how many.
  int64_t mismatches = 0;
  int64_t count = 0;
  /// The largest errors, infinite for a wrong class: in units in the last place
  /// of the element type, relative to the value, and as a part of the bound.
  long double worstUlp = 0, worstRelative = 0, worstBoundFraction = 0;
  /// Where the error is the largest part of its bound, and what is there.
  SmallVector<int64_t> worstIndex;
  long double worstGot = 0, worstExpected = 0, worstBound = 0;
};

/// Compares element by element. With another shape every element is wrong.
Comparison compare(const ArrayView &got, const Expected &expected);

/// The names of all ops that `evaluate` has a meaning for, sorted. Ops of the
/// structured kind (`linalg.generic`, `linalg.matmul`, ...) are not listed:
/// they are evaluated through their interface and region.
SmallVector<StringRef> supportedOps();

/// An xfmr op and the bound that holds for it, in words.
struct OpBound {
  StringRef op;
  StringRef bound;
};

/// One entry an op of the dialect, in alphabetical order.
ArrayRef<OpBound> getOpBounds();

} // namespace mlir::xfmr::reference

#endif // XFMR_REFERENCE_EVALUATOR_H
