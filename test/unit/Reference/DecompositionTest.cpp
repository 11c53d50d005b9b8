//===- DecompositionTest.cpp - Decompositions mean their ops ----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference evaluates an op, and the linalg ops that it is decomposed into,
// on the same data: two descriptions that share no code agree.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Pass/PassManager.h"
#include "xfmr/Dialect/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::xfmr::reference;

namespace {
class DecompositionTest : public ReferenceTest {
protected:
  /// Evaluates the function before and after its decomposition on random data.
  void check(const std::string &source, bool worksOnBits = false) {
    SCOPED_TRACE(source);
    func::FuncOp whole = parse(source), parts = parse(source);
    ASSERT_TRUE(whole && parts);
    PassManager manager(&context);
    manager.addPass(mlir::xfmr::createToLinalg());
    ASSERT_TRUE(succeeded(manager.run(modules.back().get())));
    bool left = false;
    parts.walk([&](Operation *op) {
      left |= op->getName().getDialectNamespace() == "xfmr";
    });
    EXPECT_FALSE(left);

    std::vector<OwnedArray> arrays;
    for (Type argument : whole.getArgumentTypes()) {
      auto type = cast<ShapedType>(argument);
      SmallVector<int64_t> shape(type.getShape());
      for (int64_t &size : shape)
        size = ShapedType::isDynamic(size) ? 6 : size;
      std::string element;
      llvm::raw_string_ostream(element) << type.getElementType();
      arrays.push_back(randomArray(element, shape));
    }
    SmallVector<const OwnedArray *> arguments;
    for (const OwnedArray &array : arrays)
      arguments.push_back(&array);
    SmallVector<Expected> right = evaluate(whole, arguments);
    SmallVector<Expected> got = evaluate(parts, arguments);
    ASSERT_EQ(right.size(), got.size());
    for (auto [expected, result] : llvm::zip_equal(right, got)) {
      OwnedArray array(result.elementType, result.shape);
      int64_t open = 0;
      for (int64_t i = 0; i < array.size(); ++i) {
        // The reference cannot follow a decomposition that looks at the bits of
        // f32 numbers, and says so.
        const bool isOpen = std::isinf(result.bound[i]);
        array.set(i, isOpen ? expected.value[i] : result.value[i]);
        open += isOpen;
      }
      EXPECT_TRUE(open == 0 || worksOnBits);
      EXPECT_TRUE(matches(array, expected));
    }
  }

  /// A function whose arguments `%a0`, `%a1`, .. have the types; `body` is one
  /// op, `result` its type.
  std::string function(ArrayRef<std::string> types, const std::string &body,
                       const std::string &result) {
    std::string text = "func.func @f(";
    for (auto [index, type] : llvm::enumerate(types))
      text += (index ? ", %a" : "%a") + std::to_string(index) + ": " + type;
    return text + ") -> " + result + " {\n%0 = " + body + " -> " + result +
           "\nreturn %0 : " + result + "\n}";
  }
  static std::string tensor(const std::string &shape, StringRef element) {
    return "tensor<" + shape + "x" + element.str() + ">";
  }
};
} // namespace

TEST_F(DecompositionTest, Norms) {
  for (StringRef t : {"f16", "bf16", "f32", "f64"})
    for (StringRef op : {"rmsnorm", "layernorm"})
      for (StringRef rest :
           {"eps(1.0e-5)", "eps(0.25) eps_position(outside)",
            "eps(1.0e-5) weight_offset(1.0)", "eps(1.0e-5) normalized_dims(2)"})
        for (StringRef rounding : {"cast_then_scale", "scale_then_cast"})
          for (StringRef r : {t, StringRef("f32")}) {
            const bool two = rest.contains("normalized");
            std::string x = tensor("?x7x33", t), y = tensor("?x7x33", r),
                        g = tensor(two ? "7x33" : "33", t);
            std::string extra = rest.str();
            if ((r != "f32" && r != "f64") || (t == "f64" && r == "f32"))
              extra += " rounding(" + rounding.str() + ")";
            check(function({x, g, g, y},
                           "xfmr." + op.str() + " ins(%a0 : " + x +
                               ") gamma(%a1 : " + g + ") beta(%a2 : " + g +
                               ") outs(%a3 : " + y + ") " + extra,
                           y));
          }
}

