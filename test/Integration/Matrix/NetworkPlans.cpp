//===- NetworkPlans.cpp - The rows of the matrix for networks -------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combination.h"

using namespace mlir::xfmr::test;
using llvm::StringRef;

/// d inputs, f hidden elements, o outputs.
static const std::map<std::string, Sizes> &getSizes() {
  static const std::map<std::string, Sizes> sizes = {
      {"typical", {{"b", 2}, {"r", 9}, {"d", 32}, {"f", 64}, {"o", 32}}},
      {"tail", {{"b", 2}, {"r", 7}, {"d", 19}, {"f", 35}, {"o", 13}}},
      {"one_row", {{"b", 1}, {"r", 1}, {"d", 40}, {"f", 24}, {"o", 40}}},
      {"zero_rows", {{"b", 2}, {"r", 0}, {"d", 16}, {"f", 8}, {"o", 16}}},
      {"zero_d", {{"b", 1}, {"r", 3}, {"d", 0}, {"f", 6}, {"o", 5}}},
      {"zero_f", {{"b", 1}, {"r", 5}, {"d", 7}, {"f", 0}, {"o", 7}}},
      {"ones", {{"b", 1}, {"r", 4}, {"d", 1}, {"f", 1}, {"o", 1}}},
      {"blocks", {{"b", 1}, {"r", 131}, {"d", 301}, {"f", 150}, {"o", 23}}},
      {"huge", {{"b", 1}, {"r", 2}, {"d", 4099}, {"f", 17}, {"o", 5}}}};
  return sizes;
}

static std::vector<std::string> getSizeNames() {
  std::vector<std::string> names;
  for (const auto &[name, sizes] : getSizes())
    names.push_back(name);
  return names;
}

static const std::vector<std::string> &getActivations(bool gated) {
  static const std::vector<std::string> plain = {
      "identity",  "relu",       "relu2", "gelu_erf",          "silu",
      "gelu_tanh", "quick_gelu", "tanh",  "swish, beta = 0.5", "sigmoid"};
  static const std::vector<std::string> gates = [] {
    std::vector<std::string> all = plain;
    all.push_back("clamped_swish, limit = 7.0, beta = 1.702, up_offset = 1.0");
    return all;
  }();
  return gated ? gates : plain;
}

static const std::vector<std::string> &getTypes() {
  static const std::vector<std::string> types = {"data", "f16", "bf16", "f32",
                                                 "f64"};
  return types;
}

namespace {
/// Which network, by what differs between them.
enum class Network { Plain, GLU, SwiGLU };
} // namespace

static std::vector<Parameter> getParameters(Network network) {
  std::vector<Parameter> parameters = {
      {"data", {"f16", "bf16", "f32", "f64"}, true},
      {"down_bias", {"no", "yes"}, true}};
  if (network == Network::Plain) {
    parameters.push_back({"up_bias", {"no", "yes"}, true});
  } else {
    parameters.push_back(
        {"biases", {"none", "gate", "up", "both", "packed"}, true});
    parameters.push_back({"packing", {"two", "one"}, true});
    parameters.push_back({"order", {"gate_up", "up_gate", "interleaved"}});
    parameters.push_back({"gate_layout", {"in_out", "out_in"}});
  }
  if (network == Network::SwiGLU)
    parameters.push_back({"beta", {"1.0", "1.702", "-0.5"}});
  else
    parameters.push_back(
        {"activation", getActivations(network == Network::GLU)});
  parameters.push_back({"weights", {"marked", "plain"}});
  parameters.push_back({"up_layout", {"in_out", "out_in"}});
  parameters.push_back({"down_layout", {"in_out", "out_in"}});
  for (const char *name :
       {"hidden", "up_type", "down_type", "bias_type", "result"})
    parameters.push_back({name, getTypes()});
  for (Parameter &parameter : getShapeParameters(getSizeNames()))
    parameters.push_back(std::move(parameter));
  return parameters;
}

