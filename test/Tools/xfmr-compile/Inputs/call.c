/* Calls every function of functions.mlir and checks what it gives. */
#include "support.h"

static void check_strided(void) {
  /* Columns of a matrix whose rows have gaps: x is transposed. */
  uint16_t x[5 * 9], y[3 * 16];
  float g[5] = {1, 2, 1, 0.5f, 1};
  for (int i = 0; i < 45; ++i)
    x[i] = to_bf16(value(i, i));
  memset(y, 0xab, sizeof y);
  xfmr_memref_2d_bf16 dx = {x, x, 2, {3, 5}, {1, 9}};
  xfmr_memref_2d_bf16 dy = {y, y, 1, {3, 5}, {16, 3}};
  xfmr_memref_1d_f32 dg = vector(g, 5);
  EXPECT(strided(&dx, &dg, &dy) == 0);
  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    for (int j = 0; j < 5; ++j)
      sum += pow(from_bf16(x[2 + i + 9 * j]), 2);
    for (int j = 0; j < 5; ++j) {
      double expected =
          from_bf16(x[2 + i + 9 * j]) / sqrt(sum / 5 + 1e-5f) * g[j];
      EXPECT(fabs(from_bf16(y[1 + 16 * i + 3 * j]) - expected) <=
             fabs(expected) / 256 + 1e-6);
    }
  }
  EXPECT(y[0] == 0xabab && y[2] == 0xabab && y[14] == 0xabab);

  /* Sizes that only the call can tell. */
  dg = vector(g, 4);
  int32_t status = strided(&dx, &dg, &dy);
  EXPECT(status > 0);
  EXPECT(strstr(strided_error_message(status),
                "'xfmr.rmsnorm' op expected dim 0 of gamma to equal dim 1 of "
                "ins"));
}

static void check_scalars(void) {
  int64_t n;
  float a;
  uint16_t h;
  bool flag;
  EXPECT(scalars(21, 2.5f, 0x3c01, true, &n, &a, &h, &flag) == 0);
  EXPECT(n == 42 && a == -2.5f && h == 0x3c01 && flag == true);
}

static void check_errors(void) {
  float data[8 * D];
  fill(data, 8, D);
  xfmr_memref_2d_f32 x = matrix(data, 2, D), y = matrix(data + 4 * D, 2, D);
  xfmr_memref_2d_f32 narrow = matrix(data, 2, D - 1), result;
  xfmr_memref_1d_f32 g = vector(data, D);
  int32_t status = norm(&narrow, &g, &y, &result);
  EXPECT(status > 0 && result.allocated == NULL);
  EXPECT(strcmp(norm_error_message(status),
                "argument 0 (x): expected size 40 in dimension 1") == 0);
  xfmr_memref_2d_f32 gaps = {data, data, 0, {2, D}, {D + 8, 1}};
  status = norm(&x, &g, &gaps, &result);
  EXPECT(strstr(norm_error_message(status), "argument 2 (y)"));
  xfmr_memref_2d_f32 short_y = matrix(data, 1, D);
  status = norm(&x, &g, &short_y, &result);
  EXPECT(strstr(norm_error_message(status),
                "functions.mlir:4:8: 'xfmr.rmsnorm' "
                "op expected dim 0 of outs"));
  EXPECT(strcmp(norm_error_message(0), "no error") == 0);
  EXPECT(strcmp(norm_error_message(12345), "unknown status") == 0);
}

int main(void) {
  for (int64_t rows = 0; rows < 9; ++rows)
    call_and_check(rows, 1);
  call_and_check(100, 1);
  check_strided();
  check_scalars();
  check_errors();
  puts("all calls are right");
  return 0;
}
