// Packs weights of all sizes around the edges of panels and of blocks by the
// functions of pack_weights.py, and compares every element with the definition.
// Weights and packed weights end, or begin, at a page that is not mapped.
//
// pack_weights VECTOR_BYTES

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, BLOCK = 1 << 25 };

typedef struct {
  char *allocated, *aligned;
  int64_t offset, words[8];
} Descriptor;
typedef int32_t (*Pack)(const Descriptor *, const Descriptor *);

typedef struct {
  const char *name;
  Pack run;
  int bytes, group, inOut, kind;
} Function;
enum { ROWS, APART, ANY };

#define ORDERS(T, KIND, KIND_NAME, BYTES, GROUP)                               \
  {#T "_in_out_" #KIND_NAME,                                                   \
   (Pack)pack_##T##_in_out_##KIND_NAME,                                        \
   BYTES,                                                                      \
   GROUP,                                                                      \
   1,                                                                          \
   KIND},                                                                      \
  {                                                                            \
    #T "_out_in_" #KIND_NAME, (Pack)pack_##T##_out_in_##KIND_NAME, BYTES,      \
        GROUP, 0, KIND                                                         \
  }
#define FUNCTIONS(T, BYTES, GROUP)                                             \
  ORDERS(T, ROWS, rows, BYTES, GROUP), ORDERS(T, APART, apart, BYTES, GROUP),  \
      ORDERS(T, ANY, any, BYTES, GROUP)
#include "functions.h"
static const Function functions[] = {
    FUNCTIONS(f16, 2, 1), FUNCTIONS(bf16, 2, 2), FUNCTIONS(f32, 4, 1),
    FUNCTIONS(f64, 8, 1)};

/// A block of memory with a page on either side that is not mapped.
static char *newBlock(void) {
  char *pages = mmap(NULL, BLOCK + 2 * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages, PAGE, PROT_NONE) ||
      mprotect(pages + PAGE + BLOCK, PAGE, PROT_NONE)) {
    perror("mmap");
    exit(2);
  }
  return pages + PAGE;
}

static char *weightBlock, *packedBlock;
static int numCases;

/// The bits of element [input, output], never zero.
static uint64_t getBits(int64_t input, int64_t output, int bytes) {
  uint64_t bits = ((uint64_t)input * 131 + (uint64_t)output * 7919 + 1) *
                  0x9e3779b97f4a7c15u;
  bits >>= 64 - 8 * bytes;
  return bits ? bits : 1;
}

static uint64_t read(const char *at, int bytes) {
  uint64_t bits = 0;
  memcpy(&bits, at, bytes);
  return bits;
}

