"""Contenders for gates and softmax in a benchmark harness.

    row_worker.py HARNESS copy                      memcpy of the bytes that the op moves
    row_worker.py HARNESS torch                     PyTorch, eager, into results that are there
    row_worker.py HARNESS onednn INCLUDE LIBRARY    oneDNN, by its headers and its library's folder

HARNESS is the folder of the harness, whose workers/base.py has the protocol.
"""

import ctypes
import pathlib
import sys
import tempfile

import numpy as np

import description
import kernel
import row_ops
from peer_worker import view

HERE = pathlib.Path(__file__).resolve().parent


def require(base, case):
    if not row_ops.is_row_op(case):
        raise base.Unsupported("no %s here" % case["op"])


class Buffers:
    """Memory of one case at a time."""

    def __init__(self, work):
        self.support, self.addresses, self.size = kernel.Support(work), [], 0

    def renew(self, count, size):
        for address in self.addresses:
            self.support.release(address, self.size)
        self.addresses, self.size = [self.support.allocate(size) for _ in range(count)], size
        return self.addresses


def make_copy(base, work):
    buffers = Buffers(work)

    class Copy(base.Worker):
        def setup(self, case):
            require(base, case)
            size = description.moved_bytes(case) // 2
            view(buffers.renew(2, size)[1], (size // 4,), "f32")[...] = 1
            return "memcpy of %d bytes" % size

        def loop(self, count):
            buffers.support.library.copy_repeatedly(*buffers.addresses, buffers.size, base.THREADS, count)

        def call(self):
            self.loop(1)

        def outputs(self):
            return None

    return Copy()


def make_torch(base):
    import torch
    torch.set_num_threads(base.THREADS)

    class Torch(base.Worker):
        def setup(self, case):
            require(base, case)
            wrap = lambda a: torch.from_numpy(a).view(torch.bfloat16) if a.dtype == np.uint16 else torch.from_numpy(a)
            arrays = {name: wrap(array) for name, array in base.common.inputs(case).items()}
            x, u = arrays["x"], arrays.get("u")
            y, g = torch.empty_like(x), torch.empty_like(x)
            if case["op"] == "softmax":
                self.f = lambda: torch.softmax(x, 1, out=y)
            elif case["op"] == "gated_silu":
                self.f = lambda: torch.mul(torch._C._nn.silu(x, out=g), u, out=y)
            else:
                form = "none" if case["op"].endswith("erf") else "tanh"
                self.f = lambda: torch.mul(torch._C._nn.gelu(x, approximate=form, out=g), u, out=y)
            self.y = y

        @torch.inference_mode()
        def call(self):
            self.f()

        @torch.inference_mode()
        def loop(self, count):
            f = self.f
            for _ in range(count):
                f()

        def outputs(self):
            return [(self.y.view(torch.uint16) if self.y.dtype == torch.bfloat16 else self.y).numpy()]

    return Torch()


def make_onednn(base, work, include, libraries):
    library = pathlib.Path(work) / "onednn_rows.so"
    kernel.run(["g++", "-std=c++17", "-O2", "-shared", "-fPIC", HERE / "onednn_rows.cpp", "-I" + include,
                "-L" + libraries, "-ldnnl", "-Wl,-rpath," + libraries, "-Wl,--allow-shlib-undefined", "-Wl,-z,lazy",
                "-o", library])
    library = ctypes.CDLL(str(library))
    library.rows_error.restype = ctypes.c_char_p
    buffers = Buffers(work)

    class OneDNN(base.Worker):
        def setup(self, case):
            require(base, case)
            arrays = base.common.inputs(case)
            self.shape, self.dtype = arrays["x"].shape, case["dtype"]
            for name, address in zip("xu", buffers.renew(3, arrays["x"].nbytes)):
                if name in arrays:
                    view(address, self.shape, self.dtype)[...] = arrays[name]
            failed = library.rows_setup(case["op"].encode(), int(self.dtype == "bf16"), *map(ctypes.c_int64, self.shape),
                                        *map(ctypes.c_void_p, buffers.addresses))
            if failed:
                raise base.Unsupported(library.rows_error().decode())
            return library.rows_error().decode()

        def loop(self, count):
            library.rows_run(ctypes.c_int64(count))

        def call(self):
            self.loop(1)

        def outputs(self):
            return [view(buffers.addresses[2], self.shape, self.dtype)]

    return OneDNN()


if __name__ == "__main__":
    harness, kind, *rest = sys.argv[1:]
    sys.path.insert(0, harness + "/workers")
    import base  # noqa: E402

    row_ops.install(base.common)
    with tempfile.TemporaryDirectory() as work:
        if kind == "torch":
            worker = make_torch(base)
        elif kind == "copy":
            worker = make_copy(base, work)
        else:
            worker = make_onednn(base, work, *rest)
        base.main(worker)
