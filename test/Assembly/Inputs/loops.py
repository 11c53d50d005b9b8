"""What the innermost loops of ops on rows look like: loops.py FOLDER CPU...

In the assembly of every op and type: no call, no store to the stack (a spill), no loop
that computes or moves one element at a time. --print shows the loops.
"""

import os
import re
import sys

import row_ops
from compiled import Checks
from machine import run

# By architecture: calls; stores to the stack (a value that does not change may be read
# there, as others are from a table of constants); arithmetic on one float; registers of
# the widest vectors, by their bytes; loads and stores.
X86 = {
    "call": re.compile(r"^call"),
    "spill": re.compile(r"^v?mov.*, \S*\(%rsp\)$"),
    "scalar": re.compile(r"^v?(add|sub|mul|div|max|min|sqrt|fn?m(add|sub)\d*|cvt\w*)s[sd]\b"),
    "vector": {64: re.compile(r"%zmm"), 32: re.compile(r"%ymm")},
    "memory": re.compile(r"\((%r\w+)?(,%r\w+(,\d)?)?\)"),
}
ARM = {
    "call": re.compile(r"^blr?\b"),
    "spill": re.compile(r"^st.*\[sp\b"),
    "scalar": re.compile(r"^f(add|sub|mul|div|n?madd|n?msub|max\w*|min\w*|sqrt|cvt\w*)\s+[sdh]\d"),
    "vector": {16: re.compile(r"\bq\d|\.(4s|2d|8h|16b)\b")},
    "memory": re.compile(r"\[x\d"),
}


# What share of a loop's instructions may be spills: none, but for loops that keep more
# values than there are registers, with an exponential or with conversions that are
# several instructions.
SPILLS = {"softmax_f32": 0.09, "softmax_bf16": 0.09, "add_rmsnorm_bf16": 0.08, "add_layernorm_bf16": 0.08}


class Loop:
    def __init__(self, label, lines):
        self.label, self.lines = label, lines

    def has(self, pattern):
        return [line for line in self.lines if pattern.search(line)]


def functions(text):
    """The instructions and labels of each function."""
    found, name = {}, None
    for line in text.splitlines():
        line = re.sub(r"\s+", " ", line.split("#")[0].split("//")[0].strip())
        label = re.match(r"^(\.?\w+):", line)
        if line.startswith(".type") and "function" in line:
            name = line.split()[1].split(",")[0]
            found[name] = []
        elif line.startswith(".size"):
            name = None
        elif name and label:
            found[name].append((label.group(1), None))
        elif name and line and not line.startswith("."):
            found[name].append((None, line))
    return found


JUMP = re.compile(r"^(j\w+|b|b\.\w+|cbn?z|tbn?z) (.*, ?)?(\.\w+)$")
ENDS = re.compile(r"^(jmp|b|ret\w*|br|ud2|udf|brk)\b(?!\.)")


def make_blocks(lines):
    """Basic blocks, and where each goes."""
    blocks, labels = [[]], {}
    for label, line in lines:
        if label:
            if blocks[-1]:
                blocks.append([])
            labels[label] = len(blocks) - 1
        else:
            blocks[-1].append(line)
            if JUMP.match(line) or ENDS.match(line):
                blocks.append([])
    edges = []
    for i, block in enumerate(blocks):
        jump = JUMP.match(block[-1]) if block else None
        targets = {labels[jump.group(3)]} if jump and jump.group(3) in labels else set()
        if i + 1 < len(blocks) and not (block and ENDS.match(block[-1])):
            targets.add(i + 1)
        edges.append(targets)
    return blocks, edges


def cycles(nodes, edges):
    """The strongly connected sets of `nodes`, those of one node only with an edge to
    itself."""
    nodes, order, seen = set(nodes), [], set()
    back = {node: {other for other in nodes if node in edges[other]} for node in nodes}

    def walk(start, neighbours, out):
        stack = [(start, iter(neighbours(start)))]
        seen.add(start)
        while stack:
            node, rest = stack[-1]
            following = next((other for other in rest if other in nodes and other not in seen), None)
            if following is None:
                out.append(node)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(neighbours(following))))

    for node in sorted(nodes):
        if node not in seen:
            walk(node, lambda n: edges[n], order)
    seen.clear()
    for node in reversed(order):
        if node not in seen:
            found = []
            walk(node, lambda n: back[n], found)
            if len(found) > 1 or node in edges[node]:
                yield set(found)


def innermost_loops(lines):
    """The loops that hold no other: strongly connected blocks that are not any more
    without the edges to their first one."""
    blocks, edges = make_blocks(lines)
    todo, loops = [(set(range(len(blocks))), edges)], []
    while todo:
        nodes, graph = todo.pop()
        for loop in cycles(nodes, graph):
            entries = [node for node in loop if node == 0 or
                       any(node in edges[other] for other in range(len(blocks)) if other not in loop)]
            header = min(entries, default=min(loop))
            cut = [targets - {header} for targets in graph]
            if any(True for _ in cycles(loop, cut)):
                todo.append((loop, cut))
            else:
                # What lies behind the last way back is there for rare cases: LLVM moves
                # such blocks out of the way. A way back in front of the header tells nothing.
                last = max(node for node in loop if header in edges[node])
                last = last if last >= header else max(loop)
                body = [node for node in sorted(loop) if node <= last]
                loops.append(Loop("block %d" % header, [line for node in body for line in blocks[node]]))
    return loops


def main(folder, *words):
    check = Checks()
    cpus = [word for word in words if word != "--print"]
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(folder, "rows.mlir")
    with open(source, "w") as file:
        file.write(row_ops.module())
    for cpu in cpus:
        target = os.path.join(folder, cpu.replace("/", "-") + ".s")
        run(["xfmr-compile", source, "-o", target, "--header=none", f"--cpu={cpu}"])
        with open(target) as file:
            text = file.read()
        machine = ARM if cpu.startswith("aarch64") else X86
        widest = next(pattern for size, pattern in machine["vector"].items() if size != 64 or "%zmm" in text)
        every = functions(text)
        for name in (f"{op}_{dtype}" for op in row_ops.OPS for dtype in row_ops.TYPES):
            loops = innermost_loops(every[name])
            check(len(loops) >= 2 or "norm" not in name, f"{cpu}, {name}: {len(loops)} loops found")
            for loop in loops:
                where = f"{cpu}, {name}, {loop.label}"
                shown = "\n  ".join(loop.lines[:400])
                if "--print" in words:
                    print(f"{where}: {len(loop.lines)} instructions\n  {shown}")
                check(not loop.has(machine["call"]), f"{where}: a call in the loop\n  {shown}")
                spills = len(loop.has(machine["spill"]))
                check(spills <= SPILLS.get(name, 0) * len(loop.lines),
                      f"{where}: {spills} spills in {len(loop.lines)} instructions\n  {shown}")
                vectors = len(loop.has(widest))
                scalars = len(loop.has(machine["scalar"]))
                # A loop over short rows has the few scalars of each row's statistic.
                check(scalars < max(1, vectors), f"{where}: computes single elements\n  {shown}")
                check(vectors or not loop.has(machine["memory"]), f"{where}: moves single elements\n  {shown}")
    check.finish(20 * len(cpus))


if __name__ == "__main__":
    main(*sys.argv[1:])
