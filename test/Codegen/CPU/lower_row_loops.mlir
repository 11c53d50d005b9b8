// RUN: xfmr-opt --xfmr-lower-row-loops --split-input-file %s | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: xfmr-opt --xfmr-lower-row-loops="threads=2 parallel-from=1000" --split-input-file --canonicalize %s | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: xfmr-opt --xfmr-lower-row-loops="threads=0 parallel-from=1000" --split-input-file --canonicalize %s | FileCheck %s --check-prefixes=CHECK,ANY
// RUN: xfmr-opt --xfmr-lower-row-loops="threads=2 parallel-from=1000" --split-input-file --remarks-filter=xfmr-lower-row-loops -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: xfmr-opt --xfmr-lower-row-loops --split-input-file --remarks-filter=xfmr-lower-row-loops -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK-ONE

// REMARK-ONE: remark: [Passed] sequential | Category:xfmr-lower-row-loops | Reason="there is one thread", Remark="loop for one thread"

// An unknown number of rows: the work is computed in front of the loop. 16
// elements are loaded and stored an iteration, two a tile.

// REMARK: remark: [Passed] parallel | Category:xfmr-lower-row-loops | Remark="loop for several threads where it is large enough"

// TWO-LABEL: func private @rows_loop(
// TWO-SAME: %[[FROM:.*]]: index, %[[TO:.*]]: index, %[[N:.*]]: index, %[[Y:.*]]: memref<?x16xf32>)
// TWO-SAME: attributes {passthrough = {{\[\[}}"target-cpu", "znver4"]]}
// TWO-DAG: %[[LAST:.*]] = arith.muli %[[TO]], %c2
// TWO-DAG: %[[MIN:.*]] = arith.minsi %[[LAST]], %[[N]]
// TWO-DAG: %[[FIRST:.*]] = arith.muli %[[FROM]], %c2
// TWO: scf.for %[[I:.*]] = %[[FIRST]] to %[[MIN]] step %c2
// TWO: vector.load %[[Y]]
// TWO-NOT: omp
// TWO: func private @omp_get_thread_num() -> i32
// TWO: func private @omp_get_num_threads() -> i32
// CHECK-LABEL: func @rows(
// CHECK-NOT: scf.forall
// ONE: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// TWO: %[[ITERATION:.*]] = arith.muli %{{.*}}, %c96
// TWO: %[[WORK:.*]] = arith.muli %{{.*}}, %[[ITERATION]]
// TWO: %[[ENOUGH:.*]] = arith.cmpi sge, %[[WORK]], %c12000
// TWO: %[[TILES:.*]] = arith.cmpi sge, %[[COUNT:.*]], %c2
// TWO: %[[WORTH:.*]] = arith.andi %[[ENOUGH]], %[[TILES]]
// TWO: scf.if %[[WORTH]]
// TWO: omp.parallel num_threads(%{{.*}} : i32) {
// ANY: omp.parallel {
// TWO: %[[THREAD:.*]] = func.call @omp_get_thread_num
// TWO: %[[THREADS:.*]] = func.call @omp_get_num_threads
// TWO: arith.divui
// TWO: arith.divui
// TWO: func.call @rows_loop
// TWO: omp.terminator
// TWO: } else {
// TWO-NEXT: func.call @rows_loop(%c0, %[[COUNT]]
func.func @rows(%n: index, %y: memref<?x16xf32>) attributes {passthrough = [["target-cpu", "znver4"]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) = (0) to (%n) step (2) {
    %rows = affine.min affine_map<(d0)[s0] -> (2, s0 - d0)>(%i)[%n]
    scf.for %j = %c0 to %rows step %c1 {
      %k = arith.addi %i, %j : index
      %v = vector.load %y[%k, %c0] : memref<?x16xf32>, vector<16xf32>
      vector.store %v, %y[%k, %c0] : memref<?x16xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// Known sizes are decided on by the compiler.

// REMARK: remark: [Passed] sequential | {{.*}}Reason="there is too little work for several threads"
// REMARK: remark: [Passed] parallel | Category:xfmr-lower-row-loops | Remark="loop for several threads"{{$}}

// TWO-LABEL: func private @known_loop
// CHECK-LABEL: func @known(
// CHECK: scf.for
// TWO-NOT: scf.if
// TWO: omp.parallel
// TWO: call @known_loop
// TWO: omp.terminator
// ONE: scf.for
func.func @known(%y: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (124) {
    %v = vector.load %y[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    vector.store %v, %y[%i, %c0] : memref<?x16xf32>, vector<16xf32>
  }
  scf.forall (%i) in (125) {
    %v = vector.load %y[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    vector.store %v, %y[%i, %c0] : memref<?x16xf32>, vector<16xf32>
  }
  return
}

// -----

// Inside of a parallel loop there is one thread.

// REMARK: remark: [Passed] parallel | Category:xfmr-lower-row-loops | Remark="loop for several threads"{{$}}
// REMARK: remark: [Passed] sequential | {{.*}}Reason="it is inside of a parallel loop"

// TWO-LABEL: func private @nested_loop(
// TWO: scf.for
// TWO: scf.for
// TWO-NOT: omp.parallel
// CHECK-LABEL: func @nested(
// TWO: omp.parallel
// TWO-NOT: scf.for
// TWO: omp.terminator
func.func @nested(%y: memref<?x?xf32>, %v: f32) {
  scf.forall (%i) in (100) {
    scf.forall (%j) in (100) {
      memref.store %v, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// With fewer iterations than threads, the loop inside is shared instead; what
// is decided at run time is handed on.

// TWO-LABEL: func private @few_loop_loop(
// TWO-LABEL: func private @few_loop(
// TWO-SAME: %{{.*}}: index, %{{.*}}: index, %[[FORK:[^:]*]]: i1
// TWO: scf.for
// TWO: %[[INNER:.*]] = arith.andi %{{.*}}, %[[FORK]] : i1
// TWO: scf.if %[[INNER]]
// TWO: omp.parallel
// TWO: call @few_loop_loop
// TWO: else
// TWO: call @few_loop_loop
// CHECK-LABEL: func @few(
// ANY: %[[MOST:.*]] = call @omp_get_max_threads
// ANY: arith.maxsi %{{.*}}, %c2
// TWO: scf.if
// TWO: omp.parallel
// TWO: call @few_loop(%{{.*}}, %{{.*}}, %false
// TWO: else
// TWO: call @few_loop(%{{.*}}, %{{.*}}, %true
func.func @few(%n: index, %m: index, %y: memref<?x?xf32>, %v: f32) {
  scf.forall (%i) in (%n) {
    scf.forall (%j) in (%m) {
      memref.store %v, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Several dims: the range is of all of them, positions move on like digits.

// TWO-LABEL: func private @dims_loop(
// TWO: arith.remui
// TWO: arith.divui
// TWO: scf.for %{{.*}} iter_args(%[[I:.*]] = %{{.*}}, %[[J:.*]] = %{{.*}})
// TWO-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// TWO: %[[NEXT:.*]] = arith.addi %[[J]], %c3
// TWO: %[[WRAPS:.*]] = arith.cmpi sge, %[[NEXT]], %{{.*}}
// TWO: arith.select %[[WRAPS]], %c0, %[[NEXT]]
// CHECK-LABEL: func @dims(
func.func @dims(%n: index, %m: index, %y: memref<?x?xf32>, %v: f32) {
  scf.forall (%i, %j) = (0, 0) to (%n, %m) step (1, 3) {
    memref.store %v, %y[%i, %j] : memref<?x?xf32>
  }
  return
}

// -----

// Work that a function does for the loop counts as well.

// TWO-LABEL: func private @calls_loop(
// CHECK-LABEL: func @calls(
// TWO-NOT: scf.if
// TWO: omp.parallel
func.func private @fill(%row: memref<?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    memref.store %v, %row[%j] : memref<?xf32>
  }
  return
}
func.func @calls(%y: memref<?xf32>, %v: f32) {
  %c4000 = arith.constant 4000 : index
  scf.forall (%i) in (2) {
    func.call @fill(%y, %c4000, %v) : (memref<?xf32>, index, f32) -> ()
  }
  return
}
