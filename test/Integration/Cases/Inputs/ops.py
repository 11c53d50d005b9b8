"""Writes a function an op, and a C table of these functions for ops.h.

    ops.py functions.mlir [table.h] [options]

Destinations are arguments (`--storage=memref`, `tensor`) or made by the function
(`--storage=fresh`).
"""

import argparse
import dataclasses

parser = argparse.ArgumentParser()
parser.add_argument("module")
parser.add_argument("table", nargs="?")
parser.add_argument("--storage", default="memref", choices=("memref", "tensor", "fresh"))
parser.add_argument("--types", default="f16,bf16,f32,f64")
parser.add_argument("--rows", default="?")
parser.add_argument("--d", default="?")
parser.add_argument("--ff", default="?", help="the number of hidden values")
parser.add_argument("--ops", default="", help="those alone whose names begin so; several with commas")
parser.add_argument("--suffix", default="", help="of the functions' names")
OPTIONS = parser.parse_args()

TWICE = {"F": "G", "D": "E"}  # the symbols of 2 F and 2 D


@dataclasses.dataclass
class Argument:
    name: str
    type: str
    dims: str  # R rows, D columns, F hidden values, G and E twice F and D
    is_output: bool = False
    # A destination of an op in a region, which is nothing else.
    is_inner: bool = False


class Function:
    """One op on one type of data."""

    def __init__(self, name, data):
        self.name, self.data = f"{name}_{data}{OPTIONS.suffix}", data
        self.accumulator = "f64" if data == "f64" else "f32"
        self.arguments, self.in_place = [], False

    def size(self, symbol):
        one = {"R": OPTIONS.rows, "D": OPTIONS.d, "F": OPTIONS.ff, "G": OPTIONS.ff, "E": OPTIONS.d}[symbol]
        return one if one == "?" or symbol in "RDF" else str(2 * int(one))

    def type(self, argument):
        kind = "memref" if OPTIONS.storage == "memref" else "tensor"
        return "%s<%s%s>" % (kind, "".join(self.size(dim) + "x" for dim in argument.dims), argument.type)

    def input(self, name, dims, type=None):
        """An argument as ops write it: `%name : type`."""
        self.arguments.append(Argument(name, type or self.data, dims))
        return f"%{name} : {self.type(self.arguments[-1])}"

    def output(self, name, dims, type=None):
        text = self.input(name, dims, type)
        self.arguments[-1].is_output = True
        return text

    def write(self, op):
        """The function; `op` writes the op without its results' types."""
        body = op(self)
        outputs = [a for a in self.arguments if a.is_output]
        passed = [a for a in self.arguments if not (a.is_output and OPTIONS.storage == "fresh")]
        head = f"func.func @{self.name}(" + ", ".join(f"%{a.name}: {self.type(a)}" for a in passed) + ")"
        if OPTIONS.storage == "memref":
            return f"{head} {{\n  {body}\n  return\n}}\n"
        types = ", ".join(map(self.type, outputs))
        text = f"{head} -> ({types}) {{\n"
        if OPTIONS.storage == "fresh":
            for a in outputs:
                sizes = []
                for position, dim in enumerate(a.dims):
                    if self.size(dim) == "?":
                        sizes.append(f"%{a.name}_size{position}")
                        text += self.take_size(sizes[-1], dim)
                text += f"  %{a.name} = tensor.empty({', '.join(sizes)}) : {self.type(a)}\n"
        text += f"  %result:{len(outputs)} = {body} -> {types}\n"
        return text + "  return %s : %s\n}\n" % (
            ", ".join(f"%result#{i}" for i in range(len(outputs))), types)

    def take_size(self, name, dim):
        """Ops that give a dynamic size, from an input that has it or its double."""
        source, dim = next((a, d) for d in (dim, TWICE.get(dim)) for a in self.arguments
                           if d and d in a.dims and not a.is_output)
        text = f"  {name}_at = arith.constant {source.dims.index(dim)} : index\n"
        size = f"tensor.dim %{source.name}, {name}_at : {self.type(source)}\n"
        if dim not in TWICE.values():
            return f"{text}  {name} = {size}"
        return (f"{text}  {name}_double = {size}  {name}_2 = arith.constant 2 : index\n"
                f"  {name} = arith.divui {name}_double, {name}_2 : index\n")

    def entry(self):
        """The entry of the C table."""
        passed = [a for a in self.arguments if not (a.is_output and OPTIONS.storage == "fresh")]
        results = 0 if OPTIONS.storage == "memref" else sum(a.is_output for a in self.arguments)
        count = len(passed) + results
        call = f"static int32_t call_{self.name}(void **a) {{\n  return {self.name}("
        call += ", ".join(f"a[{i}]" for i in range(count)) + ");\n}\n"
        row = f'    {{"{self.name}", call_{self.name}, {len(passed)}, {results}, {int(self.in_place)}, {{'
        return call, row + ", ".join(
            f'{{"{a.name}", "{a.type}", "{a.dims}", {int(a.is_output)}, {int(a.is_inner)}}}' for a in passed) + "}},\n"


