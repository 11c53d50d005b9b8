/* Packs the weights of the functions of packed.mlir, calls them on the packed
   ones and compares with the definition. */
#include "packed.h"
#include "checks.h"

/* The linker is told to call these from the functions. */
void *__real_malloc(size_t size);
static int allocations;
static size_t largest_allocation;
void *__wrap_malloc(size_t size) {
  ++allocations;
  if (size > largest_allocation)
    largest_allocation = size;
  return __real_malloc(size);
}

enum { ROWS = 5, D = 70, FF = 101, OUT = 50 };

/* An element of a weight; `seed` tells weights apart. */
static float weight(int64_t input, int64_t output, int seed) {
  return value(input * 3 + seed, output * 5 + seed) / 16;
}

static float *new_floats(int64_t count) {
  float *data = malloc(count * sizeof(float));
  EXPECT(data);
  return data;
}

static xfmr_memref_2d_f32 new_weight(int64_t inputs, int64_t outputs,
                                     int out_in, int seed) {
  float *data = new_floats(inputs * outputs);
  for (int64_t i = 0; i < inputs; ++i)
    for (int64_t o = 0; o < outputs; ++o)
      data[out_in ? o * inputs + i : i * outputs + o] = weight(i, o, seed);
  int64_t rows = out_in ? outputs : inputs, columns = out_in ? inputs : outputs;
  xfmr_memref_2d_f32 m = {data, data, 0, {rows, columns}, {columns, 1}};
  return m;
}

static void *new_packed(size_t bytes) {
  void *memory;
  EXPECT(posix_memalign(&memory, 64, bytes ? bytes : 64) == 0);
  memset(memory, 0xee, bytes);
  return memory;
}
#define ALLOCATE(packed)                                                       \
  (EXPECT_NULL(packed), (packed).allocated = (packed).aligned =                \
                            new_packed(XFMR_PACKED_BYTES(&(packed))))
static void expect(int condition) { EXPECT(condition); }
#define EXPECT_NULL(packed) expect(!(packed).allocated && !(packed).aligned)

static double hidden_of(const float *row, int64_t h) {
  double gate = 0, up = 0;
  for (int64_t k = 0; k < D; ++k) {
    gate += (double)row[k] * weight(k, h, 1);
    up += (double)row[k] * weight(k, h, 2);
  }
  return gate / (1 + exp(-gate)) * up;
}

static void check_swiglu(void) {
  xfmr_memref_2d_f32 gate = new_weight(D, FF, 0, 1);
  xfmr_memref_2d_f32 up = new_weight(D, FF, 1, 2);
  xfmr_memref_2d_f32 down = new_weight(FF, OUT, 0, 3);
  xfmr_memref_3d_f32 g, u, d;
  EXPECT(swiglu_packed_sizes(&gate, &up, &down, &g, &u, &d) == 0);
  ALLOCATE(g);
  ALLOCATE(u);
  ALLOCATE(d);
#ifdef SWIGLU_GATE_PACKED_BYTES
  EXPECT(XFMR_PACKED_BYTES(&g) == SWIGLU_GATE_PACKED_BYTES);
  EXPECT(XFMR_PACKED_BYTES(&u) == SWIGLU_UP_PACKED_BYTES);
  EXPECT(XFMR_PACKED_BYTES(&d) == SWIGLU_DOWN_PACKED_BYTES);
#endif
  allocations = 0;
  EXPECT(swiglu_pack_weights(&gate, &up, &down, &g, &u, &d) == 0);
  EXPECT(allocations == 0);
  /* What was packed is not needed any more. */
  free(gate.allocated);
  free(up.allocated);
  free(down.allocated);

  float *x = new_floats(ROWS * D), *y = new_floats(ROWS * OUT);
  for (int i = 0; i < ROWS * D; ++i)
    x[i] = value(i / D, i % D);
  xfmr_memref_2d_f32 dx = {x, x, 0, {ROWS, D}, {D, 1}};
  xfmr_memref_2d_f32 dy = {y, y, 0, {ROWS, OUT}, {OUT, 1}}, result;
  for (int call = 0; call < 3; ++call) {
    memset(y, 0xff, ROWS * OUT * sizeof(float));
    EXPECT(swiglu(&dx, &g, &u, &d, &dy, &result) == 0);
    EXPECT(result.allocated == y);
    for (int i = 0; i < ROWS; ++i)
      for (int o = 0; o < OUT; ++o) {
        double sum = 0, size = 0;
        for (int h = 0; h < FF; ++h) {
          double term = hidden_of(x + i * D, h) * weight(h, o, 3);
          sum += term;
          size += fabs(term);
        }
        EXPECT(fabs(y[i * OUT + o] - sum) <= 1e-5 * size);
      }
  }

  /* Packed weights that cannot be these. */
  xfmr_memref_3d_f32 wrong = u;
  wrong.aligned = (float *)((char *)u.aligned + 32);
  int32_t status = swiglu(&dx, &g, &wrong, &d, &dy, &result);
  EXPECT(status > 0 && !result.allocated);
  EXPECT(strcmp(swiglu_error_message(status),
                "argument 2 (up_packed): expected the sizes and strides that "
                "the function for packed sizes gives, offset 0, and memory "
                "aligned to 64 bytes") == 0);
  EXPECT(swiglu_pack_weights(&gate, &up, &down, &g, &wrong, &d) > 0);
  EXPECT(swiglu(&dx, &g, &u, &u, &dy, &result) > 0);
  wrong = u;
  wrong.offset = 64;
  EXPECT(swiglu(&dx, &g, &wrong, &d, &dy, &result) == status);
  wrong = u;
  wrong.strides[0] += 64;
  EXPECT(swiglu(&dx, &g, &wrong, &d, &dy, &result) == status);
  up.sizes[0] = FF + 1;
  status = swiglu_packed_sizes(&gate, &up, &down, &g, &wrong, &d);
  EXPECT(status > 0 && strstr(swiglu_packed_sizes_error_message(status),
                              "argument 1 (up): expected size 101"));
  free(x);
  free(y);
  free(u.allocated);
}

