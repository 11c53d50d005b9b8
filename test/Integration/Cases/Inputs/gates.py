"""Case A20: extreme gates, in every activation, and at every place of a vector."""

import itertools
import math

import numpy as np

from compiled import WIDE, Checks, Module, bits, decode, encode, ulp
from networks import network

check = Checks()
FINITE = [0.0, -0.0, 1e-4, 1.0, -1.0, 12.0, -12.0, 20.0, -20.0, 88.0, -88.0, 89.0, -89.0, 104.0, -104.0, 200.0, -200.0,
          1e4, -1e4, 65504.0, -65504.0]
ACTIVATIONS = ("silu", "swish, beta = 1.702", "sigmoid", "tanh", "relu", "relu2", "gelu_erf", "gelu_tanh", "quick_gelu",
               "identity", "clamped_swish, limit = 7.0, beta = 1.702, up_offset = 1.0")
ELEMENTS = ("f16", "bf16", "f32")


def key(activation):
    return activation.split(",")[0]


def values(element):
    largest = {"f16": 65504.0, "bf16": float(np.finfo(np.float32).max) * (1 - 2.0**-9), "f32": np.finfo(np.float32).max}
    return decode(encode(FINITE + [largest[element], -largest[element], np.inf, -np.inf, np.nan], element), element)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def erfc(z):
    return np.array([math.erfc(float(v)) if np.isfinite(v) else (0 if v > 0 else 2 if v < 0 else np.nan) for v in z.ravel()],
                    dtype=WIDE).reshape(z.shape)


def reference(activation, z):
    """activation(z) * 1, in the wide type; limits at the infinities."""
    name = key(activation)
    with np.errstate(all="ignore"):
        swish = lambda z, beta: np.where(z == -np.inf, 0, z * sigmoid(WIDE(np.float32(beta)) * z))
        root = np.sqrt(2 / WIDE(np.pi))
        return {
            "silu": lambda: swish(z, 1), "swish": lambda: swish(z, 1.702), "quick_gelu": lambda: swish(z, 1.702),
            "sigmoid": lambda: sigmoid(z), "tanh": lambda: np.tanh(z), "identity": lambda: z,
            "relu": lambda: np.where(z > 0, z, np.where(np.isnan(z), z, 0)),
            "relu2": lambda: np.where(z > 0, z * z, np.where(np.isnan(z), z, 0)),
            "gelu_erf": lambda: np.where(z == -np.inf, 0, z / 2 * erfc(-z / np.sqrt(WIDE(2)))),
            # (1 + tanh(t)) / 2 is the sigmoid of 2 t.
            "gelu_tanh": lambda: np.where(z == -np.inf, 0, z * sigmoid(2 * root * (z + WIDE(0.044715) * z**3))),
            # up is 1, up_offset too.
            "clamped_swish": lambda: 2 * swish(np.where(z > 7, WIDE(7), z), 1.702),
        }[name]()


def bound(y, element):
    """The contract's: 4 ulp in f32, 0.51 in the half types, 2^-100 at least."""
    with np.errstate(invalid="ignore"):
        return np.maximum((4.0 if element == "f32" else 0.51) * ulp(np.where(np.isfinite(y), y, 1), element), WIDE(2)**-100)


def overflowed(y, element):
    """Results beyond the type are infinities."""
    with np.errstate(over="ignore"):
        return decode(encode(y, element), element)


def gate(name, element, activation):
    its = f"tensor<?x{element}>"
    return (f"func.func @{name}(%g: {its}, %u: {its}, %y: {its}) -> {its} {{\n"
            f"  %0 = xfmr.gated_act gate(%g : {its}) up(%u : {its}) outs(%y : {its}) activation({activation}) -> {its}\n"
            f"  return %0 : {its}\n}}\n")


