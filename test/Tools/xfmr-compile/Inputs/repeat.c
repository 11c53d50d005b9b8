/* Calls two functions 5,000 times each and looks at the memory before and
 * after.
 */
#include "support.h"

#include "../../../Inputs/memory.h"

int main(void) {
  for (int i = 0; i < 10; ++i)
    call_and_check(16, 1);
  /* What reading a file leaves in the allocator's caches counts as used. */
  anonymous_bytes();
  long resident = anonymous_bytes();
  size_t heap = heap_bytes();
  for (int i = 0; i < 5000; ++i)
    call_and_check(16, 16);
  EXPECT(heap_bytes() == heap);
  /* 10,000 leaks of half a cache line would be more. */
  EXPECT(anonymous_bytes() - resident < 256 * 1024);
  puts("memory is flat");
  return 0;
}
