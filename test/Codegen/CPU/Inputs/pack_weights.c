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

typedef int32_t (*PackPair)(const Descriptor *, const Descriptor *,
                            const Descriptor *);

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

/// Packs weights whose rows are whole into their own memory, and compares with
/// what packing elsewhere gives.
static void checkInPlace(int vectorBytes) {
  static const int64_t allInputs[] = {0, 2, 14, 16, 34, 66, 290, 1056, 2200};
  static const int64_t allPanels[] = {0, 1, 2, 5, 33};
  for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); ++i) {
    const Function *f = &functions[i];
    if (f->kind == ANY || (f->inOut && f->kind == APART))
      continue;
    int bytes = f->bytes;
    int width = 2 * vectorBytes > 64 ? 2 * vectorBytes : 64;
    int64_t columns = width / (bytes == 8 ? 8 : 4);
    for (size_t a = 0; a < sizeof(allInputs) / sizeof(*allInputs); ++a)
      for (size_t b = 0; b < sizeof(allPanels) / sizeof(*allPanels); ++b) {
        int64_t inputs = allInputs[a], panels = allPanels[b];
        int64_t outputs = panels * columns, size = inputs * outputs * bytes;
        if (size > BLOCK / 2)
          continue;
        char *w = weightBlock + BLOCK - size, *p = packedBlock + BLOCK - size;
        for (int64_t e = 0; e < inputs * outputs; ++e) {
          uint64_t bits = f->inOut
                              ? getBits(e / outputs, e % outputs, bytes)
                              : getBits(e % inputs, e / inputs, bytes);
          memcpy(w + e * bytes, &bits, bytes);
        }
        Descriptor weight = {w, w, 0, {outputs, inputs, inputs, 1}};
        if (f->inOut)
          memcpy(weight.words, (int64_t[]){inputs, outputs, outputs, 1},
                 4 * sizeof(int64_t));
        Descriptor packed = {
            p, p, 0, {panels, inputs, columns, inputs * columns, columns, 1}};
        if (f->group == 2) {
          int64_t words[] = {panels,           inputs / 2,  columns, 2,
                             inputs * columns, 2 * columns, 2,       1};
          memcpy(packed.words, words, sizeof(words));
        }
        Descriptor own = packed;
        own.allocated = own.aligned = w;
        if (f->run(&weight, &packed) || f->run(&weight, &own) ||
            memcmp(w, p, size)) {
          printf("%s: %d inputs %d outputs in place: wrong\n", f->name,
                 (int)inputs, (int)outputs);
          exit(1);
        }
        ++numCases;
      }
  }
}

/// Packs gates and ups that follow each other, both by one function.
static void checkPairs(int vectorBytes) {
  static const int64_t sizes[] = {0, 1, 2, 3, 16, 31, 33, 97, 291};
  static const struct {
    Pack run, single;
    int bytes, group;
  } pairs[] = {{(Pack)pack_f16_pairs, (Pack)pack_f16_in_out_any, 2, 1},
               {(Pack)pack_bf16_pairs, (Pack)pack_bf16_in_out_any, 2, 2},
               {(Pack)pack_f32_pairs, (Pack)pack_f32_in_out_any, 4, 1},
               {(Pack)pack_f64_pairs, (Pack)pack_f64_in_out_any, 8, 1}};
  for (size_t n = 0; n < sizeof(pairs) / sizeof(*pairs); ++n)
    for (size_t a = 0; a < sizeof(sizes) / sizeof(*sizes); ++a)
      for (size_t b = 0; b < sizeof(sizes) / sizeof(*sizes); ++b) {
        int64_t inputs = sizes[a], outputs = sizes[b];
        int bytes = pairs[n].bytes, group = pairs[n].group;
        int width = 2 * vectorBytes > 64 ? 2 * vectorBytes : 64;
        int64_t columns = width / (bytes == 8 ? 8 : 4);
        int64_t panels = (outputs + columns - 1) / columns;
        int64_t steps = (inputs + group - 1) / group;
        int64_t panel = steps * columns * group, size = panels * panel * bytes;
        int64_t extent = inputs * 2 * outputs * bytes;
        char *w = weightBlock + BLOCK - extent;
        for (int64_t e = 0; e < inputs * 2 * outputs; ++e) {
          uint64_t bits = getBits(e / 2, e % 2, bytes);
          memcpy(w + e * bytes, &bits, bytes);
        }
        // Both at once, then each by itself.
        Descriptor packed[4];
        memset(packedBlock + BLOCK - 4 * size, 0x55, 4 * size);
        for (int i = 0; i < 4; ++i) {
          char *p = packedBlock + BLOCK - (i + 1) * size;
          Descriptor d = {p, p, 0, {panels, steps, columns, panel, columns, 1}};
          if (group == 2) {
            int64_t words[] = {panels, steps,       columns, 2,
                               panel,  2 * columns, 2,       1};
            memcpy(d.words, words, sizeof(words));
          }
          packed[i] = d;
        }
        Descriptor weight = {w, w, 0, {inputs, 2 * outputs, 2 * outputs, 1}};
        int wrong =
            ((PackPair)pairs[n].run)(&weight, &packed[0], &packed[1]) != 0;
        for (int i = 0; i < 2; ++i) {
          Descriptor half = {w, w, i, {inputs, outputs, 2 * outputs, 2}};
          wrong |= pairs[n].single(&half, &packed[2 + i]) != 0 ||
                   memcmp(packed[i].aligned, packed[2 + i].aligned, size) != 0;
        }
        if (wrong) {
          printf("pairs of %d bytes: %d inputs %d outputs: wrong\n", bytes,
                 (int)inputs, (int)outputs);
          exit(1);
        }
        ++numCases;
      }
}

int main(int argc, char **argv) {
  int vectorBytes = atoi(argv[argc - 1]);
  weightBlock = newBlock();
  packedBlock = newBlock();
  checkInPlace(vectorBytes);
  checkPairs(vectorBytes);
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
