//===- GuardedMemory.cpp - Finds writes beyond allocations ------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::xfmr;

static constexpr size_t kGuardBytes = 64;
static constexpr unsigned char kPattern = 0xA5;

// In memory: the size that was asked for and a pattern up to kGuardBytes, what
// the caller uses, a pattern.
void *test::allocateGuarded(size_t bytes) {
  // Code that does not align what it gets asks for less.
  size_t used = std::max(bytes, kGuardBytes) - kGuardBytes;
  auto *start = static_cast<unsigned char *>(aligned_alloc(
      kGuardBytes, llvm::alignTo(used + 2 * kGuardBytes, kGuardBytes)));
  if (!start)
    return nullptr;
  memset(start, kPattern, kGuardBytes);
  memcpy(start, &used, sizeof(used));
  memset(start + kGuardBytes + used, kPattern, kGuardBytes);
  return start + kGuardBytes;
}

void test::freeGuarded(void *memory) {
  if (!memory)
    return;
  unsigned char *start = static_cast<unsigned char *>(memory) - kGuardBytes;
  size_t used;
  memcpy(&used, start, sizeof(used));
  auto isWritten = [](llvm::ArrayRef<unsigned char> guard) {
    return llvm::any_of(guard, [](unsigned char c) { return c != kPattern; });
  };
  if (isWritten({start + sizeof(used), kGuardBytes - sizeof(used)}))
    llvm::report_fatal_error("compiled code wrote before an allocation");
  if (isWritten({start + kGuardBytes + used, kGuardBytes}))
    llvm::report_fatal_error("compiled code wrote beyond an allocation of " +
                             llvm::Twine(used) + " bytes");
  free(start);
}