def narrow(f, text):
    return " " + text if f.data in ("f16", "bf16") else ""


def rmsnorm(f):
    f.in_place = True
    return (f"xfmr.rmsnorm ins({f.input('x', 'RD')}) gamma({f.input('g', 'D', f.accumulator)}) outs({f.output('y', 'RD')}) "
            f"rstd({f.output('rstd', 'R', f.accumulator)}) eps(1.0e-05)" + narrow(f, "rounding(cast_then_scale)"))


def layernorm(f):
    f.in_place = True
    return (f"xfmr.layernorm ins({f.input('x', 'RD')}) gamma({f.input('g', 'D')}) beta({f.input('b', 'D')}) "
            f"outs({f.output('y', 'RD')}) rstd({f.output('rstd', 'R', f.accumulator)}) "
            f"mean({f.output('mean', 'R', f.accumulator)}) eps(1.0e-05)" + narrow(f, "rounding(scale_then_cast)"))


def add_rmsnorm(f):
    f.in_place = True
    return (f"xfmr.add_rmsnorm ins({f.input('x', 'RD')}) residual({f.input('r', 'RD')}) gamma({f.input('g', 'D')}) "
            f"sum({f.output('s', 'RD')}) outs({f.output('y', 'RD')}) eps(1.0e-05)"
            + narrow(f, "residual_rounding(round_then_norm) rounding(scale_then_cast)"))


def add_layernorm(f):
    f.in_place = True
    return (f"xfmr.add_layernorm ins({f.input('x', 'RD')}) residual({f.input('r', 'RD')}) gamma({f.input('g', 'D')}) "
            f"beta({f.input('b', 'D')}) sum({f.output('s', 'RD')}) outs({f.output('y', 'RD')}) "
            f"rstd({f.output('rstd', 'R', f.accumulator)}) alpha(0.5) eps(1.0e-05)"
            + narrow(f, "residual_rounding(norm_then_round) rounding(cast_then_scale)"))


def add_layernorm_alone(f):
    """Without the sum."""
    f.in_place = True
    return (f"xfmr.add_layernorm ins({f.input('x', 'RD')}) residual({f.input('r', 'RD')}) outs({f.output('y', 'RD')}) "
            "eps(1.0e-05)" + narrow(f, "residual_rounding(norm_then_round) rounding(scale_then_cast)"))


def gated_act(f):
    f.in_place = True
    return (f"xfmr.gated_act gate({f.input('x', 'RD')}) up({f.input('u', 'RD')}) outs({f.output('y', 'RD')}) activation(silu)")


def gated_act_packed(f):
    return f"xfmr.gated_act gate_up({f.input('x', 'RE')}) outs({f.output('y', 'RD')}) activation(gelu_erf) order(interleaved)"


