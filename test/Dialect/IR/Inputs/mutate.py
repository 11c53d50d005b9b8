"""mutate.py FILE SEED...: changes the functions of the seed files, in the generic
form, in ways that the verifier must see, and runs them all through xfmr-opt, one
a chunk of FILE. Fails when xfmr-opt dies, when an error has no place, or when a
change that is always wrong is accepted."""

import bisect
import itertools
import re
import subprocess
import sys

SEGMENTS = re.compile(r"operandSegmentSizes = array<i32: ([0-9, ]+)>")
PROPERTIES = re.compile(r"(\"xfmr\.\w+\"\([^)]*\)) <\{((?:[^{}]|\{[^{}]*\})*)\}>")
REQUIRED = {"eps", "activation", "gate_layout", "up_layout", "down_layout", "topology", "operandSegmentSizes"}


def run(*arguments):
    return subprocess.run(["xfmr-opt", "-allow-unregistered-dialect", "-mlir-print-op-on-diagnostic=false", *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def split(properties):
    """The `name = value` items at the top of a property list."""
    items, depth, start = [], 0, 0
    for i, c in enumerate(properties):
        depth += (c in "<({[") - (c in ">)}]")
        if c == "," and depth == 0:
            items.append(properties[start:i].strip())
            start = i + 1
    return items + [properties[start:].strip()]


def mutations(function):
    """(text, must be wrong) for every change of a function's text."""
    for match in SEGMENTS.finditer(function):
        sizes = [int(size) for size in match.group(1).split(",")]
        put = lambda new: function[: match.start(1)] + ", ".join(map(str, new)) + function[match.end(1):]
        for i, j in itertools.permutations(range(len(sizes)), 2):
            if sizes[i]:  # An operand moves to another group: it may be right there.
                yield put([s - (k == i) + (k == j) for k, s in enumerate(sizes)]), False
        yield put([0] * (len(sizes) - 1) + [sum(sizes)]), sum(sizes) > 1
        for i in range(len(sizes)):
            yield put([s + (k == i) for k, s in enumerate(sizes)]), True
            yield put([s - (k == i) for k, s in enumerate(sizes)]), True
        yield put(sizes[:-1]), True
        yield put(sizes + [0]), True
        yield put([1 << 30] * len(sizes)), True
    for match in PROPERTIES.finditer(function):
        items = split(match.group(2))
        put = lambda new: "%s%s <{%s}>%s" % (function[: match.start()], match.group(1), ", ".join(new), function[match.end():])
        for i, item in enumerate(items):
            name = item.split(" ")[0]
            rest = items[:i] + items[i + 1:]
            yield put(rest), name in REQUIRED
            yield put(rest + [item.replace(name, name + "x", 1)]), True
            for value in ("1 : i64", "\"text\"", "unit", "[1.0]", "array<i32: 1>", "#xfmr.activation<relu>", "f32",
                          "#xfmr.rounding<scale_then_cast>"):
                if name == "activation" and "activation" in value or name == "rounding" and "rounding" in value \
                        or name == "hidden_type" and value == "f32" or name == "normalized_dims" and "i64" in value \
                        or name == "unbiased" and value == "unit":
                    continue
                yield put(rest + ["%s = %s" % (name, value)]), True
        # The same, outside of the properties.
        yield put(items).replace("}> ", "}> {roundingx = 1 : i32} ", 1).replace("}> (", "}> {roundingx = 1 : i32} (", 1), False
    for element in ("f16", "bf16", "f32", "f64"):
        for other in ("i32", "index", "complex<f32>", "f8E5M2", "i1", "vector<4xf32>", "!llvm.ptr"):
            changed = re.sub(r"(?<=x)%s(?=[,>])|(?<=tensor<)%s(?=>)" % (element, element), other, function)
            if changed != function:
                # A statistic of an unused kind or a pointer in a tensor does not parse: wrong as well.
                yield changed, True
    for old, new in (("tensor<", "memref<"), ("memref<", "tensor<")):
        if old in function:
            yield function.replace(old, new), True
            yield function.replace(old, new, 1), True
    unranked = re.sub(r"(tensor|memref)<[0-9?x]*x(\w+)", r"\1<*x\2", function)
    yield unranked, True
    results = re.compile(r"\) -> (\([^()]*\)|tensor<[^>]*>)$", re.MULTILINE)
    for match in results.finditer(function):
        if "xfmr." not in function[function.rfind("\n", 0, match.start()): match.start()]:
            continue
        for other in ("()", "(tensor<2x8xf32>, tensor<2x8xf32>)", "i32", "tensor<i1>", "memref<2x8xf32>"):
            yield function[: match.start()] + ") -> " + other + function[match.end():], False
    # A region's argument and yield.
    if "^bb0(%" in function and "xfmr.yield" in function:
        yield re.sub(r"\n[^\n]*\"xfmr.yield\"[^\n]*", "", function), True
        yield function.replace('"xfmr.yield"', '"test.yield"'), True
        yield function.replace('"xfmr.yield"', '"func.return"'), True


def check(path, seed):
    """The number of changes, and of those in error. One file a seed: finding the
    place of an error takes time that grows with the file."""
    generic = run(seed, "-mlir-print-op-generic", "-mlir-print-local-scope")
    if generic.returncode:
        sys.exit(generic.stderr)
    functions = re.split(r"^(?=  \"func\.func\")", generic.stdout, flags=re.MULTILINE)[1:]
    functions[-1] = functions[-1][: functions[-1].rindex("}) : () -> ()")]
    chunks = [mutation for function in functions for mutation in mutations(function)]
    starts, line, text = [], 1, []
    for chunk, _ in chunks:
        starts.append(line)
        text.append(chunk.rstrip("\n") + "\n// -----\n")
        line += text[-1].count("\n")
    with open(path, "w") as file:
        file.write("".join(text))
    result = run(path, "-split-input-file", "-o", "/dev/null")
    if result.returncode not in (0, 1):
        sys.exit("xfmr-opt died (%d) of %s\n%s" % (result.returncode, path, result.stderr[-2000:]))
    failed = set()
    for error in re.findall(r"^(.*)error: ", result.stderr, re.MULTILINE):
        place = re.match(re.escape(path) + r":(\d+):\d+: $", error)
        if not place:
            sys.exit("an error without a place: " + error)
        failed.add(bisect.bisect_right(starts, int(place.group(1))) - 1)
    wrong = [chunk for i, (chunk, must) in enumerate(chunks) if must and i not in failed]
    if wrong:
        sys.exit("accepted, of %d:\n%s" % (len(wrong), "\n".join(wrong[:5])))
    return len(chunks), len(failed)


def main():
    path, seeds = sys.argv[1], sys.argv[2:]
    counts = [check(path, seed) for seed in seeds]
    print("%d mutations, %d of them in error" % tuple(map(sum, zip(*counts))))


main()
