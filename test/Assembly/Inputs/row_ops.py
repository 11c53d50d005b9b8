"""The ops on rows: their module, arguments, references and bounds.

Modules are those that the benchmarks write; references are of numpy's wide type.
"""

import os
import sys

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
sys.path[:0] = [os.path.join(ROOT, "benchmark"), os.path.join(ROOT, "test/Integration/Cases/Inputs")]
import description  # noqa: E402
from compiled import WIDE, decode, encode, norm_reference, ulp, unit  # noqa: E402

OPS, TYPES = description.ROW_OPS, description.DTYPES


def case(op, dtype, rows, d):
    return {"kind": "norm", "op": op, "dtype": dtype, "rows": rows, "d": d, "eps": 1e-5}


def module(shapes="dynamic", rows=16, d=4096):
    """A function an op and type, called like rmsnorm_f32."""
    return "\n".join(description.describe(case(op, dtype, rows, d), shapes, f"{op}_{dtype}").text
                     for op in OPS for dtype in TYPES)


def arguments(op, dtype, rows, d, random):
    """Arrays by name, in the order of the function's arguments."""
    arrays = {}
    for name, shape in description.describe(case(op, dtype, rows, d), "dynamic").arguments:
        values = np.zeros(shape) if name in "ys" else random.standard_normal(shape) * (0.1 if name in "gb" else 1)
        arrays[name] = encode(values + (name == "g"), dtype)
    return arrays


def erf(x):
    """To the last bits of f64, and not of the wide type."""
    import math
    return np.vectorize(math.erf, otypes=[float])(x.astype(float)).astype(WIDE)


def reference(op, dtype, arrays):
    """The values of y, its bound, and of s where there is one."""
    wide = {name: decode(array, dtype) for name, array in arrays.items()}
    x = wide["x"]
    if op in description.NORM_OPS:
        s = x + wide["r"] if "r" in wide else None
        # The sum is rounded before the norm sees it.
        seen = x if s is None else decode(encode(s, dtype), dtype)
        y, bound = norm_reference(seen, wide["g"], wide.get("b", WIDE(0)), dtype, op.replace("add_", ""), 1e-5)
        return y, bound, s
    u = unit(dtype)
    if op == "softmax":
        shifted = x - x.max(-1, keepdims=True) if x.size else x
        e = np.exp(shifted)
        y = e / e.sum(-1, keepdims=True)
        # A rounded difference, an exponential of 1 ulp, the sum, the quotient.
        return y, ulp(y, dtype) / 2 + (8 + np.abs(shifted) + x.shape[-1] / 256) * u * y, None
    if op == "gated_silu":
        gate = x / (1 + np.exp(-x))
    elif op == "gated_gelu_erf":
        gate = x / 2 * (1 + erf(x / np.sqrt(WIDE(2))))
    else:
        gate = x / 2 * (1 + np.tanh(np.sqrt(2 / WIDE(np.pi)) * (x + WIDE(44715) / 10 ** 6 * x ** 3)))
    y = gate * wide["u"]
    # 4 ulp of the gate, and the product's rounding; to half types 0.51 ulp in all.
    own = 9 * u * np.abs(y)
    if dtype != "f32":
        own = np.maximum(own, ulp(y, dtype) / 100)
    return y, ulp(y, dtype) / 2 + own + WIDE(2) ** -100 * np.abs(wide["u"]), None
