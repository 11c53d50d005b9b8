"""A contender of a benchmark harness: cases compiled by xfmr-compile, called from C.

    peer_worker.py HARNESS [--shapes static|rows|dynamic] [--flag=FLAG ...]

HARNESS is the folder of the harness, whose workers/base.py has the protocol (one JSON
object a line) and whose common.py has the inputs. A flag is passed on to xfmr-compile.
"""

import argparse
import ctypes
import pathlib
import sys
import tempfile

import numpy as np

import description
import ffn_ops
import kernel
import row_ops


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harness", type=pathlib.Path)
    parser.add_argument("--shapes", choices=description.SHAPES, default="static")
    parser.add_argument("--flag", action="append", default=[], help="for xfmr-compile")
    return parser.parse_args(arguments)


def view(address, shape, dtype):
    """An array on the memory; bf16 is the uint16 of its bits."""
    dtype = np.dtype({"f32": np.float32, "bf16": np.uint16}[dtype])
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)


def make_worker(base, options, work):
    support = kernel.Support(work)

    class Xfmr(base.Worker):
        kernel = None

        def setup(self, case):
            if self.kernel:
                self.arrays = {}
                self.kernel.release()
                self.kernel = None
            try:
                self.kernel = kernel.Kernel(support, case, work, options.shapes, base.THREADS, options.flag)
            except description.Unsupported as error:
                raise base.Unsupported(str(error))
            self.compile_seconds = self.kernel.compile_seconds
            inputs = base.common.inputs(case)
            self.arrays = {name: view(self.kernel.buffers[name][0], shape, case["dtype"])
                           for name, shape in self.kernel.description.arguments}
            for name, array in self.arrays.items():
                if name in inputs:
                    array[...] = inputs[name]
            self.kernel.pack()
            return "%s shapes, library of %d bytes" % (options.shapes, self.kernel.library_bytes)

        def loop(self, count):
            self.kernel.loop(count)

        def call(self):
            self.loop(1)

        def outputs(self):
            return [self.arrays[name] for name in ("y", "s") if name in self.kernel.buffers]

    return Xfmr()


if __name__ == "__main__":
    options = parse(sys.argv[1:])
    sys.path.insert(0, str(options.harness / "workers"))
    import base  # noqa: E402

    row_ops.install(base.common)
    ffn_ops.install(base.common)
    with tempfile.TemporaryDirectory() as work:
        base.main(make_worker(base, options, work))
