"""A case compiled by xfmr-compile, on buffers of its own, called from a loop in C."""

import ctypes
import os
import pathlib
import subprocess
import time

import description

HERE = pathlib.Path(__file__).resolve().parent
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


def make_descriptor(address, shape):
    """{ allocated, aligned, offset, sizes[], strides[] } of a row-major array."""
    strides, count = [], 1
    for size in reversed(shape):
        strides.insert(0, count)
        count *= size
    words = [address, address, 0, *shape, *strides]
    return (ctypes.c_int64 * len(words))(*words)


class Kernel:
    """Buffers have an address and a size in bytes, by the argument's name."""

    def __init__(self, support, case, work, shapes="static", threads=1, flags=()):
        self.support = support
        self.description = description.describe(case, shapes)
        work = pathlib.Path(work)
        # The loader knows a library by its path and keeps the first it saw.
        self.count = getattr(support, "kernels", 0)
        support.kernels = self.count + 1
        source, library = (work / ("kernel%d.%s" % (self.count, suffix)) for suffix in ("mlir", "so"))
        source.write_text(self.description.text)
        start = time.perf_counter()
        run([find_compiler(), source, "-o", library, "--header=none", "--threads=%d" % threads, *flags])
        self.compile_seconds = time.perf_counter() - start
        self.library_bytes = library.stat().st_size
        library = ctypes.CDLL(str(library))
        self.function = ctypes.cast(getattr(library, description.FUNCTION), ctypes.c_void_p)
        self.error_message = getattr(library, description.FUNCTION + "_error_message")
        self.error_message.restype = ctypes.c_char_p

        bytes_each = {"f32": 4, "bf16": 2}[case["dtype"]]
        self.buffers, self.descriptors = {}, []
        for name, shape in self.description.arguments:
            size = bytes_each
            for extent in shape:
                size *= extent
            address = support.allocate(size)
            self.buffers[name] = (address, size)
            self.descriptors.append(make_descriptor(address, shape))
        self.pointers = (ctypes.c_void_p * len(self.descriptors))(
            *(ctypes.addressof(descriptor) for descriptor in self.descriptors))

    def loop(self, count):
        status = self.support.library.call_repeatedly(
            self.function, len(self.descriptors), self.pointers, count)
        if status:
            raise RuntimeError("status %d: %s" % (status, self.error_message(status).decode()))

    def release(self):
        """Gives the buffers back; nothing may use them from here on."""
        for address, size in self.buffers.values():
            self.support.release(address, size)
        self.buffers = {}
