// Sizes that follow from others need not be given; memory can be shared.
// RUN: xfmr-run %s --entry=block --shape 0=3x24 --check | FileCheck %s
// RUN: xfmr-run %s --entry=block --shape 5=3x24 --check | FileCheck %s
// RUN: xfmr-run %s --entry=block --shape 0=0x24 --check | FileCheck %s --check-prefix=EMPTY
// RUN: xfmr-run %s --entry=block --dynamic-size=24 --check | FileCheck %s --check-prefix=SQUARE
// RUN: not xfmr-run %s --entry=block --shape 1=24 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: xfmr-run %s --entry=norm --arg 1=@0 --shape 0=5x7 --check | FileCheck %s --check-prefix=SHARED

// CHECK: result 0: 3x24xf32
// CHECK: : ok
// EMPTY: result 0: 0x24xf32
// EMPTY: check result 0: 0 elements: ok
// SQUARE: result 0: 24x24xf32
// OPEN: error: argument 0 (x : tensor<?x?xf32>): sizes are unknown
func.func @block(%x: tensor<?x?xf32>, %g: tensor<?xf32>, %wg: tensor<40x24xf32>,
                 %wu: tensor<40x24xf32>, %wd: tensor<24x40xf32>, %y: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = xfmr.residual_block pre ins(%x : tensor<?x?xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%g : tensor<?xf32>))
      outs(%y : tensor<?x?xf32>) {
  ^bb0(%z: tensor<?x?xf32>):
    %f = xfmr.swiglu_ffn ins(%z : tensor<?x?xf32>) gate(%wg : tensor<40x24xf32>)
        up(%wu : tensor<40x24xf32>) down(%wd : tensor<24x40xf32>)
        outs(%y : tensor<?x?xf32>) layout(out_in) -> tensor<?x?xf32>
    xfmr.yield %f : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// SHARED: check argument 0: 35 elements{{.*}}: ok
func.func @norm(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  xfmr.rmsnorm ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) eps(1.0e-05)
  return
}
