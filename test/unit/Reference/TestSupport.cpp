//===- TestSupport.cpp - Functions and arrays for tests ---------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "xfmr/Dialect/IR/Xfmr.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

OwnedArray::OwnedArray(Type type, ArrayRef<int64_t> shape,
                       ArrayRef<double> values) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  memory.resize(count * getElementSize(type));
  view = ArrayView::rowMajor(memory.data(), type, shape);
  for (int64_t i = 0; i < count && !values.empty(); ++i)
    set(i, values[i % values.size()]);
}

int64_t OwnedArray::size() const {
  return memory.size() / getElementSize(view.elementType);
}

ReferenceTest::ReferenceTest() {
  DialectRegistry registry;
  mlir::xfmr::registerXfmrDialect(registry);
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              bufferization::BufferizationDialect, func::FuncDialect,
              linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, tensor::TensorDialect>();
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

func::FuncOp ReferenceTest::parse(StringRef source) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(source, &context, "test");
  if (!module)
    return nullptr;
  modules.push_back(std::move(module));
  // The last function is the one to run: those before it are for calls.
  func::FuncOp last;
  for (func::FuncOp function : modules.back()->getOps<func::FuncOp>())
    last = function;
  return last;
}

static SmallVector<ArrayView> getViews(ArrayRef<const OwnedArray *> arrays) {
  SmallVector<ArrayView> views;
  for (const OwnedArray *array : arrays)
    views.push_back(array->view);
  return views;
}

SmallVector<Expected>
ReferenceTest::evaluate(func::FuncOp function,
                        ArrayRef<const OwnedArray *> arguments) {
  if (!function) {
    ADD_FAILURE() << "the test's function does not parse";
    return SmallVector<Expected>(4);
  }
  FailureOr<SmallVector<Expected>> results =
      mlir::xfmr::reference::evaluate(function, getViews(arguments));
  if (failed(results)) {
    ADD_FAILURE() << "the test's function cannot be evaluated";
    return SmallVector<Expected>(4);
  }
  return std::move(*results);
}

std::string
ReferenceTest::evaluationError(StringRef source,
                               ArrayRef<const OwnedArray *> arguments) {
  func::FuncOp function = parse(source);
  EXPECT_TRUE(function);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str() + "\n";
    return success();
  });
  FailureOr<SmallVector<Expected>> results = failure();
  if (function)
    results = mlir::xfmr::reference::evaluate(function, getViews(arguments));
  EXPECT_EQ(succeeded(results), message.empty());
  return message;
}

Type ReferenceTest::type(StringRef name) { return parseType(name, &context); }

OwnedArray ReferenceTest::randomArray(StringRef element,
                                      ArrayRef<int64_t> shape, double scale) {
  OwnedArray result(type(element), shape);
  std::normal_distribution<double> distribution(0.0, scale);
  for (int64_t i = 0, count = result.size(); i < count; ++i)
    result.set(i, distribution(generator));
  return result;
}

::testing::AssertionResult
mlir::xfmr::reference::matches(const OwnedArray &got,
                               const Expected &expected) {
  Comparison comparison = compare(got.view, expected);
  if (comparison.mismatches == 0 && comparison.count == got.size())
    return ::testing::AssertionSuccess();
  auto result = ::testing::AssertionFailure();
  result << comparison.mismatches << " of " << comparison.count
         << " wrong; worst at [";
  for (int64_t index : comparison.worstIndex)
    result << index << " ";
  return result << "]: got " << static_cast<double>(comparison.worstGot)
                << ", expected "
                << static_cast<double>(comparison.worstExpected) << " within "
                << static_cast<double>(comparison.worstBound);
}
