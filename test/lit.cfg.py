"""The lit suites. lit.site.cfg.py, made by CMake, sets the paths and loads this."""

import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(__file__))
import lit_format

config.name = "xfmr"
config.test_format = lit_format.StrictShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Fuzz", "Inputs", "Install", "Infrastructure", "unit"]
if not hasattr(config, "xfmr_test_source_root"):
    config.xfmr_test_source_root = os.path.dirname(__file__)
config.test_source_root = config.xfmr_test_source_root

# The packaged tools are not on PATH. All are looked for at once, so that a
# missing package is one clear line and not a failure in every test.
for tool in ("FileCheck", "not", "count", "mlir-opt", "mlir-runner", "llvm-objdump"):
    if not os.path.exists(os.path.join(config.llvm_tools_dir, tool)):
        lit_config.fatal("%s is missing from %s" % (tool, config.llvm_tools_dir))
config.environment["PATH"] = os.pathsep.join(
    [config.xfmr_bin_dir, config.llvm_tools_dir, config.environment.get("PATH", "/usr/bin:/bin")]
)
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"

for name, value in (
    ("%xfmr_plugin", os.path.join(config.xfmr_lib_dir, "XfmrPlugin.so")),
    ("%xfmr_src", config.xfmr_source_dir),
    ("%xfmr_version", config.xfmr_version),
    ("%examples", os.path.join(config.xfmr_source_dir, "examples")),
    ("%llvm_lib_dir", config.llvm_lib_dir),
    ("%python", config.python),
    ("%cxx", config.cxx),
    ("%cc", config.cc),
):
    config.substitutions.append((name + r"\b", value))

# What the machine has. `asan` is set where our code is built with a sanitizer,
# which a stock program cannot load.
with open("/proc/cpuinfo") as info:
    flags = next((line.split() for line in info if line.startswith("flags")), [])
for feature, flag in (
    ("host-avx2", "avx2"),
    ("host-avx512", "avx512f"),
    ("host-avx512bf16", "avx512_bf16"),
    ("host-amx", "amx_tile"),
):
    if flag in flags:
        config.available_features.add(feature)
if shutil.which("valgrind"):
    config.available_features.add("valgrind")
# Emulators, and the C library of the other machine.
if shutil.which("qemu-x86_64"):
    config.available_features.add("qemu-x86_64")
if shutil.which("qemu-aarch64") and os.path.isdir("/usr/aarch64-linux-gnu/include"):
    config.available_features.add("qemu-aarch64")
if config.xfmr_sanitizers:
    config.available_features.add("asan")
