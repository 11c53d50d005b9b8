//===- MyCopyPlans.cpp - The op's row of the matrix -----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combination.h"

using namespace mlir::xfmr::test;
using llvm::StringRef;

/// b x r rows of d elements.
static const std::map<std::string, Sizes> &getSizes() {
  static const std::map<std::string, Sizes> sizes = {
      {"typical", {{"b", 2}, {"r", 9}, {"d", 64}}},
      {"tail", {{"b", 3}, {"r", 8}, {"d", 37}}},
      {"one_row", {{"b", 1}, {"r", 1}, {"d", 100}}},
      {"zero_rows", {{"b", 2}, {"r", 0}, {"d", 48}}},
      {"zero_d", {{"b", 1}, {"r", 3}, {"d", 0}}},
      {"one_d", {{"b", 2}, {"r", 5}, {"d", 1}}},
      {"huge", {{"b", 1}, {"r", 2}, {"d", 65537}}}};
  return sizes;
}

static Combination write(const Choice &c) {
  StringRef data = c["data"], result = c["result"];
  FunctionWriter writer("xfmr.my_copy", c, getSizes().at(c["size"].str()));
  std::vector<Dim> dims = getRowDims(c);
  dims.push_back({"d"});
  std::string body = "xfmr.my_copy ins(" +
                     writer.argument("x", data, dims, Content::Data) +
                     ") outs(" + writer.destination("y", result, dims) + ")";
  Combination combination = writer.finish(body, {"y"});
  combination.runs = getRuns(c, getSizes());
  combination.rowsAreIndependent =
      c["rank"] == "rows" && c["shapes"] != "static";
  return combination;
}

std::vector<OpPlan> mlir::xfmr::test::getMyCopyPlans() {
  // Element types and optional operands are crossed in full, the rest in pairs.
  std::vector<Parameter> parameters = {
      {"data", {"f16", "bf16", "f32", "f64"}, true},
      {"result", {"f16", "bf16", "f32", "f64"}, true}};
  std::vector<std::string> names;
  for (const auto &[name, sizes] : getSizes())
    names.push_back(name);
  for (Parameter &parameter : getShapeParameters(names))
    parameters.push_back(std::move(parameter));
  return {{"my_copy", parameters, [](const Choice &) { return true; }, write}};
}
