//===- Mutator.h - Changes to the text of a module --------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes that keep most of a module's syntax, so that what is wrong afterwards
// is for verifiers and passes to find: types, shapes, attributes, operand
// groups, segment sizes of the generic form, regions, order and number of ops.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_TEST_FUZZ_MUTATOR_H
#define XFMR_TEST_FUZZ_MUTATOR_H

#include "Random.h"
#include <string>
#include <vector>

namespace mlir::xfmr::fuzz {

class Mutator {
public:
  Mutator(Random &random, std::string text) : random(random), text(text) {}

  /// One change; the text stays as it is where it has nothing of the kind.
  void mutate();
  /// Takes lines or functions from another module.
  void splice(llvm::StringRef other);

  const std::string &getText() const { return text; }

private:
  struct Span {
    size_t start, length;
  };

  void mutateDim();
  void mutateElementType();
  void mutateShapedType();
  void mutateKeyword();
  void mutateNumber();
  void mutateValueName();
  void mutateClause();
  void mutateSegmentSizes();
  void mutateProperty();
  void mutateAttributes();
  void mutateLines();
  void mutatePasses();

  llvm::StringRef get(Span span) const {
    return llvm::StringRef(text).substr(span.start, span.length);
  }
  void replace(Span span, llvm::StringRef by) {
    text.replace(span.start, span.length, by.str());
  }
  /// Replaces this piece, or often all pieces of the same text, so that what
  /// has to agree goes on agreeing.
  void replaceSome(const std::vector<Span> &pieces, Span piece,
                   llvm::StringRef by);
  /// Pieces of text that start at one of these words and end with its bracket.
  std::vector<Span> findBracketed(llvm::ArrayRef<llvm::StringRef> heads) const;
  std::vector<Span>
  findWords(llvm::function_ref<bool(llvm::StringRef)> accept) const;
  std::vector<Span> findLines() const;
  std::vector<Span> findShapedTypes() const;

  Random &random;
  std::string text;
};

} // namespace mlir::xfmr::fuzz

#endif // XFMR_TEST_FUZZ_MUTATOR_H
