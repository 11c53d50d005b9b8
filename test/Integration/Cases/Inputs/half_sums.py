"""Case A1: sums of squares whose terms or running sums a half type cannot hold.

Rows of equal magnitude give exactly gamma times their signs: both rounding modes
round what is next to gamma to gamma.
"""

import numpy as np

from compiled import STORAGE, Checks, Module, encode, norm

check = Checks()
LENGTHS = (7, 64, 4096)
VALUES = {"f16": (300.0, 8.0, -300.0, -8.0, 65504.0), "bf16": (1.0, -1.0, 256.0, 2.0**50)}
OPS = ("rmsnorm", "layernorm", "add_rmsnorm", "add_layernorm")
MODES = ("cast_then_scale", "scale_then_cast")

text = ""
for element in VALUES:
    for op in OPS:
        for mode in MODES:
            text += norm(f"{op}_{element}_{mode}_any", op, (None, None), element, gamma=element, rounding=mode)
            for d in LENGTHS:
                text += norm(f"{op}_{element}_{mode}_{d}", op, (None, d), element, gamma=element, rounding=mode)
        if not op.startswith("add_"):
            x, row = f"tensor<?x?x{element}>", f"tensor<?x{element}>"
            text += f"""func.func @block_{op}_{element}(%x: {x}, %gamma: {row}, %y: {x}) -> {x} {{
  %0 = xfmr.residual_block post ins(%x : {x}) norm1(<{op}, eps = 1.0e-05, rounding = cast_then_scale>
      gamma(%gamma : {row})) outs(%y : {x}) residual_rounding(norm_then_round) {{
  ^bb0(%z: {x}):
    xfmr.yield %z : {x}
  }} -> {x}
  return %0 : {x}
}}
"""
module = Module(text)
random = np.random.default_rng(1)
for element, values in VALUES.items():
    for d in LENGTHS:
        gamma = encode(random.uniform(0.5, 2, d), element)
        for op in OPS:
            signs = np.ones((len(values), d))
            if "layernorm" in op:
                if d % 2:
                    continue  # the mean is not 0
                signs[:, 1::2] = -1
            rows = signs * np.array(values)[:, None]
            # The sign is the highest bit of both types.
            sign = np.where(rows < 0, 0x8000, 0).astype(np.uint16)
            expected = (gamma.view(np.uint16) ^ sign).view(STORAGE[element])
            arguments = [encode(rows, element)]
            if op.startswith("add_"):
                arguments = [encode(rows / 2, element)] * 2
            out = np.zeros(rows.shape, STORAGE[element])
            for mode in MODES:
                for length in (d, "any"):
                    name = f"{op}_{element}_{mode}_{length}"
                    got, = module.call(name, [*arguments, gamma, out.copy()], [(element, 2)])
                    check.same(got, expected, f"{name} of {d}")
            if not op.startswith("add_"):
                name = f"block_{op}_{element}"
                got, = module.call(name, [encode(rows / 2, element), gamma, out.copy()], [(element, 2)])
                check.same(got, expected, f"{name} of {d}")
check.finish(80)