def ffn(f):
    return (f"xfmr.ffn ins({f.input('x', 'RD')}) up({f.input('w1', 'DF')}) down({f.input('w2', 'DF')}) "
            f"up_bias({f.input('b1', 'F')}) down_bias({f.input('b2', 'D', f.accumulator)}) outs({f.output('y', 'RD')}) "
            "activation(gelu_tanh) layout(up = in_out, down = out_in)")


def glu_ffn(f):
    return (f"xfmr.glu_ffn ins({f.input('x', 'RD')}) gate_up({f.input('w', 'GD')}) down({f.input('w2', 'FD')}) "
            f"gate_up_bias({f.input('b', 'G')}) outs({f.output('y', 'RD')}) activation(clamped_swish, limit = 7.0, "
            "beta = 1.702, up_offset = 1.0) layout(gate_up = out_in, down = in_out) order(interleaved)")


def swiglu_ffn(f):
    return (f"xfmr.swiglu_ffn ins({f.input('x', 'RD')}) gate({f.input('wg', 'FD')}) up({f.input('wu', 'FD')}) "
            f"down({f.input('wd', 'DF')}) outs({f.output('y', 'RD')}) layout(out_in)")


def block(f, topology, norms, rest=""):
    """A residual block around a SwiGLU network; its result goes into a
    destination of its own, which the region's ops take for theirs too."""
    f.in_place = True
    x, output = f.input("x", "RD"), f.output("y", "RD")
    row = f.type(next(a for a in f.arguments if a.name == "x"))
    gate, up, down = f.input("wg", "FD"), f.input("wu", "FD"), f.input("wd", "DF")
    end = f" -> {row}" if row.startswith("tensor") else ""
    result, prefix, inner = "%f", "%f = ", "%y"
    if not end:
        # On memrefs the network needs a destination that is not the block's.
        inner, result, prefix = "%hidden", "%hidden", ""
        f.output("hidden", "RD")
        f.arguments[-1].is_inner = True
    return (f"xfmr.residual_block {topology} ins({x}) {norms} outs({output}){rest} {{\n  ^bb0(%z: {row}):\n"
            f"    {prefix}xfmr.swiglu_ffn ins(%z : {row}) gate({gate}) up({up}) down({down})\n"
            f"        outs({inner} : {row}) layout(out_in){end}\n    xfmr.yield {result} : {row}\n  }}")


def block_pre(f):
    rounding = narrow(f, ", rounding = cast_then_scale").strip()
    return block(f, "pre", f"norm1(<rmsnorm, eps = 1.0e-05{rounding}> gamma({f.input('g', 'D')}))")


def block_post(f):
    rounding = narrow(f, ", rounding = scale_then_cast").strip()
    return block(f, "post", f"norm1(<layernorm, eps = 1.0e-05{rounding}> gamma({f.input('g', 'D')}))",
                 narrow(f, "residual_rounding(round_then_norm)"))


def block_sandwich(f):
    norm = "<rmsnorm, eps = 1.0e-05%s>" % narrow(f, ", rounding = scale_then_cast").strip()
    return block(f, "sandwich", f"norm1({norm}) norm2({norm} gamma({f.input('g', 'D')}))")


OPS = (rmsnorm, layernorm, add_rmsnorm, add_layernorm, add_layernorm_alone, gated_act, gated_act_packed, ffn, glu_ffn,
       swiglu_ffn, block_pre, block_post, block_sandwich)

texts, calls, rows = [], "", ""
for data in OPTIONS.types.split(","):
    for op in OPS:
        if not op.__name__.startswith(tuple(OPTIONS.ops.split(","))):
            continue
        function = Function(op.__name__, data)
        texts.append(function.write(op))
        call, row = function.entry()
        calls += call
        rows += row
with open(OPTIONS.module, "w", encoding="utf-8") as file:
    file.write("\n".join(texts))
if OPTIONS.table:
    with open(OPTIONS.table, "w", encoding="utf-8") as file:
        file.write(f"{calls}\nstatic const struct op ops[] = {{\n{rows}}};\n")
