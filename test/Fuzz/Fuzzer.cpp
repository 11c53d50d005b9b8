//===- Fuzzer.cpp - Entry points of libFuzzer -----------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "Mutator.h"
#include "Subject.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir::xfmr;
using namespace mlir::xfmr::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static Subject &getSubject() {
  static Subject subject;
  return subject;
}

static void printProgress() {
  const Progress &progress = getSubject().getProgress();
  llvm::errs() << "inputs: " << progress.inputs
               << ", modules that verify: " << progress.verified
               << ", runs of passes: " << progress.passesRun
               << ", to their end: " << progress.passesSucceeded << '\n';
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  getSubject();
  std::atexit(printProgress);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A copy that ends in NUL, as the parser needs.
  std::string text(reinterpret_cast<const char *>(data), size);
  return getSubject().run(text) ? 0 : -1;
}

/// The text in place of the input; the input stays when it is too long.
static size_t put(llvm::StringRef text, uint8_t *data, size_t size,
                  size_t maxSize) {
  if (text.size() > maxSize)
    return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  if (random.percent(10))
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<const char *>(data), size);
  bool fresh = random.percent(25) || size < 10;
  if (fresh) {
    text = random.percent(60) ? generateProgram(random)
                              : generateMatrixRow(random);
    if (random.percent(30))
      if (std::string generic = getSubject().toGenericForm(text);
          !generic.empty())
        text = generic;
    text = kPassesMarker.str() + generatePasses(random) + "\n" + text;
    if (random.percent(40))
      return put(text, data, size, maxSize);
  }
  Mutator mutator(random, text);
  do
    mutator.mutate();
  while (random.percent(40));
  return put(mutator.getText(), data, size, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2,
                                            uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  Random random(seed);
  Mutator mutator(random,
                  std::string(reinterpret_cast<const char *>(data1), size1));
  mutator.splice({reinterpret_cast<const char *>(data2), size2});
  // 0 stands for no result.
  return put(mutator.getText(), out, 0, maxSize);
}
