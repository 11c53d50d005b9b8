"""Case A8: arrays whose elements do not lie side by side give the bits of contiguous
copies, and nothing between their elements is written."""

import numpy as np

from compiled import STORAGE, Checks, Module, bits, encode

check = Checks()
random = np.random.default_rng(8)
OPS = {}


def define(name, body, **sizes):
    """A function on memrefs of open strides: `sizes` are the arguments, y the last."""
    OPS[name] = (body, sizes)


define("rmsnorm", "xfmr.rmsnorm ins(%x : MAT) gamma(%g : VEC) beta(%b : VEC) outs(%y : MAT) eps(1.0e-05) ROUND",
       x="rd", g="d", b="d", y="rd")
define("layernorm", "xfmr.layernorm ins(%x : MAT) gamma(%g : VEC) outs(%y : MAT) rstd(%s : ACC) eps(1.0e-05) ROUND",
       x="rd", g="d", s="*r", y="rd")
for op in ("add_rmsnorm", "add_layernorm"):
    define(op, f"xfmr.{op} ins(%x : MAT) residual(%r : MAT) sum(%s : MAT) outs(%y : MAT) eps(1.0e-05) RESIDUAL ROUND",
           x="rd", r="rd", s="*rd", y="rd")
define("gate", "xfmr.gated_act gate(%g : MAT) up(%u : MAT) outs(%y : MAT) activation(silu)", g="rd", u="rd", y="rd")
define("packed", "xfmr.gated_act gate_up(%g : MAT) outs(%y : MAT) activation(gelu_tanh) order(interleaved)", g="rD", y="rd")
define("block", """xfmr.residual_block post ins(%x : MAT) norm1(<rmsnorm, eps = 1.0e-05 NORM>) outs(%y : MAT) RESIDUAL {
  ^bb0(%z: MAT):
    xfmr.yield %z : MAT
  }""", x="rd", y="rd")
NETWORKS = {}
NETWORKS["ffn"] = ("xfmr.ffn ins(%x : MAT) up(%u : MAT) down(%w : MAT) up_bias(%b : VEC) outs(%y : MAT) "
                   "activation(relu) layout(in_out)", dict(x="rd", u="dh", w="hd", b="h", y="rd"))
NETWORKS["swiglu_ffn"] = ("xfmr.swiglu_ffn ins(%x : MAT) gate(%g : MAT) up(%u : MAT) down(%w : MAT) outs(%y : MAT) "
                          "layout(gate = out_in, up = in_out, down = out_in)",
                          dict(x="rd", g="hd", u="dh", w="dh", y="rd"))
NETWORKS["glu_ffn"] = ("xfmr.glu_ffn ins(%x : MAT) gate_up(%g : MAT) down(%w : MAT) outs(%y : MAT) "
                       "activation(sigmoid) layout(out_in) order(up_gate)", dict(x="rd", g="Hd", w="dh", y="rd"))


def function(name, element):
    body, sizes = {**OPS, **NETWORKS}[name]
    mat = f"memref<?x?x{element}, strided<[?, ?], offset: ?>>"
    vec = f"memref<?x{element}, strided<[?], offset: ?>>"
    acc = f"memref<?x{'f64' if element == 'f64' else 'f32'}, strided<[?], offset: ?>>"
    half = element in ("f16", "bf16")
    body = body.replace("MAT", mat).replace("VEC", vec).replace("ACC", acc)
    body = body.replace("ROUND", "rounding(scale_then_cast)" if half else "")
    body = body.replace("RESIDUAL", "residual_rounding(norm_then_round)" if half else "")
    body = body.replace("NORM", ", rounding = cast_then_scale" if half else "")
    types = ", ".join(f"%{key}: {acc if its == '*r' else mat if len(its.strip('*')) == 2 else vec}" for key, its in sizes.items())
    return f"func.func @{name}_{element}({types}) {{\n  {body}\n  return\n}}\n"


