/* Descriptors and expected values, for the C programs of these tests. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "checks.h"
#include "functions.h"

enum { D = 40, FF = 72 };

static xfmr_memref_2d_f32 matrix(float *data, int64_t rows, int64_t columns) {
  xfmr_memref_2d_f32 m = {data, data, 0, {rows, columns}, {columns, 1}};
  return m;
}

static xfmr_memref_1d_f32 vector(float *data, int64_t size) {
  xfmr_memref_1d_f32 v = {data, data, 0, {size}, {1}};
  return v;
}

static void fill(float *data, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      data[i * columns + j] = value(i, j);
}

static double norm_of(const float *row, int64_t j, const float *gamma) {
  double sum = 0;
  for (int64_t k = 0; k < D; ++k)
    sum += (double)row[k] * row[k];
  return row[j] / sqrt(sum / D + 1e-5f) * gamma[j];
}

static double network_of(const float *row, int64_t j, const float *up,
                         const float *down) {
  double sum = 0;
  for (int64_t h = 0; h < FF; ++h) {
    double hidden = 0;
    for (int64_t k = 0; k < D; ++k)
      hidden += (double)row[k] * up[h * D + k];
    if (hidden > 0)
      sum += (float)hidden * down[j * FF + h];
  }
  return sum;
}

/* Calls norm() and network() on `rows` rows, and compares one row in `step`. */
static void call_and_check(int64_t rows, int64_t step) {
  float gamma[D], up[FF * D], down[D * FF];
  fill(gamma, 1, D);
  fill(up, FF, D);
  fill(down, D, FF);
  float *x = malloc((rows + 1) * D * sizeof(float));
  float *y = malloc((rows + 1) * D * sizeof(float));
  fill(x, rows, D);
  xfmr_memref_2d_f32 dx = matrix(x, rows, D), dy = matrix(y, rows, D);
  xfmr_memref_2d_f32 dup = matrix(up, FF, D), ddown = matrix(down, D, FF);
  xfmr_memref_1d_f32 dg = vector(gamma, D);
  xfmr_memref_2d_f32 result;

  EXPECT(norm(&dx, &dg, &dy, &result) == 0);
  EXPECT(result.allocated == y && result.sizes[0] == rows);
  for (int64_t i = 0; i < rows; i += step)
    for (int64_t j = 0; j < D; ++j)
      EXPECT(fabs(y[i * D + j] - norm_of(x + i * D, j, gamma)) < 1e-5);

  EXPECT(network(&dx, &dup, &ddown, &result) == 0);
  EXPECT(result.allocated != x && result.sizes[0] == rows &&
         result.sizes[1] == D && result.strides[1] == 1);
  for (int64_t i = 0; i < rows; i += step)
    for (int64_t j = 0; j < D; ++j)
      EXPECT(fabs(result.aligned[result.offset + i * result.strides[0] + j] -
                  network_of(x + i * D, j, up, down)) < 1e-2);
  free(result.allocated);
  free(x);
  free(y);
}

#endif
