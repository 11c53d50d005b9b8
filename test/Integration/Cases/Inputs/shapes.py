"""Cases A9 and A10: sizes of zero, sizes of one, and sizes known at run time only."""

import itertools

import numpy as np

from compiled import WIDE, Checks, Module, decode, encode, norm, norm_reference, shape, ulp
from networks import activate, network

check = Checks()
random = np.random.default_rng(9)
NORMS = ("rmsnorm", "layernorm", "add_rmsnorm", "add_layernorm")


def label(sizes):
    return "x".join("N" if size is None else str(size) for size in sizes)


def gate(sizes, element="f32"):
    its = f"tensor<{shape(*sizes)}x{element}>"
    name = f"gate_{label(sizes)}"
    return (f"func.func @{name}(%g: {its}, %u: {its}, %y: {its}) -> {its} {{\n"
            f"  %0 = xfmr.gated_act gate(%g : {its}) up(%u : {its}) outs(%y : {its}) activation(silu) -> {its}\n"
            f"  return %0 : {its}\n}}\n")


def block(sizes):
    its = f"tensor<{shape(*sizes)}xf32>"
    return (f"func.func @block_{label(sizes)}(%x: {its}, %y: {its}) -> {its} {{\n"
            f"  %0 = xfmr.residual_block pre ins(%x : {its}) norm1(<rmsnorm, eps = 1.0e-05>) outs(%y : {its}) {{\n"
            f"  ^bb0(%z: {its}):\n    xfmr.yield %z : {its}\n  }} -> {its}\n  return %0 : {its}\n}}\n")


def functions(sizes):
    return "".join(norm(f"{op}_{label(sizes)}", op, sizes, "f32", gamma="f32", beta="f32") for op in NORMS) + gate(
        sizes) + block(sizes)


def run(module, sizes, actual, what):
    """All functions for the type `sizes` on arrays of the size `actual`."""
    x, r = (random.standard_normal(actual).astype(np.float32) for _ in range(2))
    gamma, beta = (random.uniform(0.5, 2, actual[-1]).astype(np.float32) for _ in range(2))
    out = lambda: np.full(actual, 7, np.float32)
    rank = len(actual)
    for op in NORMS:
        rows = [x, r] if op.startswith("add_") else [x]
        got, = module.call(f"{op}_{label(sizes)}", [*rows, gamma, beta, out()], [("f32", rank)])
        # The sum is rounded once before it is normalised.
        y, bound = norm_reference(decode(x + r if len(rows) == 2 else x, "f32"), decode(gamma, "f32"), decode(beta, "f32"), "f32",
                                  op.removeprefix("add_"), 1e-5)
        check.close(got, y, bound, "f32", f"{op} {what}")
    got, = module.call(f"gate_{label(sizes)}", [x, r, out()], [("f32", rank)])
    y = activate("silu", decode(x, "f32")) * decode(r, "f32")
    check.close(got, y, 5 * ulp(y, "f32"), "f32", f"gated_act {what}")
    got, = module.call(f"block_{label(sizes)}", [x, out()], [("f32", rank)])
    wide = decode(x, "f32")
    normalised, bound = norm_reference(wide, 1, 0, "f32", "rmsnorm", 1e-5)
    check.close(got, wide + normalised, bound + ulp(wide + normalised, "f32"), "f32", f"residual_block {what}")


# A9: sizes of zero; A10: one and open sizes. Types, and the sizes to run them with.
TYPES = {
    (0, 128): [()], (4, 0, 16): [()], (4, 0): [()],
    (1, 24): [()], (1, 8, 4, 32): [()],
    (1, 5, 6): [()], (5, 1, 6): [()], (5, 6, 1): [()], (1, 1, 1): [()], (1,): [()], (0,): [()],
    (None, 12, 40): [(rows,) for rows in (0, 1, 2, 7, 33)],
    (None, None, 48): list(itertools.product((0, 1, 2, 7, 33), (1, 3))) + [(2, 0)],
    (None, None): [(rows, d) for rows in (0, 1, 2, 7, 33) for d in (0, 1, 5, 64, 384)],
    (None, 1, None): [(rows, d) for rows in (0, 1, 7) for d in (1, 5)],
    (None, None, None): [(1, 5, 6), (5, 1, 6), (5, 6, 1), (4, 0, 16), (4, 3, 0), (0, 2, 2)],
    (None,): [(0,), (1,), (5,), (200,)],
}
module = Module("".join(map(functions, TYPES)))
for sizes, runs in TYPES.items():
    for values in runs:
        rest = iter(values)
        actual = tuple(next(rest) if size is None else size for size in sizes)
        run(module, sizes, actual, f"of {label(sizes)} with {actual}")

