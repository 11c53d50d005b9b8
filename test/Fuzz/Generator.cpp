//===- Generator.cpp - Programs of several ops at random ------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "Subject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using namespace mlir::xfmr;
using namespace mlir::xfmr::fuzz;
using llvm::StringRef;

namespace {

constexpr int64_t kDynamic = -1;
using Shape = std::vector<int64_t>;

struct TypedValue {
  std::string name;
  Shape shape;
  std::string element;
};

/// Writes one function. All data has the same element type and the same rows;
/// sizes of rows, of a row and of hidden dims are few, so that ops fit
/// together.
class ProgramWriter {
public:
  explicit ProgramWriter(Random &random) : random(random) {
    element = random.pick({"f32", "f32", "bf16", "f16", "f64"}).str();
    onTensors = random.percent(75);
    for (size_t rank = random.pick(std::vector<size_t>{0, 1, 1, 1, 1, 2}); rank;
         --rank)
      rows.push_back(size({1, 3, 4, 8, 65, 0}));
    d = size({1, 8, 17, 32, 64, 0});
    hidden = size({1, 16, 24, 35, 0});
  }

  std::string write() {
    TypedValue x = addArgument("x", getShape());
    addArgument("r", getShape());
    std::string ops;
    for (size_t count = 1 + random.below(6); count; --count)
      ops += writeOp(values, /*depth=*/0);
    return finish(ops);
  }

private:
  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  int64_t size(std::vector<int64_t> sizes) {
    return random.percent(35) ? kDynamic : random.pick(sizes);
  }

  Shape getShape() const {
    Shape shape = rows;
    shape.push_back(d);
    return shape;
  }

  std::string type(const Shape &shape, StringRef of) const {
    std::string text = onTensors ? "tensor<" : "memref<";
    for (int64_t size : shape)
      text += (size == kDynamic ? "?" : std::to_string(size)) + "x";
    return text + of.str() + ">";
  }
  std::string type(const TypedValue &value) const {
    return type(value.shape, value.element);
  }
  std::string typed(const TypedValue &value) const {
    return value.name + " : " + type(value);
  }

  std::string fresh() { return "%v" + std::to_string(count++); }

  TypedValue addArgument(StringRef hint, Shape shape, StringRef of = {}) {
    TypedValue value{("%" + hint).str() + std::to_string(count++),
                     std::move(shape), of.empty() ? element : of.str()};
    arguments.push_back(value.name + ": " + type(value) +
                        (random.percent(10) ? " {xfmr.weight}" : ""));
    if (value.shape == getShape() && value.element == element)
      values.push_back(value);
    return value;
  }

  /// A gamma, a beta or a bias: sometimes the one that is there.
  std::string vector(StringRef clause, int64_t length, unsigned chance) {
    if (!random.percent(chance))
      return "";
    std::string of = element;
    if (random.percent(30))
      of = element == "f64" ? "f32" : random.pick({"f32", "bf16", "f16"}).str();
    return " " + clause.str() + "(" +
           typed(addArgument(clause.split('_').first, {length}, of)) + ")";
  }

  /// Where a result goes: an argument, a new array, or (rarely) a value that is
  /// in use. `ops` receives what makes it.
  TypedValue destination(std::string &ops, const Shape &shape, StringRef of) {
    bool dynamicInner = llvm::is_contained(shape, kDynamic);
    if (random.percent(20) && shape == getShape() && of == element)
      return random.pick(values);
    if (random.percent(50) || (dynamicInner && shape != getShape()))
      return addArgument("y", shape, of);
    std::vector<std::string> sizes;
    const TypedValue &like = values.front();
    for (auto [dim, extent] : llvm::enumerate(shape))
      if (extent == kDynamic) {
        std::string index = fresh(), name = fresh();
        ops += "  " + index + " = arith.constant " + std::to_string(dim) +
               " : index\n  " + name + " = " +
               (onTensors ? "tensor.dim " : "memref.dim ") + like.name + ", " +
               index + " : " + type(like) + "\n";
        sizes.push_back(name);
      }
    TypedValue value{fresh(), shape, of.str()};
    ops += "  " + value.name + " = " +
           (onTensors ? "tensor.empty(" : "memref.alloc(") +
           llvm::join(sizes, ", ") + ") : " + type(value) + "\n";
    return value;
  }

