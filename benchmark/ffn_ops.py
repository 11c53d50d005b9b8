"""Networks with other gates than SwiGLU, and one without: what a harness's common.py has
to know of them. They travel as cases of kind "ffn".

    ffn_ops.py HARNESS      the harness's limit, which counts their multiply-adds
"""

import math
import runpy
import sys

import numpy as np

from description import has_gate


def hidden(op, gate, up):
    """The hidden value in f64."""
    if op == "swiglu":
        return gate / (1 + np.exp(-gate)) * up
    if op == "clamped_swiglu":
        gate = np.minimum(gate, 7)
        return gate / (1 + np.exp(-1.702 * gate)) * (np.clip(up, -7, 7) + 1)
    if op == "reglu":
        return np.maximum(gate, 0) * up
    if op == "geglu_tanh":
        return gate / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (gate + 0.044715 * gate ** 3))) * up
    x = up if op == "gelu_mlp" else gate
    activated = x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return activated if op == "gelu_mlp" else activated * up


def install(common):
    """Teaches the harness's module `common` these ops, in this process."""
    old = {name: getattr(common, name) for name in ("inputs", "reference", "case_name", "flops", "weight_bytes")
           if hasattr(common, name)}
    is_ours = lambda case: case["kind"] == "ffn" and case["op"] != "swiglu"

    def inputs(case):
        arrays = old["inputs"](case)
        if is_ours(case) and not has_gate(case):
            del arrays["Wg"]
        return arrays

    def find_reference(case):
        if not is_ours(case):
            return old["reference"](case)
        wide = lambda a: (common.from_bf16(a) if a.dtype == np.uint16 else a)
        arrays = {name: wide(array) for name, array in inputs(case).items()}
        # In slices: the f64 copy of the weights stays small.
        product = lambda x, w: np.concatenate([x @ w[i:i + 512].astype(np.float64).T for i in range(0, len(w), 512)], 1)
        x = arrays["x"][common.check_rows(case)].astype(np.float64)
        gate = product(x, arrays["Wg"]) if has_gate(case) else None
        return [product(hidden(case["op"], gate, product(x, arrays["Wu"])), arrays["Wd"])]

    def change(name, function):
        if name in old:
            setattr(common, name, function)

    matrices = lambda case: 3 if has_gate(case) else 2
    common.inputs = inputs
    change("reference", find_reference)
    change("case_name", lambda case: old["case_name"](case).replace("swiglu", case["op"], 1 if is_ours(case) else 0))
    for name in ("flops", "weight_bytes"):
        change(name, lambda case, count=old.get(name):
               count(case) * matrices(case) // 3 if is_ours(case) else count(case))


if __name__ == "__main__":
    folder = sys.argv[1]
    sys.path.insert(0, folder)
    import common  # noqa: E402

    install(common)
    sys.argv = ["native.py", "limit"]
    sys.path.insert(0, folder + "/workers")
    runpy.run_path(folder + "/workers/native.py", run_name="__main__")
