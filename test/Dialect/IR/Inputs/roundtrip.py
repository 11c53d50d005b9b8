"""Prints and reads back every op with every subset of its optional operands.

roundtrip.py FILE writes a module with all combinations to FILE, and fails when
its pretty, generic and bytecode forms do not read back identical, when the
pretty form shows segment sizes, or when eps is printed other than as written.
"""

import collections
import itertools
import re
import subprocess
import sys

EPS = ["1.0e-06", "1.0e-38", "1.0"]
ROUNDINGS = ["cast_then_scale", "cast_then_scale<bf16>", "scale_then_cast"]
ACTIVATIONS = ["identity", "relu", "relu2", "gelu_erf", "gelu_tanh", "quick_gelu", "silu",
               "swish, beta = 1.0e-03", "sigmoid", "tanh"]
CLAMPED = "clamped_swish, limit = 7.0, beta = 1.702, up_offset = 1.0"
LAYOUTS = ["in_out", "out_in"]
ROWS, D, HIDDEN = 2, 4, 6


def subsets(items):
    for size in range(len(items) + 1):
        yield from itertools.combinations(items, size)


class Module:
    """The text of a module, one function an op."""

    def __init__(self):
        self.functions = []
        self.count = collections.Counter()

    def add(self, op, operands, attributes, result_shapes, kind, prefix="", region=""):
        """`operands` are (name, shape, element type); a name with %s stands for
        text in which the operand goes."""
        arguments, parts = [], []
        for i, (name, shape, element) in enumerate(operands):
            dims = "".join("%sx" % d for d in shape)
            arguments.append("%%a%d: %s<%s%s>" % (i, kind, dims, element))
            use = "%%a%d : %s<%s%s>" % (i, kind, dims, element)
            parts.append(name % use if "%s" in name else "%s(%s)" % (name, use))
        text = "  xfmr.%s %s%s %s%s" % (op, prefix, " ".join(parts), " ".join(attributes), region)
        if kind == "tensor":
            text = text.replace("  xfmr.", "  %%r%s = xfmr." % (":%d" % len(result_shapes) if len(result_shapes) > 1 else ""), 1)
            text += " -> " + ", ".join("tensor<%s%s>" % ("".join("%sx" % d for d in s), e) for s, e in result_shapes)
        self.functions.append("func.func @%s_%d(%s) {\n%s\n  return\n}\n"
                              % (op, self.count[op], ", ".join(arguments), text))
        self.count[op] += 1


def add_norms(module, kind):
    row = (ROWS, D)
    for op in ("rmsnorm", "layernorm", "add_rmsnorm", "add_layernorm"):
        residual, layer = op.startswith("add_"), op.endswith("layernorm")
        optional = ["gamma", "beta", "rstd"] + ["mean"] * layer + ["sum"] * residual
        # Each attribute alone, and all at once.
        variants = [{}]
        variants += [{"eps_position": "outside"}, {"unbiased": None} if layer else {"statistic": "l2"}]
        variants += [{"rounding": rounding} for rounding in ROUNDINGS]
        if residual:
            variants += [{"alpha": "0.5"}]
            variants += [{"residual_rounding": r} for r in ("round_then_norm", "norm_then_round")]
        together = {}
        for variant in variants:
            together.update(variant)
        variants.append(together)
        for chosen, eps, variant, dims in itertools.product(subsets(optional), EPS, variants, (1, 2)):
            variant = dict(variant)
            if dims == 2:
                variant["normalized_dims"] = "2"
            if "gamma" in chosen and eps == "1.0":
                variant["weight_offset"] = "1.0"
            inner, outer = row[len(row) - dims:], row[:len(row) - dims]
            operands = [("ins", row, "f32")]
            operands += [("residual", row, "f16")] * residual
            operands += [(name, inner, "bf16") for name in ("gamma", "beta") if name in chosen]
            destinations = [("sum", row, "f32")] * ("sum" in chosen) + [("outs", row, "f32")]
            destinations += [(name, outer, "f32") for name in ("rstd", "mean") if name in chosen]
            attributes = ["alpha(%s)" % variant["alpha"]] if "alpha" in variant else []
            attributes.append("eps(%s)" % eps)
            for name in ("eps_position", "unbiased", "statistic", "weight_offset", "normalized_dims",
                         "residual_rounding", "rounding"):
                if name in variant:
                    attributes.append(name if variant[name] is None else "%s(%s)" % (name, variant[name]))
            module.add(op, operands + destinations, attributes,
                       [(shape, element) for _, shape, element in destinations], kind)


