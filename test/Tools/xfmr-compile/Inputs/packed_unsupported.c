/* What the functions of packed.mlir say on a processor that none is for. */
#include "packed.h"

#include <stdio.h>
#include <string.h>

int main(void) {
  xfmr_memref_2d_f32 w = {0}, result;
  xfmr_memref_3d_f32 a, b, c;
  memset(&result, 0xff, sizeof result);
  memset(&a, 0xff, sizeof a);
  puts(swiglu_packed_sizes_error_message(
      swiglu_packed_sizes(&w, &w, &w, &a, &b, &c)));
  puts(swiglu_pack_weights_error_message(
      swiglu_pack_weights(&w, &w, &w, &a, &b, &c)));
  puts(swiglu_error_message(swiglu(&w, &a, &b, &c, &w, &result)));
  return result.allocated || a.allocated || a.sizes[0];
}
