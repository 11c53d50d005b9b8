"""A harness for tests: small inputs, made without random numbers."""

import numpy as np


def inputs(case):
    n, d = (case["rows"], case["d"]) if case["kind"] == "norm" else (case["M"], case["d"])
    wave = lambda shape, step: np.sin(step * np.arange(int(np.prod(shape)))).astype(np.float32).reshape(shape)
    arrays = {"x": wave((n, d), 0.7)}
    if case["kind"] == "ffn":
        ff = case["ff"]
        arrays.update(Wg=wave((ff, d), 1.1) / 4, Wu=wave((ff, d), 1.3) / 4, Wd=wave((d, ff), 1.7) / 4)
    else:
        arrays["g"] = 1 + wave((d,), 0.3) / 4
        if case["op"].startswith("add_"):
            arrays["r"] = wave((n, d), 1.9)
        if case["op"].endswith("layernorm"):
            arrays["b"] = wave((d,), 0.5)
    if case["dtype"] == "bf16":
        # Truncated: any bf16 will do.
        arrays = {name: (array.view(np.uint32) >> 16).astype(np.uint16) for name, array in arrays.items()}
    return arrays


def flops(case):
    return 6.0 * case["M"] * case["d"] * case["ff"]


def weight_bytes(case):
    return 3 * case["d"] * case["ff"] * (2 if case["dtype"] == "bf16" else 4)


norm_cases = list
