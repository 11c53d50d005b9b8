/* A5: destinations that are inputs, in every way that the ops allow, give the
 * bits of destinations of their own; inputs that are no destination stay.
 *
 *   aliasing ROWS D RUNS
 */
#include "ops.h"

enum { NONE = -1 };

static int fits(const struct op *op, int output, int input) {
  const struct argument *a = &op->argument[output], *b = &op->argument[input];
  return !b->is_output && a->dims[1] && strcmp(a->dims, b->dims) == 0 &&
         strcmp(a->type, b->type) == 0;
}

/* Calls with output i in the memory of input shared[i], and gives the outputs'
 * bytes one after the other. */
static void run(const struct op *op, struct sizes sizes, const int *shared,
                char *outputs) {
  struct descriptor arguments[MAX_ARGUMENTS], results[MAX_ARGUMENTS];
  char *data[MAX_ARGUMENTS], *original[MAX_ARGUMENTS];
  for (int i = 0; i < op->arguments; ++i) {
    size_t bytes = get_bytes(&op->argument[i], sizes);
    data[i] = malloc(bytes);
    original[i] = malloc(bytes);
    if (op->argument[i].is_output)
      memset(original[i], 0xff, bytes);
    else
      fill(&op->argument[i], sizes, original[i], i + 1);
    memcpy(data[i], original[i], bytes);
  }
  int written[MAX_ARGUMENTS] = {0};
  for (int i = 0; i < op->arguments; ++i) {
    int place = op->argument[i].is_output && shared[i] != NONE ? shared[i] : i;
    arguments[i] = describe(&op->argument[i], sizes, data[place]);
    written[place] |= op->argument[i].is_output;
  }
  call(op, arguments, results);
  for (int i = 0; i < op->arguments; ++i) {
    size_t bytes = get_bytes(&op->argument[i], sizes);
    if (!written[i])
      EXPECT(memcmp(data[i], original[i], bytes) == 0, "%s changes %s",
             op->name, op->argument[i].name);
    if (op->argument[i].is_output && !op->argument[i].is_inner) {
      memcpy(outputs, arguments[i].aligned, bytes);
      outputs += bytes;
    }
  }
  for (int i = 0; i < op->arguments; ++i) {
    free(data[i]);
    free(original[i]);
  }
}

static int ways;

/* Chooses inputs for outputs from `next` on; runs when all are chosen. */
static void choose(const struct op *op, struct sizes sizes, int runs, int next,
                   int *shared, const char *expected, char *got, size_t bytes) {
  if (next < op->arguments) {
    shared[next] = NONE;
    choose(op, sizes, runs, next + 1, shared, expected, got, bytes);
    if (!op->argument[next].is_output || op->argument[next].is_inner)
      return;
    for (int input = 0; input < op->arguments; ++input) {
      int taken = 0;
      for (int i = 0; i < next; ++i)
        taken |= shared[i] == input;
      if (taken || !fits(op, next, input))
        continue;
      shared[next] = input;
      choose(op, sizes, runs, next + 1, shared, expected, got, bytes);
      shared[next] = NONE;
    }
    return;
  }
  char text[200] = "";
  for (int i = 0; i < op->arguments; ++i)
    if (shared[i] != NONE)
      snprintf(text + strlen(text), sizeof text - strlen(text), " %s==%s",
               op->argument[i].name, op->argument[shared[i]].name);
  for (int n = 0; n < runs; ++n) {
    run(op, sizes, shared, got);
    EXPECT(memcmp(got, expected, bytes) == 0, "%s, run %d, d = %d:%s", op->name,
           n, (int)sizes.d, text);
  }
  ++ways;
}

int main(int count, char **values) {
  EXPECT(count == 4, "arguments");
  struct sizes sizes = {atol(values[1]), atol(values[2]), 19};
  for (int i = 0; i < OPS; ++i) {
    const struct op *op = &ops[i];
    if (!op->in_place)
      continue;
    int shared[MAX_ARGUMENTS];
    size_t bytes = 0;
    for (int a = 0; a < op->arguments; ++a) {
      shared[a] = NONE;
      if (op->argument[a].is_output && !op->argument[a].is_inner)
        bytes += get_bytes(&op->argument[a], sizes);
    }
    char *expected = malloc(bytes), *got = malloc(bytes);
    run(op, sizes, shared, expected);
    choose(op, sizes, atoi(values[3]), 0, shared, expected, got, bytes);
    free(expected);
    free(got);
  }
  printf("%d ways are right\n", ways);
  return 0;
}
