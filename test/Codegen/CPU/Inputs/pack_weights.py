"""Prints functions that pack weights of every type, order and kind of strides.

pack_weights.py VECTOR_BYTES
"""

import sys

ELEMENT_BYTES = {"f16": 4, "bf16": 4, "f32": 4, "f64": 8}  # of the accumulator
STRIDES = {
    "rows": {"in_out": "", "out_in": ""},
    "apart": {"in_out": ", strided<[?, 2], offset: ?>", "out_in": ", strided<[?, 1], offset: ?>"},
    "any": dict.fromkeys(("in_out", "out_in"), ", strided<[?, ?], offset: ?>"),
}

vector_bytes = int(sys.argv[1])
for element, size in ELEMENT_BYTES.items():
    columns = max(2 * vector_bytes, 64) // size
    inner = "%dx2" % columns if element == "bf16" else str(columns)
    strides = "%d, 2, 1" % (2 * columns) if element == "bf16" else "%d, 1" % columns
    packed = "memref<?x?x%sx%s, strided<[?, %s], offset: ?>>" % (inner, element, strides)
    for kind, orders in STRIDES.items():
        for order, layout in orders.items():
            weight = "memref<?x?x%s%s>" % (element, layout)
            print("func.func @pack_%s_%s_%s(%%w: %s, %%p: %s) {" % (element, order, kind, weight, packed))
            print("  xfmr.pack_weight ins(%%w : %s) outs(%%p : %s) layout(%s)" % (weight, packed, order))
            print("  return\n}")
