"""The rounding to bf16 of scripts/smollm2_weights.py, against the exact rule."""

import argparse
import importlib.util
import os
import sys
import unittest

import numpy as np

OPTIONS = None


class Weights(unittest.TestCase):
    def setUp(self):
        spec = importlib.util.spec_from_file_location(
            "smollm2_weights", os.path.join(OPTIONS.source, "scripts/smollm2_weights.py"))
        sys.dont_write_bytecode = True
        self.script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.script)

    def test_nearest_even(self):
        # Every kind of bf16 value, with every way a remainder can lie about the half.
        high = np.arange(0, 0x7F80, dtype=np.uint32)
        for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
            bits = (high << 16) | np.uint32(low)
            up = (low > 0x8000) | ((low == 0x8000) & (high & 1 == 1))
            for sign in (0, 0x8000):
                values = (bits | np.uint32(sign << 16)).view(np.float32)
                np.testing.assert_array_equal(self.script.to_bf16(values), high + up | sign)

    def test_infinities_and_nans(self):
        bits = np.array([0x7F800000, 0xFF800000, 0x7F800001, 0xFFFFFFFF], dtype=np.uint32)
        result = self.script.to_bf16(bits.view(np.float32))
        np.testing.assert_array_equal(result[:2], [0x7F80, 0xFF80])
        self.assertTrue(np.all(((result[2:] & 0x7F80) == 0x7F80) & ((result[2:] & 0x7F) != 0)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
