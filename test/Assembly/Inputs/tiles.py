"""What the loops of the kernel on AMX tiles look like: tiles.py FOLDER CPU...

Of the loops over inputs: so many products and loads of tiles, no other tile instruction,
no call, and less of anything else than the products take time for. Of the kernel: one
configuration before all loops, and no store of tiles but of the sums. --print shows the
loops.
"""

import os
import re
import sys

import row_ops  # noqa: F401, where "compiled" is
from compiled import Checks
from loops import Loop, cycles, functions, make_blocks
from machine import run

KERNEL = "xfmr_amx_panel_product"
PRODUCT, LOAD, STORE = re.compile(r"^tdpbf16ps\b"), re.compile(r"^tileloadd\b"), re.compile(r"^tilestored\b")
OTHER = re.compile(r"^(tilestored|tilezero|tilerelease|ldtilecfg|sttilecfg|call)\b")
CONFIGURE = re.compile(r"^ldtilecfg\b")
PREFETCH = re.compile(r"^prefetch(t[01])\b")
MEMORY = re.compile(r"^(?!lea|prefetch|tileload).*\(%r")
# A product keeps the unit busy for 16 cycles, in which six instructions a cycle start.
MOST_INSTRUCTIONS = 16

# Products and loads of each loop, and the caches that it prefetches into: up to 16 rows
# with two panels, 32 rows with one, what 32 rows leave with one.
LOOPS = [(4, 5, {"t0"}), (4, 4, {"t0", "t1"}), (2, 3, {"t0"})]

NETWORK = """
func.func @network(%x: tensor<?x576xbf16>, %g: tensor<1536x576xbf16> {xfmr.weight},
    %u: tensor<1536x576xbf16> {xfmr.weight}, %d: tensor<576x1536xbf16> {xfmr.weight},
    %y: tensor<?x576xbf16>) -> tensor<?x576xbf16> {
  %r = xfmr.swiglu_ffn ins(%x : tensor<?x576xbf16>) gate(%g : tensor<1536x576xbf16>)
      up(%u : tensor<1536x576xbf16>) down(%d : tensor<576x1536xbf16>)
      outs(%y : tensor<?x576xbf16>) layout(out_in) -> tensor<?x576xbf16>
  return %r : tensor<?x576xbf16>
}
"""


def loops_with(lines, pattern):
    """The innermost loops that hold `pattern`, and of each the loops in it."""
    blocks, edges = make_blocks(lines)
    todo, found = [(set(range(len(blocks))), edges)], []

    def holds(nodes):
        return any(pattern.search(line) for node in nodes for line in blocks[node])

    while todo:
        nodes, graph = todo.pop()
        for loop in filter(holds, cycles(nodes, graph)):
            entries = [node for node in loop if node == 0 or
                       any(node in edges[other] for other in range(len(blocks)) if other not in loop)]
            header = min(entries, default=min(loop))
            cut = [targets - {header} for targets in graph]
            inner = list(cycles(loop, cut))
            if any(map(holds, inner)):
                todo.append((loop, cut))
            else:
                nested = set().union(*inner)
                found.append((min(loop), Loop("block %d" % header, [line for node in sorted(loop) for line in blocks[node]]),
                              [line for node in sorted(loop - nested) for line in blocks[node]]))
    return [(loop, own) for _, loop, own in sorted(found, key=lambda each: each[0])]


def main(folder, *words):
    check = Checks()
    cpus = [word for word in words if word != "--print"]
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(folder, "network.mlir")
    with open(source, "w") as file:
        file.write(NETWORK)
    for cpu in cpus:
        target = os.path.join(folder, cpu + ".s")
        run(["xfmr-compile", source, "-o", target, "--header=none", f"--cpu={cpu}"])
        with open(target) as file:
            lines = functions(file.read())[KERNEL]
        loops = loops_with(lines, PRODUCT)
        check(len(loops) == len(LOOPS), f"{cpu}: {len(loops)} loops with products")
        stores = 0
        for (loop, own), (products, loads, caches) in zip(loops, LOOPS):
            where = f"{cpu}, {loop.label}"
            shown = "\n  ".join(loop.lines)
            if "--print" in words:
                print(f"{where}: {len(own)} instructions beside the loops in it\n  {shown}")
            counts = len(loop.has(PRODUCT)), len(loop.has(LOAD))
            check(counts == (products, loads), f"{where}: {counts} products and loads\n  {shown}")
            check(not loop.has(OTHER), f"{where}: more than products and loads\n  {shown}")
            found = {match.group(1) for match in map(PREFETCH.match, loop.lines) if match}
            check(found == caches, f"{where}: prefetches into {found}\n  {shown}")
            check(len(own) <= MOST_INSTRUCTIONS * products, f"{where}: {len(own)} instructions\n  {shown}")
            check(sum(map(bool, map(MEMORY.search, own))) <= 3 * products, f"{where}: addresses from memory\n  {shown}")
            # The sums of a block.
            stores += products
        every = Loop(KERNEL, [line for _, line in lines if line])
        check(len(every.has(STORE)) == stores, f"{cpu}: {len(every.has(STORE))} stores of tiles")
        check(len(every.has(CONFIGURE)) == 1, f"{cpu}: {len(every.has(CONFIGURE))} configurations")
        check(not loops_with(lines, CONFIGURE), f"{cpu}: a configuration in a loop")
    check.finish(19 * len(cpus))


if __name__ == "__main__":
    main(*sys.argv[1:])
