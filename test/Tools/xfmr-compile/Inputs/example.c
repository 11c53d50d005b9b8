/* One call of examples/smollm2_block.mlir, as docs/Embedding.md shows it. */
#include "block.h"

#include <stdio.h>
#include <stdlib.h>

static xfmr_memref_2d_f32 matrix(int64_t rows, int64_t columns) {
  float *data = calloc(rows * columns, sizeof(float));
  xfmr_memref_2d_f32 m = {data, data, 0, {rows, columns}, {columns, 1}};
  return m;
}

int main(void) {
  xfmr_memref_2d_f32 x = matrix(4, 576), y = matrix(4, 576);
  xfmr_memref_2d_f32 gate = matrix(1536, 576), up = matrix(1536, 576);
  xfmr_memref_2d_f32 down = matrix(576, 1536);
  float ones[576];
  for (int i = 0; i < 576; ++i)
    ones[i] = x.aligned[i] = 1.0f;
  xfmr_memref_1d_f32 norm = {ones, ones, 0, {576}, {1}};

  xfmr_memref_2d_f32 result;
  int32_t status = f32(&x, &norm, &gate, &up, &down, &y, &result);
  if (status != 0) {
    fprintf(stderr, "%s\n", f32_error_message(status));
    return 1;
  }
  printf("y[0][0] = %g\n", result.aligned[0]);
  if (result.allocated != y.allocated)
    free(result.allocated);

  free(x.allocated);
  free(y.allocated);
  free(gate.allocated);
  free(up.allocated);
  free(down.allocated);
  return 0;
}
