"""Runs stages and passes alone and in pairs: success, or an error with a place."""

import itertools
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TOOL, SOURCE = sys.argv[1:3]
STAGES = ["expand", "tile", "bufferize", "decompose", "vectorize", "parallelize", "llvm"]
HELP = subprocess.run([TOOL, "--help"], capture_output=True, text=True, check=True).stdout
PASSES = re.findall(r"^ +--xfmr-([a-z-]+) .* - ", HELP, re.M)
assert len(PASSES) > 15, PASSES
names = [f"--xfmr-cpu-{stage}-stage" for stage in STAGES]
runs = [[name] for name in names] + [list(pair) for pair in itertools.product(names, repeat=2)]
runs += [[f"--xfmr-{name}"] for name in PASSES]
runs += [[f"--xfmr-{name}", "-mlir-disable-threading"] for name in PASSES]
runs += [["--xfmr-cpu-tile-stage", f"--xfmr-{name}"] for name in PASSES]
runs += [[names[0], names[1], names[2], f"--xfmr-{name}"] for name in PASSES]


def run(arguments):
    done = subprocess.run([TOOL, *arguments, SOURCE, "-o", "/dev/null"], capture_output=True, text=True)
    located = re.search(r"orders\.mlir:[1-9]\d*:\d+: error: ", done.stderr)
    if done.returncode == 0 or (done.returncode == 1 and located):
        return None
    return f"{' '.join(arguments)}: exit status {done.returncode}\n{done.stderr[:1000]}"


with ThreadPoolExecutor(2) as pool:
    failures = [failure for failure in pool.map(run, runs) if failure]
print(f"{len(runs)} runs, {len(failures)} failures")
print("\n".join(failures))
sys.exit(bool(failures))
