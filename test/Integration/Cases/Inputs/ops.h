/* What the C programs of these cases share: descriptors, contents, and the
 * table of functions that ops.py writes. */
#ifndef OPS_H
#define OPS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"

#define EXPECT(condition, ...)                                                 \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);          \
      fprintf(stderr, __VA_ARGS__);                                            \
      fputc('\n', stderr);                                                     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

enum { MAX_ARGUMENTS = 16 };

struct argument {
  const char *name, *type;
  const char
      *dims; /* R rows, D columns, F hidden values, E and G 2 D and 2 F */
  int is_output;
  int is_inner; /* the destination of an op in a region */
};

struct op {
  const char *name;
  int32_t (*call)(void **);
  int arguments, results, in_place;
  struct argument argument[MAX_ARGUMENTS];
};

#include "table.h"

enum { OPS = sizeof ops / sizeof *ops };

struct sizes {
  int64_t rows, d, ff;
};

struct descriptor {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizes_and_strides[4];
};

static int64_t get_size(char dim, struct sizes sizes) {
  switch (dim) {
  case 'R':
    return sizes.rows;
  case 'D':
    return sizes.d;
  case 'E':
    return 2 * sizes.d;
  case 'F':
    return sizes.ff;
  default:
    return 2 * sizes.ff;
  }
}

static size_t get_element_bytes(const struct argument *argument) {
  return strcmp(argument->type, "f64") == 0   ? 8
         : strcmp(argument->type, "f32") == 0 ? 4
                                              : 2;
}

static size_t get_bytes(const struct argument *argument, struct sizes sizes) {
  size_t bytes = get_element_bytes(argument);
  for (const char *dim = argument->dims; *dim; ++dim)
    bytes *= get_size(*dim, sizes);
  return bytes;
}

static struct descriptor describe(const struct argument *argument,
                                  struct sizes sizes, void *data) {
  struct descriptor result = {data, data, 0, {0}};
  int rank = strlen(argument->dims);
  for (int64_t i = rank - 1, stride = 1; i >= 0; --i) {
    result.sizes_and_strides[i] = get_size(argument->dims[i], sizes);
    result.sizes_and_strides[rank + i] = stride;
    stride *= get_size(argument->dims[i], sizes);
  }
  return result;
}

/* Numbers of both signs: from 1/4 to 2, in matrices of weights to 1/16. */
static void fill(const struct argument *argument, struct sizes sizes,
                 void *data, uint64_t seed) {
  size_t bytes = get_element_bytes(argument);
  int64_t count = get_bytes(argument, sizes) / bytes;
  int is_weight = argument->dims[1] && argument->dims[0] != 'R';
  int width = strcmp(argument->type, "f64") == 0    ? 52
              : strcmp(argument->type, "f32") == 0  ? 23
              : strcmp(argument->type, "bf16") == 0 ? 7
                                                    : 10;
  int bias = width == 52 ? 1023 : width == 10 ? 15 : 127;
  uint64_t state = seed * 2654435761u + 12345;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t random = state >> 33;
    uint64_t exponent = bias - 2 - (is_weight ? 5 : 0) + random % 3;
    uint64_t mantissa = (state >> 7) & (((uint64_t)1 << width) - 1);
    uint64_t bits =
        exponent << width | mantissa | (random >> 20 & 1) << (8 * bytes - 1);
    memcpy((char *)data + i * bytes, &bits, bytes);
  }
}

/* Calls the function; `results` holds what it returns. */
static void call(const struct op *op, struct descriptor *arguments,
                 struct descriptor *results) {
  void *pointers[2 * MAX_ARGUMENTS];
  for (int i = 0; i < op->arguments; ++i)
    pointers[i] = &arguments[i];
  for (int i = 0; i < op->results; ++i)
    pointers[op->arguments + i] = &results[i];
  int32_t status = op->call(pointers);
  EXPECT(status == 0, "%s: status %d", op->name, status);
}

#endif
