/* How much memory this process holds, for the C programs of the tests. */
#ifndef MEMORY_H
#define MEMORY_H

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes that malloc has handed out and not got back. */
static inline size_t heap_bytes(void) {
  struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

/* Resident bytes of no file: the heap, stacks and written data. Counted page by
 * page; statm and status lag behind by some dozens of pages a processor, and
 * their pages of files come and go with the page cache. Exits where the system
 * does not tell. */
static inline long anonymous_bytes(void) {
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  long kilobytes = -1;
  while (file && kilobytes < 0 && fgets(line, sizeof line, file))
    sscanf(line, "Anonymous: %ld kB", &kilobytes);
  if (kilobytes < 0) {
    fprintf(stderr, "/proc/self/smaps_rollup has no line 'Anonymous'\n");
    exit(1);
  }
  fclose(file);
  return kilobytes * 1024;
}

#endif
