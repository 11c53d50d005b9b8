/* A16: how much of a stack a call takes depends on neither rows nor columns.
 *
 *   stack          measures, on a thread whose stack is painted
 *   stack ROWS D   calls each function, on the stack that the shell allows
 */
#include "ops.h"

#include <pthread.h>
#include <sys/mman.h>

enum { STACK = 512 << 10, PAINT = 0x5c, MARGIN = 24 << 10 };

struct work {
  const struct op *op;
  struct sizes sizes;
};

static void *call_op(void *pointer) {
  struct work *work = pointer;
  struct descriptor arguments[MAX_ARGUMENTS], results[MAX_ARGUMENTS];
  for (int i = 0; i < work->op->arguments; ++i) {
    const struct argument *argument = &work->op->argument[i];
    void *data = calloc(get_bytes(argument, work->sizes), 1);
    EXPECT(data, "no memory");
    arguments[i] = describe(argument, work->sizes, data);
  }
  call(work->op, arguments, results);
  for (int i = 0; i < work->op->arguments; ++i)
    free(arguments[i].allocated);
  return NULL;
}

/* The bytes of the stack that a call writes. */
static long measure(struct work work) {
  unsigned char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(stack, PAINT, STACK);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  EXPECT(pthread_attr_setstack(&attributes, stack, STACK) == 0 &&
             pthread_create(&thread, &attributes, call_op, &work) == 0 &&
             pthread_join(thread, NULL) == 0,
         "pthread");
  long unused = 0;
  while (unused < STACK && stack[unused] == PAINT)
    ++unused;
  munmap(stack, STACK);
  return STACK - unused;
}

int main(int count, char **values) {
  long most = 0;
  for (int i = 0; i < OPS; ++i) {
    if (count == 3) {
      struct work work = {&ops[i], {atol(values[1]), atol(values[2]), 5}};
      call_op(&work);
      continue;
    }
    struct work small = {&ops[i], {3, 64, 5}}, tall = {&ops[i], {20000, 64, 5}},
                wide = {&ops[i], {3, 65536, 5}};
    measure(small); /* The first call binds symbols. */
    long bytes[] = {measure(small), measure(tall), measure(wide)};
    for (int j = 0; j < 3; ++j) {
      EXPECT(labs(bytes[j] - bytes[0]) < MARGIN, "%s: %ld, %ld, %ld bytes",
             ops[i].name, bytes[0], bytes[1], bytes[2]);
      most = bytes[j] > most ? bytes[j] : most;
    }
  }
  if (count != 3)
    printf("%ld KiB of stack at most\n", most >> 10);
  printf("%d ops are right\n", OPS);
  return 0;
}
