/* The processor has none of what the library was compiled for. */
#include "support.h"

int main(void) {
  float data[4 * D];
  fill(data, 4, D);
  xfmr_memref_2d_f32 x = matrix(data, 2, D), result;
  xfmr_memref_1d_f32 g = vector(data, D);
  memset(&result, 0xff, sizeof result);
  int32_t status = norm(&x, &g, &x, &result);
  EXPECT(status == -1);
  EXPECT(result.allocated == NULL && result.strides[1] == 0);
  puts(norm_error_message(status));
  return 0;
}