static void check_dynamic(int64_t d, int64_t ff, int64_t out) {
  /* Row 2i is a gate, row 2i + 1 its up. */
  uint16_t *gu = malloc(2 * ff * d * 2 + 2), *dn = malloc(out * ff * 2 + 2);
  for (int64_t h = 0; h < 2 * ff; ++h)
    for (int64_t k = 0; k < d; ++k)
      gu[h * d + k] = to_bf16(weight(k, h / 2, 1 + h % 2));
  for (int64_t o = 0; o < out; ++o)
    for (int64_t h = 0; h < ff; ++h)
      dn[o * ff + h] = to_bf16(weight(h, o, 3));
  xfmr_memref_2d_bf16 gate_up = {gu, gu, 0, {2 * ff, d}, {d, 1}};
  xfmr_memref_2d_bf16 down = {dn, dn, 0, {out, ff}, {ff, 1}};
  xfmr_memref_4d_bf16 g, u, w;
  EXPECT(dynamic_packed_sizes(&gate_up, &down, &g, &u, &w) == 0);
  EXPECT(g.sizes[0] * g.sizes[2] >= ff && g.sizes[1] == (d + 1) / 2);
  EXPECT(w.sizes[0] * w.sizes[2] >= out && w.sizes[1] == (ff + 1) / 2);
  ALLOCATE(g);
  ALLOCATE(u);
  ALLOCATE(w);
  xfmr_memref_4d_bf16 wrong = w;
  wrong.sizes[0] += 1;
  int32_t status = dynamic_pack_weights(&gate_up, &down, &g, &u, &wrong);
  EXPECT(status > 0 && strstr(dynamic_pack_weights_error_message(status),
                              "expected dim 0 of a packed weight as "
                              "'dynamic_packed_sizes' gives it"));
  EXPECT(dynamic_pack_weights(&gate_up, &down, &g, &u, &w) == 0);

  uint16_t *x = malloc(ROWS * d * 2 + 2), *y = malloc(ROWS * out * 2 + 2);
  for (int64_t i = 0; i < ROWS * d; ++i)
    x[i] = to_bf16(value(i / d, i % d));
  xfmr_memref_2d_bf16 dx = {x, x, 0, {ROWS, d}, {d, 1}};
  xfmr_memref_2d_bf16 dy = {y, y, 0, {ROWS, out}, {out, 1}}, result;
  EXPECT(dynamic(&dx, &gate_up, &g, &u, &down, &wrong, &dy, &result) > 0);
  /* The weights are asked for their sizes alone. */
  gate_up.allocated = gate_up.aligned = down.allocated = down.aligned = NULL;
  EXPECT(dynamic(&dx, &gate_up, &g, &u, &down, &w, &dy, &result) == 0);
  for (int64_t i = 0; i < ROWS; ++i)
    for (int64_t o = 0; o < out; ++o) {
      double sum = 0, size = 0;
      for (int64_t h = 0; h < ff; ++h) {
        double gate = 0, up = 0;
        for (int64_t k = 0; k < d; ++k) {
          gate +=
              (double)from_bf16(x[i * d + k]) * from_bf16(gu[2 * h * d + k]);
          up += (double)from_bf16(x[i * d + k]) *
                from_bf16(gu[(2 * h + 1) * d + k]);
        }
        double term = (gate > 0 ? gate : 0) * up * from_bf16(dn[o * ff + h]);
        sum += term;
        size += fabs(term);
      }
      EXPECT(fabs(from_bf16(y[i * out + o]) - sum) <= 0.01 * size);
    }
  free(gu);
  free(dn);
  free(x);
  free(y);
  free(g.allocated);
  free(u.allocated);
  free(w.allocated);
}

