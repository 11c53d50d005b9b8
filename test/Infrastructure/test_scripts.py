"""The scripts install what is missing and nothing else, as root and with sudo.
Debian's tools are stand-ins here: they write down what they were asked."""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None

STAND_INS = {
    "dpkg-query": 'for p; do :; done; case " $INSTALLED " in *" $p "*) printf installed;; *) exit 1;; esac',
    "apt-get": 'echo "apt-get $*" >>"$LOG"; case "$*" in *" update"*) touch "$LOG.lists";; '
               '*install*) [ -z "$STALE" ] || [ -e "$LOG.lists" ];; esac',
    "sudo": 'echo "sudo" >>"$LOG"; shift; "$@"',
    "id": "echo $FAKE_UID",
}


class Scripts(unittest.TestCase):
    def install(self, missing=(), uid=0, stale=False, without=()):
        """Runs xfmr_install_packages; returns its exit code, output and what was called."""
        with open(os.path.join(OPTIONS.source, "scripts/packages.txt")) as file:
            packages = [line.split("#")[0].strip() for line in file]
        packages = [package for package in packages if package]
        self.assertEqual(len(packages), len(set(packages)), "a package is listed twice")
        self.assertLessEqual(set(missing), set(packages))
        with tempfile.TemporaryDirectory() as root:
            for name, body in STAND_INS.items():
                if name not in without:
                    path = os.path.join(root, name)
                    with open(path, "w") as file:
                        file.write("#!/bin/sh\n%s\n" % body)
                    os.chmod(path, 0o755)
            for name in ("bash", "sh", "sed", "env", "dirname", "touch"):
                os.symlink("/bin/" + name, os.path.join(root, name))
            log = os.path.join(root, "log")
            result = subprocess.run(
                ["/bin/bash", "-c", 'set -euo pipefail; source "$0/scripts/lib.sh"; xfmr_install_packages',
                 OPTIONS.source],
                env={"PATH": root, "LOG": log, "FAKE_UID": str(uid), "STALE": "1" if stale else "",
                     "INSTALLED": " ".join(p for p in packages if p not in missing)},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            called = ""
            if os.path.exists(log):
                with open(log) as file:
                    called = file.read()
        return result.returncode, result.stdout, called

    def test_nothing_missing(self):
        self.assertEqual(self.install(), (0, "", ""))

    def test_installs_the_missing(self):
        code, output, called = self.install(missing=("lld-22", "valgrind"))
        self.assertEqual(code, 0, output)
        self.assertIn("installing the Debian packages: lld-22 valgrind", output)
        self.assertIn("install --no-install-recommends lld-22 valgrind\n", called)
        self.assertNotIn("update", called)
        self.assertNotIn("sudo", called)

    def test_fetches_stale_lists_once(self):
        code, output, called = self.install(missing=("lld-22",), stale=True)
        self.assertEqual(code, 0, output)
        self.assertIn("fetching the package lists", output)
        self.assertEqual(called.count("update"), 1)

    def test_sudo(self):
        code, output, called = self.install(missing=("lld-22",), uid=1000)
        self.assertEqual(code, 0, output)
        self.assertIn("sudo\napt-get", called)

    def test_neither_root_nor_sudo(self):
        code, output, _ = self.install(missing=("lld-22",), uid=1000, without=("sudo",))
        self.assertEqual(code, 1, output)
        self.assertIn("needs root, and sudo is not installed", output)

    def test_not_debian(self):
        code, output, called = self.install(without=("dpkg-query",))
        self.assertEqual(code, 1, output)
        self.assertIn("this is not Debian", output)
        self.assertEqual(called, "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
