"""What benchmark/ measures is what it says: the modules it writes compile and give the
right values, and the worker, the command and the report do their part."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

import numpy as np

OPTIONS = None
HARNESS = pathlib.Path(__file__).resolve().parent / "Inputs/harness"


def norm(op, dtype="f32", rows=5, d=83):
    return {"kind": "norm", "op": op, "dtype": dtype, "rows": rows, "d": d, "eps": 1e-5, "seed": 1}


def ffn(dtype="f32", op="swiglu"):
    return {"kind": "ffn", "op": op, "dtype": dtype, "M": 3, "d": 40, "ff": 72, "seed": 1}


def widen(array):
    return (array.astype(np.uint32) << 16).view(np.float32) if array.dtype == np.uint16 else array


def expected(case):
    if case["kind"] == "norm" and row_ops.is_row_op(case):
        x, u = (widen(common.inputs({**case, "op": "add_rmsnorm"})[name]).astype(np.float64) for name in "xr")
        return [row_ops.reference(case, x, u)]
    a = {name: widen(array).astype(np.float64) for name, array in common.inputs(case).items()}
    if case["kind"] == "ffn":
        gate, up = a["x"] @ a["Wg"].T, a["x"] @ a["Wu"].T
        return [ffn_ops.hidden(case["op"], gate, up) @ a["Wd"].T]
    s = a["x"] + a.get("r", 0)
    centred = s - s.mean(1, keepdims=True) if "b" in a else s
    y = centred / np.sqrt((centred ** 2).mean(1, keepdims=True) + case["eps"]) * a["g"] + a.get("b", 0)
    return [y, s] if "r" in a else [y]


def worker(questions, *arguments, threads=1, script="peer_worker.py"):
    """The worker's answers."""
    done = subprocess.run(
        [sys.executable, OPTIONS.source / "benchmark" / script, HARNESS, *arguments],
        input="".join(json.dumps(question) + "\n" for question in questions), capture_output=True,
        text=True, env={**os.environ, "PEER_THREADS": str(threads)})
    if done.returncode:
        raise AssertionError(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def record(contender, ratio, best=1e-5, **more):
    case = norm("rmsnorm", rows=1024, d=64)
    return {**case, "set": "norms", "case": "rmsnorm f32 1024x64", "threads": 1, "contender": contender, "best": best,
            "ratio": ratio, **more}


class Worker(unittest.TestCase):
    def test_values(self):
        with tempfile.TemporaryDirectory() as work:
            every = [norm(op, dtype) for op in description.ROW_OPS for dtype in description.DTYPES]
            every += [ffn(dtype, op) for op in description.NETWORKS for dtype in description.DTYPES]
            # Not all in all shapes: compiling takes its time.
            for shapes, cases in (("static", every), ("rows", [norm("add_layernorm")]),
                                  ("dynamic", [norm("add_layernorm", "bf16"), norm("softmax", "bf16"), ffn()])):
                questions = []
                for index, case in enumerate(cases):
                    questions += [{"op": "setup", "case": case}, {"op": "run", "iters": 3},
                                  {"op": "check", "case": case, "path": "%s/%d.npz" % (work, index)}]
                answers = iter(worker(questions, "--shapes", shapes))
                for index, case in enumerate(cases):
                    with self.subTest(shapes=shapes, **case):
                        setup, run, check = next(answers), next(answers), next(answers)
                        self.assertTrue(setup["supported"], setup)
                        self.assertGreater(setup["compile_seconds"], 0)
                        self.assertGreater(run["seconds_per_call"], 0)
                        wanted = expected(case)
                        self.assertEqual(check["count"], len(wanted))
                        got = np.load("%s/%d.npz" % (work, index))
                        for i, values in enumerate(wanted):
                            tolerance = 1e-5 if case["dtype"] == "f32" else 0.02
                            np.testing.assert_allclose(widen(got["arr_%d" % i]), values, tolerance, tolerance)

    def test_threads(self):
        setup, = worker([{"op": "setup", "case": norm("rmsnorm", rows=2000, d=512)}], threads=2)
        self.assertTrue(setup["supported"], setup)

    def test_unsupported(self):
        cases = (norm("argmax"), norm("rmsnorm", "f8"), ffn(op="glue"), {"kind": "conv"})
        answers = worker([{"op": "setup", "case": case} for case in cases])
        self.assertEqual(len(answers), len(cases))
        for setup in answers:
            self.assertFalse(setup["supported"])
            self.assertTrue(setup["note"])


    def test_copy(self):
        """The bound of gates and softmax."""
        for threads in (1, 2):
            case = norm("gated_silu", rows=40, d=1000)
            answers = worker([{"op": "setup", "case": case}, {"op": "run", "iters": 3},
                              {"op": "setup", "case": norm("rmsnorm")}], "copy", threads=threads, script="row_worker.py")
            # Three arrays move: the copy reads half of their bytes and writes the other.
            self.assertEqual(answers[0]["note"], "memcpy of 240000 bytes")
            self.assertGreater(answers[1]["seconds_per_call"], 0)
            self.assertFalse(answers[2]["supported"])
        with tempfile.TemporaryDirectory() as work:
            support = kernel.Support(work)
            for threads in (1, 2):
                source, target = (np.arange(n, n + 1001, dtype=np.uint8) for n in (0, 1))
                support.library.copy_repeatedly(target.ctypes.data, source.ctypes.data, 1000, threads, 3)
                np.testing.assert_array_equal(target[:1000], source[:1000])
                self.assertNotEqual(target[1000], source[1000])


class Kernel(unittest.TestCase):
    def test_shapes(self):
        text = {shapes: description.describe(norm("add_rmsnorm"), shapes).text for shapes in description.SHAPES}
        self.assertIn("%x: memref<5x83xf32>, %r: memref<5x83xf32>, %g: memref<83xf32>", text["static"])
        self.assertIn("%x: memref<?x83xf32>, %r: memref<?x83xf32>, %g: memref<83xf32>", text["rows"])
        self.assertIn("%x: memref<?x?xf32>, %r: memref<?x?xf32>, %g: memref<?xf32>", text["dynamic"])

    def test_layouts(self):
        texts = [description.describe({**ffn(), "layout": layout}).text for layout in ("out_in", "in_out")]
        self.assertIn("%Wg: memref<72x40xf32>", texts[0])
        self.assertIn("%Wd: memref<72x40xf32>", texts[1])
        self.assertEqual([layout in text for layout, text in zip(("layout(out_in)", "layout(in_out)"), texts)], [True, True])

    def test_loop(self):
        with tempfile.TemporaryDirectory() as work:
            support = kernel.Support(work)
            compiled = kernel.Kernel(support, norm("rmsnorm"), work)
            compiled.loop(2)
            # Descriptors that lie about their sizes: the function's own message arrives.
            compiled.descriptors[0][3] = 4
            with self.assertRaisesRegex(RuntimeError, "expected size 5 in dimension 0"):
                compiled.loop(2)
            compiled.loop(0)
            for address, _ in compiled.buffers.values():
                self.assertEqual(address % (2 << 20), 0)
            compiled.release()
            self.assertEqual(support.library.call_repeatedly(None, 9, None, 1), -2 ** 31)

    def test_packed_weights(self):
        prototypes = kernel.read_prototypes("int32_t f(const xfmr_memref_2d_f32 *x,\n  const xfmr_memref_4d_bf16 *W_packed);\n"
                                            "const char *f_error_message(int32_t status);\n")
        self.assertEqual(prototypes, {"f": [("x", 2, 4), ("W_packed", 4, 2)]})
        with tempfile.TemporaryDirectory() as work:
            called = kernel.Kernel(kernel.Support(work), {**ffn("bf16"), "d": 256, "ff": 384}, work)
            called.loop(1)
            # Beside the packed weights the others are not kept.
            if "kernel_pack_weights" in called.prototypes:
                self.assertEqual(set(called.buffers), {name for name, _, _ in called.prototypes["kernel"]})
            self.assertGreater(sum(size for _, size in called.buffers.values()), 3 * 256 * 384 * 2)
            called.release()

    def test_the_compiler_is_heard(self):
        with tempfile.TemporaryDirectory() as work:
            with self.assertRaisesRegex(kernel.CompileError, "unknown CPU 'nonesuch'"):
                kernel.Kernel(kernel.Support(work), norm("rmsnorm"), work, flags=["--cpu=nonesuch"])


class Report(unittest.TestCase):
    def test_table(self):
        found = [record("limit", 1.0), record("copy", 0.5), record("xfmr", 1.25), record("peer", 2.0), record("other", 3.0)]
        table = report.ratio_table(found, "norms", 1)
        self.assertIn("| rmsnorm f32 1024x64 | 10.00 µs | 0.50 | 1.25 | **2.00** | 3.00 |", table)
        self.assertEqual(report.ratio_table([record("limit", 1.0)], "norms", 2), "")
        verdict = report.verdict(found, "norms", 1)
        self.assertIn("`xfmr` reaches 80 % of the limit's speed in the median of 1 cases, 80 % at least", verdict)
        self.assertIn("takes 1.60 times as long in the geometric mean, 1.60 times at least "
                      "(rmsnorm f32 1024x64, peer)", verdict)
        self.assertIn("the best of all peers over all cases, peer, takes 1.60 times", verdict)

    def test_the_best_of_all_peers(self):
        found = []
        for case, own, one, other in (("a", 1.0, 2.0, 1.5), ("b", 1.0, 2.0, 6.0), ("c", 1.0, 2.0, 6.0)):
            found += [record("limit", 1.0, case=case), record("xfmr", own, case=case), record("one", one, case=case),
                      record("other", other, case=case)]
        found.append(record("rare", 1.1, case="a"))
        verdict = report.verdict(found, "norms", 1)
        self.assertIn("1.10 times at least (a, rare)", verdict)
        self.assertIn("the best of all peers over all cases, one, takes 2.00 times", verdict)

    def test_a_mean_is_of_all_cases(self):
        table = report.ratio_table([record("limit", 1.0), record("xfmr", 2.0), record("peer", 2.0),
                                    record("limit", 1.0, case="b"), record("xfmr", 8.0, case="b")], "norms", 1)
        self.assertIn("geometric mean* |  | 4.00 | – |", table)

    def test_roofline(self):
        same = {"kind": "ffn", "op": "swiglu", "dtype": "f32", "set": "ffn"}
        table = report.ratio_table([record("limit", 1.0, **same), record("xfmr", 1.25, **same)], "ffn", 1)
        self.assertIn("| 80 % |", table)

    def test_comparisons(self):
        layernorm = record("xfmr", 1.0, best=2e-5, op="layernorm")
        self.assertIn("| 10.00 µs | 20.00 µs | 50 % |", report.norm_comparison([record("xfmr", 1.0), layernorm], 1))
        two = [record(name, ratio, best=best, threads=2) for name, best, ratio in (("limit", 5e-6, 1.0), ("xfmr", 8e-6, 1.25))]
        self.assertIn("| 2.00 | 1.25 | 80 % |", report.thread_gain([record("limit", 1.0), record("xfmr", 1.0)] + two))

    def test_static_and_dynamic(self):
        # Round by round: a round that disturbs both is no difference.
        found = [record("xfmr", 1.0, times=[1.0, 9.0, 2.0]), record("xfmr_dynamic", 1.0, times=[1.5, 9.0, None])]
        self.assertIn("| xfmr_dynamic | 32 rows and more | 1.25 | 1.25 | rmsnorm f32 1024x64 |",
                      report.static_and_dynamic(found, 1))
        self.assertEqual(report.static_and_dynamic(found[:1], 1), "")

    def test_ragged(self):
        found = [record(name, 1.0, best=best * d, d=d, case=str(d), set="ragged")
                 for name, prices in (("limit", (2e-6, 3e-6)), ("xfmr", (2e-6, 4e-6))) for d, best in zip((64, 65), prices)]
        self.assertIn("| 65 | 1.50 | 2.00 | 1.33 |", report.ragged(found, 1))

    def test_decode(self):
        found = [record(name, 1.0, best=best, times=[best], kind="ffn", set="ffn", d=8, ff=16, M=m, case="M=%d" % m)
                 for name, times in (("xfmr", (2e-6, 3e-6)), ("xfmr_invariant", (2e-6, 4.5e-6)))
                 for m, best in zip((1, 16), times)]
        text = report.decode(found, 1)
        self.assertIn("| f32 8x16 | 2.00 µs | 3.00 µs | 1.50 |", text)
        self.assertIn("| f32 8x16 | 16 | 1.50 |", text)

    def test_footprints(self):
        of = lambda **more: {"compile_seconds": 0.05, "object_bytes": 4100, "runs": 5, **more}
        text = report.footprint_tables([of(**norm("rmsnorm", d=64)), of(**norm("rmsnorm", d=0)),
                                        of(**ffn(), call_bytes=2000000)])
        self.assertIn("| op | any d | d = 64 |", text)
        self.assertIn("| rmsnorm f32 | 50 ms, 4.1 KB | 50 ms, 4.1 KB |", text)
        self.assertIn("| swiglu f32 M=3 40x72 | 50 ms | 4.1 KB | 2.0 MB | 0.9 KB |", text)

    def test_packings(self):
        of = lambda **more: {**ffn(), "layout": "out_in", "threads": 2, "bytes": 4000000, "copy": [1e-3, 2e-3],
                             "elsewhere": [2e-3, 4e-3], "in_place": [4e-3, 8e-3], "peak_bytes": 8192, **more}
        text = report.packing_table([of(), of(in_place=None, peak_bytes=None)])
        self.assertIn("| f32 40x72 out_in | 2 | 4.0 MB | 8.0 GB/s | 50 % | 25 % | 8.2 KB |", text)
        self.assertIn("| 50 % | – | – |", text)
        self.assertEqual(report.packing_table([]), "")

    def test_plots(self):
        lines = [record(name, ratio, d=d, rows=65536 // d, case=str(d), set="sweep")
                 for name, ratio in (("limit", 1.0), ("copy", 0.8), ("xfmr", 1.1)) for d in (64, 128, 256)]
        svg = xml.dom.minidom.parseString(plots.plot_speed(lines, 1))
        self.assertEqual({node.firstChild.nodeValue for node in svg.getElementsByTagName("title")}, {"limit", "copy", "xfmr"})
        self.assertEqual(plots.plot_speed([record("limit", 1.0)], 1), "")
        roofs = {"kind": "ffn", "set": "ffn", "d": 8, "ff": 16, "f32_flops": [1e11], "read_bw": [4e10]}
        found = [record(name, ratio, M=m, case="M=%d" % m, **roofs) for m in (1, 16, 128)
                 for name, ratio in (("limit", 1.0), ("xfmr", 1.25), ("peer", 2.0))]
        svg = xml.dom.minidom.parseString(plots.plot_roofline(found, 1))
        titles = [node.firstChild.nodeValue for node in svg.getElementsByTagName("title") if node.firstChild]
        self.assertIn("M=16, xfmr: 80 % of the roofline", titles)
        self.assertIn("M=1, peer: 50 % of the roofline", titles)
        self.assertEqual(plots.plot_roofline(lines, 1), "")

    def test_page(self):
        text = "before\n%s\nold\n%safter\n" % (report.BEGIN, report.END)
        self.assertEqual(report.replace_block(text, "new\n"),
                         "before\n%s\nnew\n\n%safter\n" % (report.BEGIN, report.END))
        with self.assertRaises(ValueError):
            report.replace_block("nothing to replace", "new\n")


class Command(unittest.TestCase):
    def call(self, work, *arguments):
        python = pathlib.Path(work, "env/v2/bin/python")
        python.parent.mkdir(parents=True, exist_ok=True)
        if not python.exists():
            python.write_text('#!/bin/sh\nexec "%s" "$@"\n' % sys.executable)
            python.chmod(0o755)
        return subprocess.run(
            [OPTIONS.source / "benchmark/run", "--env", "%s/env" % work, "--out", "%s/out" % work, *arguments],
            capture_output=True, text=True)

    def test_run(self):
        with tempfile.TemporaryDirectory() as work:
            done = self.call(work, "--peers", str(HARNESS), "--ops=rmsnorm", "--dtypes=f32", "--norm-shapes=2x8",
                             "--ffn-shapes=8x16", "--m=1", "--ragged-ffn=2x9x5", "--row-shapes=2x8", "--sets=norms,rows,ffn,gates", "--gate-shapes=8x16", "--gate-m=3",
                             "--contenders=limit,copy,xfmr")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("| rmsnorm f32 8 | 1000.00 ms | 0.50 | 1.00 |", done.stdout)
            self.assertIn("| softmax f32 8 | 1000.00 ms | 1.00 |", done.stdout)
            self.assertIn("| swiglu f32 8 | 1000.00 ms | 100 % |", done.stdout)
            self.assertIn("| clamped_swiglu f32 8 | 1000.00 ms | 100 % |", done.stdout)
            # The machine's paths are not part of a page.
            self.assertNotIn(work, done.stdout)
            result = json.loads(pathlib.Path(work, "out/results.json").read_text())
            # 3 of the norm, 2 of each of 4 row ops, 2 of each of 2 networks and of 6 with other gates.
            self.assertEqual(len(result["records"]), 27)
            # The limit counts the matrices that there are: M = 3, 8x16.
            limits = {found["op"]: found["note"] for found in result["records"]
                      if found["set"] == "gates" and found["contender"] == "limit"}
            self.assertEqual(limits["geglu"], "limit 2304 1536")
            self.assertEqual(limits["gelu_mlp"], "limit 1536 1024")
            ours = [found for found in result["records"] if found["contender"] == "xfmr"]
            self.assertTrue(all(found["supported"] for found in ours), ours)
            self.assertEqual(pathlib.Path(work, "out/table.md").read_text().strip(), done.stdout.strip())

    def test_plot(self):
        with tempfile.TemporaryDirectory() as work:
            done = self.call(work, "--peers", str(HARNESS), "--dtypes=f32", "--sets=sweep", "--contenders=limit,copy", "--ragged-ffn=")
            self.assertEqual(done.returncode, 0, done.stderr)
            svg = pathlib.Path(work, "out/norm-speed-1.svg").read_text()
            self.assertIn("rmsnorm f32", svg)
            self.assertIn(">64k<", svg)
            self.assertIn("norm-speed-1.svg", done.stdout)

    def test_footprint(self):
        with tempfile.TemporaryDirectory() as work:
            done = self.call(work, "--peers", str(HARNESS), "--dtypes=f32", "--ops=rmsnorm", "--ffn-shapes=128x256", "--m=40",
                             "--sets=footprint", "--compilations=1")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(pathlib.Path(work, "out/results.json").read_text())["footprints"]
            rows = [one for one in found if one["op"] == "rmsnorm"]
            self.assertEqual([one["d"] for one in rows], [64, 512, 4096, 65536, 0])
            # Code does not grow with d.
            sizes = [one["object_bytes"] for one in rows if one["d"] >= 4096]
            self.assertLess(max(sizes), 1.5 * min(sizes))
            network = found[-1]
            self.assertGreater(network["compile_seconds"], 0)
            self.assertLess(network["call_bytes"], 4 << 20)

    def test_packing(self):
        with tempfile.TemporaryDirectory() as work:
            done = self.call(work, "--peers", str(HARNESS), "--dtypes=bf16", "--ffn-shapes=128x256,100x200", "--sets=packing",
                             "--rounds=1", "--threads=1,2")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(pathlib.Path(work, "out/results.json").read_text())["packings"]
            self.assertEqual([(one["d"], one["layout"], one["threads"]) for one in found],
                             [(d, layout, threads) for d in (128, 100) for layout in ("out_in", "in_out") for threads in (1, 2)])
            for one in found:
                self.assertEqual(one["bytes"], 3 * 2 * one["d"] * one["ff"])
                self.assertGreater(one["elsewhere"][0], 0)
                # 100 outputs fill no panels.
                self.assertEqual(one["in_place"] is not None, one["d"] == 128)
            self.assertIn("| bf16 128x256 in_out | 2 |", done.stdout)

    def test_wrong_use(self):
        with tempfile.TemporaryDirectory() as work:
            for arguments, message in (((), "say --peers, or set $XFMR_PEERS"),
                                       (("--peers", work), "there is no"),
                                       (("--peers", str(HARNESS), "--sets=all"), "no all"),
                                       (("--peers", str(HARNESS), "--sets=norms", "--ops="), "no case")):
                done = self.call(work, *arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--cc", required=True)
    OPTIONS, rest = parser.parse_known_args()
    os.environ["XFMR_COMPILE"], os.environ["CC"] = OPTIONS.compiler, OPTIONS.cc
    for name in ("XFMR_PEERS", "XFMR_PEERS_ENV"):
        os.environ.pop(name, None)
    sys.path[:0] = [str(OPTIONS.source / "benchmark"), str(HARNESS)]
    import common
    import description
    import ffn_ops
    import kernel
    import plots
    import report
    import row_ops
    unittest.main(argv=sys.argv[:1] + rest)
