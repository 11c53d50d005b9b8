// RUN: xfmr-opt --xfmr-deallocate-buffers -verify-diagnostics %s

func.func private @make() -> memref<4xf32>

func.func @frees_result() {
  %a = func.call @make() : () -> memref<4xf32>
  // expected-error @below {{expected a buffer that is allocated in the same function, or an argument}}
  memref.dealloc %a : memref<4xf32>
  return
}