/// `strides` are those of inputs and outputs, in elements.
static void check(const Function *f, int vectorBytes, int64_t inputs,
                  int64_t outputs, int64_t inputStride, int64_t outputStride,
                  int64_t gap, int atEnd) {
  int bytes = f->bytes;
  int width = 2 * vectorBytes > 64 ? 2 * vectorBytes : 64;
  int64_t columns = width / (bytes == 8 ? 8 : 4);
  int64_t panels = (outputs + columns - 1) / columns;
  int64_t steps = (inputs + f->group - 1) / f->group;
  int64_t panel = steps * columns * f->group;
  int64_t extent = inputs && outputs ? (inputs - 1) * inputStride +
                                           (outputs - 1) * outputStride + 1
                                     : 0;
  int64_t packedExtent = panels * (panel + gap);
  if (extent * bytes > BLOCK || packedExtent * bytes > BLOCK) {
    printf("too large\n");
    exit(2);
  }
  char *w = weightBlock + (atEnd ? BLOCK - extent * bytes : 0);
  // A packed weight may be less aligned than those that the compiler allocates.
  char *p = packedBlock + (atEnd ? BLOCK - packedExtent * bytes : 0);
  memset(w, 0xaa, extent * bytes);
  memset(p, 0x55, packedExtent * bytes);
  for (int64_t i = 0; i < inputs; ++i)
    for (int64_t o = 0; o < outputs; ++o) {
      uint64_t bits = getBits(i, o, bytes);
      memcpy(w + (i * inputStride + o * outputStride) * bytes, &bits, bytes);
    }

  Descriptor weight = {w, w, 0, {0}}, packed = {p, p, 0, {0}};
  int64_t sizes[] = {inputs, outputs}, strides[] = {inputStride, outputStride};
  for (int dim = 0; dim < 2; ++dim) {
    weight.words[dim] = sizes[f->inOut ? dim : 1 - dim];
    weight.words[2 + dim] = strides[f->inOut ? dim : 1 - dim];
  }
  if (f->group == 1)
    memcpy(packed.words,
           (int64_t[]){panels, steps, columns, panel + gap, columns, 1},
           6 * sizeof(int64_t));
  else
    memcpy(packed.words,
           (int64_t[]){panels, steps, columns, f->group, panel + gap,
                       columns * f->group, f->group, 1},
           8 * sizeof(int64_t));
  int32_t status = f->run(&weight, &packed);
  int wrong = status != 0;
  for (int64_t n = 0; n < panels && !wrong; ++n)
    for (int64_t i = 0; i < panel + gap && !wrong; ++i) {
      int64_t g = i % f->group, c = i / f->group % columns;
      int64_t input = i / (columns * f->group) * f->group + g;
      int64_t output = n * columns + c;
      uint64_t expected = input < inputs && output < outputs
                              ? getBits(input, output, bytes)
                              : 0;
      if (i >= panel)
        memset(&expected, 0x55, bytes);
      uint64_t got = read(p + (n * (panel + gap) + i) * bytes, bytes);
      wrong = got != expected;
      if (wrong)
        printf("panel %d element %d: got %llx, expected %llx\n", (int)n, (int)i,
               (unsigned long long)got, (unsigned long long)expected);
    }
  if (wrong) {
    printf(
        "%s: %d inputs %d outputs, strides %d %d, gap %d: wrong, status %d\n",
        f->name, (int)inputs, (int)outputs, (int)inputStride, (int)outputStride,
        (int)gap, status);
    exit(1);
  }
  ++numCases;
}

int main(int argc, char **argv) {
  int vectorBytes = atoi(argv[argc - 1]);
  weightBlock = newBlock();
  packedBlock = newBlock();
  static const int64_t sizes[] = {0,  1,  2,  3,  7,  15, 16,
                                  17, 31, 32, 33, 66, 97, 291};
  for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); ++i) {
    const Function *f = &functions[i];
    for (size_t a = 0; a < sizeof(sizes) / sizeof(*sizes); ++a)
      for (size_t b = 0; b < sizeof(sizes) / sizeof(*sizes); ++b)
        for (int atEnd = 0; atEnd < 2; ++atEnd) {
          int64_t inputs = sizes[a], outputs = sizes[b];
          int64_t one = 1, row = f->inOut ? outputs : inputs;
          // The strides of inputs and outputs, in elements.
          int64_t pairs[4][2];
          int count = 0;
#define ADD(INNER, OUTER)                                                      \
  (pairs[count][f->inOut] = INNER, pairs[count++][!f->inOut] = OUTER)
          if (f->kind == ROWS)
            ADD(one, row);
          if (f->kind == APART)
            ADD(f->inOut ? 2 : 1, 2 * row + 3);
          if (f->kind == ANY) {
            ADD(one, row + 1);
            ADD((f->inOut ? inputs : outputs) + 1, one);
            ADD(3, 3 * row);
          }
          for (int pair = 0; pair < count; ++pair)
            check(f, vectorBytes, inputs, outputs, pairs[pair][0],
                  pairs[pair][1], atEnd ? 0 : 5, atEnd);
        }
    // Large enough to be written past the caches.
    int64_t outputs = 2003, inputs = (9 << 20) / (f->bytes * outputs) | 1;
    int64_t inner = f->kind == APART && f->inOut ? 2 : 1;
    int64_t outer = (f->inOut ? outputs : inputs) * inner;
    check(f, vectorBytes, inputs, outputs, f->inOut ? outer : inner,
          f->inOut ? inner : outer, 0, 0);
  }
  printf("%d packed weights are right\n", numCases);
  return 0;
}
