"""Functions of feed-forward ops for the cases, and their reference."""

import numpy as np

from compiled import WIDE, shape


def activate(name, z, beta=1.0):
    """The activations in the wide type; `name` may carry parameters."""
    name = name.split(",")[0]
    with np.errstate(all="ignore"):
        def swish(beta):
            # -inf times 0 is the limit, 0.
            return np.where(z * beta == -np.inf, WIDE(0), z / (1 + np.exp(-beta * z)))
        return {
            "relu": lambda: np.where(np.isnan(z), z, np.maximum(z, 0)),
            "relu2": lambda: np.where(np.isnan(z), z, np.maximum(z, 0)**2),
            "silu": lambda: swish(WIDE(1)),
            "swish": lambda: swish(WIDE(beta)),
            "sigmoid": lambda: 1 / (1 + np.exp(-z)),
            "tanh": lambda: np.tanh(z),
            "identity": lambda: z,
        }[name]()


def tensor(sizes, element):
    return f"tensor<{shape(*sizes)}x{element}>"


def weights(kind, layouts, biases, d, d_ff, d_out, element, order=None):
    """Operands and attributes of the weights: text, and a list of name and type.
    `layouts` are those of (gate, up, down), (gate_up, down) when packed, (up, down) of ffn;
    `biases` say for the same weights whether there is one."""
    if kind == "ffn":
        names = ("up", "down")
    else:
        names = ("gate_up", "down") if order else ("gate", "up", "down")
    text, operands = "", []
    wide = None if d_ff is None else 2 * d_ff
    sizes = [(d, wide if name == "gate_up" else d_ff) for name in names[:-1]] + [(d_ff, d_out)]
    for name, layout, (inside, outside) in zip(names, layouts, sizes):
        its = tensor((inside, outside) if layout == "in_out" else (outside, inside), element)
        operands.append((name, its))
        text += f" {name}(%{name} : {its})"
    for name, has, (_, outside) in zip(names, biases, sizes):
        if has:
            operands.append((name + "_bias", tensor((outside,), element)))
            text += f" {name}_bias(%{name}_bias : {operands[-1][1]})"
    layout = "layout(" + ", ".join(f"{name} = {its}" for name, its in zip(names, layouts)) + ")"
    return text, operands, layout + (f" order({order})" if order else "")


def network(name, kind, layouts, biases, element="f32", order=None, rows=(None,), d=None, d_ff=None, d_out=None,
            activation=None, extra=""):
    """A function of one op on tensors. Arguments: x, weights, biases, y."""
    text, operands, attributes = weights(kind, layouts, biases, d, d_ff, d_out, element, order)
    x, y = tensor((*rows, d), element), tensor((*rows, d_out), element)
    arguments = ", ".join(f"%{name}: {its}" for name, its in [("x", x), *operands, ("y", y)])
    act = f"activation({activation})" if activation else ""
    return (f"func.func @{name}({arguments}) -> {y} {{\n"
            f"  %0 = xfmr.{kind} ins(%x : {x}){text} outs(%y : {y}) {act} {attributes} {extra} -> {y}\n"
            f"  return %0 : {y}\n}}\n")


def pack(gate, up, order):
    """Gate and up side by side in the last dim."""
    if order == "interleaved":
        return np.stack([gate, up], -1).reshape(*gate.shape[:-1], -1)
    return np.concatenate([gate, up] if order == "gate_up" else [up, gate], -1)


def lay(weight, layout):
    return np.ascontiguousarray(weight if layout == "in_out" else weight.T)
