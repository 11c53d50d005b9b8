"""lit's shell tests, with RUN lines that may not hold an unknown substitution."""

import re

import lit.formats
import lit.Test
import lit.TestRunner

# What lit itself defines, and the braces of its conditions.
_OWN = re.compile(r"%(?:[sSpT]|t\d*|basename_t|if|else|\{(?:pathsep|s:real|fs-sep)\}|[{}])(?![A-Za-z_])")
_USE = re.compile(r"%(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_:-]*\}|.)")
_RUN = re.compile(r"RUN:(.*)$", re.MULTILINE)


class StrictShTest(lit.formats.ShTest):
    """lit leaves a % that it does not know as it is, and takes `%sx` for `%s`
    followed by an x: the test then checks something else than it says."""

    def execute(self, test, litConfig):
        with open(test.getSourcePath(), encoding="utf-8", errors="replace") as file:
            for run in _RUN.findall(file.read()):
                for pattern, _ in test.config.substitutions:
                    run = re.sub(pattern, "", run)
                run = _OWN.sub("", run.replace("%%", ""))
                left = _USE.search(run)
                if left:
                    return lit.Test.Result(
                        lit.Test.UNRESOLVED,
                        "unknown substitution %r in a RUN line (%%%% is a plain %%)" % left.group(),
                    )
        return super().execute(test, litConfig)
