//===- Covering.h - Choices that cover all pairs of values ------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product of all variants of an op is too large to run. Some parameters are
// crossed in full; the others are chosen so that every pair of values of any
// two parameters that may occur together does occur.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_INTEGRATION_MATRIX_COVERING_H
#define XFMR_TEST_INTEGRATION_MATRIX_COVERING_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir::xfmr::test {

/// Something that a combination chooses.
struct Parameter {
  std::string name;
  std::vector<std::string> values;
  /// Crossed with all other full parameters.
  bool full = false;
};

/// A choice of values, of which some may be open while it is being made.
class Choice {
public:
  explicit Choice(const std::vector<Parameter> &parameters)
      : parameters(&parameters), values(parameters.size(), -1) {}

  /// The value of a parameter; empty while it is open.
  llvm::StringRef operator[](llvm::StringRef name) const;
  /// The value is chosen and is one of these.
  bool is(llvm::StringRef name,
          std::initializer_list<llvm::StringRef> oneOf) const;
  /// The value is chosen and is none of these.
  bool isNot(llvm::StringRef name,
             std::initializer_list<llvm::StringRef> noneOf) const;

  int get(size_t parameter) const { return values[parameter]; }
  void set(size_t parameter, int value) { values[parameter] = value; }
  /// `name=value` for every parameter.
  std::string describe() const;

private:
  const std::vector<Parameter> *parameters;
  std::vector<int> values;
};

/// False when a choice cannot be completed to a valid one, judged from what has
/// been chosen so far.
using Constraint = std::function<bool(const Choice &)>;

/// The choices: all of the full parameters' product, and every valid pair of
/// values, `rounds` times over with different neighbours.
std::vector<Choice> cover(const std::vector<Parameter> &parameters,
                          const Constraint &isPossible, unsigned rounds);

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_INTEGRATION_MATRIX_COVERING_H
