//===- Mutator.cpp - Changes to the text of a module ----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "Generator.h"
#include "Subject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::xfmr;
using namespace mlir::xfmr::fuzz;
using llvm::StringRef;

/// Keywords that can stand in each other's place.
static const std::vector<std::vector<StringRef>> &getKeywords() {
  static const std::vector<std::vector<StringRef>> groups = {
      {"xfmr.rmsnorm", "xfmr.layernorm", "xfmr.add_rmsnorm",
       "xfmr.add_layernorm"},
      {"xfmr.ffn", "xfmr.glu_ffn", "xfmr.swiglu_ffn", "xfmr.gated_act"},
      {"rmsnorm", "layernorm"},
      {"pre", "post", "sandwich", "branch_post", "none"},
      {"inside", "outside"},
      {"rms", "l2"},
      {"cast_then_scale", "scale_then_cast", "cast_then_scale<bf16>",
       "cast_then_scale<f64>", "cast_then_scale<i32>"},
      {"round_then_norm", "norm_then_round"},
      {"in_out", "out_in", "up = in_out, down = out_in",
       "gate = out_in, up = in_out, down = in_out"},
      {"gate_up", "up_gate", "interleaved"},
      {"gate",         "up",        "gate_up", "down", "gate_bias", "up_bias",
       "gate_up_bias", "down_bias", "gamma",   "beta", "sum",       "rstd",
       "mean",         "residual",  "mask",    "ins",  "outs",      "norm1",
       "norm2",        "alpha",     "eps"},
      {"identity", "relu", "relu2", "gelu_erf", "gelu_tanh", "quick_gelu",
       "silu", "swish, beta = 2.0", "sigmoid", "tanh",
       "clamped_swish, limit = 7.0, beta = 1.702, up_offset = 1.0"},
      {"linalg.add", "linalg.mul", "linalg.sub", "linalg.div", "linalg.max",
       "linalg.min"},
      {"linalg.exp", "linalg.negf", "linalg.rsqrt", "linalg.tanh",
       "linalg.copy", "linalg.erf"},
      {"arith.addf", "arith.mulf", "arith.subf", "arith.divf", "arith.maximumf",
       "arith.minnumf"},
      {"\"parallel\"", "\"reduction\""},
      {"public", "private"}};
  return groups;
}

static bool isWordChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '%' ||
         c == '#' || c == '@' || c == '^' || c == '"';
}

//===----------------------------------------------------------------------===//
// Finding pieces
//===----------------------------------------------------------------------===//

std::vector<Mutator::Span>
Mutator::findBracketed(llvm::ArrayRef<StringRef> heads) const {
  std::vector<Span> spans;
  for (StringRef head : heads)
    for (size_t start = text.find(head.str()); start != std::string::npos;
         start = text.find(head.str(), start + 1)) {
      if (start > 0 && isWordChar(text[start - 1]))
        continue;
      char open = head.back(), close = open == '<' ? '>' : ')';
      unsigned depth = 1;
      size_t end = start + head.size();
      for (; end < text.size() && depth > 0; ++end) {
        depth += text[end] == open;
        depth -= text[end] == close && text[end - 1] != '-';
      }
      if (depth == 0)
        spans.push_back({start, end - start});
    }
  return spans;
}

std::vector<Mutator::Span>
Mutator::findWords(llvm::function_ref<bool(StringRef)> accept) const {
  std::vector<Span> spans;
  for (size_t start = 0; start < text.size();) {
    if (!isWordChar(text[start])) {
      ++start;
      continue;
    }
    size_t end = start;
    while (end < text.size() && isWordChar(text[end]))
      ++end;
    if (accept(get({start, end - start})))
      spans.push_back({start, end - start});
    start = end;
  }
  return spans;
}

std::vector<Mutator::Span> Mutator::findLines() const {
  std::vector<Span> spans;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    spans.push_back({start, end - start});
    start = end;
  }
  return spans;
}

std::vector<Mutator::Span> Mutator::findShapedTypes() const {
  return findBracketed({"tensor<", "memref<", "vector<"});
}

