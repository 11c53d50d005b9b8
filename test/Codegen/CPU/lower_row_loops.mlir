// RUN: xfmr-opt --xfmr-lower-row-loops %s | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: xfmr-opt --xfmr-lower-row-loops=threads=2 %s | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: xfmr-opt --xfmr-lower-row-loops=threads=0 %s | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: xfmr-opt --xfmr-lower-row-loops=threads=2 --remarks-filter=xfmr-lower-row-loops -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Passed] parallel | Category:xfmr-lower-row-loops | Remark="loop over rows for several threads"

// CHECK-LABEL: func @rows
func.func @rows(%n: index, %y: memref<?xf32>, %v: f32) {
  // CHECK-NOT: scf.forall
  // ONE: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  // TWO: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
  // CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]]]
  scf.forall (%i) = (0) to (%n) step (4) {
    memref.store %v, %y[%i] : memref<?xf32>
  }
  return
}

// Inside of a parallel loop there is one thread.
// CHECK-LABEL: func @nested
func.func @nested(%n: index, %y: memref<?x?xf32>, %v: f32) {
  // TWO: scf.parallel
  // TWO-NOT: scf.parallel
  // TWO: scf.for
  scf.forall (%i) in (%n) {
    scf.forall (%j) in (%n) {
      memref.store %v, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
