/* A15: memory is the same after N calls of each function as before, and results
 * belong to whom the documentation says.
 *
 *   repeat N       with 0 calls each once, for valgrind
 */
#include "ops.h"

#include "../../../Inputs/memory.h"

static void call_once(const struct op *op, struct descriptor *arguments) {
  struct descriptor results[MAX_ARGUMENTS];
  int outputs = 0;
  for (int i = 0; i < op->arguments; ++i)
    outputs += op->argument[i].is_output;
  call(op, arguments, results);
  for (int i = 0, next = 0; i < op->results; ++i) {
    if (outputs == 0) {
      /* No destination was passed: the memory is the caller's. */
      for (int a = 0; a < op->arguments; ++a)
        EXPECT(results[i].allocated != arguments[a].allocated, "%s", op->name);
      free(results[i].allocated);
      continue;
    }
    while (!op->argument[next].is_output)
      ++next;
    EXPECT(results[i].allocated == arguments[next].allocated &&
               results[i].aligned == arguments[next].aligned,
           "%s: %s is elsewhere", op->name, op->argument[next].name);
    ++next;
  }
}

int main(int count, char **values) {
  EXPECT(count == 2, "arguments");
  int calls = atoi(values[1]);
  struct sizes sizes = {3, 33, 17};
  for (int i = 0; i < OPS; ++i) {
    struct descriptor arguments[MAX_ARGUMENTS];
    for (int a = 0; a < ops[i].arguments; ++a) {
      void *data = malloc(get_bytes(&ops[i].argument[a], sizes));
      fill(&ops[i].argument[a], sizes, data, a);
      arguments[a] = describe(&ops[i].argument[a], sizes, data);
    }
    for (int n = 0; n < (calls ? 10 : 1); ++n)
      call_once(&ops[i], arguments);
    if (calls) {
      /* What reading a file leaves in the allocator's caches counts as used. */
      anonymous_bytes();
      long resident = anonymous_bytes();
      size_t heap = heap_bytes();
      for (int n = 0; n < calls; ++n)
        call_once(&ops[i], arguments);
      EXPECT(heap_bytes() == heap, "%s: %zu bytes, then %zu", ops[i].name, heap,
             heap_bytes());
      EXPECT(anonymous_bytes() - resident < 256 * 1024,
             "%s: %ld bytes are resident, then %ld", ops[i].name, resident,
             anonymous_bytes());
    }
    for (int a = 0; a < ops[i].arguments; ++a)
      free(arguments[a].allocated);
  }
  printf("%d ops keep memory flat\n", OPS);
  return 0;
}
