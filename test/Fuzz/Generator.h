//===- Generator.h - Modules at random --------------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two sources of modules that mostly verify, for the mutator to break: a row of
// the matrix of ops and variants (test/Integration/Matrix), so that an op that
// is added there is fuzzed too; and programs of several ops, of the dialect and
// of linalg and others, which use each other's results.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_FUZZ_GENERATOR_H
#define XFMR_TEST_FUZZ_GENERATOR_H

#include "Random.h"
#include <string>

namespace mlir::xfmr::fuzz {

/// One function with one op, from the matrix.
std::string generateMatrixRow(Random &random);

/// One function with several ops on tensors, or on memrefs.
std::string generateProgram(Random &random);

/// A list of passes, for the first line of an input; often the CPU pipeline.
std::string generatePasses(Random &random);

} // namespace mlir::xfmr::fuzz

#endif // XFMR_TEST_FUZZ_GENERATOR_H
