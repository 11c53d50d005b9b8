"""Looks at what the pipeline makes of the functions that ops.py writes.

    lowered.py copies OPT ARGUMENTS..    A15: no copy, and no allocation of all rows
    lowered.py stack FILE.ll..           A16: no alloca in a loop, nor of a size that varies
    lowered.py size OPT ARGUMENTS..      A17: hardly longer for large shapes than for small ones
    lowered.py time COMPILE ARGUMENTS..  A17: large shapes take less than 5 seconds an op
"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

OPS = pathlib.Path(__file__).with_name("ops.py")


def run_ops(name, arguments):
    subprocess.run([sys.executable, OPS, name, *arguments], check=True)
    return name


def split_functions(text, start):
    """The texts of functions by name; `start` matches a function's first line."""
    pieces = re.split(start, text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2]))


def lower(tool, arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([tool, *arguments], stdout=subprocess.PIPE, check=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check_copies(tool, *arguments):
    """Copies have their names until the decompose stage. What a function allocates
    outside of its loops is of all rows; what is inside is of a tile, until the
    parallelize stage moves it out."""
    with tempfile.TemporaryDirectory() as folder:
        name = run_ops(os.path.join(folder, "functions.mlir"), arguments)
        faults = []
        for stages in (("expand", "tile", "bufferize"), ("expand", "tile", "bufferize", "decompose", "vectorize")):
            text, _ = lower(tool, [name, *("--xfmr-cpu-%s-stage" % stage for stage in stages)])
            functions = split_functions(text, r"^  func\.func (?:private )?@(\w+)\(")
            for function, body in functions.items():
                for line in body.splitlines():
                    if re.search(r"\b(memref|linalg)\.copy\b", line):
                        faults.append("@%s copies: %s" % (function, line.strip()))
                    # A product's function knows nothing of all rows.
                    is_product = function.startswith("xfmr_panel_product")
                    if not is_product and re.match(r" {4}\S.* = memref\.alloc\b", line):
                        faults.append("@%s allocates: %s" % (function, line.strip()))
        functions = [name for name in functions if not name.startswith("xfmr_")]
        print("%d functions" % len(functions))
        return faults


def check_stack(*files):
    faults, count = [], 0
    for name in files:
        with open(name, encoding="utf-8") as file:
            functions = split_functions(file.read(), r"^define [^@]*@([\w.\"]+)\(")
        for function, body in functions.items():
            count += 1
            entry = True
            for number, line in enumerate(body[: body.index("\n}")].splitlines()):
                # A label ends the entry block, but for the entry's own.
                entry = entry and (number < 2 or not re.match(r"[\w.$\"-]+:", line))
                if " = alloca " not in line:
                    continue
                # Types of members are no counts.
                plain = re.sub(r"\{.*\}|\[.*\]|<.*>", "aggregate", line)
                size = re.search(r"alloca .*?, i\d+ (\S+?)(,|$)", plain)
                if not entry:
                    faults.append("@%s: not in the entry block: %s" % (function, line.strip()))
                if size and not size.group(1).isdigit():
                    faults.append("@%s: of no fixed size: %s" % (function, line.strip()))
    print("%d functions" % count)
    return faults


SHORT = ["--rows=8", "--d=256", "--ff=512"]
SMALL = ["--rows=8", "--d=1024", "--ff=512"]
LARGE = ["--rows=512", "--d=16384", "--ff=32768"]
LARGER = ["--rows=8192", "--d=16000", "--ff=65536"]


def check_size(tool, *arguments):
    """Rows that no cache holds are prefetched and streamed: they have a second way to
    store. Beyond that the code does not grow with the sizes. Short rows are several
    without loops, up to a number of operations."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        lines, times = [], []
        for size in (SMALL, LARGE, LARGER, SHORT):
            name = run_ops(os.path.join(folder, "functions.mlir"), [*size, *arguments])
            text, seconds = lower(tool, [name, "--xfmr-lower-to-cpu"])
            functions = split_functions(text, r"^  llvm\.func @((?!_mlir_|xfmr_)\w+)\(.*\{$")
            lines.append({f: body.count("\n") for f, body in functions.items()})
            times.append(seconds)
        for function, small in lines[0].items():
            large, larger, short = (found[function] for found in lines[1:])
            print("%s: %d, %d and %d lines; %d for short rows" % (function, small, large, larger, short))
            if not 20 < large <= 1.6 * small:
                faults.append("@%s: %d lines for 8x1024, %d for 512x16384" % (function, small, large))
            if large > 1.6 * short or short > 6 * small:
                faults.append("@%s: %d lines for 8x256, %d for 512x16384" % (function, short, large))
            if max(large, larger) > 1.2 * min(large, larger):
                faults.append("@%s: %d lines for 512x16384, %d for 8192x16000" % (function, large, larger))
        print("%d functions, %s seconds" % (len(lines[0]), ", ".join("%.1f" % time for time in times)))
    return faults


def check_time(tool, *arguments):
    """The time that one op takes from its text to an object file."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        name = run_ops(os.path.join(folder, "functions.mlir"), [*LARGE, *arguments])
        functions = re.findall(r"^func\.func @(\w+)", pathlib.Path(name).read_text(encoding="utf-8"), re.MULTILINE)
        for function in functions:
            _, seconds = lower(tool, [name, "--entry=" + function, "--header=none", "-o", name + ".o"])
            print("%s: %.1f seconds" % (function, seconds))
            if seconds >= 5:
                faults.append("@%s takes %.1f seconds" % (function, seconds))
        print("%d functions" % len(functions))
    return faults


faults = {"copies": check_copies, "stack": check_stack, "size": check_size, "time": check_time}[sys.argv[1]](*sys.argv[2:])
print("\n".join(faults))
sys.exit(bool(faults))