static bool isNetworkPossible(const Choice &c, Network network) {
  for (const char *name : {"hidden", "up_type", "down_type", "bias_type"})
    if (!isNoWider(c, name))
      return false;
  if (network == Network::Plain)
    return true;
  bool packed = c.is("packing", {"one"}), apart = c.is("packing", {"two"});
  if (packed && (c.is("biases", {"gate", "up", "both"}) ||
                 c.isNot("gate_layout", {"in_out"})))
    return false;
  return !apart ||
         !(c.is("biases", {"packed"}) || c.isNot("order", {"gate_up"}));
}

static std::vector<Dim> getWeightDims(StringRef layout, Dim inputs,
                                      Dim outputs) {
  if (layout == "in_out")
    return {inputs, outputs};
  return {outputs, inputs};
}

static Combination writeNetwork(const Choice &c, const std::string &op,
                                Network network) {
  StringRef data = c["data"];
  auto orData = [&](StringRef type) { return type == "data" ? data : type; };
  StringRef upType = orData(c["up_type"]), biasType = orData(c["bias_type"]);
  StringRef upLayout = c["up_layout"], downLayout = c["down_layout"];
  FunctionWriter writer("xfmr." + op, c, getSizes().at(c["size"].str()));
  if (c["weights"] == "marked")
    writer.markWeights();
  std::vector<Dim> input = getRowDims(c), output = getRowDims(c);
  input.push_back({"d"});
  output.push_back({"o"});

  std::string body = "xfmr." + op + " ins(" +
                     writer.argument("x", data, input, Content::Data) + ")";
  auto add = [&](const std::string &name, StringRef element,
                 std::vector<Dim> dims, Content content) {
    body += " " + name + "(" +
            writer.argument(name, element, std::move(dims), content) + ")";
  };
  bool packed = network != Network::Plain && c["packing"] == "one";
  if (packed) {
    add("gate_up", upType, getWeightDims(upLayout, {"d"}, {"f", 2}),
        Content::Weight);
  } else {
    // Gate and up may differ in type: the gate has the down weight's.
    if (network != Network::Plain)
      add("gate", orData(c["down_type"]),
          getWeightDims(c["gate_layout"], {"d"}, {"f"}), Content::Weight);
    add("up", upType, getWeightDims(upLayout, {"d"}, {"f"}), Content::Weight);
  }
  add("down", orData(c["down_type"]), getWeightDims(downLayout, {"f"}, {"o"}),
      Content::Weight);
  if (network == Network::Plain) {
    if (c["up_bias"] == "yes")
      add("up_bias", biasType, {{"f"}}, Content::Bias);
  } else {
    StringRef biases = c["biases"];
    if (biases == "gate" || biases == "both")
      add("gate_bias", biasType, {{"f"}}, Content::Bias);
    if (biases == "up" || biases == "both")
      add("up_bias", data, {{"f"}}, Content::Bias);
    if (biases == "packed")
      add("gate_up_bias", biasType, {{"f", 2}}, Content::Bias);
  }
  if (c["down_bias"] == "yes")
    add("down_bias", biasType, {{"o"}}, Content::Bias);
  body += " outs(" + writer.destination("y", orData(c["result"]), output) + ")";
  if (network == Network::SwiGLU) {
    if (c["beta"] != "1.0")
      body += " beta(" + c["beta"].str() + ")";
  } else {
    body += " activation(" + c["activation"].str() + ")";
  }
  if (network == Network::Plain)
    body +=
        " layout(up = " + upLayout.str() + ", down = " + downLayout.str() + ")";
  else if (packed)
    body += " layout(gate_up = " + upLayout.str() +
            ", down = " + downLayout.str() + ") order(" + c["order"].str() +
            ")";
  else
    body += " layout(gate = " + c["gate_layout"].str() +
            ", up = " + upLayout.str() + ", down = " + downLayout.str() + ")";
  if (c["hidden"] != "data")
    body += " hidden_type(" + c["hidden"].str() + ")";
  Combination combination = writer.finish(body, {"y"});
  combination.runs = getRuns(c, getSizes());
  combination.moderate = true;
  combination.rowsAreIndependent =
      c["rank"] == "rows" && c["shapes"] != "static";
  combination.rowsNeedBatchInvariant = !isWide(data);
  return combination;
}

