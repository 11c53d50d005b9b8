"""What cmake says when the LLVM it finds is not the one that the project needs."""

import argparse
import os
import shutil
import subprocess
import sys
import unittest

OPTIONS = None


class Configure(unittest.TestCase):
    def configure(self, *arguments):
        build = os.path.join(OPTIONS.work, "build")
        shutil.rmtree(build, ignore_errors=True)
        result = subprocess.run([OPTIONS.cmake, "-G", "Ninja", "-S", OPTIONS.source, "-B", build,
                                 *arguments],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout

    def prefix(self, files):
        """Makes an LLVM prefix of these files; returns its MLIR_DIR."""
        root = os.path.join(OPTIONS.work, "llvm")
        shutil.rmtree(root, ignore_errors=True)
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        return "-DMLIR_DIR=" + os.path.join(root, "lib/cmake/mlir")

    COMPLETE = {"bin/mlir-tblgen": "", "bin/FileCheck": "", "lib/cmake/llvm/LLVMConfig.cmake": ""}

    def test_other_major(self):
        for version in ("21.1.8", "23.1.0"):
            config = 'set(LLVM_VERSION_MAJOR %s)\nset(LLVM_PACKAGE_VERSION %s)\n' % (
                version.split(".")[0], version)
            mlir = self.prefix({"lib/cmake/mlir/MLIRConfig.cmake": config, **self.COMPLETE})
            code, output = self.configure(mlir)
            self.assertNotEqual(code, 0, output)
            self.assertIn("Xfmr needs LLVM/MLIR 22, found %s" % version, output)
            self.assertEqual(output.count("CMake Error"), 1, output)

    def test_incomplete(self):
        for package, file in (("mlir-22-tools", "bin/mlir-tblgen"),
                              ("llvm-22-tools", "bin/FileCheck"),
                              ("llvm-22-dev", "lib/cmake/llvm/LLVMConfig.cmake")):
            files = dict(self.COMPLETE)
            del files[file]
            mlir = self.prefix({"lib/cmake/mlir/MLIRConfig.cmake": "", **files})
            code, output = self.configure(mlir)
            self.assertNotEqual(code, 0, output)
            self.assertIn("install %s" % package, " ".join(output.split()))
            self.assertEqual(output.count("CMake Error"), 1, output)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--cmake", "--source", "--llvm", "--work"):
        parser.add_argument(option, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