def place(array, how):
    """The array's values in other memory; also all of that memory."""
    if array.ndim == 1:
        step = {"contiguous": 1, "transposed": 3, "columns": 1, "gaps": 2, "unit": 1}[how]
        memory = np.full((step * array.size + 9,), 7, array.dtype)
        view = memory[5:5 + step * array.size:step] if array.size else memory[:0]
    else:
        rows, columns = array.shape
        if how == "transposed":
            memory = np.full((columns + 2, rows + 3), 7, array.dtype)
            view = memory[1:columns + 1, 2:rows + 2].T
        elif how == "columns":
            memory = np.full((rows + 1, 3 * columns), 7, array.dtype)
            view = memory[1:, columns:2 * columns]
        elif how == "gaps":
            memory = np.full((rows, 2 * columns + 5), 7, array.dtype)
            view = memory[:, 3:3 + 2 * columns:2]
        elif how == "unit":
            # One unit stride, on the rows.
            memory = np.full((columns, rows), 7, array.dtype)
            view = memory.T
        else:
            memory = np.full((rows, columns), 7, array.dtype)
            view = memory[:, :]
    view[...] = array
    return view, memory


HOW = ("transposed", "columns", "gaps", "unit")


def run(module, name, element, rows, d, h):
    body, sizes = {**OPS, **NETWORKS}[name]
    length = {"r": rows, "d": d, "D": 2 * d, "h": h, "H": 2 * h}
    wide = np.float64 if element == "f64" else np.float32
    arrays, writes = {}, [key for key, its in sizes.items() if its.startswith("*") or key == "y"]
    for key, its in sizes.items():
        shape = [length[letter] for letter in its.strip("*")]
        values = random.standard_normal(shape)
        arrays[key] = values.astype(wide) if its == "*r" else encode(values, element)

    def call(hows):
        placed = {key: place(array, how) for (key, array), how in zip(arrays.items(), hows)}
        before = {key: memory.copy() for key, (_, memory) in placed.items()}
        module.call(f"{name}_{element}", [view for view, _ in placed.values()])
        for key, (view, memory) in placed.items():
            if key in writes:
                got = view.copy()
                view[...] = arrays[key]  # what is left differs only where something stray was written
                check.same(memory, before[key], f"{name} of {element}, {hows}: around {key}")
                view[...] = got
            else:
                check.same(memory, before[key], f"{name} of {element}, {hows}: the input {key}")
        return {key: np.ascontiguousarray(placed[key][0]) for key in writes}

    expected = call(["contiguous"] * len(sizes))
    forms = [[how] * len(sizes) for how in HOW]
    # Each argument on its own, and a mixture.
    forms += [[HOW[(i + j) % 4] if i == j else "contiguous" for j in range(len(sizes))] for i in range(len(sizes))]
    forms += [[HOW[(j + k) % 4] for j in range(len(sizes))] for k in range(2)]
    for form in forms:
        got = call(form)
        for key in writes:
            check(np.array_equal(bits(got[key]), bits(expected[key])),
                  f"{name} of {element}, {rows}x{d}, {form}: {key} is\n{got[key]}\nnot\n{expected[key]}")


module = Module("".join(function(name, element) for name in OPS for element in STORAGE if element != "i1"))
for name in OPS:
    for element in ("f16", "bf16", "f32", "f64"):
        for rows, d in ((1, 1), (3, 5), (5, 64), (2, 130)):
            run(module, name, element, rows, d, 0)
module = Module("".join(function(name, "f32") for name in NETWORKS) + function("swiglu_ffn", "bf16"), "-O0")
for name, element in [(name, "f32") for name in NETWORKS] + [("swiglu_ffn", "bf16")]:
    for rows, d, h in ((1, 1, 1), (3, 5, 7), (9, 20, 33)):
        run(module, name, element, rows, d, h)
check.finish(1500)
