"""A benchmark's case as a module of xfmr ops.

A case is a dictionary: kind "norm" with op, dtype, rows, d, eps, or kind "ffn" with
op (swiglu), dtype, M, d, ff. The function is called `kernel` and works on memrefs:
it writes to buffers that the caller has, and has no results.
"""

import collections

# Which sizes the types leave open. Sizes of weights stay known in "rows", as in a
# model that is compiled for any number of tokens.
SHAPES = ("static", "rows", "dynamic")
NORM_OPS = ("rmsnorm", "layernorm", "add_rmsnorm", "add_layernorm")
DTYPES = ("f32", "bf16")
FUNCTION = "kernel"

# text: the module. arguments: name and shape of each argument, in order.
Description = collections.namedtuple("Description", "text arguments")


class Unsupported(Exception):
    """The case is none that this can write."""


def memref(sizes, dtype, shapes, rows=False):
    """The type; with `rows`, the first size is a number of rows."""
    known = {"static": len(sizes), "rows": len(sizes) - rows, "dynamic": 0}[shapes]
    texts = ["?"] * (len(sizes) - known) + [str(size) for size in sizes[len(sizes) - known:]]
    return "memref<%sx%s>" % ("x".join(texts), dtype)


def function(arguments, op):
    """`arguments`: name, shape, type and attributes of each."""
    signature = ", ".join("%%%s: %s%s" % (name, type, attributes)
                          for name, _, type, attributes in arguments)
    text = "func.func @%s(%s) {\n  %s\n  return\n}\n" % (FUNCTION, signature, op)
    return Description(text, [(name, shape) for name, shape, _, _ in arguments])


def describe_norm(case, shapes):
    op, dtype, rows, d = (case[key] for key in ("op", "dtype", "rows", "d"))
    if op not in NORM_OPS or dtype not in DTYPES:
        raise Unsupported("no %s of %s" % (op, dtype))
    matrix, row = memref((rows, d), dtype, shapes, rows=True), memref((d,), dtype, shapes)
    adds, has_beta = op.startswith("add_"), op.endswith("layernorm")
    names = ["x"] + ["r"] * adds + ["g"] + ["b"] * has_beta + ["y"] + ["s"] * adds
    arguments = [(name, (d,), row, "") if name in "gb" else (name, (rows, d), matrix, "")
                 for name in names]
    clauses = ["xfmr.%s ins(%%x : %s)" % (op, matrix)]
    if adds:
        clauses.append("residual(%%r : %s)" % matrix)
    clauses.append("gamma(%%g : %s)" % row)
    if has_beta:
        clauses.append("beta(%%b : %s)" % row)
    if adds:
        clauses.append("sum(%%s : %s)" % matrix)
    clauses.append("outs(%%y : %s) eps(%.17e)" % (matrix, case["eps"]))
    if dtype != "f32":
        if adds:
            clauses.append("residual_rounding(round_then_norm)")
        clauses.append("rounding(scale_then_cast)")
    return function(arguments, " ".join(clauses))


def describe_ffn(case, shapes):
    op, dtype, rows, d, ff = (case[key] for key in ("op", "dtype", "M", "d", "ff"))
    if op != "swiglu" or dtype not in DTYPES:
        raise Unsupported("no %s of %s" % (op, dtype))
    matrix = memref((rows, d), dtype, shapes, rows=True)
    inner, outer = memref((ff, d), dtype, shapes), memref((d, ff), dtype, shapes)
    arguments = [("x", (rows, d), matrix, "")]
    arguments += [(name, (ff, d), inner, " {xfmr.weight}") for name in ("Wg", "Wu")]
    arguments += [("Wd", (d, ff), outer, " {xfmr.weight}"), ("y", (rows, d), matrix, "")]
    return function(arguments, "xfmr.swiglu_ffn ins(%%x : %s) gate(%%Wg : %s) up(%%Wu : %s) "
                    "down(%%Wd : %s) outs(%%y : %s) layout(out_in)"
                    % (matrix, inner, inner, outer, matrix))


def describe(case, shapes="static"):
    if shapes not in SHAPES:
        raise ValueError("shapes are one of %s" % ", ".join(SHAPES))
    kinds = {"norm": describe_norm, "ffn": describe_ffn}
    if case["kind"] not in kinds:
        raise Unsupported("no case of kind %s" % case["kind"])
    return kinds[case["kind"]](case, shapes)