  /// Ends an op that writes `target`; the result is a new value.
  std::string emit(std::vector<TypedValue> &scope, const std::string &op,
                   std::vector<TypedValue> targets) {
    if (!onTensors) {
      for (TypedValue &target : targets)
        if (target.shape == getShape() && target.element == element)
          scope.push_back(target);
      return "  " + op + "\n";
    }
    std::string name = fresh();
    std::vector<std::string> types;
    for (auto [i, target] : llvm::enumerate(targets)) {
      types.push_back(type(target));
      TypedValue value{targets.size() == 1 ? name
                                           : name + "#" + std::to_string(i),
                       target.shape, target.element};
      if (value.shape == getShape() && value.element == element)
        scope.push_back(value);
    }
    return "  " + name +
           (targets.size() == 1 ? "" : ":" + std::to_string(targets.size())) +
           " = " + op + " -> " + llvm::join(types, ", ") + "\n";
  }

  //===--------------------------------------------------------------------===//
  // Ops of the dialect
  //===--------------------------------------------------------------------===//

  bool isNarrow(StringRef of) const { return of == "f16" || of == "bf16"; }

  std::string roundingName() {
    return random
        .pick({"cast_then_scale", "scale_then_cast", "cast_then_scale<bf16>"})
        .str();
  }

  std::string eps() {
    return random.pick({"1.0e-05", "1.0e-06", "0.0", "1.0e-38"}).str();
  }

  std::string writeNorm(std::vector<TypedValue> &scope) {
    bool rms = random.percent(50), add = random.percent(50);
    std::string ops, op = add ? "xfmr.add_" : "xfmr.";
    op += rms ? "rmsnorm" : "layernorm";
    op += " ins(" + typed(random.pick(scope)) + ")";
    if (add)
      op += " residual(" + typed(random.pick(scope)) + ")";
    std::string gamma = vector("gamma", d, 60);
    op += gamma + vector("beta", d, 40);
    std::vector<TypedValue> targets;
    if (add && random.percent(60)) {
      targets.push_back(destination(ops, getShape(), element));
      op += " sum(" + typed(targets.back()) + ")";
    }
    std::string result = random.percent(20)
                             ? random.pick({"f32", "bf16", "f64"}).str()
                             : element;
    targets.push_back(destination(ops, getShape(), result));
    op += " outs(" + typed(targets.back()) + ")";
    for (StringRef statistic : {"rstd", "mean"})
      if (random.percent(20) && !(rms && statistic == "mean")) {
        targets.push_back(
            destination(ops, rows, element == "f64" ? "f64" : "f32"));
        op += " " + statistic.str() + "(" + typed(targets.back()) + ")";
      }
    if (add && random.percent(30))
      op += " alpha(1.5)";
    op += " eps(" + eps() + ")";
    if (random.percent(25))
      op += " eps_position(outside)";
    if (rms && random.percent(25))
      op += " statistic(l2)";
    if (!rms && random.percent(25))
      op += " unbiased";
    if (!gamma.empty() && random.percent(30))
      op += " weight_offset(1.0)";
    if (add && (isNarrow(element) || random.percent(30)))
      op += " residual_rounding(" +
            random.pick({"round_then_norm", "norm_then_round"}).str() + ")";
    if (isNarrow(result) || random.percent(30))
      op += " rounding(" + roundingName() + ")";
    return ops + emit(scope, op, targets);
  }

