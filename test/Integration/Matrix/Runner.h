//===- Runner.h - Compiles, runs and checks combinations --------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_INTEGRATION_MATRIX_RUNNER_H
#define XFMR_TEST_INTEGRATION_MATRIX_RUNNER_H

#include "Combination.h"
#include "Inputs.h"
#include "Support/Program.h"

namespace mlir::xfmr::test {

/// What a batch came to.
struct BatchResult {
  int64_t functions = 0;
  /// Functions run on given sizes and compared with the reference.
  int64_t runs = 0;
  /// Runs whose bits were compared between one and two threads, and rows whose
  /// bits were compared with the row's alone.
  int64_t threadRuns = 0, rowRuns = 0;
  /// One entry a function that failed.
  std::vector<std::string> failures;
};

struct BatchOptions {
  /// How modules are compiled; the number of threads is the runner's to choose.
  ProgramOptions program;
  /// Also compile with two threads and compare bits.
  bool compareThreads = false;
  /// Compare each row's bits with those that it has alone.
  bool compareRows = true;
  uint64_t seed = 1;
};

/// Compiles the combinations in one module and runs each. Where the module does
/// not compile, each is compiled alone.
BatchResult runBatch(ArrayRef<const Combination *> combinations,
                     const BatchOptions &options);

/// The name of the function that this thread is running, for crash reports.
extern thread_local const char *currentCombination;

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_INTEGRATION_MATRIX_RUNNER_H