//===----------------------------------------------------------------------===//
// gated_act
//===----------------------------------------------------------------------===//

static const std::map<std::string, Sizes> &getGateSizes() {
  static const std::map<std::string, Sizes> sizes = {
      {"typical", {{"b", 2}, {"r", 9}, {"f", 64}}},
      {"tail", {{"b", 3}, {"r", 7}, {"f", 35}}},
      {"one_row", {{"b", 1}, {"r", 1}, {"f", 100}}},
      {"zero_rows", {{"b", 2}, {"r", 0}, {"f", 8}}},
      {"zero_f", {{"b", 1}, {"r", 5}, {"f", 0}}},
      {"ones", {{"b", 1}, {"r", 4}, {"f", 1}}},
      {"huge", {{"b", 1}, {"r", 2}, {"f", 65537}}}};
  return sizes;
}

static OpPlan getGatedActPlan() {
  std::vector<std::string> names;
  for (const auto &[name, sizes] : getGateSizes())
    names.push_back(name);
  OpPlan plan;
  plan.op = "gated_act";
  plan.parameters = {{"data", {"f16", "bf16", "f32", "f64"}, true},
                     {"packing", {"two", "one"}, true},
                     {"activation", getActivations(true), true},
                     {"order", {"gate_up", "up_gate", "interleaved"}},
                     {"up_type", getTypes()},
                     {"result", getTypes()}};
  for (Parameter &parameter : getShapeParameters(names))
    plan.parameters.push_back(std::move(parameter));
  plan.isPossible = [](const Choice &c) {
    if (c.is("packing", {"two"}) && c.isNot("order", {"gate_up"}))
      return false;
    if (c.is("packing", {"one"}) && c.isNot("up_type", {"data"}))
      return false;
    return isNoWider(c, "up_type");
  };
  plan.write = [](const Choice &c) {
    StringRef data = c["data"];
    auto orData = [&](StringRef type) { return type == "data" ? data : type; };
    FunctionWriter writer("xfmr.gated_act", c,
                          getGateSizes().at(c["size"].str()));
    std::vector<Dim> all = getRowDims(c), packed = getRowDims(c);
    all.push_back({"f"});
    packed.push_back({"f", 2});
    std::string body = "xfmr.gated_act";
    if (c["packing"] == "one")
      body += " gate_up(" +
              writer.argument("gate_up", data, packed, Content::Data) + ")";
    else
      body +=
          " gate(" + writer.argument("gate", data, all, Content::Data) +
          ") up(" +
          writer.argument("up", orData(c["up_type"]), all, Content::Branch) +
          ")";
    body += " outs(" + writer.destination("y", orData(c["result"]), all) +
            ") activation(" + c["activation"].str() + ")";
    if (c["packing"] == "one")
      body += " order(" + c["order"].str() + ")";
    Combination combination = writer.finish(body, {"y"});
    combination.runs = getRuns(c, getGateSizes());
    combination.rowsAreIndependent =
        c["rank"] == "rows" && c["shapes"] != "static";
    return combination;
  };
  return plan;
}

std::vector<OpPlan> mlir::xfmr::test::getNetworkPlans() {
  std::vector<OpPlan> plans;
  for (auto [op, network] :
       {std::pair{"ffn", Network::Plain}, std::pair{"glu_ffn", Network::GLU},
        std::pair{"swiglu_ffn", Network::SwiGLU}})
    plans.push_back(
        {op, getParameters(network),
         [network = network](const Choice &c) {
           return isNetworkPossible(c, network);
         },
         [op = std::string(op), network = network](const Choice &c) {
           return writeNetwork(c, op, network);
         }});
  plans.push_back(getGatedActPlan());
  return plans;
}
