"""Every op has what an op needs, read from its definition:

- an example in its description, which is a piece of the op's test file;
- a test that breaks each of its constraints, in a function that is named after
  it: `@rmsnorm_c4_gamma_length` breaks C4 of xfmr.rmsnorm;
- a meaning with its bound in the reference, and a row of the test matrix, or for
  an op of the back end a test that runs it.

The last section breaks these rules, and sees that they are noticed.
"""

import argparse
import functools
import pathlib
import re
import subprocess
import sys
import unittest

OPTIONS = None
# Ends the region of a residual block, and has its meaning there.
TERMINATORS = {"yield"}
# Made by the back end on memrefs alone, where the matrix has tensors too; the
# tests in test/Codegen run them against the reference.
BACK_END_OPS = {"pack_weight"}


def squeeze(text):
    return " ".join(text.split())


@functools.lru_cache(maxsize=None)
def get_ops():
    """The descriptions of the ops by their names."""
    include = OPTIONS.source / "include"
    includes = [include, *(pathlib.Path(path) for path in OPTIONS.includes.split(";"))]
    result = subprocess.run([OPTIONS.tblgen, "-gen-op-doc", *("-I%s" % path for path in includes),
                             include / "xfmr/Dialect/IR/XfmrOps.td"], stdout=subprocess.PIPE, check=True, text=True)
    sections = re.split(r"^### `xfmr\.(\w+)`.*$", result.stdout, flags=re.MULTILINE)
    return dict(zip(sections[1::2], sections[2::2]))


def read_test(name):
    path = OPTIONS.source / "test/Dialect/IR" / name
    return path.read_text() if path.is_file() else None


def find_example_faults(op, description, test):
    """What is wrong with the op's example; `test` is its test's text or None."""
    if test is None:
        return ["%s.mlir is missing" % op]
    example = re.search(r"Example \((\S+)\):\s*```mlir\n(.*?)```", description, re.DOTALL)
    if not example:
        return ["the description has no example"]
    name, text = example.groups()
    if op not in TERMINATORS and name != "test/Dialect/IR/%s.mlir" % op:
        return ["the example is from " + name]
    return [] if squeeze(text) in squeeze(test) else ["the example is not in " + name]


def find_constraint_faults(op, description, test):
    """What is wrong with the tests of the op's constraints."""
    numbers = [int(number) for number in re.findall(r"^\s*\* C(\d+): ", description, re.MULTILINE)]
    if not numbers:
        return ["the description has no constraints"]
    if numbers != list(range(1, len(numbers) + 1)):
        return ["the constraints are numbered %s" % numbers]
    if test is None:
        return ["%s-invalid.mlir is missing" % op]
    broken = set()
    faults = []
    for chunk in test.split("// -----"):
        function = re.search(r"func\.func @(\w+)", chunk)
        name = function and re.fullmatch(re.escape(op) + r"_c(\d+)_\w+", function.group(1))
        if not name:
            faults.append("@%s is not named after a constraint" % (function and function.group(1)))
        elif "expected-error" not in chunk:
            faults.append("@%s expects no error" % function.group(1))
        else:
            broken.add(int(name.group(1)))
    faults += ["no function breaks C%d" % number for number in numbers if number not in broken]
    faults += ["there is no C%d to break" % number for number in sorted(broken.difference(numbers))]
    return faults


class Ops(unittest.TestCase):
    def check_all(self, find_faults, suffix):
        self.assertGreater(len(get_ops()), 0)
        for op, description in get_ops().items():
            with self.subTest(op):
                file = "residual_block" if op in TERMINATORS and not suffix else op
                self.assertEqual(find_faults(op, description, read_test(file + suffix + ".mlir")), [])

    def test_examples(self):
        self.check_all(find_example_faults, "")

    def test_constraints(self):
        self.check_all(find_constraint_faults, "-invalid")

    def test_reference(self):
        text = "".join(path.read_text() for path in sorted((OPTIONS.source / "lib/Reference").glob("*.cpp")))
        for op in set(get_ops()) - TERMINATORS:
            with self.subTest(op):
                self.assertRegex(text, r'table\["xfmr\.%s"\] = ' % op)

    def test_matrix(self):
        functions = subprocess.run([OPTIONS.matrix, "--print"], stdout=subprocess.PIPE, check=True, text=True).stdout
        for op in set(get_ops()) - TERMINATORS - BACK_END_OPS:
            with self.subTest(op):
                self.assertRegex(functions, r"@%s_\d+\(" % op)

    def test_back_end(self):
        tests = "".join(path.read_text() for path in (OPTIONS.source / "test/Codegen").rglob("*-run.*"))
        self.assertEqual(BACK_END_OPS - set(re.findall(r"\bxfmr\.(\w+)", tests)), set())


class Faults(unittest.TestCase):
    """The rules notice what they are for."""

    DESCRIPTION = """
    **Constraints.**
    * C1: one.
    * C2: two.

    Example (test/Dialect/IR/op.mlir):
    ```mlir
    xfmr.op a
        b
    ```
    """
    INVALID = ("func.func @op_c1_a() {\n // expected-error @below {{}}\n}\n// -----\n"
               "func.func @op_c2_b() {\n // expected-error @below {{}}\n}\n")

    def test_example(self):
        self.assertEqual(find_example_faults("op", self.DESCRIPTION, "// RUN\n  xfmr.op a b\n"), [])
        self.assertEqual(find_example_faults("op", self.DESCRIPTION, None), ["op.mlir is missing"])
        self.assertEqual(find_example_faults("op", self.DESCRIPTION, "xfmr.op b"),
                         ["the example is not in test/Dialect/IR/op.mlir"])
        self.assertEqual(find_example_faults("other", self.DESCRIPTION, "xfmr.op a b"),
                         ["the example is from test/Dialect/IR/op.mlir"])
        self.assertEqual(find_example_faults("op", "", ""), ["the description has no example"])

    def test_constraints(self):
        find = functools.partial(find_constraint_faults, "op", self.DESCRIPTION)
        self.assertEqual(find(self.INVALID), [])
        self.assertEqual(find(None), ["op-invalid.mlir is missing"])
        self.assertEqual(find(self.INVALID.replace("_c2_", "_c1_")), ["no function breaks C2"])
        self.assertEqual(find(self.INVALID + "// -----\n" + self.INVALID.replace("_c1_", "_c3_")),
                         ["there is no C3 to break"])
        self.assertEqual(find(self.INVALID + "// -----\nfunc.func @op_c2_x() {}"), ["@op_c2_x expects no error"])
        self.assertEqual(find(self.INVALID + "// -----\nfunc.func @x() {}"), ["@x is not named after a constraint"])
        self.assertEqual(find_constraint_faults("op", "* C2: two.", ""), ["the constraints are numbered [2]"])
        self.assertEqual(find_constraint_faults("op", "", ""), ["the description has no constraints"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--includes", required=True)
    parser.add_argument("--matrix", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
