//===- UpstreamCrashes.h - Inputs that break MLIR itself --------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fuzzer looks for faults of this project. Inputs that make MLIR 22 crash
// or run away on their own are not tried; each is described as narrowly as can
// be, with the function of MLIR that fails.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_FUZZ_UPSTREAMCRASHES_H
#define XFMR_TEST_FUZZ_UPSTREAMCRASHES_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class Operation;

namespace xfmr::fuzz {

/// Whether the parser would break on the text.
bool breaksParser(StringRef text);

/// Whether MLIR's verifiers, printers or folders would break on a module that
/// was parsed and not yet verified.
bool breaksVerifier(Operation *module);

/// Whether MLIR's own passes would break on a module that verifies.
bool breaksPasses(Operation *module);

/// Whether a pass of MLIR is known to leave a module for which the verifier
/// says this.
bool isMadeInvalidByMLIR(StringRef passName, StringRef messages);

} // namespace xfmr::fuzz
} // namespace mlir

#endif // XFMR_TEST_FUZZ_UPSTREAMCRASHES_H
