"""Counts the instructions of ops on rows: counts.py FOLDER CPU EMULATOR [--print].

Compares the instructions for each 16 elements of a long row, and for the tail of a
row, with those written down in budgets.py. Counts are exact, so a busy machine does
not matter. --print writes what to put there.
"""

import os
import sys

import numpy as np

import row_ops
from budgets import BUDGETS
from compiled import Checks
from machine import Library

# From one length to the other, whatever a call does once is not counted; both are
# whole vectors, and whole steps of loops that take several.
SHORT, LONG, TAIL = 512, 1024, 15


def count(library, calls):
    """The instructions of each call."""
    if not library.emulator:
        return [steps for _, steps, _, _ in library.call(calls, counted=True)]
    # The emulator writes down each instruction that it executes in the library, which
    # lies at the same place each time.
    entries = [address for _, _, address, _ in library.call(calls)]
    log = os.path.join(library.folder, "log")
    near = (min(entries) & ~0xFFFF, max(entries) + 0x10000)
    library.call(calls, prefix=["-singlestep", "-d", "exec,nochain", "-D", log, "-dfilter", "%#x..%#x" % near])
    counts, expected = [], iter(entries)
    following = next(expected)
    with open(log) as file:
        for line in file:
            if int(line.split("[", 1)[1].split("/")[1], 16) == following:
                counts.append(0)
                following = next(expected, None)
            if counts:
                counts[-1] += 1
    assert len(counts) == len(calls)
    return counts


folder, cpu, emulator, *options = sys.argv[1:]
check, random = Checks(), np.random.default_rng(8)
library = Library(folder, row_ops.module(), cpu, emulator)
keys = [(op, dtype) for op in row_ops.OPS for dtype in row_ops.TYPES]
calls = [(f"{op}_{dtype}", list(row_ops.arguments(op, dtype, 1, d, random).values()))
         for op, dtype in keys for d in (SHORT, LONG, LONG + TAIL)]
counts = iter(count(library, calls))
print(f'    "{cpu}": {{')
for op, dtype in keys:
    name, short, long, tail = f"{op}_{dtype}", next(counts), next(counts), next(counts)
    step, tail = (long - short) / (LONG - SHORT) * 16, tail - long
    print(f'        "{name}": ({step:.2f}, {tail}),')
    if "--print" not in options:
        most_step, most_tail = BUDGETS[cpu][name]
        check(step <= 1.1 * most_step, f"{cpu}, {name}: {step:.2f} instructions for 16 elements, not {most_step}")
        check(tail <= 1.1 * most_tail + 10, f"{cpu}, {name}: {tail} instructions for a tail, not {most_tail}")
print("    },")
if "--print" not in options:
    check.finish(2 * len(keys))
