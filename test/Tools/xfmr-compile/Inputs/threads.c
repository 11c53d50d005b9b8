/* Calls functions from several threads at once. */
#include "support.h"

#include <pthread.h>

static void *work(void *rows) {
  for (int i = 0; i < 50; ++i)
    call_and_check((int64_t)(intptr_t)rows, 8);
  return NULL;
}

int main(void) {
  pthread_t threads[8];
  for (intptr_t i = 0; i < 8; ++i)
    EXPECT(pthread_create(&threads[i], NULL, work, (void *)(1 + 3 * i)) == 0);
  for (int i = 0; i < 8; ++i)
    EXPECT(pthread_join(threads[i], NULL) == 0);
  puts("all threads are right");
  return 0;
}
