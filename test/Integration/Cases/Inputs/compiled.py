"""What the scripts of the cases share: compiles module text, calls its functions on
numpy arrays, and knows the element types.

f16, f32, f64 and i1 are numpy's; bf16 is the uint16 of its bits. Arrays are passed
as they lie in memory, with their strides.
"""

import ctypes
import os
import subprocess
import sys
import zlib

import numpy as np

STORAGE = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64, "i1": np.bool_}
# Bits of the significand and the exponent of the smallest normal number.
FORMAT = {"f16": (11, -14), "bf16": (8, -126), "f32": (24, -126), "f64": (53, -1022)}
# The wide type of the references.
WIDE = np.longdouble
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
DIRECTORY = sys.argv[1]
# Options of xfmr-compile beside those that a case gives: the same case for another CPU.
OPTIONS = os.environ.get("XFMR_TEST_OPTIONS", "").split()
os.makedirs(DIRECTORY, exist_ok=True)


def encode(values, element):
    """The nearest values of an element type, ties to even."""
    if element != "bf16":
        with np.errstate(over="ignore"):
            return np.asarray(values).astype(STORAGE[element], order="C")
    with np.errstate(over="ignore"):
        bits = np.asarray(values).astype(np.float32, order="C").view(np.uint32).astype(np.uint64)
    nan = (bits & 0x7FFFFFFF) > 0x7F800000
    return np.where(nan, 0x7FC0, (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def decode(array, element):
    """The values of an array, in the wide type."""
    if element == "bf16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(WIDE)


def rounded(values, element):
    """Values rounded to the element type."""
    return decode(encode(values, element), element)


def bits(array):
    return np.ascontiguousarray(array).view(BITS[array.itemsize])


def ulp(values, element):
    """The spacing of the type at the values, subnormals included."""
    precision, smallest = FORMAT[element]
    _, exponent = np.frexp(np.abs(values))
    exponent = np.maximum(exponent - 1, smallest)
    return np.ldexp(WIDE(1), exponent - precision + 1)


def unit(element):
    """The unit roundoff of the accumulation type."""
    return WIDE(2) ** (-53 if element == "f64" else -24)


def descriptor(array):
    strides = [stride // array.itemsize for stride in array.strides]
    if array.flags.c_contiguous:
        strides = [1] * array.ndim
        for i in range(array.ndim - 2, -1, -1):
            strides[i] = strides[i + 1] * array.shape[i + 1]
    # An offset that is not 0 where the view has a base which starts before it.
    offset = 0
    if isinstance(array.base, np.ndarray) and array.size:
        offset = (array.ctypes.data - array.base.ctypes.data) // array.itemsize
        if array.flags.c_contiguous:
            offset = 0
    start = array.ctypes.data - offset * array.itemsize
    words = [start, start, offset, *array.shape, *strides]
    return (ctypes.c_int64 * len(words))(*words)


class Module:
    """Module text, compiled. Where what a case is about does not depend on LLVM's
    optimisations, -O0 takes a quarter of the time for networks."""

    def __init__(self, text, *options):
        stem = os.path.join(DIRECTORY, f"m{zlib.crc32((text + str((options, OPTIONS))).encode()):08x}")
        with open(stem + ".mlir", "w") as file:
            file.write(text)
        done = subprocess.run(
            ["xfmr-compile", stem + ".mlir", "-o", stem + ".so", "--header=none", "--linker=ld.lld", *options, *OPTIONS],
            capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"xfmr-compile of {stem}.mlir failed: {done.stderr[:3000]}")
        self.library = ctypes.CDLL(stem + ".so")

    def call(self, name, arguments, results=()):
        """Calls a function; `results` are the element type and rank of each. Gives
        copies of the results."""
        words = [descriptor(argument) for argument in arguments]
        returned = [(ctypes.c_int64 * (3 + 2 * rank))() for _, rank in results]
        status = getattr(self.library, name)(*map(ctypes.byref, words + returned))
        if status:
            message = getattr(self.library, name + "_error_message")
            message.restype = ctypes.c_char_p
            raise RuntimeError(f"{name}: {message(status).decode()}")
        copies, owned = [], set()
        for result, (element, rank) in zip(returned, results):
            shape, strides = list(result[3:3 + rank]), list(result[3 + rank:])
            size = np.dtype(STORAGE[element]).itemsize
            if 0 in shape:
                copies.append(np.zeros(shape, STORAGE[element]))
            else:
                last = sum((n - 1) * s for n, s in zip(shape, strides))
                memory = (ctypes.c_char * ((last + 1) * size)).from_address(result[1] + result[2] * size)
                copies.append(np.ndarray(shape, STORAGE[element], memory, 0, [s * size for s in strides]).copy())
            if result[0] not in [argument[0] for argument in words]:
                owned.add(result[0])
        free = ctypes.CDLL(None).free
        for pointer in owned:
            free(ctypes.c_void_p(pointer))
        return copies


class Checks:
    """Counts checks; at the end, fails when one failed or there were too few."""

    def __init__(self):
        self.count, self.failures = 0, []

    def __call__(self, right, what):
        self.count += 1
        if not right:
            self.failures.append(str(what))

    def same(self, got, expected, what):
        """The same bits."""
        self(got.shape == expected.shape and np.array_equal(bits(got), bits(expected)),
             f"{what}: got\n{got}\nnot\n{expected}")

    def close(self, got, expected, bound, element, what):
        """Class first: NaN with NaN, an infinity with the same one."""
        if got.shape != expected.shape:
            return self(False, f"{what}: shape {got.shape}, not {expected.shape}")
        value = decode(got, element)
        bound = np.broadcast_to(bound, value.shape)
        with np.errstate(invalid="ignore"):
            right = np.where(np.isfinite(value) & np.isfinite(expected), np.abs(value - expected) <= bound,
                             (np.isnan(value) & np.isnan(expected)) | (value == expected))
        wrong = np.argwhere(~right)
        at = tuple(wrong[0]) if len(wrong) else None
        self(at is None, at is not None and
             f"{what}: {len(wrong)} of {right.size} wrong; at {at} got {value[at]}, expected {expected[at]} "
             f"within {bound[at]}")

    def finish(self, least):
        for failure in self.failures[:20]:
            print(failure[:1500])
        print(f"{self.count} checks, {len(self.failures)} failures")
        sys.exit(bool(self.failures) or self.count < least)


def norm_reference(x, gamma, beta, element, kind, eps):
    """The normalised rows in the wide type, and the bound for a result that is
    rounded once to `element`."""
    if not x.size:
        return x, x
    d = WIDE(x.shape[-1])
    centred = x
    if kind == "layernorm":
        # Twice: the wide type does not hold a large mean exactly either.
        for _ in range(2):
            centred = centred - centred.sum(-1, keepdims=True) / d
    eps = WIDE(eps if element == "f64" else np.float32(eps))
    normalised = centred / np.sqrt((centred * centred).sum(-1, keepdims=True) / d + eps)
    y = normalised * gamma + beta
    slack = (16 + d / 256) * unit(element) * (np.abs(gamma) * np.maximum(1, np.abs(normalised)) + np.abs(beta))
    return y, ulp(y, element) / 2 + slack


def shape(*sizes):
    """The text of a shape: None is a size that is open."""
    return "x".join("?" if size is None else str(size) for size in sizes)


def norm(name, op, sizes, element, eps="1.0e-05", gamma=None, beta=None, rounding=None, extra=""):
    """A function of one norm over the last dim on tensors. `sizes` are x's; gamma and
    beta are element types. Arguments: x, [r], [gamma], [beta], y."""
    array = f"tensor<{shape(*sizes)}x{element}>"
    arguments, text = [f"%x: {array}"], f"xfmr.{op} ins(%x : {array})"
    if op.startswith("add_"):
        arguments.append(f"%r: {array}")
        text += f" residual(%r : {array})"
    for operand, its in (("gamma", gamma), ("beta", beta)):
        if its:
            row = f"tensor<{shape(sizes[-1])}x{its}>"
            arguments.append(f"%{operand}: {row}")
            text += f" {operand}(%{operand} : {row})"
    arguments.append(f"%y: {array}")
    text += f" outs(%y : {array}) eps({eps})"
    if element in ("f16", "bf16"):
        if op.startswith("add_"):
            text += " residual_rounding(norm_then_round)"
        text += f" rounding({rounding or 'scale_then_cast'})"
    return (f"func.func @{name}({', '.join(arguments)}) -> {array} {{\n"
            f"  %0 = {text} {extra} -> {array}\n  return %0 : {array}\n}}\n")