  /// A weight's clause, transposed for `out_in`.
  std::string weight(StringRef clause, int64_t in, int64_t out, bool outIn) {
    return " " + clause.str() + "(" +
           typed(addArgument("w", outIn ? Shape{out, in} : Shape{in, out})) +
           ")";
  }

  std::string activation() {
    return " activation(" +
           random
               .pick({"identity", "relu", "relu2", "gelu_erf", "gelu_tanh",
                      "quick_gelu", "silu", "swish, beta = 1.5", "sigmoid",
                      "tanh"})
               .str() +
           ")";
  }

  std::string order() {
    return " order(" +
           random.pick({"gate_up", "up_gate", "interleaved"}).str() + ")";
  }

  std::string writeNetwork(std::vector<TypedValue> &scope) {
    StringRef kind = random.pick({"ffn", "glu_ffn", "swiglu_ffn"});
    bool gated = kind != "ffn", packed = gated && random.percent(30);
    bool outIn = random.percent(60);
    int64_t twice = hidden == kDynamic ? kDynamic : 2 * hidden;
    std::string ops, biases;
    std::string op =
        "xfmr." + kind.str() + " ins(" + typed(random.pick(scope)) + ")";
    if (packed) {
      op += weight("gate_up", d, twice, outIn);
      biases += vector("gate_up_bias", twice, 30);
    } else {
      if (gated) {
        op += weight("gate", d, hidden, outIn);
        biases += vector("gate_bias", hidden, 20);
      }
      op += weight("up", d, hidden, outIn);
      biases += vector("up_bias", hidden, 30);
    }
    op +=
        weight("down", hidden, d, outIn) + biases + vector("down_bias", d, 30);
    TypedValue target = destination(ops, getShape(), element);
    op += " outs(" + typed(target) + ")";
    if (kind != "swiglu_ffn")
      op += activation();
    else if (random.percent(30))
      op += " beta(1.5)";
    op += std::string(" layout(") + (outIn ? "out_in" : "in_out") + ")";
    if (packed)
      op += order();
    if (random.percent(15))
      op += " hidden_type(" + random.pick({"f32", "bf16"}).str() + ")";
    return ops + emit(scope, op, {target});
  }

  std::string writeGate(std::vector<TypedValue> &scope) {
    std::string ops;
    TypedValue target = destination(ops, getShape(), element);
    std::string op = "xfmr.gated_act gate(" + typed(random.pick(scope)) +
                     ") up(" + typed(random.pick(scope)) + ") outs(" +
                     typed(target) + ")" + activation();
    return ops + emit(scope, op, {target});
  }

  std::string writeBlock(std::vector<TypedValue> &scope, unsigned depth) {
    StringRef topology =
        random.pick({"pre", "post", "sandwich", "branch_post", "none"});
    std::string ops;
    std::string op = "xfmr.residual_block " + topology.str() + " ins(" +
                     typed(random.pick(scope)) + ")";
    unsigned norms = topology == "none" ? 0 : topology == "sandwich" ? 2 : 1;
    for (unsigned norm = 1; norm <= norms; ++norm) {
      op += " norm" + std::to_string(norm) + "(<" +
            random.pick({"rmsnorm", "layernorm"}).str() + ", eps = " + eps();
      if (isNarrow(element))
        op += ", rounding = " + roundingName();
      op += ">" + vector("gamma", d, 50) + vector("beta", d, 30) + ")";
    }
    if (random.percent(25))
      op += " mask(" + typed(addArgument("m", rows, "i1")) + ")";
    TypedValue target = destination(ops, getShape(), element);
    op += " outs(" + typed(target) + ")";
    if (random.percent(30))
      op += " alpha(0.5)";
    if (topology == "post" && isNarrow(element))
      op += " residual_rounding(round_then_norm)";
    TypedValue z{fresh(), getShape(), element};
    std::vector<TypedValue> inner = scope;
    inner.push_back(z);
    std::string body;
    for (size_t count = random.below(4); count; --count)
      body += writeOp(inner, depth + 1);
    op += " {\n  ^bb0(" + z.name + ": " + type(z) + "):\n" + body +
          "  xfmr.yield " + typed(inner.back()) + "\n  }";
    return ops + emit(scope, op, {target});
  }

