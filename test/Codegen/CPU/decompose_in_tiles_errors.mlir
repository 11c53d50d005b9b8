// RUN: xfmr-opt --xfmr-decompose-in-tiles -verify-diagnostics %s

func.func @block(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @below {{expected to be expanded before it is decomposed: run xfmr-expand-residual-blocks first}}
  xfmr.residual_block none ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%z: memref<4x8xf32>):
    xfmr.yield %z : memref<4x8xf32>
  }
  return
}
