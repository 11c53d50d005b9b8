// RUN: xfmr-opt --xfmr-lower-row-loops="threads=2 parallel-from=0" -verify-diagnostics %s

// expected-error @below {{has the name of a function of OpenMP}}
func.func private @omp_get_thread_num(%n: index) -> i64

func.func @rows(%n: index, %y: memref<?xf32>, %v: f32) {
  scf.forall (%i) in (%n) {
    memref.store %v, %y[%i] : memref<?xf32>
  }
  return
}
