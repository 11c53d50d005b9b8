/* Calls functions of a compiled library, natively or under an emulator.
 *
 *   runner LIBRARY CALLS RESULTS
 *
 * CALLS holds for each call: 64 bytes of name, then words of 8 bytes: whether
 * to count instructions (0 or 1), the number of arguments, and of each its
 * rank, the bytes of an element, its sizes, and its elements padded to words.
 * RESULTS gets the status, the instructions counted, the address of the
 * function, and the elements of the arguments.
 *
 * Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
 * See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { MAX_ARGUMENTS = 6, MAX_RANK = 4 };
typedef int32_t (*function)(void *, void *, void *, void *, void *, void *);

struct argument {
  int64_t descriptor[3 + 2 * MAX_RANK];
  size_t bytes;
};

static volatile int64_t steps;

#if defined(__x86_64__)
static uint64_t entry;

/* An allocator takes as long as the heap's state wants: it is not the code that
 * is counted. */
static void count_step(int signal_number, siginfo_t *info, void *context) {
  (void)signal_number, (void)info;
  uint64_t at = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  steps += at - entry + 0x10000 < 0x20000;
}

/* Calls with the processor's single steps on, each of which is a signal. */
static int32_t call_counted(function f, void **d) {
  struct sigaction action = {.sa_sigaction = count_step,
                             .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, 0);
  entry = (uintptr_t)f;
  steps = 0;
  __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
  int32_t status = f(d[0], d[1], d[2], d[3], d[4], d[5]);
  __asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::
                       : "memory", "cc");
  return status;
}
#else
/* Here the emulator counts. */
static int32_t call_counted(function f, void **d) {
  return f(d[0], d[1], d[2], d[3], d[4], d[5]);
}
#endif

static void fail(const char *what) {
  fprintf(stderr, "runner: %s\n", what);
  exit(1);
}

static int64_t read_word(FILE *file) {
  int64_t word;
  if (fread(&word, sizeof word, 1, file) != 1)
    fail("the file of calls ends early");
  return word;
}

static void read_argument(FILE *file, struct argument *argument) {
  int64_t rank = read_word(file), size = read_word(file);
  if (rank > MAX_RANK)
    fail("too many dimensions");
  int64_t *sizes = argument->descriptor + 3, *strides = sizes + rank;
  for (int64_t i = 0; i < rank; ++i)
    sizes[i] = read_word(file);
  for (int64_t i = rank, stride = 1; i-- > 0;
       stride *= sizes[i], size *= sizes[i])
    strides[i] = stride;
  argument->bytes = (size + 7) / 8 * 8;
  /* A line of slack, so that no array ends where the next begins. */
  void *memory = aligned_alloc(64, (argument->bytes + 127) / 64 * 64);
  if (!memory ||
      (size && fread(memory, 1, argument->bytes, file) != argument->bytes))
    fail("an array is not complete");
  argument->descriptor[0] = argument->descriptor[1] = (int64_t)(intptr_t)memory;
  argument->descriptor[2] = 0;
}

int main(int argc, char **argv) {
  if (argc != 4)
    fail("expected LIBRARY CALLS RESULTS");
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    fail(dlerror());
  FILE *calls = fopen(argv[2], "rb"), *results = fopen(argv[3], "wb");
  if (!calls || !results)
    fail("cannot open the files");
  char name[64];
  while (fread(name, sizeof name, 1, calls) == 1) {
    void *symbol = dlsym(library, name);
    function f;
    memcpy(&f, &symbol, sizeof f);
    if (!f)
      fail("the library lacks a function");
    int64_t counted = read_word(calls), count = read_word(calls);
    if (count > MAX_ARGUMENTS)
      fail("too many arguments");
    struct argument arguments[MAX_ARGUMENTS];
    void *d[MAX_ARGUMENTS] = {0};
    for (int64_t i = 0; i < count; ++i) {
      read_argument(calls, &arguments[i]);
      d[i] = arguments[i].descriptor;
    }
    int64_t head[3] = {0, 0, (int64_t)(intptr_t)symbol};
    if (counted) {
      /* What is done once is done before. */
      f(d[0], d[1], d[2], d[3], d[4], d[5]);
      head[0] = call_counted(f, d);
      head[1] = steps;
    } else {
      head[0] = f(d[0], d[1], d[2], d[3], d[4], d[5]);
    }
    fwrite(head, sizeof head, 1, results);
    for (int64_t i = 0; i < count; ++i) {
      void *memory = (void *)(intptr_t)arguments[i].descriptor[0];
      fwrite(memory, 1, arguments[i].bytes, results);
      free(memory);
    }
  }
  return fclose(results) != 0;
}
