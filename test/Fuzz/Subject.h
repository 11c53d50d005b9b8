//===- Subject.h - What is done with an input -------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is the text of a module. It is parsed and verified; what verifies is
// printed in three forms and read back; then passes run on it. Its first line
// may name them: `// fuzz: canonicalize,xfmr-tile-rows{tile-rows=3}`. Without
// that line the CPU pipeline runs.
//
// Everything that is wrong with an input is to end in a diagnostic. Beside a
// crash these are failures: an error without a diagnostic, a module that does
// not read back as it was, and a pass that leaves a module that does not
// verify.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_FUZZ_SUBJECT_H
#define XFMR_TEST_FUZZ_SUBJECT_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::xfmr::fuzz {

/// The start of an input's first line when it names passes.
inline constexpr llvm::StringLiteral kPassesMarker = "// fuzz: ";

/// The passes and pipelines that an input may name.
const std::vector<std::string> &getPassNames();

/// How far inputs came.
struct Progress {
  uint64_t inputs = 0, verified = 0, passesRun = 0, passesSucceeded = 0;
};

class Subject {
public:
  Subject();
  ~Subject();

  /// Runs an input; does not return when it fails. False when the input is not
  /// tried, since it would break MLIR itself.
  bool run(llvm::StringRef text);

  /// The module's generic form; nothing when the text does not verify.
  std::string toGenericForm(llvm::StringRef text);

  const Progress &getProgress() const { return progress; }

private:
  struct Session;
  /// A context with the passes that ran in it, replaced now and then, since
  /// what a context has uniqued stays.
  Session &getSession();

  std::unique_ptr<Session> session;
  unsigned inputsLeft = 0;
  Progress progress;
};

} // namespace mlir::xfmr::fuzz

#endif // XFMR_TEST_FUZZ_SUBJECT_H
