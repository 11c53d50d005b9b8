"""Case A23: every pass alone and neighbours of the pipeline swapped, on the example of
every op: success, or an error that says where; never a crash.

  passes.py DIR SOURCES.mlir...
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

DIRECTORY, *SOURCES = sys.argv[1:]
os.makedirs(DIRECTORY, exist_ok=True)

# The first function of every op's test is its example, in one file, split by module.
parts = []
for source in SOURCES:
    with open(source) as file:
        text = file.read()
    example = re.search(r"^func\.func @example\(.*?^}\n", text, re.M | re.S)
    parts.append(example.group(0) if example else text)
examples = os.path.join(DIRECTORY, "examples.mlir")
with open(examples, "w") as file:
    file.write("// -----\n".join(parts))
first = os.path.join(DIRECTORY, "block.mlir")
with open(first, "w") as file:
    file.write(next(part for part in parts if "residual_block" in part))

help_text = subprocess.run(["xfmr-opt", "--help"], capture_output=True, text=True, check=True).stdout
passes = re.findall(r"^ +(--xfmr-[a-z-]+) .* - ", help_text, re.M)


def pipeline():
    """The passes of the whole pipeline in order, without clean-ups."""
    done = subprocess.run(["xfmr-opt", "--xfmr-lower-to-cpu", "--dump-pass-pipeline", first, "-o", "/dev/null"],
                          capture_output=True, text=True, check=True)
    text = re.search(r"builtin\.module\((.*)\)", done.stderr, re.S).group(1)
    found, depth, start = [], 0, 0
    for i, letter in enumerate(text + ","):
        depth += letter in "({"
        depth -= letter in ")}"
        if letter == "," and depth == 0:
            found.append(" ".join(text[start:i].split()))
            start = i + 1
    return [name for name in found if not re.match(r"(canonicalize|cse)\b", name)]


order = pipeline()
runs = [([name, *extra], examples) for name in passes for extra in ([], ["-mlir-disable-threading"])]
for i in range(len(order) - 1):
    if "xfmr-" in order[i] + order[i + 1]:
        swapped = [*order[:i], order[i + 1], order[i], *order[i + 2:]]
        runs.append(([f"--pass-pipeline=builtin.module({','.join(swapped)})"], first))
# The same, unswapped, is right.
straight = [f"--pass-pipeline=builtin.module({','.join(order)})"]


def run(one):
    arguments, source = one
    done = subprocess.run(["xfmr-opt", "-split-input-file", *arguments, source, "-o", "/dev/null"], capture_output=True, text=True)
    located = re.search(r":[1-9]\d*:\d+: error: ", done.stderr)
    if done.returncode == 0 or (done.returncode == 1 and located):
        return None
    return f"{' '.join(arguments)[:3000]} {source}: exit status {done.returncode}\n{done.stderr[:1000]}"


with ThreadPoolExecutor(2) as pool:
    failures = [failure for failure in pool.map(run, runs) if failure]
if subprocess.run(["xfmr-opt", *straight, first, "-o", "/dev/null"], check=False).returncode:
    failures.append("the pipeline as it was printed fails")
print(f"{len(passes)} passes, {len(order)} in the pipeline, {len(runs)} runs, {len(failures)} failures")
print("\n".join(failures))
sys.exit(bool(failures) or len(passes) < 20 or len(runs) < 60)
