"""Gates and softmax in a harness of norms: what its common.py has to know of them.

They travel as cases of kind "norm", for the harness's sake, and their limit is a copy.
"""

import math

import numpy as np

import description

# Rows that are compared with the reference: some, since erf is slow here.
CHECKED_ROWS = 8


def is_row_op(case):
    return case["op"] in description.ROW_OPS and case["op"] not in description.NORM_OPS


def reference(case, x, u):
    """The result in f64."""
    if case["op"] == "softmax":
        e = np.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)
    if case["op"] == "gated_silu":
        gate = x / (1 + np.exp(-x))
    elif case["op"] == "gated_gelu_erf":
        gate = x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    else:
        gate = x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
    return gate * u


def install(common):
    """Teaches the harness's module `common` these ops, in this process."""
    old = {name: getattr(common, name) for name in ("inputs", "reference", "check_rows") if hasattr(common, name)}

    def check_rows(case):
        if not is_row_op(case):
            return old["check_rows"](case)
        return np.linspace(0, case["rows"] - 1, min(CHECKED_ROWS, case["rows"])).astype(int)

    def inputs(case):
        if not is_row_op(case):
            return old["inputs"](case)
        arrays = old["inputs"]({**case, "op": "add_rmsnorm"})
        return {"x": arrays["x"], **({} if case["op"] == "softmax" else {"u": arrays["r"]})}

    def find_reference(case):
        if not is_row_op(case):
            return old["reference"](case)
        rows = check_rows(case)
        wide = lambda a: (common.from_bf16(a) if a.dtype == np.uint16 else a).astype(np.float64)
        arrays = {name: wide(array[rows]) for name, array in inputs(case).items()}
        return [reference(case, arrays["x"], arrays.get("u"))]

    common.inputs = inputs
    if "reference" in old:
        common.reference, common.check_rows = find_reference, check_rows
