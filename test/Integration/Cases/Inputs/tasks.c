/* A18: calls each function on many rows, and counts the threads that there are
 * then. The functions' threads stay for later calls. */
#include "ops.h"

#include <dirent.h>

static int count_tasks(void) {
  DIR *folder = opendir("/proc/self/task");
  EXPECT(folder, "/proc/self/task");
  int tasks = 0;
  for (struct dirent *entry; (entry = readdir(folder));)
    tasks += entry->d_name[0] != '.';
  closedir(folder);
  return tasks;
}

int main(void) {
  struct sizes sizes = {4096, 64, 16};
  EXPECT(count_tasks() == 1, "%d", count_tasks());
  for (int i = 0; i < OPS; ++i) {
    struct descriptor arguments[MAX_ARGUMENTS], results[MAX_ARGUMENTS];
    for (int a = 0; a < ops[i].arguments; ++a) {
      void *data = calloc(get_bytes(&ops[i].argument[a], sizes), 1);
      arguments[a] = describe(&ops[i].argument[a], sizes, data);
    }
    call(&ops[i], arguments, results);
    for (int a = 0; a < ops[i].arguments; ++a)
      free(arguments[a].allocated);
    printf("%s: %d threads\n", ops[i].name, count_tasks());
  }
  return 0;
}
