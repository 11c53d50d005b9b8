//===- GuardedMemory.h - Finds writes beyond allocations --------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_INTEGRATION_SUPPORT_GUARDEDMEMORY_H
#define XFMR_TEST_INTEGRATION_SUPPORT_GUARDEDMEMORY_H

#include <cstddef>

namespace mlir::xfmr::test {

/// `malloc` for compiled code, which asks for 64 bytes more than it uses so as
/// to align what it gets. What comes back is aligned, so that those 64 bytes
/// lie behind what is used; they, and as many before, hold a pattern.
void *allocateGuarded(size_t bytes);

/// Its `free`. Stops the process with a message when the pattern has changed.
void freeGuarded(void *memory);

} // namespace mlir::xfmr::test

#endif // XFMR_TEST_INTEGRATION_SUPPORT_GUARDEDMEMORY_H
