#!/usr/bin/env bash
# consume.sh <cmake> <source> <build> <prefix> <compiler>: builds the consumer
# against the installed package, and runs it.
set -euo pipefail
cmake=$1 source=$2 build=$3 prefix=$4 compiler=$5

rm -rf "$build"
"$cmake" -G Ninja -S "$source" -B "$build" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$prefix"
"$cmake" --build "$build"
env -u LD_LIBRARY_PATH "$build/consumer"
