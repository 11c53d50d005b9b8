//===- TestUtils.h - Values and messages of what may fail -------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_UNIT_EXECUTIONENGINE_TESTUTILS_H
#define XFMR_TEST_UNIT_EXECUTIONENGINE_TESTUTILS_H

#include "llvm/Support/Error.h"
#include "gmock/gmock.h"

#include <cstdio>
#include <cstdlib>

namespace mlir::xfmr::test {

/// The value, or the end of the program with the error's message.
template <typename T> T unwrap(llvm::Expected<T> value) {
  if (!value) {
    std::fprintf(stderr, "unexpected error: %s\n",
                 llvm::toString(value.takeError()).c_str());
    std::abort();
  }
  return std::move(*value);
}

/// The message of an error; empty when there is none. A message is one line.
inline std::string messageOf(llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

template <typename T> std::string messageOf(llvm::Expected<T> value) {
  return value ? std::string() : messageOf(value.takeError());
}

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_UNIT_EXECUTIONENGINE_TESTUTILS_H