def weight(layout, inputs, outputs):
    return (inputs, outputs) if layout == "in_out" else (outputs, inputs)


def spell(layouts):
    """The layouts as a user may write them, which need not be as printed."""
    return "layout(%s)" % ", ".join("%s = %s" % item for item in layouts.items())


def add_networks(module, kind):
    x, y = ("ins", (ROWS, D), "f16"), ("outs", (ROWS, D + 1), "f32")
    results = [(y[1], y[2])]
    hidden_types = ["", "hidden_type(bf16)"]
    for up, down, biases, activation, hidden in itertools.product(
            LAYOUTS, LAYOUTS, subsets(["up_bias", "down_bias"]), ACTIVATIONS, hidden_types):
        operands = [x, ("up", weight(up, D, HIDDEN), "f32"), ("down", weight(down, HIDDEN, D + 1), "f16")]
        operands += [(name, (HIDDEN if name == "up_bias" else D + 1,), "bf16") for name in biases]
        module.add("ffn", operands + [y], ["activation(%s)" % activation, spell({"up": up, "down": down}), hidden],
                   results, kind)
    for op in ("glu_ffn", "swiglu_ffn"):
        gates = ["activation(%s)" % a for a in ACTIVATIONS + [CLAMPED]] if op == "glu_ffn" else \
            ["", "beta(1.0)", "beta(1.5)"]
        for gate, up, down, biases, act, hidden in itertools.product(
                LAYOUTS, LAYOUTS, LAYOUTS, subsets(["gate_bias", "up_bias", "down_bias"]), gates, hidden_types):
            operands = [x, ("gate", weight(gate, D, HIDDEN), "f32"), ("up", weight(up, D, HIDDEN), "f32"),
                        ("down", weight(down, HIDDEN, D + 1), "f16")]
            operands += [(name, (D + 1 if name == "down_bias" else HIDDEN,), "bf16") for name in biases]
            module.add(op, operands + [y], [act, spell({"gate": gate, "up": up, "down": down}), hidden], results, kind)
        for packed, down, order, biases, act, hidden in itertools.product(
                LAYOUTS, LAYOUTS, ["gate_up", "up_gate", "interleaved"],
                subsets(["gate_up_bias", "down_bias"]), gates, hidden_types):
            operands = [x, ("gate_up", weight(packed, D, 2 * HIDDEN), "f32"),
                        ("down", weight(down, HIDDEN, D + 1), "f16")]
            operands += [(name, (D + 1 if name == "down_bias" else 2 * HIDDEN,), "bf16") for name in biases]
            module.add(op, operands + [y], [act, spell({"down": down, "gate_up": packed}), "order(%s)" % order, hidden],
                       results, kind)


def add_gates(module, kind):
    y = ("outs", (ROWS, HIDDEN), "f32")
    for activation in ACTIVATIONS + [CLAMPED]:
        act = "activation(%s)" % activation
        module.add("gated_act", [("gate", (ROWS, HIDDEN), "f16"), ("up", (ROWS, HIDDEN), "f32"), y], [act],
                   [(y[1], y[2])], kind)
        for order in ("gate_up", "up_gate", "interleaved"):
            module.add("gated_act", [("gate_up", (ROWS, 2 * HIDDEN), "f16"), y], [act, "order(%s)" % order],
                       [(y[1], y[2])], kind)