void Mutator::replaceSome(const std::vector<Span> &pieces, Span piece,
                          StringRef by) {
  std::string old = get(piece).str();
  if (random.percent(25)) {
    replace(piece, by);
    return;
  }
  for (Span other : llvm::reverse(pieces))
    if (get(other) == old)
      replace(other, by);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

void Mutator::mutateDim() {
  // Each dim with its `x`, so that all dims of one size can be changed at once.
  std::vector<Span> dims;
  for (Span type : findShapedTypes()) {
    size_t at = type.start + get(type).find('<') + 1;
    while (at < text.size()) {
      size_t end = at;
      while (end < text.size() &&
             (llvm::isDigit(text[end]) || text[end] == '?'))
        ++end;
      if (end == at || end == text.size() || text[end] != 'x')
        break;
      dims.push_back({at, end + 1 - at});
      at = end + 1;
    }
  }
  if (dims.empty())
    return;
  Span dim = random.pick(dims);
  int64_t old = 0;
  get(dim).drop_back().getAsInteger(10, old);
  std::string by =
      random
          .pick({"?", "?", "0", "1", "2", "3", "7", "16", "17", "33", "64",
                 "100", "1024", "2147483648", "4611686018427387904",
                 "9223372036854775807", "18446744073709551615"})
          .str();
  if (random.percent(20) && old > 0 && old < 1000000)
    by = std::to_string(random.percent(50) ? old * 2 : old - 1);
  replaceSome(dims, dim, by + "x");
}

void Mutator::mutateElementType() {
  static const std::vector<StringRef> common = {"f16", "bf16", "f32", "f64"};
  static const std::vector<StringRef> rare = {
      "i1",    "i8",          "i32",    "index",        "f8E4M3FN",      "f80",
      "f128",  "tf32",        "si8",    "complex<f32>", "vector<4xf32>", "none",
      "i4096", "memref<f32>", "tuple<>"};
  std::vector<Span> elements;
  for (Span type : findShapedTypes()) {
    StringRef inner = get(type).drop_back();
    size_t at = inner.find_first_not_of("0123456789?x", inner.find('<') + 1);
    if (at == StringRef::npos)
      continue;
    size_t end = std::min(inner.find(',', at), inner.size());
    elements.push_back({type.start + at, end - at});
  }
  if (elements.empty())
    return;
  replaceSome(elements, random.pick(elements),
              random.pick(random.percent(75) ? common : rare));
}

void Mutator::mutateShapedType() {
  std::vector<Span> types = findShapedTypes();
  if (types.empty())
    return;
  Span type = random.pick(types);
  std::string old = get(type).str(), by = old;
  size_t open = by.find('<');
  switch (random.below(7)) {
  case 0: // Another kind of array, the same in all of the text.
    if (random.percent(60)) {
      bool toMemrefs = StringRef(old).starts_with("tensor");
      for (Span other : llvm::reverse(types))
        replace({other.start, 6}, toMemrefs ? "memref" : "tensor");
      return;
    }
    by.replace(0, open, random.pick({"tensor", "memref", "vector"}).str());
    break;
  case 1: // One dim more or less.
    if (size_t x = by.find('x', open);
        random.percent(50) && x != std::string::npos)
      by.erase(open + 1, x - open);
    else
      by.insert(open + 1, random.pick({"1x", "?x", "4x", "0x"}).str());
    break;
  case 2:
    by.insert(
        by.size() - 1,
        random
            .pick({", strided<[?, ?], offset: ?>", ", strided<[?, 1]>",
                   ", strided<[1], offset: ?>", ", 1", ", \"encoding\"",
                   ", affine_map<(i, j) -> (j, i)>", ", strided<[0, 1]>",
                   ", affine_map<(i) -> (i floordiv 2)>",
                   ", strided<[-1, 2], offset: 5>", ", #xfmr.topology<pre>"})
            .str());
    break;
  case 3:
    by = random
             .pick({"f32", "index", "tensor<*xf32>", "memref<*xf32>", "none",
                    "tensor<f32>", "memref<f32>", "vector<4xf32>", "()", "i1",
                    "tensor<2x?x0xf64>", "(f32) -> f32"})
             .str();
    break;
  default: // The type of another value.
    by = get(random.pick(types)).str();
  }
  replaceSome(types, type, by);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

void Mutator::mutateKeyword() {
  std::vector<Span> words = findWords([](StringRef word) {
    return llvm::any_of(getKeywords(), [&](const auto &group) {
      return llvm::is_contained(group, word);
    });
  });
  if (words.empty())
    return;
  Span word = random.pick(words);
  std::vector<const std::vector<StringRef> *> groups;
  for (const auto &group : getKeywords())
    if (llvm::is_contained(group, get(word)))
      groups.push_back(&group);
  replace(word, random.pick(*random.pick(groups)));
}

void Mutator::mutateNumber() {
  std::vector<Span> numbers = findWords([](StringRef word) {
    // Not the dims of types, which are for mutateDim.
    return llvm::isDigit(word.front()) && !word.contains('x');
  });
  if (numbers.empty())
    return;
  Span number = random.pick(numbers);
  bool isFloat = get(number).contains('.');
  replace(
      number,
      random.percent(isFloat ? 85 : 15)
          ? random.pick({"0.0", "-0.0", "1.0", "-1.0", "1.0e-06", "1.0e-38",
                         "1.0e-320", "1.0e300", "3.0e38", "0x7FF0000000000000",
                         "0x7FF8000000000000", "0.5", "1.0e999"})
          : random.pick({"0", "1", "2", "3", "4", "16", "-1", "-2", "64", "255",
                         "2147483647", "9223372036854775807",
                         "-9223372036854775808", "4294967296"}));
}

void Mutator::mutateValueName() {
  std::vector<Span> names =
      findWords([](StringRef word) { return word.front() == '%'; });
  if (names.size() < 2)
    return;
  Span name = random.pick(names);
  std::string by = get(random.pick(names)).str();
  replace(name, by);
}

//===----------------------------------------------------------------------===//
// Operand groups and attributes
//===----------------------------------------------------------------------===//

void Mutator::mutateClause() {
  std::vector<Span> clauses = findBracketed({"ins(",
                                             "outs(",
                                             "gamma(",
                                             "beta(",
                                             "residual(",
                                             "sum(",
                                             "rstd(",
                                             "mean(",
                                             "gate(",
                                             "up(",
                                             "gate_up(",
                                             "down(",
                                             "gate_bias(",
                                             "up_bias(",
                                             "gate_up_bias(",
                                             "down_bias(",
                                             "mask(",
                                             "norm1(",
                                             "norm2(",
                                             "alpha(",
                                             "eps(",
                                             "eps_position(",
                                             "statistic(",
                                             "weight_offset(",
                                             "normalized_dims(",
                                             "residual_rounding(",
                                             "rounding(",
                                             "activation(",
                                             "layout(",
                                             "order(",
                                             "hidden_type("});
  if (clauses.empty())
    return;
  Span clause = random.pick(clauses);
  std::string old = get(clause).str();
  std::string other = get(random.pick(clauses)).str();
  switch (random.below(6)) {
  case 0:
    replace(clause, "");
    break;
  case 1:
    replace(clause, old + " " + old);
    break;
  case 2:
    replace(clause, old + " " + other);
    break;
  case 3: // Another group's value under this group's name.
    replace(clause,
            old.substr(0, old.find('(')) + other.substr(other.find('(')));
    break;
  case 4:
    replace(
        clause,
        old + " " +
            random
                .pick({"eps_position(outside)", "statistic(l2)", "unbiased",
                       "weight_offset(1.0)", "alpha(2.0)", "normalized_dims(2)",
                       "normalized_dims(0)", "rounding(scale_then_cast)",
                       "order(interleaved)",
                       "residual_rounding(norm_then_round)", "hidden_type(f32)",
                       "hidden_type(i8)", "layout(in_out)", "beta(1.5)"})
                .str());
    break;
  default:
    replace(clause, other);
  }
}

void Mutator::mutateSegmentSizes() {
  // Those of other dialects' ops break MLIR (see UpstreamCrashes.h).
  std::vector<Span> lists;
  StringRef head = "operandSegmentSizes = array<i32: ";
  for (Span line : findLines()) {
    StringRef op = get(line);
    size_t at = op.find(head);
    if (op.contains("\"xfmr.") && at != StringRef::npos) {
      at += head.size();
      lists.push_back({line.start + at, op.find('>', at) - at});
    }
  }
  if (lists.empty())
    return;
  Span list = random.pick(lists);
  if (list.start + list.length > text.size())
    return;
  llvm::SmallVector<StringRef> sizes;
  std::string old = get(list).str();
  StringRef(old).split(sizes, ", ");
  size_t at = random.below(sizes.size());
  switch (random.below(4)) {
  case 0: // The sum stays.
    std::swap(sizes[at], sizes[random.below(sizes.size())]);
    break;
  case 1:
    sizes[at] = random.pick({"0", "1", "2", "-1", "2147483647", "7"});
    break;
  case 2:
    sizes.erase(sizes.begin() + at);
    break;
  default:
    sizes.insert(sizes.begin() + at, random.pick({"0", "1"}));
  }
  replace(list, llvm::join(sizes, ", "));
}

void Mutator::mutateProperty() {
  // A property of the generic form: `name = value`.
  std::vector<Span> values;
  for (size_t at = text.find("<{"); at != std::string::npos;
       at = text.find("<{", at + 2)) {
    size_t end = text.find("}>", at);
    if (end == std::string::npos)
      break;
    unsigned depth = 0;
    size_t start = at + 2;
    for (size_t i = start; i <= end; ++i) {
      depth += StringRef("<([{").contains(text[i]);
      if (i == end || (depth == 0 && text[i] == ',')) {
        values.push_back({start, i - start});
        start = i + 1;
      }
      depth -= StringRef(">)]}").contains(text[i]) && depth > 0;
    }
  }
  if (values.empty())
    return;
  Span value = random.pick(values);
  std::string old = get(value).str();
  size_t equal = old.find(" = ");
  // Segment sizes are for mutateSegmentSizes.
  if (equal == std::string::npos || StringRef(old).contains("SegmentSizes"))
    return;
  if (random.percent(20)) {
    replace(value, "zzz = 1 : i32");
    return;
  }
  std::string other = get(random.pick(values)).str();
  std::string by =
      random.percent(50) && other.find(" = ") != std::string::npos
          ? other.substr(other.find(" = ") + 3)
          : random
                .pick({"1 : i64",
                       "0 : i64",
                       "-1 : i64",
                       "1.0 : f64",
                       "1.0 : f32",
                       "unit",
                       "f32",
                       "i8",
                       "\"text\"",
                       "[]",
                       "#xfmr.rounding<cast_then_scale<bf16>>",
                       "#xfmr.rounding<scale_then_cast>",
                       "#xfmr.topology<sandwich>",
                       "#xfmr.topology<none>",
                       "#xfmr.norm<layernorm, eps = 1.0e-05, unbiased>",
                       "#xfmr.norm<rmsnorm, eps = 1.0, statistic = l2>",
                       "#xfmr.activation<silu>",
                       "#xfmr.activation<clamped_swish, limit = 7.0, "
                       "beta = 1.0, up_offset = 1.0>",
                       "#xfmr.gate_up_order<interleaved>",
                       "#xfmr.weight_layout<in_out>",
                       "9223372036854775807 : i64"})
                .str();
  replace(value, old.substr(0, equal + 3) + by);
}

void Mutator::mutateAttributes() {
  // Before the results' types, where the pretty form has its dictionary.
  std::vector<Span> arrows;
  for (size_t at = text.find(" -> "); at != std::string::npos;
       at = text.find(" -> ", at + 1))
    arrows.push_back({at, 0});
  if (arrows.empty())
    return;
  replace(random.pick(arrows),
          random.pick({" {eps = 1.0}", " {foo = 1}", " {xfmr.weight}",
                       " {operandSegmentSizes = array<i32: 1, 1>}",
                       " {xfmr.status_messages = [1, \"a\"]}", " {rounding}",
                       " attributes {xfmr.foo = dense<1.0> : tensor<2xf32>}",
                       " attributes {xfmr.status_messages = \"no list\"}"}));
}

//===----------------------------------------------------------------------===//
// Lines and passes
//===----------------------------------------------------------------------===//

void Mutator::mutateLines() {
  std::vector<Span> lines = findLines();
  if (lines.size() < 2)
    return;
  size_t at = random.below(lines.size());
  // A few lines together hold an op, more a region.
  size_t last = std::min(at + (random.percent(60) ? 0 : random.below(6)),
                         lines.size() - 1);
  Span block{lines[at].start,
             lines[last].start + lines[last].length - lines[at].start};
  std::string moved = get(block).str();
  Span to = random.pick(lines);
  if (random.percent(35)) {
    replace(block, "");
  } else if (random.percent(50)) {
    text.insert(to.start, moved);
  } else {
    replace(block, "");
    text.insert(std::min(to.start, text.size()), moved);
  }
}

void Mutator::mutatePasses() {
  std::string line = kPassesMarker.str() + generatePasses(random) + "\n";
  if (StringRef(text).starts_with(kPassesMarker))
    text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text.insert(0, line);
}

void Mutator::mutate() {
  switch (random.below(20)) {
  case 0:
  case 1:
  case 2:
  case 3:
    return mutateDim();
  case 4:
  case 5:
    return mutateElementType();
  case 6:
  case 7:
    return mutateShapedType();
  case 8:
  case 9:
    return mutateKeyword();
  case 10:
    return mutateNumber();
  case 11:
  case 12:
    return mutateValueName();
  case 13:
  case 14:
    return mutateClause();
  case 15:
    return mutateSegmentSizes();
  case 16:
    return mutateProperty();
  case 17:
    return mutateAttributes();
  case 18:
    return mutateLines();
  default:
    return mutatePasses();
  }
}

void Mutator::splice(StringRef other) {
  if (random.percent(50)) {
    // All of it, beside what is there.
    if (!text.empty() && text.back() != '\n')
      text += '\n';
    text += other.str();
    return;
  }
  Mutator donor(random, other.str());
  std::vector<Span> theirs = donor.findLines(), mine = findLines();
  if (theirs.empty() || mine.empty())
    return;
  size_t at = random.below(theirs.size());
  size_t last = std::min(at + random.below(8), theirs.size() - 1);
  StringRef lines =
      other.substr(theirs[at].start,
                   theirs[last].start + theirs[last].length - theirs[at].start);
  Span place = random.pick(mine);
  if (random.percent(50))
    replace(place, lines);
  else
    text.insert(place.start, lines.str());
}
