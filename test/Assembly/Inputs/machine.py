"""Compiles functions for a CPU, of this machine or another, and calls them: here, or
under an emulator."""

import os
import struct
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
# What a program of another architecture is started with.
EMULATORS = {"qemu-aarch64": ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
             "qemu-x86_64": ["qemu-x86_64", "-cpu", "max"], "native": []}


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed: {done.stderr[:3000]}")
    return done.stdout


class Library:
    """Module text, compiled for a CPU into a shared library."""

    def __init__(self, folder, text, cpu, emulator="native"):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.emulator = folder, EMULATORS[emulator]
        stem = os.path.join(folder, cpu.replace("/", "-"))
        self.path, self.runner = stem + ".so", stem + ".runner"
        with open(stem + ".mlir", "w") as file:
            file.write(text)
        run(["xfmr-compile", stem + ".mlir", "-o", self.path, "--header=none", f"--cpu={cpu}", "--linker=ld.lld"])
        machine = ["--target=" + cpu.split("/")[0], "-fuse-ld=lld"] if "/" in cpu else []
        run(["clang", *machine, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", os.path.join(HERE, "runner.c"),
             "-o", self.runner, "-ldl"])

    def call(self, calls, counted=False, prefix=()):
        """`calls`: pairs of a name and arrays. Gives of each the status, the number of
        instructions, the function's address and the arrays after it."""
        paths = [os.path.join(self.folder, name) for name in ("calls.bin", "results.bin")]
        with open(paths[0], "wb") as file:
            for name, arrays in calls:
                file.write(name.encode().ljust(64, b"\0") + struct.pack("<2q", counted, len(arrays)))
                for array in arrays:
                    data = np.ascontiguousarray(array).tobytes()
                    file.write(struct.pack(f"<{2 + array.ndim}q", array.ndim, array.itemsize, *array.shape))
                    file.write(data + bytes(-len(data) % 8))
        run([*self.emulator[:1], *prefix, *self.emulator[1:], self.runner, self.path, *paths])
        with open(paths[1], "rb") as file:
            results = []
            for _, arrays in calls:
                head = struct.unpack("<3q", file.read(24))
                after = []
                for array in arrays:
                    size = array.size * array.itemsize
                    after.append(np.frombuffer(file.read(size + -size % 8)[:size], array.dtype).reshape(array.shape))
                results.append((*head, after))
        return results
