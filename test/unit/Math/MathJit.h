//===- MathJit.h - Compiles an elementwise function and runs it -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_UNIT_MATH_MATHJIT_H
#define XFMR_TEST_UNIT_MATH_MATHJIT_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlir::xfmr::test {

/// A module of functions that apply something to every element of an array,
/// compiled for the host.
class MathJit {
public:
  using Body = std::function<Value(OpBuilder &, Location, ValueRange)>;

  MathJit();

  MLIRContext *getContext() { return &context; }

  /// Adds a function from `inputs` arrays of element type `from` to one of type
  /// `to`. With `lanes` the body receives vectors of so many elements, without
  /// it scalars. The number of elements that it runs on is a multiple of
  /// `lanes`.
  void add(StringRef name, Type from, Type to, unsigned lanes, unsigned inputs,
           const Body &body);

  /// Lowers and compiles. With `expand` the math ops and the conversions are
  /// expanded by the passes under test, otherwise they are libm's and LLVM's.
  /// With `native` the passes may use instructions of AVX-512. Returns an error
  /// message, empty on success.
  std::string compile(bool expand, bool native = false);

  /// Runs a function; the arrays hold `size` elements.
  void run(StringRef name, const std::vector<const void *> &inputs,
           void *output, int64_t size);

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<ExecutionEngine> engine;
};

/// What to compile for: without instructions of AVX-512, and with them where
/// this machine has them.
std::vector<bool> getNativeForms();

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_UNIT_MATH_MATHJIT_H
