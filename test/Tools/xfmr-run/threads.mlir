// A18: the OpenMP library is found in a clean environment and threads are used;
// with one thread it is not loaded. Results do not depend on the number.
// RUN: rm -rf %t && mkdir -p %t
// RUN: env -i OMP_DISPLAY_AFFINITY=true xfmr-run %s --threads=2 --parallel-from=0 --check --output 0=%t/two.npy > %t/two.txt 2>&1
// RUN: FileCheck %s --check-prefixes=CHECK,TWO < %t/two.txt
// RUN: env -i OMP_DISPLAY_AFFINITY=true xfmr-run %s --threads=1 --check --output 0=%t/one.npy > %t/one.txt 2>&1
// RUN: FileCheck %s --check-prefixes=CHECK,ONE < %t/one.txt
// RUN: cmp %t/one.npy %t/two.npy

// TWO: OMP:{{.*}}thread 1
// ONE-NOT: OMP:
// CHECK: check result 0: 262144 elements{{.*}}: ok
func.func @norm(%x: tensor<4096x64xf32>, %y: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<4096x64xf32>) outs(%y : tensor<4096x64xf32>)
      eps(1.0e-05) -> tensor<4096x64xf32>
  return %0 : tensor<4096x64xf32>
}
