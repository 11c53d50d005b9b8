"""generic_diagnostics.py FILE: FILE holds a case a chunk with the errors that it
expects. Each is turned into the generic form, unverified, and must give the same
errors from there. Cases that do not parse have a RUN line of their own and no
place in FILE."""

import re
import subprocess
import sys

EXPECTED = re.compile(r"expected-error *(?:@\S+ *)?\{\{(.*?)\}\}")


def run(text, *arguments):
    return subprocess.run(["xfmr-opt", "-split-input-file", "-mlir-print-op-on-diagnostic=false", *arguments],
                          input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def main():
    with open(sys.argv[1]) as file:
        text = file.read()
    expected = EXPECTED.findall(text)
    # Without their comments, or the conversion would look for the errors.
    bare = re.sub(r"// *expected-.*", "", text)
    generic = run(bare, "-mlir-print-op-generic", "-verify-each=0", "-mlir-very-unsafe-disable-verifier-on-parsing")
    if generic.returncode or '"xfmr.' not in generic.stdout:
        sys.exit("a case does not parse:\n" + generic.stderr)
    result = run(generic.stdout)
    if result.returncode != 1:
        sys.exit("exit code %d:\n%s" % (result.returncode, result.stderr))
    errors = re.findall(r": error: (.*)$", result.stderr, re.MULTILINE)
    if len(errors) != len(expected) or not all(e in error for e, error in zip(expected, errors)):
        sys.exit("expected\n  %s\ngot\n  %s" % ("\n  ".join(expected), "\n  ".join(errors)))
    if not expected:
        sys.exit("no case")


main()
