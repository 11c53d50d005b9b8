"""Ops on rows on another CPU: values.py FOLDER CPU EMULATOR."""

import sys

import numpy as np

import row_ops
from compiled import Checks
from machine import Library

# Rows shorter than a vector, of whole vectors, with tails; no rows.
SHAPES = ((3, 83), (2, 1), (5, 16), (4, 64), (1, 1000), (2, 257), (7, 31), (0, 5))

folder, cpu, emulator = sys.argv[1:]
check, random = Checks(), np.random.default_rng(7)
library = Library(folder, row_ops.module(), cpu, emulator)
cases = [(op, dtype, shape) for op in row_ops.OPS for dtype in row_ops.TYPES for shape in SHAPES]
given = [row_ops.arguments(op, dtype, *shape, random) for op, dtype, shape in cases]
answers = library.call([(f"{op}_{dtype}", list(arrays.values())) for (op, dtype, _), arrays in zip(cases, given)])
for (op, dtype, shape), arrays, (status, _, _, after) in zip(cases, given, answers):
    what = f"{op} of {dtype}, {shape}"
    got = dict(zip(arrays, after))
    check(status == 0, f"{what}: status {status}")
    y, bound, s = row_ops.reference(op, dtype, arrays)
    check.close(got["y"], y, bound, dtype, what)
    if s is not None:
        check.close(got["s"], s, row_ops.ulp(s, dtype) / 2, dtype, what + ": the sum")
    for name in set(arrays) - {"y", "s"}:
        check.same(got[name], arrays[name], f"{what}: the input {name} after it")
check.finish(2 * len(cases))
