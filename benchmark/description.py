"""A benchmark's case as a module of xfmr ops.

A case is a dictionary: kind "norm" (anything that works on rows) with op, dtype, rows,
d, eps, or kind "ffn" with op (of NETWORKS), dtype, M, d, ff. The function is called `kernel`
unless said otherwise and works on memrefs: it writes to buffers that the caller has,
and has no results.
"""

import collections

# Which sizes the types leave open. Sizes of weights stay known in "rows", as in a
# model that is compiled for any number of tokens.
SHAPES = ("static", "rows", "dynamic")
NORM_OPS = ("rmsnorm", "layernorm", "add_rmsnorm", "add_layernorm")
GATES = ("silu", "gelu_erf", "gelu_tanh")
GATE_OPS = tuple("gated_" + gate for gate in GATES)
ROW_OPS = NORM_OPS + GATE_OPS + ("softmax",)
DTYPES = ("f32", "bf16")
FUNCTION = "kernel"

# text: the module. arguments: name and shape of each argument, in order.
Description = collections.namedtuple("Description", "text arguments")


class Unsupported(Exception):
    """The case is none that this can write."""


def moved_bytes(case):
    """What an op on rows has to read and write, apart from weights."""
    arrays = 4 if case["op"].startswith("add_") else 3 if case["op"] in GATE_OPS else 2
    return arrays * case["rows"] * case["d"] * {"f32": 4, "bf16": 2}[case["dtype"]]


def memref(sizes, dtype, shapes, rows=False):
    """The type; with `rows`, the first size is a number of rows."""
    known = {"static": len(sizes), "rows": len(sizes) - rows, "dynamic": 0}[shapes]
    texts = ["?"] * (len(sizes) - known) + [str(size) for size in sizes[len(sizes) - known:]]
    return "memref<%sx%s>" % ("x".join(texts), dtype)


def function(name, arguments, op):
    """`arguments`: name, shape, type and attributes of each."""
    signature = ", ".join("%%%s: %s%s" % (argument, type, attributes)
                          for argument, _, type, attributes in arguments)
    text = "func.func @%s(%s) {\n  %s\n  return\n}\n" % (name, signature, op)
    return Description(text, [(name, shape) for name, shape, _, _ in arguments])


def describe_norm(case, shapes, function_name):
    op, dtype, rows, d = (case[key] for key in ("op", "dtype", "rows", "d"))
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
    return function(function_name, arguments, " ".join(clauses))


def describe_gate(case, shapes, name):
    shape = (case["rows"], case["d"])
    matrix = memref(shape, case["dtype"], shapes, rows=True)
    arguments = [(argument, shape, matrix, "") for argument in "xuy"]
    return function(name, arguments, "xfmr.gated_act gate(%%x : %s) up(%%u : %s) outs(%%y : %s) activation(%s)"
                    % (matrix, matrix, matrix, case["op"].split("_", 1)[1]))


