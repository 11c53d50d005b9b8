"""The lit set-up fails when it should (case A25): each fault is made in a
suite of its own, which uses the project's configuration."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import unittest

GOOD = "// RUN: xfmr-opt %s | FileCheck %s\n// CHECK: func.func private @f()\nfunc.func private @f()\n"
OPTIONS = None


class LitSetUp(unittest.TestCase):
    def suite(self, files, tools=None):
        """Makes a suite of these files; runs it with only /usr/bin and /bin on PATH."""
        root = os.path.join(OPTIONS.work, self.id().split(".")[-1])
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(os.path.join(root, "exec"))
        for name, text in files.items():
            with open(os.path.join(root, name), "w") as file:
                file.write(text)
        with open(OPTIONS.site_config) as file:
            config = file.read()
        config = re.sub(r"(?m)^config.test_exec_root = .*$", "", config)
        if tools:
            config = re.sub(r"(?m)^config.llvm_tools_dir = .*$", "", config)
            config = "config.llvm_tools_dir = %r\n" % tools + config
        config = "config.xfmr_test_source_root = %r\nconfig.test_exec_root = %r\n" % (
            root, os.path.join(root, "exec")) + config
        with open(os.path.join(root, "lit.site.cfg.py"), "w") as file:
            file.write(config)
        result = subprocess.run([OPTIONS.lit, "-v", "-j1", root], env={"PATH": "/usr/bin:/bin"},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout

    def test_good(self):
        code, output = self.suite({"good.mlir": GOOD})
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"Passed: 1\b")

    def test_broken_check(self):
        code, output = self.suite({"broken.mlir": GOOD.replace("CHECK: func.func private @f", "CHECK: func.func private @g")})
        self.assertEqual(code, 1, output)
        self.assertIn("CHECK: expected string not found", output)

    def test_unused_prefix(self):
        text = GOOD.replace("FileCheck %s", "FileCheck %s --check-prefixes=CHECK,CHEKC")
        code, output = self.suite({"prefix.mlir": text})
        self.assertEqual(code, 1, output)

    def test_no_run_line(self):
        code, output = self.suite({"no-run.mlir": "func.func private @f()\n"})
        self.assertEqual(code, 1, output)
        self.assertIn("has no 'RUN:' line", output)

    def test_no_test(self):
        code, output = self.suite({"README": "no test here\n"})
        self.assertNotEqual(code, 0, output)
        self.assertIn("did not discover any tests", output)

    def test_unknown_substitution(self):
        for use in ("%no_such_tool %s", "xfmr-opt %sx", "xfmr-opt %{no-such}"):
            code, output = self.suite({"left.mlir": "// RUN: %s | count 0\n" % use})
            self.assertEqual(code, 1, output)
            self.assertIn("unknown substitution '%", output)

    def test_known_substitutions(self):
        text = "// RUN: test -e %s && test -d %S && echo %t1 %t.npy %cxx %cc 100%% > %t\n" + GOOD
        code, output = self.suite({"known.mlir": text})
        self.assertEqual(code, 0, output)

    def test_missing_tool(self):
        tools = os.path.join(OPTIONS.work, "tools")
        for missing in ("FileCheck", "not", "count", "mlir-opt"):
            shutil.rmtree(tools, ignore_errors=True)
            os.makedirs(tools)
            for tool in {"FileCheck", "not", "count", "mlir-opt", "mlir-runner", "llvm-objdump"} - {missing}:
                os.symlink("/bin/true", os.path.join(tools, tool))
            code, output = self.suite({"good.mlir": GOOD}, tools=tools)
            self.assertNotEqual(code, 0, output)
            self.assertIn("%s is missing from %s" % (missing, tools), output)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--lit", "--site-config", "--work"):
        parser.add_argument(option, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
