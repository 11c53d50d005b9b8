"""What a case costs beside its time: processor time to compile, bytes of the object, and
the memory that a call takes.

    footprint.py RUNS < cases.json > footprints.json

A case is one of description.py with `shapes`; answers are the cases with
compile_seconds, object_bytes and, of networks, call_bytes. For a case whose shapes are
not static, `d` is 0 in the answer.
"""

import ctypes
import os
import pathlib
import re
import subprocess
import sys

import description
import kernel


def compile_case(case, runs, work):
    source, target = work / "case.mlir", work / "case.o"
    source.write_text(description.describe(case, case["shapes"]).text)
    command = [str(word) for word in (kernel.find_compiler(), source, "-o", target, "--header=none")]
    seconds = []
    for _ in range(runs):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        if process.returncode:
            raise kernel.CompileError(errors.decode())
        seconds.append(usage.ru_utime + usage.ru_stime)
    return {"compile_seconds": min(seconds), "object_bytes": target.stat().st_size, "runs": runs}


def read_status(field):
    text = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"^%s:\s+(\d+) kB" % field, text, re.MULTILINE).group(1)) * 1024


def measure_peak(function):
    """By how much a call raises the resident memory at its peak."""
    # Memory that was freed before would serve the call unseen.
    ctypes.CDLL(None).malloc_trim(0)
    # The peak is counted anew from here.
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = read_status("VmRSS")
    function()
    return max(0, read_status("VmHWM") - before)


def measure_call(case, support, work):
    """The memory of a call; the arguments are resident before."""
    called = kernel.Kernel(support, case, work, case["shapes"])
    called.pack()
    peak = measure_peak(lambda: called.loop(1))
    called.release()
    return peak


def measure(case, support, work):
    case.update(compile_case(case, int(sys.argv[1]), work))
    if case["kind"] == "ffn":
        case["call_bytes"] = measure_call(case, support, work)
    elif case["shapes"] != "static":
        case["d"] = 0
    return case


if __name__ == "__main__":
    kernel.answer(measure)
