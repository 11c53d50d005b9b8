#!/usr/bin/env bash
# install.sh <cmake> <build> <prefix> <version> <llvm tools>: installs the project
# and runs what was installed, outside the build tree.
set -euo pipefail
# No grep -q: it would close the pipe on a tool that still writes.
cmake=$1 build=$2 prefix=$3 version=$4 llvm_tools=$5

rm -rf "$prefix"
"$cmake" --install "$build" --prefix "$prefix" >"$build/install.log"

for tool in xfmr-opt xfmr-run xfmr-compile xfmr-lsp-server; do
  # Without the loader's variables: the tool itself must know where libMLIR is.
  env -u LD_LIBRARY_PATH "$prefix/bin/$tool" --version | grep -x "xfmr $version" >/dev/null ||
    { echo "$tool --version does not print 'xfmr $version'"; exit 1; }
done

input=$(mktemp --suffix=.mlir)
trap 'rm -f "$input"' EXIT
cat >"$input" <<'MLIR'
func.func @norm(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x64xf32>) outs(%y : tensor<?x64xf32>) eps(1.0e-5)
      -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
MLIR
env -u LD_LIBRARY_PATH "$prefix/bin/xfmr-run" "$input" --shape=0=3x64 --check
# The linalg that comes out is for anyone: stock mlir-opt reads it.
"$prefix/bin/xfmr-opt" --xfmr-to-linalg "$input" | "$llvm_tools/mlir-opt" | grep linalg.generic >/dev/null
