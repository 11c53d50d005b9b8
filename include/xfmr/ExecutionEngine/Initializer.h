//===- Initializer.h - Reproducible contents for arguments ------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_INITIALIZER_H
#define XFMR_EXECUTIONENGINE_INITIALIZER_H

#include "xfmr/ExecutionEngine/HostArray.h"

#include <cstdint>

namespace mlir::xfmr {

/// How to fill an array.
struct Initializer {
  enum class Kind {
    /// Mean 0, standard deviation `value`.
    Normal,
    /// Between -`value` and `value`.
    Uniform,
    /// `value` everywhere.
    Constant,
    /// Evenly from -`value` to `value` in the order of elements.
    Range,
  };
  Kind kind = Kind::Normal;
  double value = 1.0;

  /// Reads `normal`, `uniform`, `const` or `range`, with a value behind a colon
  /// if there is one: `const:0.5`.
  static llvm::Expected<Initializer> parse(StringRef text);
};

/// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea
/// and Flood, 2014), and no function whose rounding is a library's.
class Random {
public:
  /// Streams of one seed are independent of each other.
  Random(uint64_t seed, uint64_t stream);

  uint64_t next();
  /// In [0, 1).
  double uniform();
  /// Normal to 1e-2 in its distribution function, within 6 standard deviations:
  /// the sum of twelve uniform numbers.
  double normal();

private:
  uint64_t state;
};

/// Fills `array`. Integers are rounded towards zero after scaling to the range
/// [-8, 8]; i1 is a fair coin; both take a constant as it is.
void fill(HostArray &array, const Initializer &initializer, Random random);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_INITIALIZER_H
