// RUN: xfmr-opt --xfmr-lower-row-loops="threads=2 parallel-from=1000" --split-input-file --canonicalize %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-row-loops --split-input-file --canonicalize %s | FileCheck %s --check-prefix=ONE

// A loop that may be cut between any two rows: threads have ranges of rows, and
// the last tile of each ends where the next thread begins.

// CHECK-DAG: #[[$SIZE:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 4)>
// CHECK-LABEL: func private @rows_loop(
// CHECK-SAME: %[[FROM:[^:]*]]: index, %[[TO:[^:]*]]: index,
// CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]] step %c4 {
// CHECK: affine.min #[[$SIZE]](%[[I]])[%[[TO]]]
// CHECK-LABEL: func @rows(
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: arith.cmpi sge, %[[ROWS]], %c2
// CHECK: omp.parallel
// CHECK: %[[THREAD:.*]] = arith.index_cast
// CHECK: %[[THREADS:.*]] = arith.index_cast
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[ROWS]], %[[THREAD]]
// CHECK: arith.divui %[[PRODUCT]], %[[THREADS]]
// CHECK: } else {
// CHECK: func.call @rows_loop(%c0, %[[ROWS]],

// ONE-LABEL: func @rows(
// ONE: %[[ROWS:.*]] = memref.dim
// ONE: scf.for %[[I:.*]] = %c0 to %[[ROWS]] step %c4 {
// ONE: affine.min {{.*}}(%[[I]])[%[[ROWS]]]
func.func @rows(%y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?x256xf32>
  scf.forall (%i) = (0) to (%n) step (4) {
    %rows = affine.min affine_map<(d0)[s0] -> (s0 - d0, 4)>(%i)[%n]
    scf.for %j = %c0 to %rows step %c1 {
      %k = arith.addi %i, %j : index
      %v = vector.load %y[%k, %c0] : memref<?x256xf32>, vector<256xf32>
      vector.store %v, %y[%k, %c0] : memref<?x256xf32>, vector<256xf32>
    }
  } {xfmr.any_rows}
  return
}

// -----

// The same of known sizes: 13 rows, from the third on, are shared 6 to 7.

// CHECK-DAG: #[[$SIZE:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 4)>
// CHECK-LABEL: func private @known_loop(
// CHECK-SAME: %[[FROM:[^:]*]]: index, %[[TO:[^:]*]]: index,
// CHECK-DAG: %[[FIRST:.*]] = arith.addi %[[FROM]], %c2
// CHECK-DAG: %[[LAST:.*]] = arith.addi %[[TO]], %c2
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %[[LAST]] step %c4 {
// CHECK: affine.min #[[$SIZE]](%[[I]])[%[[LAST]]]
// CHECK-LABEL: func @known(
// CHECK-NOT: scf.if
// CHECK: omp.parallel
// CHECK: arith.muli %{{.*}}, %c13
// CHECK: func.call @known_loop(
func.func @known(%y: memref<15x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) = (2) to (15) step (4) {
    %rows = affine.min affine_map<(d0) -> (4, -d0 + 15)>(%i)
    scf.for %j = %c0 to %rows step %c1 {
      %k = arith.addi %i, %j : index
      %v = vector.load %y[%k, %c0] : memref<15x1024xf32>, vector<1024xf32>
      vector.store %v, %y[%k, %c0] : memref<15x1024xf32>, vector<1024xf32>
    }
  } {xfmr.any_rows}
  return
}

// -----

// Where the rows of a tile are said in another way, threads have tiles, and so
// have those of a loop without the mark.

// CHECK-LABEL: func private @other_loop(
// CHECK-SAME: %{{[^:]*}}: index, %[[TO:[^:]*]]: index,
// CHECK: %[[END:.*]] = arith.muli %[[TO]], %c4
// CHECK: arith.minsi %[[END]],
// CHECK-LABEL: func private @unmarked_loop(
// CHECK-SAME: %{{[^:]*}}: index, %[[TO:[^:]*]]: index,
// CHECK: %[[END:.*]] = arith.muli %[[TO]], %c4
// CHECK: arith.minsi %[[END]],
func.func @other(%n: index, %m: index, %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) = (0) to (%n) step (4) {
    %rows = affine.min affine_map<(d0)[s0, s1] -> (4, s0 - d0, s1)>(%i)[%n, %m]
    scf.for %j = %c0 to %rows step %c1 {
      %k = arith.addi %i, %j : index
      %v = vector.load %y[%k, %c0] : memref<?x256xf32>, vector<256xf32>
      vector.store %v, %y[%k, %c0] : memref<?x256xf32>, vector<256xf32>
    }
  } {xfmr.any_rows}
  return
}
func.func @unmarked(%n: index, %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) = (0) to (%n) step (4) {
    %rows = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n]
    scf.for %j = %c0 to %rows step %c1 {
      %k = arith.addi %i, %j : index
      %v = vector.load %y[%k, %c0] : memref<?x256xf32>, vector<256xf32>
      vector.store %v, %y[%k, %c0] : memref<?x256xf32>, vector<256xf32>
    }
  }
  return
}