def describe_softmax(case, shapes, name):
    """Of linalg's ops, in f32: what a front end hands over."""
    dtype, shape = case["dtype"], (case["rows"], case["d"])
    matrix = memref(shape, dtype, shapes, rows=True)
    narrow = matrix.replace("memref", "tensor")
    wide = narrow.replace(dtype, "f32")
    open_dims = [dim for dim in range(2) if narrow[len("tensor<"):].split("x")[dim] == "?"]
    lines = [f"%xt = bufferization.to_tensor %x restrict : {matrix} to {narrow}",
             f"%yt = bufferization.to_tensor %y restrict writable : {matrix} to {narrow}"]
    for dim in open_dims:
        lines += [f"%c{dim} = arith.constant {dim} : index", f"%n{dim} = tensor.dim %xt, %c{dim} : {narrow}"]
    sizes = ", ".join(f"%n{dim}" for dim in open_dims)

    def cast(op, result, source, source_type, out, out_type):
        elements = (dtype, "f32") if op == "extf" else ("f32", dtype)
        return (f"%{result} = linalg.generic {{indexing_maps = [#rows, #rows], "
                f"iterator_types = [\"parallel\", \"parallel\"]}} ins(%{source} : {source_type}) "
                f"outs(%{out} : {out_type}) {{\n  ^bb0(%a: {elements[0]}, %o: {elements[1]}):\n"
                f"    %v = arith.{op} %a : {elements[0]} to {elements[1]}\n"
                f"    linalg.yield %v : {elements[1]}\n  }} -> {out_type}")

    softmax = "linalg.softmax dimension(1)"
    if dtype == "f32":
        lines.append(f"%s = {softmax} ins(%xt : {wide}) outs(%yt : {wide}) -> {wide}")
    else:
        lines += [f"%e0 = tensor.empty({sizes}) : {wide}", f"%e1 = tensor.empty({sizes}) : {wide}",
                  cast("extf", "w", "xt", narrow, "e0", wide),
                  f"%p = {softmax} ins(%w : {wide}) outs(%e1 : {wide}) -> {wide}",
                  cast("truncf", "s", "p", wide, "yt", narrow)]
    lines.append(f"bufferization.materialize_in_destination %s in restrict writable %y : ({narrow}, {matrix}) -> ()")
    described = function(name, [(argument, shape, matrix, "") for argument in "xy"], "\n  ".join(lines))
    return described._replace(text=described.text.replace("#rows", "affine_map<(i, j) -> (i, j)>"))


def describe_rows(case, shapes, name):
    if case["op"] not in ROW_OPS or case["dtype"] not in DTYPES:
        raise Unsupported("no %s of %s" % (case["op"], case["dtype"]))
    if case["op"] in NORM_OPS:
        return describe_norm(case, shapes, name)
    return (describe_softmax if case["op"] == "softmax" else describe_gate)(case, shapes, name)


# By name: the op, and what its text says of the activation. Names with glu have a gate.
NETWORKS = {"swiglu": ("swiglu_ffn", ""), "geglu": ("glu_ffn", "activation(gelu_erf)"),
            "geglu_tanh": ("glu_ffn", "activation(gelu_tanh)"), "reglu": ("glu_ffn", "activation(relu)"),
            "clamped_swiglu": ("glu_ffn", "activation(clamped_swish, limit = 7.0, beta = 1.702, up_offset = 1.0)"),
            "gelu_mlp": ("ffn", "activation(gelu_erf)")}


def has_gate(case):
    return "glu" in case["op"]


def describe_ffn(case, shapes, name):
    op, dtype, rows, d, ff = (case[key] for key in ("op", "dtype", "M", "d", "ff"))
    if op not in NETWORKS or dtype not in DTYPES:
        raise Unsupported("no %s of %s" % (op, dtype))
    matrix = memref((rows, d), dtype, shapes, rows=True)
    layout = case.get("layout", "out_in")
    inner_shape, outer_shape = ((ff, d), (d, ff)) if layout == "out_in" else ((d, ff), (ff, d))
    inner, outer = memref(inner_shape, dtype, shapes), memref(outer_shape, dtype, shapes)
    arguments = [("x", (rows, d), matrix, "")]
    first = [("Wg", "gate"), ("Wu", "up")][0 if has_gate(case) else 1:]
    arguments += [(name, inner_shape, inner, " {xfmr.weight}") for name, _ in first]
    arguments += [("Wd", outer_shape, outer, " {xfmr.weight}"), ("y", (rows, d), matrix, "")]
    network, activation = NETWORKS[op]
    weights = " ".join("%s(%%%s : %s)" % (role, name, inner) for name, role in first)
    return function(name, arguments, "xfmr.%s ins(%%x : %s) %s down(%%Wd : %s) outs(%%y : %s) %s layout(%s)"
                    % (network, matrix, weights, outer, matrix, activation, layout))


def describe(case, shapes="static", name=FUNCTION):
    if shapes not in SHAPES:
        raise ValueError("shapes are one of %s" % ", ".join(SHAPES))
    kinds = {"norm": describe_rows, "ffn": describe_ffn}
    if case["kind"] not in kinds:
        raise Unsupported("no case of kind %s" % case["kind"])
    return kinds[case["kind"]](case, shapes, name)