/* Rows of weights that packed ones may lie in. */
static xfmr_memref_2d_f32 new_rows(int64_t inputs, int64_t outputs, int out_in,
                                   int seed) {
  xfmr_memref_2d_f32 m = new_weight(inputs, outputs, out_in, seed);
  float *data = new_packed(inputs * outputs * sizeof(float));
  memcpy(data, m.aligned, inputs * outputs * sizeof(float));
  free(m.allocated);
  m.allocated = m.aligned = data;
  return m;
}

static void expect_overlap(const xfmr_memref_2d_f32 weights[3],
                           const xfmr_memref_3d_f32 packed[3]) {
  float *before = new_floats(128 * 64);
  memcpy(before, weights[0].aligned, 128 * 64 * sizeof(float));
  int32_t status = rows_pack_weights(&weights[0], &weights[1], &weights[2],
                                     &packed[0], &packed[1], &packed[2]);
  EXPECT(status > 0 &&
         strcmp(rows_pack_weights_error_message(status),
                "expected memory of a packed weight that overlaps no weight "
                "and no other packed one, or a weight's own that may be packed "
                "in place") == 0);
  /* Nothing was packed. */
  EXPECT(memcmp(before, weights[0].aligned, 128 * 64 * sizeof(float)) == 0);
  free(before);
}

static void check_in_place(void) {
  xfmr_memref_2d_f32 weights[] = {new_rows(64, 128, 1, 1),
                                  new_rows(64, 128, 0, 2),
                                  new_rows(128, 64, 1, 3)};
  xfmr_memref_3d_f32 packed[3], own[3], wrong[3];
  EXPECT(rows_packed_sizes(&weights[0], &weights[1], &weights[2], &packed[0],
                           &packed[1], &packed[2]) == 0);
  for (int i = 0; i < 3; ++i) {
    own[i] = packed[i];
    own[i].allocated = own[i].aligned = weights[i].aligned;
    EXPECT(XFMR_PACKED_BYTES(&own[i]) == 128 * 64 * sizeof(float));
    ALLOCATE(packed[i]);
  }
  /* Another weight's memory, a part of its own, one for two. */
  memcpy(wrong, packed, sizeof(wrong));
  wrong[0].aligned = own[1].aligned;
  expect_overlap(weights, wrong);
  wrong[0].aligned = own[0].aligned + 16;
  expect_overlap(weights, wrong);
  wrong[0].aligned = packed[2].aligned;
  expect_overlap(weights, wrong);

  allocations = 0;
  EXPECT(rows_pack_weights(&weights[0], &weights[1], &weights[2], &packed[0],
                           &packed[1], &packed[2]) == 0);
  EXPECT(allocations == 0);
  largest_allocation = 0;
  EXPECT(rows_pack_weights(&weights[0], &weights[1], &weights[2], &own[0],
                           &own[1], &own[2]) == 0);
  /* A panel, a line between its rows, and what aligns it; what a library
     allocates is not seen. */
  EXPECT(largest_allocation <=
         own[0].sizes[2] * (128 * sizeof(float) + 64) + 128);
  for (int i = 0; i < 3; ++i) {
    EXPECT(memcmp(own[i].aligned, packed[i].aligned,
                  XFMR_PACKED_BYTES(&own[i])) == 0);
    free(packed[i].allocated);
    free(own[i].allocated);
  }
}

int main(void) {
  check_swiglu();
  check_in_place();
  check_dynamic(70, 101, 50);
  check_dynamic(1, 1, 1);
  check_dynamic(33, 64, 257);
  /* No weight of it is packed. */
  int32_t (*unchanged)(const xfmr_memref_2d_f32 *, const xfmr_memref_1d_f32 *,
                       const xfmr_memref_2d_f32 *, xfmr_memref_2d_f32 *) = norm;
  EXPECT(unchanged);
  puts("packed weights are right");
  return 0;
}
