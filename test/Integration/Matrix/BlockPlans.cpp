//===- BlockPlans.cpp - The rows of the matrix for residual blocks --------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combination.h"

using namespace mlir::xfmr::test;
using llvm::StringRef;

/// d elements a row, f hidden ones in the networks of the region.
static const std::map<std::string, Sizes> &getSizes() {
  static const std::map<std::string, Sizes> sizes = {
      {"typical", {{"b", 2}, {"r", 9}, {"d", 32}, {"f", 48}}},
      {"tail", {{"b", 2}, {"r", 7}, {"d", 19}, {"f", 35}}},
      {"one_row", {{"b", 1}, {"r", 1}, {"d", 40}, {"f", 24}}},
      {"zero_rows", {{"b", 2}, {"r", 0}, {"d", 16}, {"f", 8}}},
      {"zero_d", {{"b", 1}, {"r", 3}, {"d", 0}, {"f", 5}}},
      {"zero_f", {{"b", 1}, {"r", 5}, {"d", 24}, {"f", 0}}},
      {"ones", {{"b", 1}, {"r", 4}, {"d", 1}, {"f", 1}}},
      {"huge", {{"b", 1}, {"r", 2}, {"d", 2051}, {"f", 9}}}};
  return sizes;
}

static std::vector<Parameter> getParameters() {
  std::vector<Parameter> parameters = {
      {"data", {"f16", "bf16", "f32", "f64"}, true},
      {"topology", {"pre", "post", "sandwich", "branch_post", "none"}, true},
      {"gamma1", {"no", "yes"}, true},
      {"beta1", {"no", "yes"}, true},
      {"gamma2", {"no", "yes"}, true},
      {"beta2", {"no", "yes"}, true},
      {"mask", {"no", "yes"}, true},
      {"body", {"argument", "scale", "ffn", "swiglu", "parallel"}},
      {"alpha", {"1.0", "0.75", "2.2133638394006434"}},
      {"residual_rounding", {"none", "round_then_norm", "norm_then_round"}}};
  for (const char *number : {"1", "2"}) {
    auto add = [&](const char *name, std::vector<std::string> values) {
      parameters.push_back({std::string(name) + number, std::move(values)});
    };
    add("kind", {"rmsnorm", "layernorm"});
    add("eps", {"1.0e-05", "1.0e-12"});
    add("eps_position", {"inside", "outside"});
    add("statistic", {"rms", "l2"});
    add("unbiased", {"no", "yes"});
    add("weight_offset", {"0.0", "1.0"});
    add("rounding", {"none", "cast_then_scale", "scale_then_cast",
                     "cast_then_scale<bf16>"});
    add("gamma_type", {"data", "f32", "bf16"});
  }
  std::vector<std::string> names;
  for (const auto &[name, sizes] : getSizes())
    names.push_back(name);
  for (Parameter &parameter : getShapeParameters(names))
    parameters.push_back(std::move(parameter));
  return parameters;
}

static bool isNormPossible(const Choice &c, const std::string &number,
                           bool isAbsent) {
  auto name = [&](const char *text) { return text + number; };
  // An absent norm has one spelling.
  if (isAbsent)
    return !c.is(name("gamma"), {"yes"}) && !c.is(name("beta"), {"yes"}) &&
           !c.isNot(name("kind"), {"rmsnorm"}) &&
           !c.isNot(name("eps"), {"1.0e-05"}) &&
           !c.isNot(name("eps_position"), {"inside"}) &&
           !c.isNot(name("statistic"), {"rms"}) &&
           !c.isNot(name("unbiased"), {"no"}) &&
           !c.isNot(name("weight_offset"), {"0.0"}) &&
           !c.isNot(name("rounding"), {"none"}) &&
           !c.isNot(name("gamma_type"), {"data"});
  if (c.is(name("gamma"), {"no"}) && (c.isNot(name("weight_offset"), {"0.0"}) ||
                                      c.isNot(name("gamma_type"), {"data"})))
    return false;
  if (c.is(name("kind"), {"layernorm"}) && c.is(name("statistic"), {"l2"}))
    return false;
  if (c.is(name("unbiased"), {"yes"}) &&
      (c.is(name("kind"), {"rmsnorm"}) ||
       (c.isNot("shapes", {"dynamic"}) && c.is("size", {"ones", "zero_d"}))))
    return false;
  return !(c.is(name("rounding"), {"none"}) && c.is("data", {"f16", "bf16"}));
}

static bool isPossible(const Choice &c) {
  StringRef topology = c["topology"];
  if (!topology.empty() && (!isNormPossible(c, "1", topology == "none") ||
                            !isNormPossible(c, "2", topology != "sandwich")))
    return false;
  if (topology == "post") {
    if (c.is("residual_rounding", {"none"}) && c.is("data", {"f16", "bf16"}))
      return false;
  } else if (!topology.empty() && c.isNot("residual_rounding", {"none"})) {
    return false;
  }
  // The region's argument has x's type: dynamic beside static works there too.
  return true;
}

