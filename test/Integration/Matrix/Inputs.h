//===- Inputs.h - Memory and contents for a combination's run ---*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_INTEGRATION_MATRIX_INPUTS_H
#define XFMR_TEST_INTEGRATION_MATRIX_INPUTS_H

#include "../Support/Program.h"
#include "Combination.h"

namespace mlir::xfmr::test {

/// The arguments of one run, in memory with a guard band around each and, for
/// strided arrays, gaps between elements.
class Inputs {
public:
  Inputs(const Combination &combination, const Sizes &sizes, Program &program,
         uint64_t seed);

  ArrayRef<Argument> getArguments() const { return arguments; }
  SmallVector<ArrayView> getViews() const;

  /// Empty when nothing was written but the elements of destinations; else what
  /// was.
  std::string findStrayWrites() const;
  /// The bytes of an argument's elements, row-major.
  std::vector<char> getBytes(size_t argument) const;
  /// Restores what the memory held at first.
  void reset();

private:
  struct Buffer {
    std::vector<char> memory, original;
    int64_t first = 0; // byte of element [0, .., 0]
    int64_t elementBytes = 0;
  };
  void fill(const ArgumentPlan &plan, const Combination &combination,
            const ArrayView &view, uint64_t seed);

  const Combination &combination;
  std::vector<Buffer> buffers;
  SmallVector<Argument> arguments;
};

/// The bytes of an array's elements, row-major.
std::vector<char> getElementBytes(const ArrayView &view);

/// Row `index` of an array: the first dim becomes 1.
ArrayView takeRow(const ArrayView &view, int64_t index);

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_INTEGRATION_MATRIX_INPUTS_H