  //===--------------------------------------------------------------------===//
  // Ops of other dialects
  //===--------------------------------------------------------------------===//

  std::string writeLinalg(std::vector<TypedValue> &scope) {
    std::string ops;
    TypedValue a = random.pick(scope), b = random.pick(scope);
    TypedValue target = destination(ops, getShape(), element);
    std::string outs = " outs(" + typed(target) + ")";
    switch (random.below(5)) {
    case 0:
      return ops + emit(scope,
                        "linalg." +
                            random
                                .pick({"exp", "negf", "sqrt", "rsqrt", "tanh",
                                       "copy", "abs", "square"})
                                .str() +
                            " ins(" + typed(a) + ")" + outs,
                        {target});
    case 1:
      if (onTensors && !rows.empty())
        return ops + emit(scope,
                          "linalg.softmax dimension(" +
                              std::to_string(random.below(rows.size() + 1)) +
                              ") ins(" + typed(a) + ")" + outs,
                          {target});
      [[fallthrough]];
    default:
      return ops +
             emit(scope,
                  "linalg." +
                      random.pick({"add", "mul", "sub", "div", "max"}).str() +
                      " ins(" + a.name + ", " + b.name + " : " + type(a) +
                      ", " + type(b) + ")" + outs,
                  {target});
    }
  }

  /// Elementwise ops on tensors, casts and slices of the first rows.
  std::string writeTensorOp(std::vector<TypedValue> &scope) {
    if (!onTensors)
      return writeLinalg(scope);
    TypedValue a = random.pick(scope), b = random.pick(scope);
    TypedValue result{fresh(), getShape(), element};
    std::string start = "  " + result.name + " = ";
    switch (random.below(4)) {
    case 0:
      scope.push_back(result);
      return start + "arith." +
             random.pick({"addf", "mulf", "subf", "maximumf"}).str() + " " +
             a.name + ", " + b.name + " : " + type(a) + "\n";
    case 1:
      scope.push_back(result);
      return start + "math." + random.pick({"exp", "tanh", "sqrt"}).str() +
             " " + a.name + " : " + type(a) + "\n";
    case 2: {
      TypedValue open{fresh(), Shape(getShape().size(), kDynamic), element};
      scope.push_back(result);
      return "  " + open.name + " = tensor.cast " + a.name + " : " + type(a) +
             " to " + type(open) + "\n" + start + "tensor.cast " + open.name +
             " : " + type(open) + " to " + type(result) + "\n";
    }
    default: {
      if (rows.empty() || llvm::is_contained(getShape(), kDynamic))
        return "";
      // Half of the rows, normalised, and put back.
      Shape half = getShape();
      half[0] = (half[0] + 1) / 2;
      std::vector<std::string> zeros(half.size(), "0"), ones(half.size(), "1"),
          sizes;
      for (int64_t size : half)
        sizes.push_back(std::to_string(size));
      std::string slice = "[" + llvm::join(zeros, ", ") + "] [" +
                          llvm::join(sizes, ", ") + "] [" +
                          llvm::join(ones, ", ") + "]";
      TypedValue part{fresh(), half, element}, normed{fresh(), half, element};
      scope.push_back(result);
      return "  " + part.name + " = tensor.extract_slice " + a.name + slice +
             " : " + type(a) + " to " + type(part) + "\n  " + normed.name +
             " = xfmr.rmsnorm ins(" + typed(part) + ") outs(" + typed(part) +
             ") eps(1.0e-05) rounding(cast_then_scale) -> " + type(part) +
             "\n" + start + "tensor.insert_slice " + normed.name + " into " +
             b.name + slice + " : " + type(part) + " into " + type(b) + "\n";
    }
    }
  }

