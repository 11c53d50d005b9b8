"""scripts/new-op, on a copy of the tree: what it refuses it leaves untouched, and
the op that it makes builds and passes every test that an op has to pass.

The copy is not built as a whole. TableGen runs on all of it; the new files, and
those that hold lists of all ops, are compiled with the flags of the real build
and linked with its other objects: an op more changes nothing in those.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import unittest

OPTIONS = None
OP = "test_scale"
SUMMARY = "Rows of the test"


def run(command, **arguments):
    result = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **arguments)
    return result.returncode, result.stdout


class NewOp(unittest.TestCase):
    def setUp(self):
        self.work = OPTIONS.work / self.id().split(".")[-1]
        self.tree = self.work / "tree"
        shutil.rmtree(self.work, ignore_errors=True)

        def other(folder, names):
            return [name for name in names
                    if name == "__pycache__" or folder == str(OPTIONS.source) and
                    (name.startswith((".git", "build")) or OPTIONS.source / name == OPTIONS.build)]

        shutil.copytree(OPTIONS.source, self.tree, ignore=other)

    def new_op(self, *arguments):
        return run([sys.executable, self.tree / "scripts/new-op", *arguments])

    def files(self):
        return {path.relative_to(self.tree): path.read_bytes()
                for path in self.tree.glob("**/*") if path.is_file()}

    #===--- What it refuses ---------------------------------------------------===#

    def refuses(self, message, *arguments):
        before = self.files()
        code, output = self.new_op(*arguments)
        self.assertEqual(code, 1, output)
        self.assertRegex(output, r"\Aerror: [^\n]*\n\Z")
        self.assertIn(message, output)
        self.assertEqual(before, self.files())

    def test_refuses_what_is_no_name(self):
        for name in ("Scale", "a__b", "_a", "2d", "a-b", "a b", "../a", "", "a" * 25):
            self.refuses("expected a name of lower-case words", name)
        self.refuses("expected the name without the dialect, 'scale'", "xfmr.scale")

    def test_refuses_what_exists(self):
        self.refuses("xfmr.rmsnorm exists: include/xfmr/Dialect/IR/XfmrNormOps.td", "rmsnorm")
        self.refuses("xfmr.yield exists", "yield")
        self.refuses("the op's class would be ModuleOp", "module")
        self.refuses("include/xfmr/Dialect/IR/XfmrNormOps.td exists", "norm")

    def test_refuses_a_second_time(self):
        code, output = self.new_op(OP)
        self.assertEqual(code, 0, output)
        self.refuses("xfmr.%s exists" % OP, OP)

    def test_refuses_a_summary(self):
        for summary in ('a "b"', "a\\", "a\nb", "", " a", "a" * 73):
            self.refuses("expected a summary of one line", OP, "--summary", summary)

    def test_refuses_a_list_without_entries(self):
        (self.tree / "test/Integration/Matrix/Plans.def").write_text("// no plans\n")
        self.refuses("test/Integration/Matrix/Plans.def: expected a line such as 'XFMR_PLANS(TestScale)'", OP)

    def test_takes_back_what_it_wrote(self):
        shutil.rmtree(self.tree / "test/Dialect/IR", ignore_errors=True)
        (self.tree / "test/Dialect").mkdir(exist_ok=True)
        (self.tree / "test/Dialect/IR").write_text("a file where a folder should be\n")
        self.refuses("test/Dialect/IR", OP)

    #===--- What it makes -----------------------------------------------------===#

    def succeeds(self, command, **arguments):
        code, output = run(command, **arguments)
        self.assertEqual(code, 0, "%s\n%s" % (" ".join(str(part) for part in command), output))
        return output

    def generate(self):
        """Runs TableGen as include/xfmr/CMakeLists.txt says."""
        includes = self.tree / "include"
        generated = self.work / "include/xfmr"
        listing = (includes / "xfmr/CMakeLists.txt").read_text()
        count = 0
        for line in listing.splitlines():
            if match := re.match(r"set\(LLVM_TARGET_DEFINITIONS (\S+)\)", line):
                source = includes / "xfmr" / match.group(1)
            elif match := re.match(r"mlir_tablegen\((\S+) (.*)\)", line):
                output = generated / match.group(1)
                output.parent.mkdir(parents=True, exist_ok=True)
                self.succeeds([OPTIONS.tools / "mlir-tblgen", *match.group(2).split(), source,
                               "-I", includes, "-I", OPTIONS.llvm / "include", "-o", output])
                count += 1
        self.assertEqual(count, listing.count("mlir_tablegen("))
        shutil.copy(OPTIONS.build / "include/xfmr/Version.h", generated)

    def compile(self, sources):
        """Compiles files of the tree, by their paths in it; returns the objects by path and the
        flags. A new file has the flags of one beside it."""
        commands = {}
        for entry in json.loads((OPTIONS.build / "compile_commands.json").read_text()):
            commands[pathlib.Path(entry["file"])] = shlex.split(entry["command"])
        launcher, env = [], dict(os.environ)
        if OPTIONS.ccache:
            launcher = [OPTIONS.ccache]
            env["CCACHE_SLOPPINESS"] = "pch_defines,time_macros,include_file_mtime,include_file_ctime"

        def one(source):
            original = OPTIONS.source / source
            if original not in commands:
                original = next(path for path in commands if path.parent == original.parent)
            words = commands[original]
            # The program is the word before the first flag: a launcher may precede it.
            first = next(i for i, word in enumerate(words) if word.startswith("-")) - 1
            flags = words[first:words.index("-o")]
            # Generated headers are the copy's; what else is in the build, the precompiled header,
            # stays.
            flags = [word.replace(str(OPTIONS.build / "include"), str(self.work / "include"))
                     if str(OPTIONS.build) in word
                     else word.replace(str(OPTIONS.source), str(self.tree)) for word in flags]
            output = self.work / "objects" / (str(source) + ".o")
            output.parent.mkdir(parents=True, exist_ok=True)
            self.succeeds([*launcher, *flags, "-o", output, "-c", self.tree / source], env=env)
            return output, flags

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            done = list(pool.map(one, sources))
        return {source: output for source, (output, _) in zip(sources, done)}, done[0][1]

    def link(self, program, target, objects, flags):
        """Links a target of the real build, with these objects in place of its own."""
        folder = OPTIONS.build / target
        own = [path for path in sorted(folder.glob("**/*.o"))
               if not any(str(path).endswith("/%s/%s.o" % (source.parent.name, source.name)) for source in objects)]
        self.assertTrue(own, "%s is not built" % folder)
        archives = sorted((OPTIONS.build / "lib").glob("lib*.a"))
        command = [flags[0], *(flag for flag in flags if flag.startswith("-fsanitize=")), "-o", program,
                   *own, *objects.values(), "-Wl,--start-group", *archives, "-Wl,--end-group",
                   "-L", OPTIONS.llvm / "lib", "-lMLIR", "-lLLVM", "-Wl,-rpath,%s" % (OPTIONS.llvm / "lib")]
        if (OPTIONS.tools / "ld.lld").exists() and "clang" in flags[0]:
            command.append("--ld-path=%s" % (OPTIONS.tools / "ld.lld"))
        program.parent.mkdir(parents=True, exist_ok=True)
        self.succeeds(command)

    def check_lit(self):
        """Runs the stub's lit tests, in a suite whose xfmr-opt knows the op."""
        suite = self.work / "lit"
        (suite / "exec").mkdir(parents=True)
        config = OPTIONS.site_config.read_text()
        for name, value in (("xfmr_bin_dir", self.work / "bin"), ("test_exec_root", suite / "exec")):
            config, count = re.subn(r"(?m)^config.%s = .*$" % name, "config.%s = %r" % (name, str(value)), config)
            self.assertEqual(count, 1)
        config = "config.xfmr_test_source_root = %r\n" % str(self.tree / "test/Dialect/IR") + config
        (suite / "lit.site.cfg.py").write_text(config)
        output = self.succeeds([OPTIONS.lit, "-v", "-j2", "--filter=%s[.-]" % OP, suite])
        self.assertRegex(output, r"Passed *: +2 ")

    def check_pages(self):
        """The reference describes the op, with an example from its test."""
        self.succeeds([OPTIONS.cmake, "-DTABLEGEN=%s" % (OPTIONS.tools / "mlir-tblgen"), "-DTITLE=The xfmr dialect",
                       "-DINCLUDES=%s;%s" % (self.tree / "include", OPTIONS.llvm / "include"),
                       "-DGENERATE=xfmr/Dialect/IR/XfmrOps.td -gen-dialect-doc -dialect=xfmr",
                       "-DOUTPUT=%s" % (self.tree / "docs/Dialect.md"), "-P", self.tree / "cmake/XfmrReference.cmake"])
        page = (self.tree / "docs/Dialect.md").read_text()
        self.assertIn("`xfmr.%s`" % OP, page)
        self.assertIn(SUMMARY, page)
        self.succeeds([sys.executable, self.tree / "test/Docs/test_pages.py", "--source", self.tree,
                       "Pages.test_every_op_is_described", "Pages.test_examples_of_the_references"])

    def test_makes_a_working_op(self):
        before = self.files()
        code, output = self.new_op(OP, "--summary", SUMMARY)
        self.assertEqual(code, 0, output)
        after = self.files()
        self.assertLessEqual(set(before), set(after))
        new = sorted(path for path in after if path not in before)
        changed = [path for path in before if before[path] != after[path]]
        # What is written by hand, outside the tests; lists get one line an entry.
        written = [path for path in new if path.parts[0] != "test" or path.suffix == ".cpp"]
        self.assertEqual(len(written), 5, written)
        for path in changed:
            lines = [text[path].decode().replace(")\n", "\n").splitlines() for text in (before, after)]
            self.assertLessEqual(len(lines[1]) - len(lines[0]), 2, path)
            self.assertLessEqual(set(lines[0]), set(lines[1]), path)
        for path in new:
            self.assertNotRegex(after[path].decode(), r"(?i)my_?copy")
        if OPTIONS.clang_format:
            self.succeeds([OPTIONS.clang_format, "--dry-run", "-Werror",
                           *(self.tree / path for path in new if path.suffix == ".cpp")])

        self.generate()
        self.check_pages()
        lists = [path for path in before if path.suffix == ".cpp" and
                 re.search(rb'#include "(xfmr/Dialect/IR/XfmrOps.cpp.inc|Handlers.def|Plans.def)"', before[path])]
        self.assertGreaterEqual(len(lists), 4)
        objects, flags = self.compile(sorted(path for path in [*new, *lists] if path.suffix == ".cpp"))
        library = {path: output for path, output in objects.items() if path.parts[0] == "lib"}
        self.link(self.work / "bin/xfmr-opt", "tools/xfmr-opt",
                  {path: output for path, output in library.items() if path.parts[1] == "Dialect"}, flags)
        self.check_lit()
        self.link(self.work / "bin/xfmr-matrix", "test/Integration/CMakeFiles/xfmr-matrix.dir", objects, flags)
        output = self.succeeds([self.work / "bin/xfmr-matrix", "--filter=%s_" % OP, "--min-runs=100"])
        self.assertRegex(output, r"%s +\d+ functions, .*, 0 failures\n" % OP)
        self.succeeds([sys.executable, self.tree / "test/Structure/test_ops.py", "--source", self.tree,
                       "--tblgen", OPTIONS.tools / "mlir-tblgen", "--includes", OPTIONS.llvm / "include",
                       "--matrix", self.work / "bin/xfmr-matrix"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("source", "build", "work", "llvm", "tools", "lit", "site-config"):
        parser.add_argument("--" + option, required=True, type=pathlib.Path)
    parser.add_argument("--cmake", required=True)
    for option in ("ccache", "clang-format"):
        parser.add_argument("--" + option, help="where there is one")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
