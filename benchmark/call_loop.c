/* What the benchmarks need from C: memory and the loop over calls.
 *
 * Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
 * See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE = 2 << 20 };
static size_t rounded(size_t bytes) { return (bytes + HUGE - 1) / HUGE * HUGE; }

/* Zeroed memory at the start of a page of 2 MiB, in such pages where the system
 * has them; 0 when there is none. */
void *allocate(size_t bytes) {
  size_t size = rounded(bytes);
  char *mapped = mmap(0, size + HUGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return 0;
  size_t before = rounded((uintptr_t)mapped) - (uintptr_t)mapped;
  if (before)
    munmap(mapped, before);
  if (before < HUGE)
    munmap(mapped + before + size, HUGE - before);
  madvise(mapped + before, size, MADV_HUGEPAGE);
  return memset(mapped + before, 0, bytes);
}

void release(void *memory, size_t bytes) { munmap(memory, rounded(bytes)); }

typedef void *D;
#define REPEAT(...)                                                            \
  for (int64_t i = 0; i < n && status == 0; ++i)                               \
  status = ((int32_t (*)(__VA_ARGS__))f)

/* Calls f with the descriptors d n times, or until one call fails. Returns the
 * last status, or INT32_MIN when there is no call of so many arguments. */
int32_t call_repeatedly(void (*f)(void), int32_t count, D *d, int64_t n) {
  int32_t status = 0;
  switch (count) {
  case 1:
    REPEAT(D)(d[0]);
    return status;
  case 2:
    REPEAT(D, D)(d[0], d[1]);
    return status;
  case 3:
    REPEAT(D, D, D)(d[0], d[1], d[2]);
    return status;
  case 4:
    REPEAT(D, D, D, D)(d[0], d[1], d[2], d[3]);
    return status;
  case 5:
    REPEAT(D, D, D, D, D)(d[0], d[1], d[2], d[3], d[4]);
    return status;
  case 6:
    REPEAT(D, D, D, D, D, D)(d[0], d[1], d[2], d[3], d[4], d[5]);
    return status;
  }
  return INT32_MIN;
}