  std::string writeLoop(std::vector<TypedValue> &scope, unsigned depth) {
    std::string zero = fresh(), one = fresh(), end = fresh(), i = fresh();
    std::string ops = "  " + zero + " = arith.constant 0 : index\n  " + one +
                      " = arith.constant 1 : index\n  " + end +
                      " = arith.constant 3 : index\n";
    std::vector<TypedValue> inner = scope;
    std::string range = i + " = " + zero + " to " + end + " step " + one;
    if (!onTensors) {
      std::string body = writeOp(inner, depth + 1);
      return ops + "  scf.for " + range + " {\n" + body + "  }\n";
    }
    TypedValue carried{fresh(), getShape(), element};
    TypedValue result{fresh(), getShape(), element};
    const TypedValue start = random.pick(scope);
    inner.push_back(carried);
    std::string body = writeOp(inner, depth + 1);
    ops += "  " + result.name + " = scf.for " + range + " iter_args(" +
           carried.name + " = " + start.name + ") -> (" + type(result) +
           ") {\n" + body + "  scf.yield " + typed(inner.back()) + "\n  }\n";
    scope.push_back(result);
    return ops;
  }

  std::string writeOp(std::vector<TypedValue> &scope, unsigned depth) {
    switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return writeNorm(scope);
    case 3:
    case 4:
      return writeNetwork(scope);
    case 5:
      return writeGate(scope);
    case 6:
    case 7:
      return depth < 2 ? writeBlock(scope, depth) : writeNorm(scope);
    case 8:
      return depth < 2 ? writeLoop(scope, depth) : writeNorm(scope);
    case 9:
      return writeTensorOp(scope);
    default:
      return writeLinalg(scope);
    }
  }

  std::string finish(const std::string &ops) {
    std::string text = std::string("func.func ") +
                       (random.percent(10) ? "private " : "") + "@program(" +
                       llvm::join(arguments, ",\n    ") + ")";
    if (!onTensors)
      return text + " {\n" + ops + "  return\n}\n";
    // The last values, which keep the others alive.
    std::vector<std::string> names, types;
    for (const TypedValue &value : llvm::reverse(values)) {
      names.push_back(value.name);
      types.push_back(type(value));
      if (random.percent(60))
        break;
    }
    return text + " -> (" + llvm::join(types, ", ") + ") {\n" + ops +
           "  return " + llvm::join(names, ", ") + " : " +
           llvm::join(types, ", ") + "\n}\n";
  }

  Random &random;
  std::string element;
  bool onTensors;
  Shape rows;
  int64_t d, hidden;
  unsigned count = 0;
  std::vector<std::string> arguments;
  /// Values of the type of the data, in the function's block.
  std::vector<TypedValue> values;
};

} // namespace

std::string fuzz::generateProgram(Random &random) {
  return ProgramWriter(random).write();
}

std::string fuzz::generatePasses(Random &random) {
  std::string cpu =
      random.pick({"x86-64", "x86-64-v3", "x86-64-v3", "x86-64-v4"}).str();
  switch (random.below(8)) {
  case 0:
    return "canonicalize,cse";
  case 1:
    return "xfmr-to-linalg,canonicalize";
  case 2:
    return "xfmr-expand-residual-blocks,canonicalize,xfmr-tile-rows";
  case 3:
    return "xfmr-lower-to-cpu{cpu=" + cpu +
           " threads=2 runtime-checks=true tile-rows=" +
           random.pick({"0", "1", "3"}).str() +
           " hidden-block=" + random.pick({"1", "16", "512"}).str() + "}";
  case 4: {
    // Alone, and out of order.
    std::vector<std::string> names;
    for (size_t count = 1 + random.below(3); count; --count)
      names.push_back(random.pick(getPassNames()));
    return llvm::join(names, ",");
  }
  default:
    return "xfmr-lower-to-cpu{cpu=" + cpu + "}";
  }
}