# The published shapes.
published = [(1, 128, 64, 32), (None, 198, 384)]
module = Module("".join(norm(f"layernorm_{label(sizes)}", "layernorm", sizes, "f32") for sizes in published))
for sizes, rows in [(published[0], 1)] + [(published[1], rows) for rows in (0, 1, 2, 7, 33)]:
    x = random.standard_normal((rows, *sizes[1:])).astype(np.float32)
    got, = module.call(f"layernorm_{label(sizes)}", [x, np.zeros_like(x)], [("f32", x.ndim)])
    check(got.shape == x.shape, f"{got.shape} of {x.shape}")
    if rows:
        # A part of the rows: the reference is slow.
        part, bound = norm_reference(decode(x[-1:, ::9], "f32"), 1, 0, "f32", "layernorm", 1e-5)
        check.close(got[-1:, ::9], part, bound, "f32", f"layernorm of {x.shape}")

# Half types in one open shape.
HALVES = ("f16", "bf16", "f64")
module = Module("".join(norm(f"{op}_{element}", op, (None, None), element) for op in ("rmsnorm", "layernorm")
                        for element in HALVES))
for element in HALVES:
    for op in ("rmsnorm", "layernorm"):
        for actual in itertools.product((0, 1, 2, 7, 33), (0, 1, 40)):
            x = encode(random.standard_normal(actual), element)
            got, = module.call(f"{op}_{element}", [x, np.zeros_like(x)], [(element, 2)])
            if 0 in actual:
                check(got.shape == actual, f"{op} of {element}: {got.shape} of {actual}")
            else:
                y, bound = norm_reference(decode(x, element), 1, 0, element, op, 1e-5)
                check.close(got, y, bound, element, f"{op} of {element}, {actual}")

# Networks: no hidden values at all, no rows, one of each.
FORMS = {
    "swiglu_ffn": ("swiglu_ffn", ("in_out",) * 3, (False, False, True), None),
    "glu_ffn": ("glu_ffn", ("out_in",) * 3, (False,) * 3, "relu"),
    "ffn": ("ffn", ("in_out",) * 2, (False, True), "sigmoid"),
}
STATIC = {"empty": (3, 4, 0, 5), "unit": (1, 1, 1, 1), "rowless": (0, 4, 3, 5)}
text = ""
for key, (kind, layouts, biases, activation) in FORMS.items():
    text += network(f"{key}_any", kind, layouts, biases, activation=activation)
    if key != "glu_ffn":
        for name, (rows, d, d_ff, d_out) in STATIC.items():
            text += network(f"{key}_{name}", kind, layouts, biases, rows=(rows,), d=d, d_ff=d_ff, d_out=d_out,
                            activation=activation)
text += network("cube", "swiglu_ffn", ("out_in",) * 3, (False,) * 3, rows=(None, 1), d=4, d_ff=3, d_out=5)
module = Module(text, "-O0")


def run_network(key, function, rows, d, d_ff, d_out):
    kind, layouts, biases, activation = FORMS[key]
    gated = kind != "ffn"
    sizes = [(d, d_ff)] * (2 if gated else 1) + [(d_ff, d_out)]
    values = [random.uniform(-1, 1, size).astype(np.float32) for size in sizes]
    x = random.uniform(-1, 1, (*rows, d)).astype(np.float32)
    bias = random.uniform(-1, 1, d_out).astype(np.float32)
    laid = [np.ascontiguousarray(value if layout == "in_out" else value.T) for value, layout in zip(values, layouts)]
    arguments = [x, *laid, *([bias] if biases[-1] else []), np.full((*rows, d_out), 7, np.float32)]
    got, = module.call(function, arguments, [("f32", len(rows) + 1)])
    wide = [value.astype(WIDE) for value in values]
    products = [x.astype(WIDE) @ value for value in wide[:-1]]
    hidden = activate(activation or "silu", products[0]) * (products[1] if gated else 1)
    y = hidden @ wide[-1] + (bias if biases[-1] else 0)
    check.close(got, y, WIDE(1e-5), "f32", f"{function} of {rows}, {d}, {d_ff}, {d_out}")
    if d_ff == 0:
        check(np.array_equal(got, np.broadcast_to(bias if biases[-1] else np.float32(0), got.shape)),
              f"{function} without hidden values: {got}")


for key in FORMS:
    for rows, d, d_ff, d_out in itertools.product((0, 1, 2, 7, 33), (1, 4), (0, 1, 3), (1, 5)):
        run_network(key, f"{key}_any", (rows,), d, d_ff, d_out)
    run_network(key, f"{key}_any", (2,), 0, 3, 5)
    run_network(key, f"{key}_any", (2,), 4, 3, 0)
    if key != "glu_ffn":
        for name, (rows, d, d_ff, d_out) in STATIC.items():
            run_network(key, f"{key}_{name}", (rows,), d, d_ff, d_out)
FORMS["cube"] = ("swiglu_ffn", ("out_in",) * 3, (False,) * 3, None)
for rows in (0, 1, 2, 7, 33):
    run_network("cube", "cube", (rows, 1), 4, 3, 5)
check.finish(400)