static std::string writeNorm(const Choice &c, FunctionWriter &writer,
                             const std::string &number) {
  auto get = [&](const char *text) { return c[text + number]; };
  StringRef gammaType =
      get("gamma_type") == "data" ? c["data"] : get("gamma_type");
  std::string text = " norm" + number + "(<" + get("kind").str() +
                     ", eps = " + get("eps").str();
  if (get("eps_position") == "outside")
    text += ", eps_position = outside";
  if (get("statistic") == "l2")
    text += ", statistic = l2";
  if (get("unbiased") == "yes")
    text += ", unbiased";
  if (get("weight_offset") != "0.0")
    text += ", weight_offset = 1.0";
  if (get("rounding") != "none")
    text += ", rounding = " + get("rounding").str();
  text += ">";
  if (get("gamma") == "yes")
    text += " gamma(" +
            writer.argument("g" + number, gammaType, {{"d"}}, Content::Gamma) +
            ")";
  if (get("beta") == "yes")
    text += " beta(" +
            writer.argument("b" + number, c["data"], {{"d"}}, Content::Bias) +
            ")";
  return text + ")";
}

namespace {
/// The ops of the region, which compute in fresh tensors or scratch arguments.
class BodyWriter {
public:
  BodyWriter(const Choice &c, FunctionWriter &writer, std::vector<Dim> all)
      : c(c), writer(writer), data(c["data"]), all(std::move(all)),
        type(writer.type(data, this->all, false)) {}

  std::string write() {
    StringRef body = c["body"];
    std::string f = "%z";
    if (body == "scale") {
      std::string other =
          value(writer.argument("other", data, all, Content::Branch));
      f = elementwise("linalg.mul", "%z", other);
    } else if (body == "ffn") {
      f = network(false);
    } else if (body == "swiglu") {
      f = network(true);
    } else if (body == "parallel") {
      std::string first = network(false), second = network(true);
      f = elementwise("linalg.add", first, second);
    }
    return " {\n  ^bb0(%z: " + type + "):\n" + text + "    xfmr.yield " + f +
           " : " + type + "\n  }";
  }

private:
  static std::string value(const std::string &typed) {
    return typed.substr(0, typed.find(' '));
  }

  /// A fresh array of the block's type to compute in.
  std::string scratch() {
    std::string name = "t" + std::to_string(count++);
    return writer.destination(name, data, all);
  }

  std::string finishOp(const std::string &op) {
    if (!writer.onTensors()) {
      text += "    " + op + "\n";
      return "";
    }
    std::string name = "%f" + std::to_string(count++);
    text += "    " + name + " = " + op + " -> " + type + "\n";
    return name;
  }

  std::string elementwise(const std::string &op, const std::string &a,
                          const std::string &b) {
    std::string target = scratch();
    std::string result = finishOp(op + " ins(" + a + ", " + b + " : " + type +
                                  ", " + type + ") outs(" + target + ")");
    return result.empty() ? value(target) : result;
  }

  std::string network(bool gated) {
    std::string n = std::to_string(count++);
    std::string op = gated ? "xfmr.swiglu_ffn" : "xfmr.ffn";
    op += " ins(%z : " + type + ")";
    if (gated)
      op += " gate(" +
            writer.argument("gate" + n, data, {{"f"}, {"d"}}, Content::Weight) +
            ")";
    op += " up(" +
          writer.argument("up" + n, data, {{"f"}, {"d"}}, Content::Weight) +
          ") down(" +
          writer.argument("down" + n, data, {{"d"}, {"f"}}, Content::Weight) +
          ")";
    if (!gated)
      op += " up_bias(" +
            writer.argument("bias" + n, data, {{"f"}}, Content::Bias) + ")";
    std::string target = scratch();
    op += " outs(" + target + ")";
    if (!gated)
      op += " activation(gelu_tanh)";
    std::string result = finishOp(op + " layout(out_in)");
    return result.empty() ? value(target) : result;
  }

  const Choice &c;
  FunctionWriter &writer;
  StringRef data;
  std::vector<Dim> all;
  std::string type, text;
  unsigned count = 0;
};
} // namespace

static Combination write(const Choice &c) {
  StringRef data = c["data"], topology = c["topology"];
  FunctionWriter writer("xfmr.residual_block", c,
                        getSizes().at(c["size"].str()));
  std::vector<Dim> rows = getRowDims(c), all = rows;
  all.push_back({"d"});
  std::string body = "xfmr.residual_block " + topology.str() + " ins(" +
                     writer.argument("x", data, all, Content::Data) + ")";
  if (topology != "none")
    body += writeNorm(c, writer, "1");
  if (topology == "sandwich")
    body += writeNorm(c, writer, "2");
  if (c["mask"] == "yes")
    body +=
        " mask(" + writer.argument("mask", "i1", rows, Content::Mask, 0) + ")";
  body += " outs(" + writer.destination("y", data, all) + ")";
  if (c["alpha"] != "1.0")
    body += " alpha(" + c["alpha"].str() + ")";
  if (c["residual_rounding"] != "none")
    body += " residual_rounding(" + c["residual_rounding"].str() + ")";
  body += BodyWriter(c, writer, all).write();
  Combination combination = writer.finish(body, {"y"});
  combination.runs = getRuns(c, getSizes());
  combination.moderate = true;
  combination.rowsAreIndependent =
      c["rank"] == "rows" && c["shapes"] != "static";
  combination.rowsNeedBatchInvariant =
      !isWide(data) && !c.is("body", {"argument", "scale"});
  return combination;
}

std::vector<OpPlan> mlir::xfmr::test::getBlockPlans() {
  return {{"residual_block", getParameters(), isPossible, write}};
}