def add_blocks(module, kind):
    x = (ROWS, D)
    type_ = "%s<%dx%dxf32>" % (kind, ROWS, D)
    region = " {\n  ^bb0(%%z: %s):\n    xfmr.yield %%z : %s\n  }" % (type_, type_)
    norms = {"pre": 1, "post": 1, "sandwich": 2, "branch_post": 1, "none": 0}
    bodies = ["rmsnorm, eps = %s", "rmsnorm, eps = %s, eps_position = outside, statistic = l2, rounding = cast_then_scale<f16>",
              "layernorm, eps = %s, unbiased, rounding = scale_then_cast"]
    for topology, number in norms.items():
        optional = ["gamma%d" % n for n in range(number)] + ["beta%d" % n for n in range(number)]
        for chosen, mask, eps, body, alpha in itertools.product(
                subsets(optional), (False, True), EPS, bodies, ("", "alpha(2.5)")):
            prefix, operands = topology + " ", [("ins", x, "f32")]
            for n in range(number):
                # A gamma with its offset, a beta; the norm's text stands before the first of them.
                inner = [name for name in ("gamma", "beta") if name + str(n) in chosen]
                norm = body % eps + (", weight_offset = 1.0" if "gamma" in inner else "")
                before = "norm%d(<%s> " % (n + 1, norm)
                if not inner:
                    operands[-1] = (operands[-1][0] if "%s" in operands[-1][0] else operands[-1][0] + "(%s)",
                                    ) + operands[-1][1:]
                    operands[-1] = (operands[-1][0] + " " + before + ")",) + operands[-1][1:]
                for i, name in enumerate(inner):
                    text = "%s(%%s)" % name
                    text = (before if i == 0 else "") + text + (")" if i == len(inner) - 1 else "")
                    operands.append((text, (D,), "bf16"))
            if mask:
                operands.append(("mask", (ROWS,), "i1"))
            operands.append(("outs", x, "f32"))
            attributes = [alpha] + (["residual_rounding(norm_then_round)"] if topology == "post" and mask else [])
            module.add("residual_block", operands, attributes, [(x, "f32")], kind, prefix, region)


def run(arguments, text):
    result = subprocess.run(["xfmr-opt", *arguments], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode:
        sys.exit(result.stderr.decode()[:4000])
    return result.stdout


def main():
    module = Module()
    for kind in ("tensor", "memref"):
        add_norms(module, kind)
        add_networks(module, kind)
        add_gates(module, kind)
        add_blocks(module, kind)
    text = "\n".join(module.functions)
    # Functions of an op are numbered on from tensors to memrefs, so names differ.
    with open(sys.argv[1], "w") as file:
        file.write(text)
    pretty = run([], text.encode())
    for name, form in (("pretty", pretty), ("generic", run(["-mlir-print-op-generic"], pretty)),
                       ("bytecode", run(["-emit-bytecode"], pretty))):
        if run([], form) != pretty:
            sys.exit("the %s form reads back different" % name)
    printed = pretty.decode()
    for wrong in ("SegmentSizes", "array<"):
        if wrong in printed:
            sys.exit("the pretty form holds " + wrong)
    epsilon = re.compile(r"\beps(?:\(| = )([^,)> ]+)")
    if epsilon.findall(printed) != epsilon.findall(text):
        sys.exit("an eps is printed other than as it was written")
    # The generic form holds what was read: the very number.
    generic = run(["-mlir-print-op-generic"], pretty).decode()
    values = re.findall(r"<\{(?:[^{}]*, )?eps = ([^ ]+) : f64", generic)
    written = [float(eps) for eps in re.findall(r"\beps\(([^)]+)\)", text)]
    if [float(value) for value in values] != written or not written:
        sys.exit("an eps is not the number that was written")
    for op, count in sorted(module.count.items()):
        print("%s: %d combinations" % (op, count))


main()
