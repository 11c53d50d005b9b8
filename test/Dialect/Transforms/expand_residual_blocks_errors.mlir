// RUN: xfmr-opt --xfmr-expand-residual-blocks -verify-diagnostics %s

func.func @layout(%x: memref<4x8xf32, strided<[16, 2]>>, %y: memref<4x8xf32>) {
  // expected-error @below {{expected a region that takes its argument in any layout, since the normalised rows cannot be stored in that of 'memref<4x8xf32, strided<[16, 2]>>'}}
  xfmr.residual_block pre ins(%x : memref<4x8xf32, strided<[16, 2]>>)
      norm1(<rmsnorm, eps = 1.0e-05>) outs(%y : memref<4x8xf32>) {
  ^bb0(%z: memref<4x8xf32, strided<[16, 2]>>):
    func.call @g(%z) : (memref<4x8xf32, strided<[16, 2]>>) -> ()
    xfmr.yield %z : memref<4x8xf32, strided<[16, 2]>>
  }
  return
}
func.func private @g(memref<4x8xf32, strided<[16, 2]>>)
