/* One call of examples/smollm2_block.mlir, as docs/Embedding.md shows it. */
#include "block.h"

#include <stdio.h>
#include <stdlib.h>

static xfmr_memref_2d_f32 matrix(int64_t rows, int64_t columns) {
  float *data = calloc(rows * columns, sizeof(float));
  xfmr_memref_2d_f32 m = {data, data, 0, {rows, columns}, {columns, 1}};
  return m;
}

static void allocate(xfmr_memref_3d_f32 *packed) {
  packed->allocated = aligned_alloc(64, XFMR_PACKED_BYTES(packed));
  packed->aligned = packed->allocated;
}

int main(void) {
  xfmr_memref_2d_f32 x = matrix(4, 576), y = matrix(4, 576);
  xfmr_memref_2d_f32 gate = matrix(1536, 576), up = matrix(1536, 576);
  xfmr_memref_2d_f32 down = matrix(576, 1536);
  float ones[576];
  for (int i = 0; i < 576; ++i)
    ones[i] = x.aligned[i] = 1.0f;
  xfmr_memref_1d_f32 norm = {ones, ones, 0, {576}, {1}};

  xfmr_memref_3d_f32 gate_packed, up_packed, down_packed;
  int32_t status = f32_packed_sizes(&gate, &up, &down, &gate_packed, &up_packed,
                                    &down_packed);
  allocate(&gate_packed);
  allocate(&up_packed);
  allocate(&down_packed);
  if (status == 0)
    status = f32_pack_weights(&gate, &up, &down, &gate_packed, &up_packed,
                              &down_packed);
  if (status != 0) {
    fprintf(stderr, "%s\n", f32_pack_weights_error_message(status));
    return 1;
  }
  free(gate.allocated);
  free(up.allocated);
  free(down.allocated);

  xfmr_memref_2d_f32 result;
  status = f32(&x, &norm, &gate_packed, &up_packed, &down_packed, &y, &result);
  if (status != 0) {
    fprintf(stderr, "%s\n", f32_error_message(status));
    return 1;
  }
  printf("y[0][0] = %g\n", result.aligned[0]);
  if (result.allocated != y.allocated)
    free(result.allocated);

  free(x.allocated);
  free(y.allocated);
  free(gate_packed.allocated);
  free(up_packed.allocated);
  free(down_packed.allocated);
  return 0;
}
