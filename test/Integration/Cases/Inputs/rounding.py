"""Case A13: where the normalised value and the weights' offset are rounded.

Also case A11 at run time: eps within the root, of zeros and of small rows.
"""

import numpy as np

from compiled import STORAGE, Checks, Module, decode, encode, norm

check = Checks()
x = encode([[8, 8, 8, 1]], "bf16")
gamma = [0.75, 1.375, 0.75, 1.5]
EXPECTED = {
    "cast_then_scale": [0.859375, 1.578125, 0.859375, 0.21484375],
    "scale_then_cast": [0.86328125, 1.5859375, 0.86328125, 0.21582031],
}
MODES = tuple(EXPECTED)
text = ""
for mode in MODES:
    for op in ("rmsnorm", "add_rmsnorm"):
        for d in (4, None):
            for weight in ("bf16", "f32"):
                text += norm(f"{op}_{mode}_{d}_{weight}", op, (None, d), "bf16", "1.0e-06", weight, rounding=mode)
    a, row = "tensor<?x4xbf16>", "tensor<4xbf16>"
    text += f"""func.func @block_{mode}(%x: {a}, %g: {row}, %y: {a}) -> {a} {{
  %0 = xfmr.residual_block post ins(%x : {a}) norm1(<rmsnorm, eps = 1.0e-06, rounding = {mode}>
      gamma(%g : {row})) outs(%y : {a}) residual_rounding(norm_then_round) {{
  ^bb0(%z: {a}):
    xfmr.yield %z : {a}
  }} -> {a}
  return %0 : {a}
}}
"""
text += norm("offset_4", "rmsnorm", (None, 4), "f32", "1.0e-06", "bf16", extra="weight_offset(1.0)")
text += norm("offset_None", "rmsnorm", (None, None), "f32", "1.0e-06", "bf16", extra="weight_offset(1.0)")
text += norm("layer_offset", "layernorm", (None, None), "f32", "1.0e-06", "bf16", extra="weight_offset(1.0)")
module = Module(text)

half = encode(decode(x, "bf16") / 2, "bf16")
for mode, expected in EXPECTED.items():
    expected = encode([expected], "bf16")
    out = np.zeros_like(x)
    for d in (4, None):
        for weight in ("bf16", "f32"):
            g = encode(gamma, weight)
            for op, rows in (("rmsnorm", [x]), ("add_rmsnorm", [half, half])):
                name = f"{op}_{mode}_{d}_{weight}"
                got, = module.call(name, [*rows, g, out.copy()], [("bf16", 2)])
                check.same(got, expected, name)
    got, = module.call(f"block_{mode}", [half, encode(gamma, "bf16"), out.copy()], [("bf16", 2)])
    check.same(got, expected, f"block_{mode}")

# 15.8125 + 1 is not in bf16, whose neighbours are 16.75 and 16.875.
g = encode(np.full(4, 15.8125), "bf16")
bound = 2.0**-20 + (16 + 4 / 256) * 2.0**-24 * 16.8125
for name in ("offset_4", "offset_None"):
    got, = module.call(name, [np.ones((1, 4), np.float32), g, np.zeros((1, 4), np.float32)], [("f32", 2)])
    # eps moves the result by 8.4e-6.
    exact = 16.8125 / np.sqrt(1 + float(np.float32(1e-6)))
    check(np.all(np.abs(got - exact) <= bound), f"{name}: {got}, not {exact}")
ones = np.array([[1, -1, 1, -1]], np.float32)
got, = module.call("layer_offset", [ones, g, np.zeros((1, 4), np.float32)], [("f32", 2)])
check(np.all(np.abs(got - ones * exact) <= bound), f"layer_offset: {got}")

# Case A11.
text = ""
for op in ("rmsnorm", "layernorm", "add_rmsnorm", "add_layernorm"):
    for d in (128, None):
        text += norm(f"{op}_f16_{d}", op, (None, d), "f16", "1.0e-12", beta="f16")
        text += norm(f"{op}_bf16_{d}", op, (None, d), "bf16", "1.0e-12", beta="bf16", rounding="cast_then_scale")
        text += norm(f"{op}_f32_{d}", op, (None, d), "f32", "0.0")
        text += norm(f"{op}_f64_{d}", op, (None, d), "f64", "0.0")
        text += norm(f"{op}_small_{d}", op, (None, d), "f32", "1.0e-06")
module = Module(text)
beta = np.linspace(-3, 3, 128)
for op in ("rmsnorm", "layernorm", "add_rmsnorm", "add_layernorm"):
    count = 2 if op.startswith("add_") else 1
    for d in (128, None):
        for element in ("f16", "bf16"):
            zeros = np.zeros((3, 128), STORAGE[element])
            b = encode(beta, element)
            got, = module.call(f"{op}_{element}_{d}", [zeros] * count + [b, zeros.copy()], [(element, 2)])
            check.same(got, np.tile(b, (3, 1)), f"{op} of {element} zeros with eps 1e-12, {d}")
        for element in ("f32", "f64"):
            zeros = np.zeros((3, 128), STORAGE[element])
            got, = module.call(f"{op}_{element}_{d}", [zeros] * count + [zeros.copy()], [(element, 2)])
            check(np.all(np.isnan(got)), f"{op} of {element} zeros with eps 0, {d}: {got}")
        small = np.full((3, 128), 1e-3 / count, np.float32)
        if "layernorm" in op:
            small[:, ::2] *= -1
        got, = module.call(f"{op}_small_{d}", [small] * count + [np.zeros_like(small)], [("f32", 2)])
        check(np.all(np.abs(np.abs(got) - 0.707107) <= 1e-6), f"{op} of 1e-3 with eps 1e-6, {d}: {got}")
check.finish(60)
