"""The command line of a harness, which says that all took a second, and `copy` half."""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys

import common

HERE = pathlib.Path(__file__).resolve().parent


def ask(command, case):
    question = json.dumps({"op": "setup", "case": case}) + "\n"
    done = subprocess.run(shlex.split(command.format(py=sys.executable, here=HERE)), input=question,
                          stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    for name in ("cases", "contenders", "env", "out"):
        parser.add_argument("--" + name, required=True)
    for name in ("threads", "rounds"):
        parser.add_argument("--" + name, type=int)
    parser.add_argument("--extra", action="append", default=[])
    options = parser.parse_args()
    extra = dict(text.split("=", 1) for text in options.extra)
    with open(options.out, "w") as out:
        for case in common.norm_cases():
            for name in options.contenders.split(","):
                record = {**case, "case": "%(op)s %(dtype)s %(d)d" % case, "threads": options.threads, "contender": name,
                          "best": 0.5 if name == "copy" else 1.0, "ratio": 0.5 if name == "copy" else 1.0}
                if name in extra:
                    record.update(ask(extra[name], case))
                out.write(json.dumps(record) + "\n")