module = Module("".join(gate(f"{key(a)}_{e}", e, a) for a in ACTIVATIONS for e in ELEMENTS))
for activation, element in itertools.product(ACTIVATIONS, ELEMENTS):
    z = values(element)
    one = encode(np.ones(len(z)), element)
    name = f"{key(activation)}_{element}"
    got, = module.call(name, [encode(z, element), one, np.zeros_like(one)], [(element, 1)])
    with np.errstate(over="ignore"):
        exact = reference(activation, z)
        y = np.where(np.isfinite(exact), exact, overflowed(exact, element))
        infinite = np.isinf(overflowed(exact, element)) & np.isfinite(exact)
        y = np.where(infinite, overflowed(exact, element), y)
    check.close(got, y, bound(y, element), element, name)
    finite = np.isfinite(z)
    check(not np.any(np.isnan(decode(got, element)[finite])), f"{name}: NaN from a finite gate")
    check(np.isnan(decode(got, element)[-1]), f"{name}: a NaN vanished")
    # Every value at every place of rows of every length: the bits of it alone.
    for length in range(1, 41):
        for shift in range(0, len(z), 3):
            places = (np.arange(length) + shift) % len(z)
            row = encode(z, element)[places]
            out, = module.call(name, [row, np.ascontiguousarray(one[places]), np.zeros_like(row)], [(element, 1)])
            same = np.array_equal(np.isnan(decode(out, element)), np.isnan(z[places])) and np.array_equal(
                bits(out)[~np.isnan(z[places])], bits(got)[places][~np.isnan(z[places])])
            if not same:
                check(False, f"{name}, length {length}, from {shift}: {out}, not {got[places]}")
                break
    check(True, "places")

# f16 gate -12: not flushed to 0.
got, = module.call("silu_f16", [np.array([-12], np.float16), np.ones(1, np.float16), np.zeros(1, np.float16)], [("f16", 1)])
check(abs(float(got[0]) + 7.3731e-5) < 4e-8, f"silu of -12 in f16: {got}")

# Through networks: x carries the gates, one network a row: weights 1. Open sizes; the
# hidden width takes the vectors' bodies and tails.
text = ""
NETWORKS = []
for i, activation in enumerate(ACTIVATIONS[:10]):
    # The activations of both ops in turns; they share what computes them.
    NETWORKS.append((("ffn", "glu_ffn")[i % 2], key(activation), ELEMENTS[i % 3], activation))
NETWORKS.append(("glu_ffn", "clamped_swish", "bf16", ACTIVATIONS[-1]))
NETWORKS += [("swiglu_ffn", "silu", element, None) for element in ELEMENTS]
for kind, name, element, activation in NETWORKS:
    count = 2 if kind == "ffn" else 3
    text += network(f"{kind}_{name}_{element}", kind, ("in_out",) * count, (False,) * count, element, activation=activation)
module = Module(text, "-O0")
for kind, name, element, activation in NETWORKS:
    z = values(element)
    # One infinity times a weight of 0 would be NaN: a gate is the one input of a row.
    x = encode(np.stack([z, np.ones_like(z)], 1) if kind != "ffn" else z[:, None], element)
    for d_ff in (1, 7, 40):
        d = x.shape[1]
        ones = lambda *size: encode(np.ones(size), element)
        weights = [ones(d, d_ff)]
        if kind != "ffn":
            # The gate is x[0] + 0 * 1; up is 0 * x[0] + 1, so only finite x[0].
            weights = [encode(np.array([[1.0], [0.0]]) * np.ones(d_ff), element), encode(np.array([[0.0], [1.0]]) * np.ones(d_ff), element)]
        down = encode(np.eye(d_ff)[:, -1:], element)  # the last hidden value: a tail lane
        got, = module.call(f"{kind}_{name}_{element}", [x, *weights, down, encode(np.zeros((len(z), 1)), element)],
                           [(element, 2)])
        exact = reference(activation or "silu", z)
        y = overflowed(exact, element)
        hidden = encode(y, element)
        finite = np.isfinite(z) & np.isfinite(y)
        # Rounded to the hidden type, then multiplied by 1: exact.
        half = np.where(finite, bound(np.where(finite, exact, 1), element), 0)
        check.close(got[finite, 0], exact[finite], (half + ulp(np.where(finite, exact, 1), element) / 2)[finite], element,
                    f"{kind} of {name}, {element}, d_ff {d_ff}")
        # An overflowing or infinite hidden value times the zeros of down is NaN or the
        # infinity itself where it is alone.
        check(np.isnan(decode(got, element)[-1, 0]), f"{kind} of {name}, {element}: a NaN vanished")
        if d_ff == 1 and kind == "ffn":
            infinite = np.isinf(z)
            check.close(got[infinite, 0], y[infinite], bound(y[infinite], element), element,
                        f"{kind} of {name}, {element}: infinities")
check.finish(200)
