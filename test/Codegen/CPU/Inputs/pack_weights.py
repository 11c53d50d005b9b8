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
    whole = "memref<?x?x%s>" % element
    halves = ["memref<?x?x%s, strided<[?, 2]%s>>" % (element, offset) for offset in ("", ", offset: 1")]
    print("func.func @pack_%s_pairs(%%w: %s, %%p0: %s, %%p1: %s) {" % (element, whole, packed, packed))
    print("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index")
    print("  %%k = memref.dim %%w, %%c0 : %s\n  %%m = memref.dim %%w, %%c1 : %s" % (whole, whole))
    print("  %n = arith.divui %m, %c2 : index")
    for half in 0, 1:
        print("  %%w%d = memref.subview %%w[0, %d] [%%k, %%n] [1, 2] : %s to %s" % (half, half, whole, halves[half]))
    for half in 0, 1:
        print("  xfmr.pack_weight ins(%%w%d : %s) outs(%%p%d : %s) layout(in_out)" % (half, halves[half], half, packed))
    print("  return\n}")
