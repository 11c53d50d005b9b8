//===- NormPlans.cpp - The rows of the matrix for norms -------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combination.h"

using namespace mlir::xfmr::test;
using llvm::StringRef;

/// b x r x e x d; e is the outer one of two normalised dims, otherwise 1.
static const std::map<std::string, Sizes> &getSizes() {
  static const std::map<std::string, Sizes> sizes = {
      {"typical", {{"b", 2}, {"r", 9}, {"e", 3}, {"d", 64}}},
      {"tail", {{"b", 3}, {"r", 8}, {"e", 2}, {"d", 37}}},
      {"odd", {{"b", 1}, {"r", 10}, {"e", 1}, {"d", 769}}},
      {"one_row", {{"b", 1}, {"r", 1}, {"e", 5}, {"d", 100}}},
      {"zero_rows", {{"b", 2}, {"r", 0}, {"e", 2}, {"d", 48}}},
      {"zero_d", {{"b", 1}, {"r", 3}, {"e", 2}, {"d", 0}}},
      {"one_d", {{"b", 2}, {"r", 5}, {"e", 1}, {"d", 1}}},
      {"unit_d", {{"b", 1}, {"r", 7}, {"e", 5}, {"d", 1}}},
      {"huge", {{"b", 1}, {"r", 2}, {"e", 1}, {"d", 65537}}}};
  return sizes;
}

static std::vector<Parameter> getParameters(bool isLayerNorm, bool hasAdd) {
  std::vector<Parameter> parameters = {
      {"data", {"f16", "bf16", "f32", "f64"}, true},
      {"gamma", {"no", "yes"}, true},
      {"beta", {"no", "yes"}, true},
      {"rstd", {"no", "yes"}, true}};
  if (isLayerNorm) {
    parameters.push_back({"mean", {"no", "yes"}, true});
    parameters.push_back({"unbiased", {"no", "yes"}});
  } else {
    parameters.push_back({"statistic", {"rms", "l2"}});
  }
  if (hasAdd) {
    parameters.push_back({"sum", {"no", "yes"}, true});
    parameters.push_back({"alpha", {"1.0", "0.75", "2.2133638394006434"}});
    parameters.push_back(
        {"residual_rounding", {"none", "round_then_norm", "norm_then_round"}});
  }
  parameters.push_back({"gamma_type", {"data", "f16", "bf16", "f32", "f64"}});
  parameters.push_back({"beta_type", {"data", "f16", "bf16", "f32", "f64"}});
  parameters.push_back({"result", {"data", "f16", "bf16", "f32", "f64"}});
  parameters.push_back(
      {"rounding",
       {"none", "cast_then_scale", "scale_then_cast", "cast_then_scale<f16>",
        "cast_then_scale<bf16>", "cast_then_scale<f32>"}});
  parameters.push_back({"eps", {"1.0e-05", "1.0e-12", "0.0"}});
  parameters.push_back({"eps_position", {"inside", "outside"}});
  parameters.push_back({"weight_offset", {"0.0", "1.0"}});
  parameters.push_back({"normalized_dims", {"1", "2"}});
  std::vector<std::string> names;
  for (const auto &[name, sizes] : getSizes())
    names.push_back(name);
  for (Parameter &parameter : getShapeParameters(names))
    parameters.push_back(std::move(parameter));
  return parameters;
}

static bool isPossible(const Choice &c, bool isLayerNorm, bool hasAdd) {
  if (!isNoWider(c, "gamma_type") || !isNoWider(c, "beta_type"))
    return false;
  if (c.is("gamma", {"no"}) &&
      (c.isNot("weight_offset", {"0.0"}) || c.isNot("gamma_type", {"data"})))
    return false;
  if (c.is("beta", {"no"}) && c.isNot("beta_type", {"data"}))
    return false;
  StringRef data = c["data"], result = c["result"];
  if (!data.empty() && !result.empty()) {
    StringRef stored = result == "data" ? data : result;
    if (c.is("rounding", {"none"}) &&
        getWidth(stored) < getWidth(getAccumulator(data)))
      return false;
  }
  if (hasAdd && c.is("residual_rounding", {"none"}) && !data.empty() &&
      !isWide(data))
    return false;
  if (isLayerNorm && c.is("unbiased", {"yes"}) &&
      c.isNot("shapes", {"dynamic"}) &&
      c.is("size", {"one_d", "unit_d", "zero_d"}))
    return false;
  return true;
}

