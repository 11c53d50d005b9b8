"""Writes the arrays that arguments.test reads, and compares what it wrote.

  make_arrays.py write DIR
  make_arrays.py compare DIR
"""

import os
import sys

import numpy as np


def to_bf16_bits(values):
    """Truncated to bf16: the values here are exact in it."""
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def path(name):
    return os.path.join(sys.argv[2], name + ".npy")


x = (np.arange(12, dtype=np.float32).reshape(3, 4) - 5) / 4
if sys.argv[1] == "write":
    np.save(path("x_f32"), x)
    np.save(path("x_f64"), x.astype(np.float64))
    np.save(path("x_f16"), x.astype(np.float16))
    np.save(path("x_u2"), to_bf16_bits(x))
    np.save(path("x_V2"), to_bf16_bits(x).view("V2"))
    np.save(path("mask"), np.array([True, False, True]))
    np.save(path("counts"), np.array([[1, -2], [3, 4]], dtype=np.int32))
    np.save(path("fortran"), np.asfortranarray(x))
    np.save(path("big_endian"), x.astype(">f4"))
    np.save(path("wide"), np.zeros((3, 5), dtype=np.float32))
    np.save(path("flat"), np.zeros(12, dtype=np.float32))
    with open(path("x_f32"), "rb") as file:
        contents = file.read()
    with open(path("short"), "wb") as file:
        file.write(contents[:-1])
    with open(path("header"), "wb") as file:
        file.write(contents[:40])
    with open(path("text"), "wb") as file:
        file.write(b"not an array")
else:
    for name in ("f32", "f64", "f16"):
        result = np.load(path("r_" + name))
        assert result.dtype == np.load(path("x_" + name)).dtype, result.dtype
        assert np.array_equal(result, -x.astype(result.dtype)), (name, result)
    for name in ("u2", "V2"):
        result = np.load(path("r_" + name))
        assert result.dtype == np.uint16, result.dtype
        assert np.array_equal(result, to_bf16_bits(-x)), (name, result)
    result = np.load(path("r_mask"))
    assert result.dtype == np.bool_ and result.tolist() == [True, False, True], result
    result = np.load(path("r_counts"))
    assert result.dtype == np.int32 and result.tolist() == [[1, -2], [3, 4]], result
    # The argument of the memref function was doubled in place.
    assert np.array_equal(np.load(path("r_argument")), 2 * x)
    print("all files are right")
