"""The size of the code of ops on rows for several d: object_size.py FOLDER."""

import os
import re
import sys

import row_ops
from compiled import Checks
from machine import run

folder, check = sys.argv[1], Checks()
os.makedirs(folder, exist_ok=True)
sizes = {}
for d in (64, 2048, 1 << 22, 1 << 24):
    stem = os.path.join(folder, f"d{d}")
    with open(stem + ".mlir", "w") as file:
        file.write(row_ops.module("static", 4, d))
    run(["xfmr-compile", stem + ".mlir", "-o", stem + ".o", "--header=none"])
    for size, name in re.findall(r"^\S+ (\S+) T (\S+)$", run(["llvm-nm", "-S", stem + ".o"]), re.MULTILINE):
        sizes.setdefault(name, {})[d] = int(size, 16)
for name in (f"{op}_{dtype}" for op in row_ops.OPS for dtype in row_ops.TYPES):
    print(name, sizes[name])
    # Lengths differ in which forms of a loop they need, not in how often a loop is
    # written out.
    check(max(sizes[name].values()) < 16000, f"{name}: {sizes[name]} bytes")
    check(sizes[name][1 << 24] <= 1.1 * sizes[name][1 << 22], f"{name}: {sizes[name]} bytes")
check.finish(2 * len(row_ops.OPS) * len(row_ops.TYPES))
