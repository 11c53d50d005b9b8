"""Fails when one file has more lines than the given multiple of the other's."""

import sys

first, second = (sum(1 for _ in open(name, encoding="utf-8")) for name in sys.argv[1:3])
ratio = max(first, second) / min(first, second)
print(f"{first} and {second} lines: {ratio:.2f} times")
sys.exit(ratio > float(sys.argv[3]))
