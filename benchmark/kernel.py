"""A case compiled by xfmr-compile, on buffers of its own, called from a loop in C."""

import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import description

HERE = pathlib.Path(__file__).resolve().parent
PACK, SIZES = (description.FUNCTION + suffix for suffix in ("_pack_weights", "_packed_sizes"))
# Bytes behind a buffer, for code that prefetches the next row.
SLACK = 64


class CompileError(Exception):
    """What the compiler said."""


def find_compiler():
    """$XFMR_COMPILE, or the one of the build folder."""
    path = pathlib.Path(os.environ.get("XFMR_COMPILE", HERE.parent / "build/bin/xfmr-compile"))
    if not path.is_file():
        raise FileNotFoundError("%s: build xfmr-compile, or set XFMR_COMPILE" % path)
    return path


def run(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise CompileError(done.stdout.strip() or "%s failed" % command[0])


class Support:
    """call_loop.c, compiled once into the folder `work`."""

    def __init__(self, work):
        library = pathlib.Path(work) / "call_loop.so"
        run([os.environ.get("CC", "cc"), "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror",
             "-shared", "-fPIC", "-pthread", HERE / "call_loop.c", "-o", library])
        self.library = ctypes.CDLL(str(library))
        self.library.allocate.restype = ctypes.c_void_p
        self.library.allocate.argtypes = [ctypes.c_size_t]
        self.library.release.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.library.copy_repeatedly.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int32, ctypes.c_int64]
        self.library.call_repeatedly.restype = ctypes.c_int32
        self.library.call_repeatedly.argtypes = [
            ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int64]

    def allocate(self, size):
        address = self.library.allocate(size + SLACK)
        if not address:
            raise MemoryError("no %d bytes" % size)
        return address

    def release(self, address, size):
        self.library.release(address, size + SLACK)


def answer(measure):
    """Reads cases, as JSON, and writes what `measure` makes of each of them, of a Support and
    of a folder to work in."""
    cases = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        support = Support(folder)
        json.dump([measure(case, support, pathlib.Path(folder)) for case in cases], sys.stdout)


def make_descriptor(address, shape):
    """{ allocated, aligned, offset, sizes[], strides[] } of a row-major array."""
    strides, count = [], 1
    for size in reversed(shape):
        strides.insert(0, count)
        count *= size
    words = [address, address, 0, *shape, *strides]
    return (ctypes.c_int64 * len(words))(*words)


def read_prototypes(header):
    """The arguments of each function in a C header of xfmr-compile: name, rank and
    bytes of an element."""
    sizes = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i1": 1}
    functions = {}
    for name, arguments in re.findall(r"^int32_t (\w+)\(([^;]*)\);", header, re.MULTILINE):
        functions[name] = [(argument, int(rank), sizes[element]) for rank, element, argument
                           in re.findall(r"xfmr_memref_(\d)d_(\w+) \*(\w+)", arguments)]
    return functions


class Kernel:
    """Buffers have an address and a size in bytes, by the argument's name: those of the
    description. After they are filled, `pack` makes the function ready to be called."""

    def __init__(self, support, case, work, shapes="static", threads=1, flags=()):
        self.support = support
        self.description = description.describe(case, shapes)
        work = pathlib.Path(work)
        # The loader knows a library by its path and keeps the first it saw.
        self.count = getattr(support, "kernels", 0)
        support.kernels = self.count + 1
        source, library, header = (work / ("kernel%d.%s" % (self.count, suffix)) for suffix in ("mlir", "so", "h"))
        source.write_text(self.description.text)
        start = time.perf_counter()
        run([find_compiler(), source, "-o", library, "--header=%s" % header, "--threads=%d" % threads, *flags])
        self.compile_seconds = time.perf_counter() - start
        self.library_bytes = library.stat().st_size
        self.prototypes = read_prototypes(header.read_text())
        self.library = ctypes.CDLL(str(library))
        self.function = ctypes.cast(getattr(self.library, description.FUNCTION), ctypes.c_void_p)

        bytes_each = {"f32": 4, "bf16": 2}[case["dtype"]]
        self.buffers, self.by_name = {}, {}
        for name, shape in self.description.arguments:
            size = bytes_each
            for extent in shape:
                size *= extent
            self.buffers[name] = (support.allocate(size), size)
            self.by_name[name] = make_descriptor(self.buffers[name][0], shape)
        self.descriptors = self.pointers = None

    def check(self, function, status):
        if status:
            message = getattr(self.library, function + "_error_message")
            message.restype = ctypes.c_char_p
            raise RuntimeError("status %d: %s" % (status, message(status).decode()))

    def place_packed(self, in_place=False):
        """Gives the packed weights memory, that of the weights where that is said, and
        returns the names of weights and packed ones in pairs."""
        weights = {name for name, _ in self.description.arguments}
        packed = [argument for argument in self.prototypes.get(PACK, ()) if argument[0] not in weights]
        for name, rank, _ in packed:
            self.by_name[name] = (ctypes.c_int64 * (3 + 2 * rank))()
        if packed:
            self.call(SIZES)
        for name, rank, element_bytes in packed:
            words = self.by_name[name]
            size = words[3] * words[3 + rank] * element_bytes
            source, source_size = self.buffers[name[:-len("_packed")]]
            if in_place and size != source_size:
                raise ValueError("%s is not packed in place: it has %d bytes and its weight %d" % (name, size, source_size))
            if not in_place and name not in self.buffers:
                self.buffers[name] = (self.support.allocate(size), size)
            words[0] = words[1] = source if in_place else self.buffers[name][0]
        return [(name[:-len("_packed")], name) for name, _, _ in packed]

    def pack(self):
        """Packs the weights, once and for all, and gives back the memory of those that
        the function has no use for."""
        if self.place_packed():
            self.call(PACK)
        names = [name for name, _, _ in self.prototypes[description.FUNCTION]]
        for name in set(self.buffers) - set(names):
            self.support.release(*self.buffers.pop(name))
        self.descriptors = [self.by_name[name] for name in names]
        self.pointers = (ctypes.c_void_p * len(names))(*map(ctypes.addressof, self.descriptors))

    def call(self, function):
        words = [self.by_name[name] for name, _, _ in self.prototypes[function]]
        self.check(function, getattr(self.library, function)(*map(ctypes.byref, words)))

    def loop(self, count):
        if not self.pointers:
            self.pack()
        self.check(description.FUNCTION, self.support.library.call_repeatedly(
            self.function, len(self.descriptors), self.pointers, count))

    def release(self):
        """Gives the buffers back; nothing may use them from here on."""
        for address, size in self.buffers.values():
            self.support.release(address, size)
        self.buffers = {}
