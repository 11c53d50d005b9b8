/* What the benchmarks need from C: memory and the loop over calls.
 *
 * Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
 * See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
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
  case 7:
    REPEAT(D, D, D, D, D, D, D)(d[0], d[1], d[2], d[3], d[4], d[5], d[6]);
    return status;
  case 8:
    REPEAT(D, D, D, D, D, D, D, D)
    (d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
    return status;
  }
  return INT32_MIN;
}

/* A thread's part of a copy, n times. Threads wait for each other by spinning,
 * as those of an OpenMP library do. */
struct part {
  atomic_long *arrived;
  char *to;
  const char *from;
  size_t bytes;
  int64_t n;
};
static void *copy_part(void *argument) {
  struct part *p = argument;
  for (int64_t i = 0; i < p->n; ++i) {
    memcpy(p->to, p->from, p->bytes);
    __asm__ volatile("" ::: "memory");
    if (!p->arrived)
      continue;
    atomic_fetch_add(p->arrived, 1);
    while (atomic_load(p->arrived) < 2 * (i + 1)) {
    }
  }
  return 0;
}

/* Copies n times, with one thread or two. */
void copy_repeatedly(void *to, const void *from, size_t bytes, int32_t threads,
                     int64_t n) {
  atomic_long arrived = 0;
  size_t first = threads == 2 ? bytes / 2 / 64 * 64 : bytes;
  struct part part = {threads == 2 ? &arrived : 0, to, from, first, n};
  struct part other = {&arrived, part.to + first, part.from + first,
                       bytes - first, n};
  pthread_t thread;
  if (threads == 2 && pthread_create(&thread, 0, copy_part, &other))
    abort();
  copy_part(&part);
  if (threads == 2)
    pthread_join(thread, 0);
}