TEST_F(DecompositionTest, ResidualNorms) {
  for (StringRef t : {"bf16", "f32"})
    for (StringRef op : {"add_rmsnorm", "add_layernorm"})
      for (StringRef sees : {"round_then_norm", "norm_then_round"}) {
        std::string x = tensor("?x40", t);
        std::string rounding = t == "f32" ? ""
                                          : " residual_rounding(" + sees.str() +
                                                ") rounding(scale_then_cast)";
        check("func.func @f(%x: " + x + ", %r: " + x + ", %y: " + x + ") -> (" +
              x + ", " + x + ") {\n%0:2 = xfmr." + op.str() + " ins(%x : " + x +
              ") residual(%r : " + x + ") sum(%y : " + x + ") outs(%y : " + x +
              ") alpha(1.75) eps(1.0e-5)" + rounding + " -> " + x + ", " + x +
              "\nreturn %0#0, %0#1 : " + x + ", " + x + "\n}");
      }
}

TEST_F(DecompositionTest, Networks) {
  for (StringRef t : {"f16", "bf16", "f32", "f64"}) {
    std::string x = tensor("?x24", t), w = tensor("24x50", t),
                d = tensor("50x9", t), y = tensor("?x9", t),
                b = tensor("50", t), c = tensor("9", t);
    for (StringRef activation : {"relu", "relu2", "gelu_erf", "gelu_tanh",
                                 "quick_gelu", "silu", "sigmoid", "tanh"})
      check(function({x, w, d, b, c, y},
                     "xfmr.ffn ins(%a0 : " + x + ") up(%a1 : " + w +
                         ") down(%a2 : " + d + ") up_bias(%a3 : " + b +
                         ") down_bias(%a4 : " + c + ") outs(%a5 : " + y +
                         ") activation(" + activation.str() +
                         ") layout(in_out)",
                     y),
            /*worksOnBits=*/activation == "sigmoid" ||
                activation.starts_with("gelu"));
    std::string g = tensor("50x24", t), p = tensor("100x24", t),
                pb = tensor("100", t);
    check(function({x, g, g, d, y},
                   "xfmr.swiglu_ffn ins(%a0 : " + x + ") gate(%a1 : " + g +
                       ") up(%a2 : " + g + ") down(%a3 : " + d +
                       ") outs(%a4 : " + y +
                       ") beta(1.5) layout(gate = out_in, up = out_in, "
                       "down = in_out)",
                   y));
    for (StringRef order : {"gate_up", "up_gate", "interleaved"})
      check(function({x, p, d, pb, y},
                     "xfmr.glu_ffn ins(%a0 : " + x + ") gate_up(%a1 : " + p +
                         ") down(%a2 : " + d + ") gate_up_bias(%a3 : " + pb +
                         ") outs(%a4 : " + y +
                         ") activation(clamped_swish, limit = 7.0, "
                         "beta = 1.702, up_offset = 1.0) layout(gate_up = "
                         "out_in, down = in_out) order(" +
                         order.str() + ")",
                     y));
    std::string v = tensor("?x10", t), q = tensor("?x20", t);
    for (StringRef order : {"gate_up", "up_gate", "interleaved"})
      check(function({q, v},
                     "xfmr.gated_act gate_up(%a0 : " + q + ") outs(%a1 : " + v +
                         ") activation(relu) order(" + order.str() + ")",
                     v));
  }
}

TEST_F(DecompositionTest, ResidualBlocks) {
  for (StringRef t : {"bf16", "f32"})
    for (StringRef topology :
         {"pre", "post", "sandwich", "branch_post", "none"}) {
      const bool half = t == "bf16";
      std::string x = tensor("?x16", t), w = tensor("16x16", t);
      std::string rounding = half ? ", rounding = cast_then_scale" : "";
      std::string norm = "(<layernorm, eps = 1.0e-5" + rounding + ">)";
      std::string norms = topology == "none" ? "" : " norm1" + norm;
      if (topology == "sandwich")
        norms += " norm2" + norm;
      std::string rest = " alpha(1.25)";
      if (topology == "post" && half)
        rest += " residual_rounding(round_then_norm)";
      check("func.func @f(%x: " + x + ", %w: " + w + ", %y: " + x + ") -> " +
            x + " {\n%0 = xfmr.residual_block " + topology.str() +
            " ins(%x : " + x + ")" + norms + " outs(%y : " + x + ")" + rest +
            " {\n^bb0(%z: " + x + "):\n%f = xfmr.ffn ins(%z : " + x +
            ") up(%w : " + w + ") down(%w : " + w + ") outs(%y : " + x +
            ") activation(relu) layout(in_out) -> " + x + "\nxfmr.yield %f : " +
            x + "\n} -> " + x + "\nreturn %0 : " + x + "\n}");
    }
}
