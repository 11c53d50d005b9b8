// Sizes that only a call can tell are compared, whatever else is asked for.
// RUN: xfmr-run %s --shape 0=3x64 | FileCheck %s --check-prefix=RIGHT
// RUN: not xfmr-run %s --shape 0=3x63 2>&1 | FileCheck %s --check-prefix=GAMMA
// RUN: not xfmr-run %s --shape 0=3x64 --shape 2=4x64 2>&1 | FileCheck %s --check-prefix=ROWS

// RIGHT: result 0: 3x64xf32
// GAMMA: {{^}}xfmr-run: error: {{.*}}runtime_checks.mlir:[[#@LINE+4]]:8: 'xfmr.rmsnorm' op expected dim 0 of gamma to equal dim 1 of ins{{$}}
// ROWS: {{^}}xfmr-run: error: {{.*}}runtime_checks.mlir:[[#@LINE+3]]:8: 'xfmr.rmsnorm' op expected dim 0 of outs to equal dim 0 of ins{{$}}
func.func @norm(%x: tensor<?x?xf32>, %g: tensor<64xf32>, %y: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x?xf32>) gamma(%g : tensor<64xf32>)
      outs(%y : tensor<?x?xf32>) eps(1.0e-05) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