static Combination write(const Choice &c, const std::string &op,
                         bool isLayerNorm, bool hasAdd) {
  StringRef data = c["data"];
  auto orData = [&](StringRef type) { return type == "data" ? data : type; };
  StringRef result = orData(c["result"]);
  StringRef accumulator = getAccumulator(data);
  FunctionWriter writer("xfmr." + op, c, getSizes().at(c["size"].str()));

  std::vector<Dim> rows = getRowDims(c), row;
  if (c["normalized_dims"] == "2")
    row.push_back({"e"});
  row.push_back({"d"});
  std::vector<Dim> all = rows;
  all.insert(all.end(), row.begin(), row.end());
  unsigned inner = row.size();

  std::vector<std::string> results;
  std::string body = "xfmr." + op + " ins(" +
                     writer.argument("x", data, all, Content::Data, inner) +
                     ")";
  if (hasAdd)
    body += " residual(" +
            writer.argument("r", data, all, Content::Branch, inner) + ")";
  if (c["gamma"] == "yes")
    body += " gamma(" +
            writer.argument("g", orData(c["gamma_type"]), row, Content::Gamma,
                            inner) +
            ")";
  if (c["beta"] == "yes")
    body += " beta(" +
            writer.argument("b", orData(c["beta_type"]), row, Content::Bias,
                            inner) +
            ")";
  auto destination = [&](StringRef group, const std::string &name,
                         StringRef element, const std::vector<Dim> &dims,
                         unsigned inner) {
    body += " " + group.str() + "(" +
            writer.destination(name, element, dims, inner) + ")";
    results.push_back(name);
  };
  if (hasAdd && c["sum"] == "yes")
    destination("sum", "s", data, all, inner);
  destination("outs", "y", result, all, inner);
  if (c["rstd"] == "yes")
    destination("rstd", "rstd", accumulator, rows, 0);
  if (isLayerNorm && c["mean"] == "yes")
    destination("mean", "mean", accumulator, rows, 0);
  if (hasAdd && c["alpha"] != "1.0")
    body += " alpha(" + c["alpha"].str() + ")";
  body += " eps(" + c["eps"].str() + ")";
  if (c["eps_position"] == "outside")
    body += " eps_position(outside)";
  if (isLayerNorm && c["unbiased"] == "yes")
    body += " unbiased";
  if (!isLayerNorm && c["statistic"] == "l2")
    body += " statistic(l2)";
  if (c["weight_offset"] != "0.0")
    body += " weight_offset(1.0)";
  if (c["normalized_dims"] != "1")
    body += " normalized_dims(2)";
  if (hasAdd && c["residual_rounding"] != "none")
    body += " residual_rounding(" + c["residual_rounding"].str() + ")";
  if (c["rounding"] != "none")
    body += " rounding(" + c["rounding"].str() + ")";
  Combination combination = writer.finish(body, results);
  combination.runs = getRuns(c, getSizes());
  combination.rowsAreIndependent =
      c["rank"] == "rows" && c["shapes"] != "static";
  return combination;
}

std::vector<OpPlan> mlir::xfmr::test::getNormPlans() {
  std::vector<OpPlan> plans;
  for (bool hasAdd : {false, true})
    for (bool isLayerNorm : {false, true}) {
      std::string op = std::string(hasAdd ? "add_" : "") +
                       (isLayerNorm ? "layernorm" : "rmsnorm");
      plans.push_back(
          {op, getParameters(isLayerNorm, hasAdd),
           [=](const Choice &c) { return isPossible(c, isLayerNorm, hasAdd); },
           [=](const Choice &c) { return write(c, op, isLayerNorm, hasAdd); }});
    }
  return plans;
}
