// The plugin in stock mlir-opt: the dialect parses, and passes and pipelines run.
// A program built with a sanitizer cannot be loaded by one that is not.
// UNSUPPORTED: asan
// RUN: mlir-opt --load-dialect-plugin=%xfmr_plugin %s | FileCheck %s --check-prefix=ROUND
// RUN: mlir-opt --load-dialect-plugin=%xfmr_plugin --load-pass-plugin=%xfmr_plugin %s \
// RUN:   --pass-pipeline="builtin.module(xfmr-to-linalg)" | FileCheck %s --check-prefix=LINALG
// RUN: mlir-opt --load-dialect-plugin=%xfmr_plugin --load-pass-plugin=%xfmr_plugin %s \
// RUN:   --pass-pipeline="builtin.module(xfmr-lower-to-cpu)" | FileCheck %s --check-prefix=LLVM
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT

// ROUND-LABEL: func.func @norm
// ROUND: xfmr.rmsnorm ins(%{{.*}}) gamma(%{{.*}}) outs(%{{.*}})

// LINALG-LABEL: func.func @norm
// LINALG-NOT: xfmr.
// LINALG: linalg.
// LINALG-NOT: xfmr.

// LLVM: llvm.func @norm
// LLVM-NOT: xfmr.

// WITHOUT: error: Dialect `xfmr' not found for custom op 'xfmr.rmsnorm'
func.func @norm(%x: tensor<?x64xf32>, %g: tensor<64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x64xf32>) gamma(%g : tensor<64xf32>)
      outs(%y : tensor<?x64xf32>) eps(1.0e-5) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
