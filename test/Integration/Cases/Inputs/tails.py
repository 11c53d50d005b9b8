"""Case A3: lengths that leave a part of a vector: the lanes beyond the row take no
part, whatever lies in memory there.

Rows lie alone between NaNs, and among rows of NaN.
"""

import numpy as np

from compiled import STORAGE, Checks, Module, decode, encode, norm, norm_reference

check = Checks()
LENGTHS = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 129, 769, 1000, 1023, 1025, 1536)
OPS = ("layernorm", "rmsnorm", "add_layernorm", "add_rmsnorm")
TYPES = ("f16", "bf16", "f32", "f64")


def run(module, name, op, element, d):
    # Integers, which sums hold exactly; their mean is about 100.
    values = 100.0 + (np.arange(d) % 5 if d != 5 else np.arange(5))
    x = encode(values[None, :], element)
    add = op.startswith("add_")
    # The branch is half of the row, and so is the skip path.
    seen = encode(decode(x, element) / 2, element) if add else x
    expected, bound = norm_reference(decode(seen, element) * (2 if add else 1), 1, 0, element, op.removeprefix("add_"), 1e-5)
    nan = encode([np.nan], element)
    for rows in (1, 3):
        # Before and after the row: NaN.
        memory = np.full((rows * d + 160,), nan, STORAGE[element])
        view = memory[80:80 + rows * d].reshape(rows, d)
        view[::2] = seen
        out = np.full_like(memory, encode([7.0], element)[0])
        result = out[80:80 + rows * d].reshape(rows, d)
        got, = module.call(name, [view] * (2 if add else 1) + [result], [(element, 2)])
        for row in range(0, rows, 2):
            check.close(got[row:row + 1], expected, bound, element, f"{name} of {d}, row {row} of {rows}")
        if rows == 3:
            check(np.all(np.isnan(decode(got[1], element))), f"{name} of {d}: a row of NaN gave {got[1]}")
        if d == 5 and "layernorm" in op:
            check(np.all(np.abs(decode(got[0], element) - np.array([-1.41421, -0.70711, 0, 0.70711, 1.41421])) <=
                         (1e-5 if element in ("f32", "f64") else 4e-3)), f"{name}: {got[0]}")


# One function for every length, and one a length.
dynamic = "".join(norm(f"{op}_{element}", op, (None, None), element) for op in OPS for element in TYPES)
module = Module(dynamic)
for op in OPS:
    for element in TYPES:
        for d in LENGTHS:
            run(module, f"{op}_{element}", op, element, d)
# Every type with the norm that centres; others with one type.
static = [(op, element) for op in OPS for element in TYPES if op == "layernorm" or (op, element) in (
    ("rmsnorm", "f32"), ("add_layernorm", "f16"))]
module = Module("".join(norm(f"{op}_{element}_{d}", op, (None, d), element) for op, element in static for d in LENGTHS))
for op, element in static:
    for d in LENGTHS:
        run(module, f"{op}_{element}_{d}", op, element, d)
# Whole shapes known: the row count too.
module = Module("".join(norm(f"layernorm_{rows}_{d}", "layernorm", (rows, d), "f32") for d in (5, 17, 33) for rows in (1, 3)))
for d in (5, 17, 33):
    for rows in (1, 3):
        x = encode(100 + np.arange(d) + np.zeros((rows, 1)), "f32")
        expected, bound = norm_reference(decode(x, "f32"), 1, 0, "f32", "layernorm", 1e-5)
        got, = module.call(f"layernorm_{rows}_{d}", [x, np.zeros_like(x)], [("f32", 2)])
        check.close(got, expected, bound, "f32", f"{rows} rows of {d}")
check.finish(1300)
