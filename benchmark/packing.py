"""How fast the weights of a network are packed, beside copies of as many bytes.

    packing.py ROUNDS < cases.json > packings.json

A case is one of a network of description.py, with `threads`. An answer is the case with
`bytes` of all its weights; the lists `copy`, `elsewhere` and `in_place` of seconds, of
the same rounds; and `peak_bytes`, the memory that packing in place takes besides. Where
a weight can't be packed in place, the last two are null.
"""

import sys
import time

import footprint
import kernel

# What one turn moves at least: the system takes some milliseconds to give a second
# thread a core of its own.
LEAST_BYTES = 2 << 30


def measure(case, support, work):
    threads, rounds = case["threads"], int(sys.argv[1])
    called = kernel.Kernel(support, case, work, threads=threads)
    pairs = called.place_packed()
    if not pairs:
        raise ValueError("%s has no packed weights" % case)
    size = sum(called.buffers[weight][1] for weight, _ in pairs)
    source, target = (support.allocate(size) for _ in range(2))
    repeat = min(1000, max(1, LEAST_BYTES // size))
    # Like all that is measured here: one thread in processor time, more in wall time.
    clock = time.process_time if threads == 1 else time.perf_counter

    def pack():
        called.call(kernel.PACK)

    def pack_repeatedly():
        for _ in range(repeat):
            pack()

    def copy_repeatedly():
        support.library.copy_repeatedly(target, source, size, threads, repeat)

    def take_turn(function):
        start = clock()
        function()
        return (clock() - start) / repeat

    case.update(bytes=size, copy=[], elsewhere=[], in_place=[], peak_bytes=None)
    in_place = all(called.buffers[weight][1] == called.buffers[packed][1] for weight, packed in pairs)
    for _ in range(rounds + 1):
        called.place_packed()
        case["copy"].append(take_turn(copy_repeatedly))
        case["elsewhere"].append(take_turn(pack_repeatedly))
        if in_place:
            called.place_packed(in_place=True)
            case["in_place"].append(take_turn(pack_repeatedly))
    # The first round warms up.
    for way in ("copy", "elsewhere", "in_place"):
        del case[way][:1]
    if in_place:
        case["peak_bytes"] = footprint.measure_peak(pack)
    else:
        case["in_place"] = None
    called.release()
    for address in (source, target):
        support.release(address, size)
    return case


if __name__ == "__main__":
    kernel.answer(measure)
