//===- Report.h - What xfmr-run prints of a run -----------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TOOLS_XFMR_RUN_REPORT_H
#define XFMR_TOOLS_XFMR_RUN_REPORT_H

#include "xfmr/ExecutionEngine/Program.h"
#include "xfmr/Reference/Evaluator.h"

namespace mlir::xfmr {

/// An array that a call made or changed: a result, or an argument of a function
/// on memrefs.
struct Output {
  /// `result 0`, `argument 2`.
  std::string name;
  reference::ArrayView view;
};

/// The results, then the arguments that the call changed without returning
/// them.
SmallVector<Output> getOutputs(const Results &results,
                               const Arguments &arguments,
                               const Arguments &before);

/// A view of an argument.
reference::ArrayView getView(const HostArray &array);

/// One line with shape and statistics; all elements where `all` is set.
void printOutput(raw_ostream &os, const Output &output, bool all);

/// One line with the largest errors and their place. Returns whether all
/// elements are within their bounds.
bool printComparison(raw_ostream &os, StringRef name,
                     const reference::ArrayView &got,
                     const reference::Expected &expected);

/// How to measure.
struct TimeOptions {
  /// 0 chooses by how long a call takes.
  unsigned repetitions = 0;
  std::optional<double> flops;
  /// Arguments to restore from `before` ahead of every repetition.
  SmallVector<unsigned> restored;
};

/// Measures calls and prints median, minimum and spread.
void printTime(raw_ostream &os, Program::Call &call, Arguments &arguments,
               const Arguments &before, const TimeOptions &options);

} // namespace mlir::xfmr

#endif // XFMR_TOOLS_XFMR_RUN_REPORT_H
