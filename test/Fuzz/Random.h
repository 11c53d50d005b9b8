//===- Random.h - Random choices --------------------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_FUZZ_RANDOM_H
#define XFMR_TEST_FUZZ_RANDOM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <initializer_list>
#include <random>

namespace mlir::xfmr::fuzz {

/// A generator whose choices depend on the seed alone, whatever the standard
/// library.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  /// A number below `end`, which is not 0.
  size_t below(size_t end) { return engine() % end; }
  bool percent(unsigned chance) { return below(100) < chance; }

  template <typename Range> const auto &pick(const Range &range) {
    return range[below(range.size())];
  }
  llvm::StringRef pick(std::initializer_list<llvm::StringRef> range) {
    return range.begin()[below(range.size())];
  }

private:
  std::mt19937_64 engine;
};

} // namespace mlir::xfmr::fuzz

#endif // XFMR_TEST_FUZZ_RANDOM_H
