"""Runs a benchmark harness on chosen cases: harness.py FOLDER CASES.json ARGUMENT...

To be run by the Python of the harness. The arguments are those of its run.py.
"""

import json
import pathlib
import sys

import ffn_ops
import row_ops

folder, cases, *arguments = sys.argv[1:]
sys.path.insert(0, folder)
import common  # noqa: E402
import run  # noqa: E402

row_ops.install(common)
ffn_ops.install(common)

chosen = json.loads(pathlib.Path(cases).read_text())
common.norm_cases = lambda: chosen
sys.argv = ["run.py", "--cases", "norms", *arguments]
run.main()
