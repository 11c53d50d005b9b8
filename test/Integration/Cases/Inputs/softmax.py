"""Case A20: softmax in f32 of rows that are widened from half types and rounded back:
every value that leaves a result, long rows, equal and far values, masks, NaN."""

import numpy as np

from compiled import OPTIONS, WIDE, Checks, Module, decode, encode, ulp

check = Checks()
random = np.random.default_rng(20)
STATIC = (1, 7, 64, 1000, 65536)


def softmax(name, sizes, element):
    its, wide = f"tensor<{sizes}x{element}>", f"tensor<{sizes}xf32>"
    open_dims = [i for i, size in enumerate(sizes.split("x")) if size == "?"]
    dims = "".join(f"  %c{i} = arith.constant {i} : index\n  %n{i} = tensor.dim %x, %c{i} : {its}\n" for i in open_dims)
    empty = f"tensor.empty({', '.join(f'%n{i}' for i in open_dims)}) : {wide}"

    def cast(result, op, source, types, out, out_types):
        return (f"  %{result} = linalg.generic {{indexing_maps = [#rows, #rows], iterator_types = [\"parallel\", \"parallel\"]}}\n"
                f"      ins(%{source} : {types[0]}) outs(%{out} : {types[1]}) {{\n"
                f"  ^bb0(%a: {out_types[0]}, %o: {out_types[1]}):\n"
                f"    %v = arith.{op} %a : {out_types[0]} to {out_types[1]}\n    linalg.yield %v : {out_types[1]}\n  }} -> {types[1]}\n")

    return (f"func.func @{name}(%x: {its}, %y: {its}) -> {its} {{\n{dims}  %e = {empty}\n  %f = {empty}\n"
            + cast("w", "extf", "x", (its, wide), "e", (element, "f32"))
            + f"  %p = linalg.softmax dimension(1) ins(%w : {wide}) outs(%f : {wide}) -> {wide}\n"
            + cast("r", "truncf", "p", (wide, its), "y", ("f32", element))
            + f"  return %r : {its}\n}}\n").replace("#rows", "affine_map<(i, j) -> (i, j)>")


def reference(x):
    with np.errstate(invalid="ignore", over="ignore"):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


module = Module("".join(softmax(f"softmax_{element}_{d or 'open'}", f"?x{d or '?'}", element)
                        for element in ("bf16", "f16") for d in (0, *STATIC)))


def expect(what, x, element):
    rows, d = x.shape
    x = encode(x, element)
    y = reference(decode(x, element))
    # Half an ulp for the rounding, and for all before it what f32 has or, relaxed, a hundredth.
    ulps = WIDE(0.502) if element == "bf16" and "--numerics=relaxed" not in OPTIONS else WIDE(0.51)
    bound = np.maximum(ulp(np.where(np.isfinite(y), y, 1), element) * ulps, WIDE(2) ** -100)
    for form in ("open", *[d] * (d in STATIC)):
        got, = module.call(f"softmax_{element}_{form}", [x, np.zeros_like(x)], [(element, 2)])
        check.close(got, y, bound, element, f"softmax of {element}, {rows}x{d}, {form}: {what}")
        check(not np.any(decode(got, element)[y == 0]), f"softmax of {element}, {d}: not zero where it has to be")


for element in ("bf16", "f16"):
    codes = np.arange(1 << 16, dtype=np.uint16)
    every = decode(codes if element == "bf16" else codes.view(np.float16), element)
    every = every[np.isfinite(every)]
    # All that leave a result, each in company, the largest of a row at some place in it.
    near = every[(every <= 0) & (every >= -104)]
    for d in (7, 64, 1000):
        for largest in (0, 3, 88.5, -1000):
            rows = -(-len(near) // (d - 1))
            x = np.full((rows, d), largest, WIDE)
            x[:, 1:] += np.resize(random.permutation(near), (rows, d - 1))
            expect(f"all values below {largest}", random.permuted(x, axis=1), element)
    for scale in (0.01, 1, 4, 30):
        expect(f"deviation {scale}", random.standard_normal((2, 65536)) * scale, element)
        expect(f"deviation {scale}", random.standard_normal((9, 1000)) * scale, element)
    most = float(every.max())
    for d in STATIC:
        for value in (0, 1, -most, most, 2.0**-20):
            expect(f"all {value}", np.full((3, d), value), element)
        x = random.standard_normal((5, d))
        x[0, : d // 2] = -np.inf
        x[1, d // 2] = np.nan
        x[2, :] = -np.inf
        x[3, d // 3] = np.inf
        x[4, : d // 2] = -most
        expect("infinities and NaN", x, element)
        # Some are the largest together.
        x = np.full((1, d), -2.0)
        x[:, :: 3] = 5
        expect("ties", x, element)
check.finish(100)
