//===- Feedback.cpp - What an input did, for libFuzzer --------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Feedback.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::xfmr;

// libFuzzer takes this section for coverage counters and clears it before each
// input.
static constexpr size_t kNumCounters = 1 << 16;
__attribute__((section("__libfuzzer_extra_counters"),
               used)) static uint8_t counters[kNumCounters];

static void count(uint64_t hash) { counters[hash % kNumCounters] = 1; }

/// FNV-1a: the same in every process, which LLVM's hashes need not be.
static uint64_t hash(StringRef text, uint64_t seed = 1469598103934665603u) {
  for (unsigned char c : text)
    seed = (seed ^ c) * 1099511628211u;
  return seed;
}

/// The text apart from digits and what stands in quotes.
static std::string withoutNumbers(StringRef text) {
  std::string kept;
  bool quoted = false;
  for (char c : text) {
    if (c == '\'' || c == '"')
      quoted = !quoted;
    else if (!quoted && !llvm::isDigit(c))
      kept += c;
  }
  return kept;
}

void fuzz::countMessage(Diagnostic &diagnostic) {
  count(hash(withoutNumbers(diagnostic.str()),
             static_cast<uint64_t>(diagnostic.getSeverity()) + 1));
}

void fuzz::countOps(StringRef stage, Operation *root) {
  uint64_t start = hash(stage);
  llvm::StringMap<unsigned> ops;
  root->walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    ++ops[name];
    if (!isa_and_nonnull<XfmrDialect>(op->getDialect()))
      return;
    uint64_t operands = hash(name, start);
    if (auto dims = dyn_cast<OperandDimsInterface>(op))
      for (OpOperand &operand : op->getOpOperands())
        operands = hash(dims.getOperandName(operand), operands);
    count(operands);
    for (NamedAttribute attribute : op->getAttrDictionary()) {
      std::string text;
      llvm::raw_string_ostream(text) << attribute.getValue();
      count(hash(withoutNumbers(text),
                 hash(attribute.getName(), hash(name, start))));
    }
  });
  for (const auto &entry : ops)
    count(hash(entry.first(), start) + llvm::Log2_32(entry.second));
}
