"""Case A2: layernorm of rows whose mean is large against their spread."""

import numpy as np

from compiled import STORAGE, WIDE, Checks, Module, decode, encode, norm, norm_reference

check = Checks()
text = ""
for element in STORAGE:
    if element == "i1":
        continue
    for op in ("layernorm", "add_layernorm"):
        for d in (16, None):
            text += norm(f"{op}_{element}_{d}", op, (None, d), element)
    x = f"tensor<?x?x{element}>"
    rounding = ", rounding = scale_then_cast" if element in ("f16", "bf16") else ""
    text += f"""func.func @block_{element}(%x: {x}, %y: {x}) -> {x} {{
  %0 = xfmr.residual_block post ins(%x : {x}) norm1(<layernorm, eps = 1.0e-05{rounding}>) outs(%y : {x})
      {'residual_rounding(norm_then_round)' if rounding else ''} {{
  ^bb0(%z: {x}):
    xfmr.yield %z : {x}
  }} -> {x}
  return %0 : {x}
}}
"""
module = Module(text)


def run(op, element, x, r=None, length=None):
    arguments = [x] if r is None else [x, r]
    name = f"{op}_{element}" if op == "block" else f"{op}_{element}_{length}"
    return module.call(name, [*arguments, np.zeros_like(x)], [(element, 2)])[0]


# The numbers given, and the formula on every element.
MEANS = [0, 100, 1000, 1e4, 1e6]
rows = encode(np.array(MEANS)[:, None] + 0.001 * np.arange(16), "f32")
exact, _ = norm_reference(decode(rows, "f32"), 1, 0, "f32", "layernorm", 1e-5)
check(np.all(np.abs(exact[:, 0] - np.array([-1.3416, -1.3415, -1.3415, -1.3313, 0])) <= 6e-5),
      f"the reference gives {exact[:, 0]}")
r = encode(np.broadcast_to(0.001 * np.arange(16), rows.shape), "f32")
base = np.broadcast_to(np.array(MEANS, np.float32)[:, None], rows.shape).copy()
summed = base + r
for length in (16, None):
    check.close(run("layernorm", "f32", rows, None, length), exact, WIDE(2e-6), "f32", f"layernorm, {length}")
    expected, _ = norm_reference(decode(summed, "f32"), 1, 0, "f32", "layernorm", 1e-5)
    got = run("add_layernorm", "f32", base, r, length)
    check.close(got, expected, WIDE(2e-6), "f32", f"add_layernorm, {length}")
check.close(run("block", "f32", rows / 2), exact, WIDE(2e-6), "f32", "residual_block")

# Rows of other lengths and types, within the bound of the contract.
random = np.random.default_rng(2)
for element, means in (("f16", (100, 1000, 3e4)), ("bf16", (100, 1e4, 1e18)), ("f32", (100, 1e4, 1e6, 1e18)),
                       ("f64", (1e4, 1e9, 1e12, 1e100))):
    for d in (2, 16, 129, 1000, 4096):
        spread = np.array(means) * 2.0**-6 if element in ("f16", "bf16") else 1
        x = encode(np.array(means)[:, None] + (spread * random.standard_normal((d, len(means)))).T, element)
        expected, bound = norm_reference(decode(x, element), 1, 0, element, "layernorm", 1e-5)
        half = encode(decode(x, element) / 2, element)
        for op, got in (("layernorm", run("layernorm", element, x)), ("add_layernorm", run("add_layernorm", element, half, half)),
                        ("block", run("block", element, half))):
            check.close(got, expected, bound, element, f"{op} of {element}, {d}")

# Constant rows give exactly 0, and no finite row gives NaN.
largest = {"f16": 65504.0, "bf16": 2.0**60, "f32": 2.0**60, "f64": 2.0**500}
for element, value in largest.items():
    for d in (1, 3, 16, 100, 769):
        rows = np.array([[value], [-value], [0.1], [100], [12345 % value], [1e-3]]) * np.ones(d)
        got = run("layernorm", element, encode(rows, element))
        check(not np.any(decode(got, element)), f"constant rows of {element}, {d}: {got}")
        rows = value * np.where(random.random((4, d)) < 0.5, -1, 1)
        got = decode(run("layernorm", element, encode(rows, element)), element)
        check(not np.any(np.isnan(got)), f"NaN from rows of +-{value} of {element}, {d}")
check.finish(100)
