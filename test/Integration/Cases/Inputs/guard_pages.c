/* A4: operands and destinations lie between pages that are not mapped, at the
 * first bytes, at the last, and an element from both. Nothing outside is read
 * or written, inputs stay, and each of 3 rows has the bits of the row alone.
 *
 *   guard_pages [heap] D..     heap: exact blocks instead, for valgrind
 */
#include "ops.h"

#include <sys/mman.h>
#include <unistd.h>

enum { ROWS = 3, GUARD = 0xa5 };

static int on_heap;

struct array {
  char *map, *body, *data, *original;
  size_t map_bytes, body_bytes, bytes;
};

static struct array make(const struct argument *argument, struct sizes sizes,
                         int placement) {
  struct array array = {0};
  size_t page = sysconf(_SC_PAGESIZE), element = get_element_bytes(argument);
  array.bytes = get_bytes(argument, sizes);
  array.original = malloc(array.bytes);
  if (on_heap) {
    array.data = malloc(array.bytes);
    return array;
  }
  array.body_bytes = (array.bytes + 2 * element + page - 1) / page * page;
  array.map_bytes = array.body_bytes + 2 * page;
  array.map = mmap(NULL, array.map_bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(array.map != MAP_FAILED, "%zu bytes", array.map_bytes);
  array.body = array.map + page;
  EXPECT(mprotect(array.body, array.body_bytes, PROT_READ | PROT_WRITE) == 0,
         "mprotect");
  memset(array.body, GUARD, array.body_bytes);
  size_t end = array.body_bytes - array.bytes;
  size_t places[] = {0, end, element, end - element};
  array.data = array.body + places[placement];
  return array;
}

static void release(struct array *array) {
  free(array->original);
  if (on_heap)
    free(array->data);
  else
    munmap(array->map, array->map_bytes);
}

static void check(const struct op *op, const struct argument *argument,
                  const struct array *array) {
  if (!argument->is_output)
    EXPECT(memcmp(array->data, array->original, array->bytes) == 0,
           "%s writes %s", op->name, argument->name);
  for (char *p = array->body; !on_heap && p < array->body + array->body_bytes;
       ++p)
    if (p < array->data || p >= array->data + array->bytes)
      EXPECT((unsigned char)*p == GUARD, "%s writes outside of %s, at %td",
             op->name, argument->name, p - array->data);
}

/* Calls on `rows` rows from row `first`, and copies the outputs. */
static void run(const struct op *op, struct sizes sizes, int placement,
                int64_t first, char **outputs) {
  struct array arrays[MAX_ARGUMENTS];
  struct descriptor arguments[MAX_ARGUMENTS], results[MAX_ARGUMENTS];
  struct sizes whole = sizes;
  whole.rows = ROWS;
  for (int i = 0; i < op->arguments; ++i) {
    const struct argument *argument = &op->argument[i];
    arrays[i] = make(argument, sizes, placement);
    if (!argument->is_output) {
      char *all = malloc(get_bytes(argument, whole));
      fill(argument, whole, all, i + 1);
      size_t skip =
          argument->dims[0] == 'R' ? first * (arrays[i].bytes / sizes.rows) : 0;
      memcpy(arrays[i].original, all + skip, arrays[i].bytes);
      memcpy(arrays[i].data, arrays[i].original, arrays[i].bytes);
      free(all);
    }
    arguments[i] = describe(argument, sizes, arrays[i].data);
  }
  call(op, arguments, results);
  for (int i = 0; i < op->arguments; ++i) {
    check(op, &op->argument[i], &arrays[i]);
    outputs[i] = NULL;
    if (op->argument[i].is_output) {
      outputs[i] = malloc(arrays[i].bytes);
      memcpy(outputs[i], arrays[i].data, arrays[i].bytes);
    }
    release(&arrays[i]);
  }
}

static void check_op(const struct op *op, int64_t d, int placement) {
  struct sizes sizes = {ROWS, d, 37}, one = {1, d, 37};
  char *together[MAX_ARGUMENTS], *alone[MAX_ARGUMENTS];
  run(op, sizes, placement, 0, together);
  for (int64_t row = 0; row < ROWS; ++row) {
    run(op, one, placement, row, alone);
    for (int i = 0; i < op->arguments; ++i) {
      /* What an op in a region writes is its own. */
      if (op->argument[i].is_output && !op->argument[i].is_inner) {
        size_t bytes = get_bytes(&op->argument[i], one);
        EXPECT(memcmp(together[i] + row * bytes, alone[i], bytes) == 0,
               "%s: row %d of %s, d = %d, is not the row alone", op->name,
               (int)row, op->argument[i].name, (int)d);
      }
      free(alone[i]);
    }
  }
  for (int i = 0; i < op->arguments; ++i)
    free(together[i]);
}

int main(int count, char **values) {
  int calls = 0;
  on_heap = count > 1 && strcmp(values[1], "heap") == 0;
  for (int v = 1 + on_heap; v < count; ++v)
    for (int i = 0; i < OPS; ++i)
      for (int placement = 0; placement < (on_heap ? 1 : 4);
           ++placement, ++calls)
        check_op(&ops[i], atol(values[v]), placement);
  EXPECT(calls > 0, "no sizes");
  printf("%d ops on %d sizes are right\n", OPS, count - 1 - on_heap);
  return 0;
}
