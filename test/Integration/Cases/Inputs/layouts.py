"""Case A7: which of gate and up is which, in every layout of the weights, every order
of packed ones, with and without each bias."""

import itertools

import numpy as np

from compiled import WIDE, Checks, Module, decode, encode, ulp
from networks import activate, lay, network, pack

check = Checks()
LAYOUTS = ("in_out", "out_in")
ORDERS = ("gate_up", "up_gate", "interleaved")
random = np.random.default_rng(7)


def forms():
    """Kind, layouts, biases, order, activation: every layout and order; every set of
    biases in one layout, and each bias with either layout of its weight."""
    everything = list(itertools.product((False, True), repeat=3))
    for layouts, biases in zip(itertools.product(LAYOUTS, repeat=3), everything):
        yield "swiglu_ffn", layouts, biases, None, None
    for layouts, order in itertools.product(itertools.product(LAYOUTS, repeat=2), ORDERS):
        biases = (layouts[0] == layouts[1], order != "up_gate")
        yield ("glu_ffn" if order == "up_gate" else "swiglu_ffn"), layouts, biases, order, (
            "tanh" if order == "up_gate" else None)
    for layouts in itertools.product(LAYOUTS, repeat=2):
        yield "ffn", layouts, (layouts[0] == layouts[1], layouts[0] == "in_out"), None, "silu"


def name_of(form):
    kind, layouts, biases, order, _ = form
    return "_".join([kind, *layouts, *(str(int(bias)) for bias in biases), order or "apart"])


def bits_of(form):
    """What gate, up and down have: layout and bias of each."""
    kind, layouts, biases, order, _ = form
    if kind == "ffn":
        return dict(zip(("up", "down"), zip(layouts, biases)))
    if order:
        return {"gate": (layouts[0], biases[0]), "up": (layouts[0], biases[0]), "down": (layouts[1], biases[1])}
    return dict(zip(("gate", "up", "down"), zip(layouts, biases)))


def arrays(form, x, values, biases, element, d_out):
    """The arguments of the function. `values` are in_out."""
    kind, _, _, order, _ = form
    has = bits_of(form)
    names = [name for name in ("gate", "up", "down") if name in has]
    weight, bias = dict(values), dict(biases)
    if order:
        weight["gate_up"] = pack(weight["gate"], weight["up"], order)
        bias["gate_up"] = pack(bias["gate"], bias["up"], order)
        has["gate_up"], names = has["up"], ["gate_up", "down"]
    arguments = [x] + [encode(lay(weight[name], has[name][0]), element) for name in names]
    arguments += [encode(bias[name], element) for name in names if has[name][1]]
    return arguments + [encode(np.zeros((len(x), d_out)), element)]


def reference(form, x, values, biases):
    """Result and bound of one rounding to f32, hidden values rounded to f32."""
    has, act = bits_of(form), form[4] or "silu"
    x = decode(x, "f32")

    def project(h, name):
        weight = values[name].astype(WIDE)
        bias = biases[name].astype(WIDE) if has[name][1] else 0
        factor = (4 + np.sqrt(WIDE(len(weight)))) * WIDE(2)**-24
        return h @ weight + bias, factor * (np.abs(h) @ np.abs(weight) + np.abs(bias))

    up, up_error = project(x, "up")
    if "gate" in has:
        gate, gate_error = project(x, "gate")
        hidden = activate(act, gate) * up
        # No activation here is steeper than 1.1.
        error = 1.1 * gate_error * np.abs(up) + up_error * np.abs(activate(act, gate))
    else:
        hidden, error = activate(act, up), 1.1 * up_error
    error = error + 6 * ulp(hidden, "f32")
    y, bound = project(hidden, "down")
    return y, ulp(y, "f32") + bound + error @ np.abs(values["down"]).astype(WIDE)


text = "".join(network(name_of(form), *form[:3], order=form[3], activation=form[4]) for form in forms())
# The literal case with every size known.
FIXED = [form for form in forms() if form[0] == "swiglu_ffn" and len(set(form[1])) == 1 and form[3] != "interleaved"][:3]
for form in FIXED:
    text += network("fixed_" + name_of(form), *form[:3], order=form[3], rows=(5,), d=2, d_ff=3, d_out=2)
