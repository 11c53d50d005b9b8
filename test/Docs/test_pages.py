"""The pages cannot rot: their examples are pieces of files that tests run, and
their links lead somewhere.

- A block of code in README.md or docs/ is a piece of the file that the comment
  before it names: <!-- from: FILE -->. A block of `sh` may instead hold scripts of
  the project, and commands that a test runs. `text` and `mermaid` are pictures.
- `Example (FILE):` in the references, which come from the .td files, names the
  test that holds the example after it.
- Every file in examples/ is run by a test.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = None
PICTURES = {"text", "mermaid"}
GENERATED = {"Dialect.md", "Passes.md"}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def squeeze(text):
    return " ".join(text.split())


class Pages(unittest.TestCase):
    def pages(self):
        return [ROOT / "README.md"] + sorted((ROOT / "docs").glob("**/*.md"))

    def run_lines(self):
        return "".join(test.read_text(errors="replace") for pattern in ("*.mlir", "*.test")
                       for test in (ROOT / "test").glob("**/" + pattern))

    def holds(self, name, piece, where):
        self.assertTrue((ROOT / name).is_file(), "%s: there is no %s" % (where, name))
        self.assertIn(squeeze(piece), squeeze((ROOT / name).read_text()),
                      "%s: its example is not in %s" % (where, name))

    def test_blocks_come_from_files(self):
        for page in self.pages():
            if page.name in GENERATED:
                continue
            text = page.read_text()
            for block in BLOCK.finditer(text):
                language, piece = block.groups()
                where = "%s, line %d" % (page.name, text.count("\n", 0, block.start()) + 1)
                source = re.search(r"<!-- from: (\S+) -->\s*$", text[: block.start()])
                with self.subTest(where):
                    if source:
                        self.holds(source.group(1), piece, where)
                    elif language == "sh":
                        for line in piece.splitlines():
                            if not (ROOT / line.split()[0]).is_file():
                                self.assertIn("RUN: %s\n" % line.replace("examples/", "%examples/"),
                                              self.run_lines(), "%s: no test runs it" % where)
                    else:
                        self.assertIn(language, PICTURES, "%s: the block names no file" % where)

    def test_computed_table(self):
        table = subprocess.run([sys.executable, ROOT / "benchmark/amx_model.py"], check=True, text=True,
                               capture_output=True).stdout
        self.assertIn(table, (ROOT / "docs/Performance.md").read_text(),
                      "Performance.md: not the table that benchmark/amx_model.py prints")

    def test_examples_of_the_references(self):
        count = 0
        for name in GENERATED:
            page = (ROOT / "docs" / name).read_text()
            for example in re.finditer(r"Example \((\S+)\):\s*```mlir\n(.*?)```", page, re.DOTALL):
                count += 1
                with self.subTest(squeeze(example.group(2))[:60]):
                    self.holds(example.group(1), example.group(2), name)
        self.assertGreater(count, 0)

    def sections(self, page, title):
        """The sections whose titles match, by name."""
        parts = re.split(r"^### (.*)$", (ROOT / "docs" / page).read_text(), flags=re.MULTILINE)
        found = {re.match(title, name).group(1): text
                 for name, text in zip(parts[1::2], parts[2::2]) if re.match(title, name)}
        self.assertGreater(len(found), 0)
        return found

    def test_every_op_is_described(self):
        for op, text in self.sections("Dialect.md", r"`(xfmr\.\w+)`").items():
            with self.subTest(op):
                self.assertRegex(text, r"Since: \d+\.\d+\.")
                self.assertRegex(text, r"Example \(test/\S+\):\s*```mlir\n")
                self.assertRegex(text, r"\*\*Constraints\.\*\*\s+\* C1: ")
                if op != "xfmr.yield":
                    self.assertIn("**Numerics.**", text)

    def test_every_pass_is_described(self):
        for name, text in self.sections("Passes.md", r"`-(xfmr-[a-z0-9-]+)`").items():
            with self.subTest(name):
                self.assertRegex(text, r"Changes numerics: (yes|no)\b")
                self.assertRegex(text, r"(?s)Before\b[^\n]*:\n+```mlir\n.*After\b[^`]*:\n+```mlir\n")
                for option in re.findall(r"^-[a-z][\w-]*\s*:?(.*)$", text, re.MULTILINE):
                    self.assertTrue(option.strip(), "an option has no description")

    def test_links(self):
        for page in self.pages():
            text = BLOCK.sub("", page.read_text())
            for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                if not re.match(r"[a-z]+:", link):
                    with self.subTest(link):
                        self.assertTrue((page.parent / link).exists(), "%s links to %s" % (page.name, link))

    def test_examples_are_run(self):
        for example in sorted((ROOT / "examples").iterdir()):
            self.assertIn("%examples/" + example.name, self.run_lines())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, type=pathlib.Path)
    options, rest = parser.parse_known_args()
    ROOT = options.source
    unittest.main(argv=sys.argv[:1] + rest)
