#!/usr/bin/env python3
"""What SwiGLU networks in bf16 should reach on AMX tiles. Computed, not measured.

For each case: the cycles that tile instructions take, the bytes that each cache and the memory
have to deliver, and from these the percentage of the roofline that benchmark/run would print.
Weights are prefetched while tiles are multiplied: the longer of both counts. The code behind a
block of sums may run while the next block begins or not: the two percentages of a case.

The loops are those of lib/Codegen/CPU/AMXPanelKernel.cpp, as test/Assembly/tiles.test pins them.
"""

import argparse
import math

# One core of an Intel Emerald Rapids. Measured: the peak with random data, bytes a cycle that
# tile loads get from the L2 cache, bytes a second from the last level and from DRAM, and the part
# of these that one row of vector code gets from four and from eight panels at a time.
PEAK = 2.35e12
L2_BYTES_CYCLE = 46
L3_BYTES, DRAM_BYTES = 25e9, 16e9
FOUR_PANELS, EIGHT_PANELS = 0.90, 1.0
ACTIVATION = 0.14e-9  # seconds a hidden value
# From Intel's optimisation manual: cycles between two products, between two stores of tiles, and
# from a product to its result.
CYCLES_PRODUCT, CYCLES_STORE, LATENCY = 16, 16, 52
# From llvm-mca -mcpu=sapphirerapids: cycles a row, and panel, of the update of the output.
CYCLES_UPDATE = 4.1
# From a prefetch to the line.
L3_SECONDS, DRAM_SECONDS = 80e-9, 150e-9
L1, L2, LAST_LEVEL = 48 << 10, 2 << 20, 22 << 20
CLOCK = PEAK / (2 * 16 * 16 * 32 / CYCLES_PRODUCT)

# The lowering's own numbers: lib/Target/CPUTarget.cpp and the kernel.
MOST_ROWS, HIDDEN_BLOCK, SUMS, PANEL, TILE, STEP = 256, 4096, 2048, 32, 16, 32


def cut(size, block):
    return [block] * (size // block) + [size % block] * (size % block > 0)


def tile_rows(d):
    """Rows that meet a weight while it is in a cache."""
    rows = 128
    while 2 * rows <= MOST_ROWS and 2 * rows * 2 * d <= L2 // 2:
        rows *= 2
    return rows


class Network:
    def __init__(self, m, d, ff, overlap):
        self.m, self.d, self.ff, self.overlap = m, d, ff, overlap
        self.weights = 3 * d * ff * 2
        self.is_near = self.weights <= LAST_LEVEL
        self.bandwidth = L3_BYTES if self.is_near else DRAM_BYTES
        self.latency = L3_SECONDS if self.is_near else DRAM_SECONDS
        self.products = self.steps = self.behind = 0

    def roofline(self):
        return max(6 * self.m * self.d * self.ff / PEAK, self.weights / self.bandwidth)

    def add_product(self, rows, inputs, columns):
        """Counts cycles of products alone, of products with their loads, and behind blocks."""
        few = rows <= TILE
        for size in cut(inputs, SUMS):
            steps = math.ceil(size / STEP)
            for block in cut(rows, 2 * TILE):
                # Few rows meet two panels at a time.
                tiles, panels = math.ceil(block / TILE), 2 if few else 1
                times = math.ceil(columns / PANEL / panels)
                products, loads = 2 * tiles * panels, tiles + 2 * panels
                self.products += times * steps * products * CYCLES_PRODUCT
                # Of the two sides, neither stays in the first cache.
                self.steps += times * steps * max(products * CYCLES_PRODUCT, loads * 1024 / L2_BYTES_CYCLE)
                # What comes behind the last product is waited for; weights of few rows are not
                # on their way then.
                cycles = products * CYCLES_STORE + LATENCY + block * panels * CYCLES_UPDATE
                self.behind += times * (cycles if few or not self.overlap else 0)
                if few:
                    self.behind += times * self.latency * CLOCK

    def add_pass(self, rows, columns, bytes_):
        """A pass over what lies in the L2 cache."""
        self.behind += rows * columns * bytes_ / L2_BYTES_CYCLE

    def time(self):
        if self.m == 1:
            # Eight where threads can share the columns evenly enough.
            parts = [EIGHT_PANELS if columns >= 1024 else FOUR_PANELS for columns in (self.ff, self.ff, self.d)]
            return sum(self.weights / 3 / self.bandwidth / part for part in parts)
        seconds = 0
        for rows in cut(self.m, tile_rows(self.d)):
            self.products = self.steps = self.behind = 0
            for _ in "gate", "up":
                self.add_product(rows, self.d, self.ff)
            for block in cut(self.ff, HIDDEN_BLOCK):
                self.add_product(rows, block, self.d)
            self.add_pass(rows, self.d, 8 + 6)  # zeros to add to, and the result
            # Gates and ups, and what they become.
            behind = self.behind / CLOCK + rows * self.ff * ACTIVATION
            memory = self.weights / self.bandwidth
            if rows <= TILE:
                seconds += max(self.steps / CLOCK, memory) + behind
            else:
                seconds += max(self.steps / CLOCK + behind, memory)
        return seconds


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print("| network | M | roofline | of the L2 cache, a product | computed | of the roofline |")
    print("| --- | --- | --- | --- | --- | --- |")
    for d, ff in ((576, 1536), (2048, 5632), (4096, 11008)):
        for m in (1, 16, 128, 512):
            slow, fast = Network(m, d, ff, False), Network(m, d, ff, True)
            times = slow.time(), fast.time()
            roofline = slow.roofline()
            low, high = (f"{100 * roofline / time:.0f}" for time in times)
            share = f"{slow.steps / slow.products * 16:.1f} cycles" if slow.products else "vectors"
            print(f"| {d}x{ff} | {m} | {roofline * 1e3:.3f} ms | {share} | {times[0] * 1e3:.3f} ms | "
                  f"{low if low == high else low + ' to ' + high} % |")


if __name__ == "__main__":
    main()
