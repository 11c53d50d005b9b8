"""The protocol of a harness, as far as a worker takes part in it."""

import json
import os
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common  # noqa: E402, F401

THREADS = int(os.environ.get("PEER_THREADS", "1"))


class Unsupported(Exception):
    pass


class Worker:
    compile_seconds = None


def answer(worker, question):
    if question["op"] == "setup":
        try:
            note = worker.setup(question["case"])
        except Unsupported as error:
            return {"supported": False, "note": str(error)}
        worker.call()
        return {"supported": True, "note": note, "compile_seconds": worker.compile_seconds}
    if question["op"] == "run":
        start = time.perf_counter()
        worker.loop(question["iters"])
        return {"seconds_per_call": (time.perf_counter() - start) / question["iters"]}
    worker.call()
    np.savez(question["path"], *worker.outputs())
    return {"count": len(worker.outputs())}


def main(worker):
    for line in sys.stdin:
        print(json.dumps(answer(worker, json.loads(line))), flush=True)
