// -g: what perf reads of the JIT's code has the function and the lines.
// RUN: rm -rf %t && mkdir -p %t
// RUN: env JITDUMPDIR=%t xfmr-run %s -g
// RUN: cat %t/.debug/jit/*/*.dump | grep -a -c -e norm.body -e debug.mlir | FileCheck %s
// CHECK: {{^[1-9]}}

// Nothing is written without it.
// RUN: rm -rf %t && mkdir -p %t
// RUN: env JITDUMPDIR=%t xfmr-run %s
// RUN: ls -A %t | count 0
func.func @norm(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<8x64xf32>) outs(%y : tensor<8x64xf32>)
      eps(1.0e-05) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
