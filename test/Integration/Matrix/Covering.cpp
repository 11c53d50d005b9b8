//===- Covering.cpp - Choices that cover all pairs of values --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Covering.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <numeric>
#include <optional>
#include <random>

using namespace mlir::xfmr::test;
using llvm::StringRef;

StringRef Choice::operator[](StringRef name) const {
  for (auto [parameter, value] : llvm::zip_equal(*parameters, values))
    if (parameter.name == name)
      return value < 0 ? StringRef() : StringRef(parameter.values[value]);
  llvm::report_fatal_error("no parameter " + llvm::Twine(name));
}

bool Choice::is(StringRef name, std::initializer_list<StringRef> oneOf) const {
  StringRef value = (*this)[name];
  return !value.empty() && llvm::is_contained(oneOf, value);
}

bool Choice::isNot(StringRef name,
                   std::initializer_list<StringRef> noneOf) const {
  StringRef value = (*this)[name];
  return !value.empty() && !llvm::is_contained(noneOf, value);
}

std::string Choice::describe() const {
  std::string text;
  for (auto [parameter, value] : llvm::zip_equal(*parameters, values))
    text += (text.empty() ? "" : " ") + parameter.name + "=" +
            (value < 0 ? "?" : parameter.values[value]);
  return text;
}

namespace {

/// The pairs of values that are still to be covered.
class Pairs {
public:
  explicit Pairs(const std::vector<Parameter> &parameters) {
    for (const Parameter &parameter : parameters) {
      offsets.push_back(size);
      size += parameter.values.size();
    }
    left.assign(size * size, true);
  }

  bool isLeft(size_t p, int v, size_t q, int w) const {
    return left[(offsets[p] + v) * size + offsets[q] + w];
  }
  void drop(size_t p, int v, size_t q, int w) {
    left[(offsets[p] + v) * size + offsets[q] + w] = false;
  }
  void drop(const Choice &choice) {
    for (size_t p = 0; p < offsets.size(); ++p)
      for (size_t q = p + 1; q < offsets.size(); ++q)
        drop(p, choice.get(p), q, choice.get(q));
  }
  unsigned count(const Choice &choice) const {
    unsigned pairs = 0;
    for (size_t p = 0; p < offsets.size(); ++p)
      for (size_t q = p + 1; q < offsets.size(); ++q)
        pairs += isLeft(p, choice.get(p), q, choice.get(q));
    return pairs;
  }

private:
  std::vector<size_t> offsets;
  size_t size = 0;
  std::vector<bool> left;
};

class Cover {
public:
  Cover(const std::vector<Parameter> &parameters, const Constraint &isPossible)
      : parameters(parameters), isPossible(isPossible) {}

  void run(std::vector<Choice> &choices) {
    Pairs pairs(parameters);
    crossFull(Choice(parameters), 0, pairs, choices);
    for (size_t p = 0; p < parameters.size(); ++p)
      for (size_t q = p + 1; q < parameters.size(); ++q)
        for (size_t v = 0; v < parameters[p].values.size(); ++v)
          for (size_t w = 0; w < parameters[q].values.size(); ++w) {
            if (!pairs.isLeft(p, v, q, w))
              continue;
            Choice start(parameters);
            start.set(p, v);
            start.set(q, w);
            if (isPossible(start))
              if (std::optional<Choice> choice = complete(start, pairs))
                choices.push_back(*choice);
            pairs.drop(p, v, q, w); // Covered, or impossible.
          }
  }

private:
  void crossFull(const Choice &start, size_t parameter, Pairs &pairs,
                 std::vector<Choice> &choices) {
    if (!isPossible(start))
      return;
    if (parameter == parameters.size()) {
      if (std::optional<Choice> choice = complete(start, pairs))
        choices.push_back(*choice);
      return;
    }
    if (!parameters[parameter].full)
      return crossFull(start, parameter + 1, pairs, choices);
    for (size_t value = 0; value < parameters[parameter].values.size();
         ++value) {
      Choice next = start;
      next.set(parameter, value);
      crossFull(next, parameter + 1, pairs, choices);
    }
  }

  /// The completion, of some at random, that covers most.
  std::optional<Choice> complete(const Choice &start, Pairs &pairs) {
    std::optional<Choice> best;
    unsigned most = 0;
    for (unsigned attempt = 0; attempt < 12; ++attempt) {
      Choice choice = start;
      if (!search(choice))
        break;
      unsigned covered = pairs.count(choice);
      if (!best || covered > most) {
        best = choice;
        most = covered;
      }
    }
    if (best)
      pairs.drop(*best);
    return best;
  }

  /// Completes a choice at random: always the parameter next that has the
  /// fewest values left, so that what is impossible shows early.
  bool search(Choice &choice) {
    std::vector<size_t> order(parameters.size());
    std::iota(order.begin(), order.end(), 0);
    shuffle(order);
    std::optional<size_t> next;
    std::vector<int> candidates;
    for (size_t parameter : order) {
      if (choice.get(parameter) >= 0)
        continue;
      std::vector<int> values;
      for (size_t value = 0; value < parameters[parameter].values.size();
           ++value) {
        choice.set(parameter, value);
        if (isPossible(choice))
          values.push_back(value);
      }
      choice.set(parameter, -1);
      if (values.empty())
        return false;
      if (!next || values.size() < candidates.size()) {
        next = parameter;
        candidates = std::move(values);
      }
    }
    if (!next)
      return true;
    shuffle(candidates);
    for (int value : candidates) {
      choice.set(*next, value);
      if (search(choice))
        return true;
    }
    choice.set(*next, -1);
    return false;
  }

  /// The standard's shuffle differs between libraries.
  template <typename T> void shuffle(std::vector<T> &values) {
    for (size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[random() % i]);
  }

  const std::vector<Parameter> &parameters;
  const Constraint &isPossible;

public:
  std::mt19937_64 random;
};

} // namespace

std::vector<Choice>
mlir::xfmr::test::cover(const std::vector<Parameter> &parameters,
                        const Constraint &isPossible, unsigned rounds) {
  std::vector<Choice> choices;
  Cover cover(parameters, isPossible);
  for (unsigned round = 0; round < rounds; ++round)
    cover.run(choices);
  return choices;
}
