"""Case A22: a row's bits are its own: not its place's, its neighbours', its threads'."""

import ctypes
import os
import sys

import numpy as np

from compiled import Checks, Module, encode, norm, shape
from networks import network

check = Checks()
random = np.random.default_rng(22)
# The OpenMP library that the code for threads calls.
ctypes.CDLL(os.path.join(sys.argv[2], "libomp.so.5"), ctypes.RTLD_GLOBAL)
D = 200
COUNTS = (1, 2, 255, 256, 1000)
OPS = ("rmsnorm", "layernorm", "add_rmsnorm", "add_layernorm")
ELEMENTS = ("f16", "bf16", "f32", "f64")


def block(name, element, sizes):
    """A norm within a larger group: the block's norm, a gate, the add."""
    its = f"tensor<{shape(*sizes)}x{element}>"
    half = ", rounding = scale_then_cast" if element in ("f16", "bf16") else ""
    return (f"func.func @{name}(%x: {its}, %y: {its}) -> {its} {{\n"
            f"  %0 = xfmr.residual_block pre ins(%x : {its}) norm1(<layernorm, eps = 1.0e-05{half}>) outs(%y : {its}) {{\n"
            f"  ^bb0(%z: {its}):\n"
            f"    %f = xfmr.gated_act gate(%z : {its}) up(%z : {its}) outs(%y : {its}) activation(silu) -> {its}\n"
            f"    xfmr.yield %f : {its}\n  }} -> {its}\n  return %0 : {its}\n}}\n")


def fused(name, element, sizes):
    """The norm fused with the op that reads it, which keeps its bits: 1 times it."""
    its = f"tensor<{shape(*sizes)}x{element}>"
    half = "rounding(scale_then_cast)" if element in ("f16", "bf16") else ""
    return (f"func.func @{name}(%x: {its}, %o: {its}, %y: {its}) -> {its} {{\n"
            f"  %n = xfmr.layernorm ins(%x : {its}) outs(%y : {its}) eps(1.0e-05) {half} -> {its}\n"
            f"  %0 = linalg.mul ins(%n, %o : {its}, {its}) outs(%y : {its}) -> {its}\n  return %0 : {its}\n}}\n")


def has(op, element, form):
    """Every op in two types; all types with the norm of most sums."""
    return op == "layernorm" or (element in ("bf16", "f32") and form in ("rows", "open"))


def text(element):
    code = ""
    for rows, d, form in ((None, D, "rows"), (None, None, "open"), (1, D, "one"), (256, D, "fixed")):
        for op in OPS:
            if has(op, element, form):
                code += norm(f"{op}_{element}_{form}", op, (rows, d), element)
        code += block(f"block_{element}_{form}", element, (rows, d))
    return code + fused(f"fused_{element}_rows", element, (None, D)) + fused(f"fused_{element}_open", element, (None, None))


every = "".join(map(text, ELEMENTS))
modules = {1: Module(every), 2: Module(every, "--threads=2", "--parallel-from=0")}
for element in ELEMENTS:
    rows = encode(random.standard_normal((max(COUNTS), D)) * 3 + 1, element)
    branch = encode(random.standard_normal((max(COUNTS), D)), element)
    for op in (*OPS, "block", "fused"):
        wanted = None
        for form in ("rows", "open", "one", "fixed"):
            for threads, module in modules.items():
                for count in COUNTS:
                    if {"one": 1, "fixed": 256}.get(form, count) != count:
                        continue
                    name = f"{op}_{element}_{form}"
                    if op in OPS and not has(op, element, form) or op == "fused" and form in ("one", "fixed"):
                        continue
                    # The row of interest is the first of `rows`; it lies in several places.
                    for at in {0, count // 2, count - 1}:
                        x, r = np.roll(rows[:count], at, 0), np.roll(branch[:count], at, 0)
                        inputs = [x, r] if op.startswith("add_") else [x, encode(np.ones_like(x, np.float32), element)] if op == "fused" else [x]
                        got, = module.call(name, [*inputs, np.zeros_like(x)], [(element, 2)])
                        row = got[at]
                        wanted = row if wanted is None else wanted
                        check.same(row, wanted, f"{name}, {threads} threads, row {at} of {count}")
                        if op == "fused":
                            alone, = module.call(f"layernorm_{element}_{form}", [x, np.zeros_like(x)], [(element, 2)])
                            check.same(got, alone, f"{name}, {threads} threads, {count} rows: fused and alone")

# Networks: every type's products of one network, without the units that depend on M.
code = "".join(network(f"ffn_{element}", "swiglu_ffn", ("out_in",) * 3, (False,) * 3, element) for element in ("f32", "bf16"))
modules = {1: Module(code, "-O1"), 2: Module(code, "-O1", "--threads=2", "--parallel-from=0")}
for element in ("f32", "bf16"):
    rows = encode(random.standard_normal((1000, 40)), element)
    weights = [encode(random.standard_normal(size) / 6, element) for size in ((70, 40), (70, 40), (40, 70))]
    by_count = {}
    for threads, module in modules.items():
        for count in COUNTS:
            for at in {0, count - 1}:
                x = np.roll(rows[:count], at, 0)
                got, = module.call(f"ffn_{element}", [x, *weights, np.zeros_like(x)], [(element, 2)])
                # f16 and bf16 products may depend on the number of rows, f32 ones not.
                key = element if element == "f32" else (element, count)
                wanted = by_count.setdefault(key, got[at])
                check.same(got[at], wanted, f"swiglu_ffn of {element}, {threads} threads, row {at} of {count}")
check.finish(500)
