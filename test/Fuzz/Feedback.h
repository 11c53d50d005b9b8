//===- Feedback.h - What an input did, for libFuzzer ------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libFuzzer keeps an input that reaches code which no input reached before.
// Most of the code here lies in libraries without coverage counters (MLIR's
// always, ours too unless the build has sanitizers), so what the compiler said
// and made is counted instead: each message, and which ops a pass left.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_FUZZ_FEEDBACK_H
#define XFMR_TEST_FUZZ_FEEDBACK_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class Diagnostic;
class Operation;

namespace xfmr::fuzz {

/// Counts a diagnostic by its text, apart from numbers and quoted parts.
void countMessage(Diagnostic &diagnostic);

/// Counts what `root` consists of after the pass `stage`: ops by name and rough
/// number, and for the dialect's ops the operands and attributes that they
/// have.
void countOps(llvm::StringRef stage, Operation *root);

} // namespace xfmr::fuzz
} // namespace mlir

#endif // XFMR_TEST_FUZZ_FEEDBACK_H
