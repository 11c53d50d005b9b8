//===- TestSupport.h - Functions and arrays for tests -----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_UNIT_REFERENCE_TESTSUPPORT_H
#define XFMR_TEST_UNIT_REFERENCE_TESTSUPPORT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "xfmr/Reference/Elements.h"
#include "xfmr/Reference/Evaluator.h"
#include "xfmr/Reference/Rounding.h"
#include "gtest/gtest.h"
#include <random>

namespace mlir::xfmr::reference {

/// An array with memory of its own.
struct OwnedArray {
  std::vector<char> memory;
  ArrayView view;

  OwnedArray(Type type, ArrayRef<int64_t> shape, ArrayRef<double> values = {});
  OwnedArray(const OwnedArray &other) = delete;
  OwnedArray(OwnedArray &&other) = default;

  int64_t size() const;
  long double get(int64_t index) const {
    return readElement(view.elementType, view.data, index);
  }
  void set(int64_t index, long double value) {
    writeElement(view.elementType, view.data, index, value);
  }
};

/// A context with every dialect that the reference knows.
class ReferenceTest : public ::testing::Test {
protected:
  ReferenceTest();

  /// The function of the module; null when it does not parse or verify.
  func::FuncOp parse(StringRef source);
  /// The function evaluated on the arrays; fails the test when it cannot be.
  SmallVector<Expected> evaluate(func::FuncOp function,
                                 ArrayRef<const OwnedArray *> arguments);
  SmallVector<Expected> evaluate(StringRef source,
                                 ArrayRef<const OwnedArray *> arguments) {
    return evaluate(parse(source), arguments);
  }
  /// The error that evaluation ends in; empty when it does not.
  std::string evaluationError(StringRef source,
                              ArrayRef<const OwnedArray *> arguments);

  Type type(StringRef name);
  OwnedArray array(StringRef element, ArrayRef<int64_t> shape,
                   ArrayRef<double> values = {}) {
    return OwnedArray(type(element), shape, values);
  }
  /// Normally distributed values, rounded to the type.
  OwnedArray randomArray(StringRef element, ArrayRef<int64_t> shape,
                         double scale = 1.0);

  MLIRContext context;
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::mt19937 generator{20240607};
};

/// Passes when `got` is right everywhere.
::testing::AssertionResult matches(const OwnedArray &got,
                                   const Expected &expected);

} // namespace mlir::xfmr::reference

#endif // XFMR_TEST_UNIT_REFERENCE_TESTSUPPORT_H