module = Module(text, "-O0")

for form in forms():
    name, has = name_of(form), bits_of(form)
    for rows in (1, 5):
        for d_ff in (1, 3, 1235):
            if form[0] != "ffn" and not form[4]:
                # silu(2) * 3 and its negative; biases move a part of it.
                biases = {"gate": np.full(d_ff, 0.25), "up": np.full(d_ff, 0.5), "down": np.array([1.0, -1.0])}
                part = lambda name: biases[name][0] * has[name][1]
                values = {"gate": np.repeat([[0.5], [1.5 - part("gate")]], d_ff, 1),
                          "up": np.repeat([[1.0], [2.0 - part("up")]], d_ff, 1)}
                share = random.uniform(0.5, 1.5, d_ff)
                share /= share.sum()
                values["down"] = np.stack([share, -share], 1)
                expected = np.array([5.284782, -5.284782]) + (biases["down"] if has["down"][1] else 0)
                for prefix in ("", "fixed_") if form in FIXED and rows == 5 and d_ff == 3 else ("",):
                    got, = module.call(prefix + name, arrays(form, encode(np.ones((rows, 2)), "f32"), values, biases, "f32", 2),
                                       [("f32", 2)])
                    bound = 1e-6 + (4 + np.sqrt(2) + np.sqrt(d_ff)) * 2.0**-24 * 6.3
                    check(np.all(np.abs(got - expected) <= bound),
                          f"{prefix}{name} with d_ff {d_ff}: {got}, not {expected}")
            # No two weights alike, and no size.
            d, d_out = 4, 7
            sizes = {"gate": (d, d_ff), "up": (d, d_ff), "down": (d_ff, d_out)}
            narrow = lambda array: array.astype(np.float32).astype(np.float64)
            values = {key: narrow(random.uniform(-1, 1, size)) for key, size in sizes.items()}
            biases = {key: narrow(random.uniform(-1, 1, size[1])) for key, size in sizes.items()}
            x = encode(random.uniform(-1, 1, (rows, d)), "f32")
            got, = module.call(name, arrays(form, x, values, biases, "f32", d_out), [("f32", 2)])
            y, bound = reference(form, x, values, biases)
            check.close(got, y, bound, "f32", f"{name}, rows {rows}, d_ff {d_ff}")


# The gate alone.
def gate(name, element, order):
    x, y = f"tensor<?x?x{element}>", f"tensor<?x?x{element}>"
    if order:
        head, ins = f"%x: {x}", f"gate_up(%x : {x})"
    else:
        head, ins = f"%g: {x}, %u: {x}", f"gate(%g : {x}) up(%u : {x})"
    return (f"func.func @{name}({head}, %y: {y}) -> {y} {{\n  %0 = xfmr.gated_act {ins} outs(%y : {y}) "
            f"activation(silu) {f'order({order})' if order else ''} -> {y}\n  return %0 : {y}\n}}\n")


module = Module("".join(gate(f"{element}_{order}", element, order) for element in ("f16", "bf16", "f32", "f64")
                        for order in (None, *ORDERS)))
for element in ("f16", "bf16", "f32", "f64"):
    for order in (None, *ORDERS):
        for rows, d_ff in itertools.product((1, 5), (1, 3, 1235)):
            g, u = np.full((rows, d_ff), 2.0), np.full((rows, d_ff), 3.0)
            inputs = [encode(pack(g, u, order), element)] if order else [encode(g, element), encode(u, element)]
            got, = module.call(f"{element}_{order}", [*inputs, encode(np.zeros((rows, d_ff)), element)], [(element, 2)])
            expected = 6 / (1 + np.exp(WIDE(-2))) + np.zeros((rows, d_ff), WIDE)
            slack = 4 if element in ("f32", "f64") else 0.51
            check.close(got, expected, slack * ulp(expected, element), element, f"gated_act of {element}, {order}, {d_ff}")
check.finish(200)
