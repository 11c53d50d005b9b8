// RUN: xfmr-opt --xfmr-deallocate-buffers -verify-diagnostics -split-input-file %s

func.func private @make() -> memref<4xf32>

func.func @frees_result() {
  %a = func.call @make() : () -> memref<4xf32>
  // expected-error @below {{expected a buffer that is allocated in the same function, or an argument}}
  memref.dealloc %a : memref<4xf32>
  return
}

// -----

func.func @block(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @below {{expected to be expanded before buffers are deallocated: run xfmr-expand-residual-blocks first}}
  xfmr.residual_block none ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%z: memref<4x8xf32>):
    xfmr.yield %z : memref<4x8xf32>
  }
  return
}
