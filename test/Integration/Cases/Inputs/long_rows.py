"""Case A22: long rows are summed in blocks, whoever sums them: the bits are those of
one thread, for every number of threads, of rows, and whatever sizes are known."""

import ctypes
import os
import sys

import numpy as np

from compiled import WIDE, Checks, Module, decode, encode, norm, norm_reference

check = Checks()
random = np.random.default_rng(16384)
ctypes.CDLL(os.path.join(sys.argv[2], "libomp.so.5"), ctypes.RTLD_GLOBAL)
# One block, a little more, several, and a last one that ends in a masked tail.
COLUMNS = (16384, 16400, 32768, 100003)
ROWS = (1, 2, 9)
OPS = [("rmsnorm", "f32"), ("rmsnorm", "bf16"), ("layernorm", "f32"), ("layernorm", "bf16"), ("layernorm", "f64"),
       ("add_rmsnorm", "f32")]


def softmax(name, sizes):
    its = f"tensor<{sizes}xf32>"
    return (f"func.func @{name}(%x: {its}, %y: {its}) -> {its} {{\n"
            f"  %0 = linalg.softmax dimension(1) ins(%x : {its}) outs(%y : {its}) -> {its}\n  return %0 : {its}\n}}\n")


def text():
    code = softmax("softmax_f32_open", "?x?") + softmax("softmax_f32_100003", "2x100003")
    for op, element in OPS:
        code += norm(f"{op}_{element}_open", op, (None, None), element, gamma="f32" if element != "f64" else "f64")
        for d in COLUMNS[1::2]:
            code += norm(f"{op}_{element}_{d}", op, (2, d), element, gamma="f32" if element != "f64" else "f64")
    return code


code = text()
modules = {1: Module(code, "-O1")}
for threads in (2, 3, 8):
    modules[threads] = Module(code, "-O1", f"--threads={threads}", "--parallel-from=0")
for op, element in OPS + [("softmax", "f32")]:
    for d in COLUMNS:
        x = encode(random.standard_normal((max(ROWS), d)) * 2 + 0.5, element)
        r = encode(random.standard_normal((max(ROWS), d)), element)
        gamma = encode(1 + random.standard_normal(d) / 8, "f64" if element == "f64" else "f32")
        wanted = None
        for threads, module in modules.items():
            for rows in ROWS:
                for form in ("open", str(d)):
                    if form != "open" and (rows != 2 or d not in COLUMNS[1::2] or op == "softmax" and d != 100003):
                        continue
                    inputs = [x[:rows]] + [r[:rows]] * op.startswith("add_") + [gamma] * (op != "softmax")
                    got, = module.call(f"{op}_{element}_{form}", [*inputs, np.zeros_like(x[:rows])], [(element, 2)])
                    what = f"{op} of {element}, {threads} threads, {rows} rows of {d}, {form}"
                    if wanted is None:
                        wanted = {}
                    for row in range(rows):
                        check.same(got[row], wanted.setdefault(row, got[row]), f"{what}, row {row}")
        if op == "softmax":
            continue
        # One row is right, and not only the same each time.
        values = decode(x, element)
        if op.startswith("add_"):
            values = values + decode(r, element)
        y, bound = norm_reference(values[:1], decode(gamma, "f64" if element == "f64" else "f32"), WIDE(0), element,
                                  op.removeprefix("add_"), 1e-5)
        if op.startswith("add_"):
            bound = bound + np.abs(y) * WIDE(2) ** -23
        check.close(wanted[0][None], y, bound, element, f"{op} of {element}, a row of {d}")
check.finish(1000)
