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

// -----

// Threads that share rows: where there are fewer tiles than threads, or than blocks
// of a row, all threads run all tiles with a part of each row, and a buffer for the
// sums of its blocks; else they run tiles of their own. One function does both.

// REMARK: remark: [Passed] parallel | Category:xfmr-lower-row-loops | Remark="loop for several threads where it is large enough"
// REMARK: remark: [Passed] shared | Category:xfmr-lower-row-loops | Remark="threads share the rows that are long enough, where these are few"

// TWO-LABEL: func private @shared_loop(
// TWO-SAME: %{{[^:]*}}: index, %{{[^:]*}}: index, %[[NUMBER:[^:]*]]: i32, %[[COUNT:[^:]*]]: i32, %[[SUMS:[^:]*]]: memref<?xi8>
// TWO-DAG: %[[THREAD:.*]] = arith.index_cast %[[NUMBER]]
// TWO-DAG: %[[THREADS:.*]] = arith.index_cast %[[COUNT]]
// What is the same for all rows is computed once.
// TWO: %[[BEGIN:.*]] = arith.divui %{{.*}}, %[[THREADS]]
// TWO: scf.for
// TWO: scf.for %{{.*}} = %[[BEGIN]]
// TWO: memref.store %{{.*}}, %[[SUMS]]
// TWO: omp.barrier
// TWO-NOT: omp.parallel
// CHECK-LABEL: func @shared(
// ANY: call @omp_get_max_threads
// TWO-DAG: %[[NONE:.*]] = ub.poison : memref<?xi8>
// TWO-DAG: %[[LONG:.*]] = arith.cmpi uge, %{{.*}}, %c100
// TWO: %[[PARTS:.*]] = arith.select %[[LONG]]
// TWO: %[[SOME:.*]] = arith.minsi %[[PARTS]], %c2
// TWO: %[[NEEDED:.*]] = arith.maxsi %[[SOME]], %c2
// TWO: %[[TILES:.*]] = arith.cmpi sge, %{{.*}}, %[[NEEDED]]
// TWO: %[[WORTH:.*]] = arith.andi %{{.*}}, %[[TILES]]
// TWO: %[[FEW:.*]] = arith.xori %[[WORTH]]
// TWO: %[[SHARES:.*]] = arith.andi %[[LONG]], %[[FEW]]
// TWO: %[[FORKS:.*]] = arith.ori %[[WORTH]], %[[SHARES]]
// TWO: scf.if %[[FORKS]] {
// TWO: %[[BUFFER:.*]] = scf.if %[[SHARES]]
// TWO: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// TWO: } else {
// TWO-NEXT: scf.yield %[[NONE]]
// TWO: omp.parallel num_threads(%{{.*}} : i32) {
// TWO: %[[T:.*]] = func.call @omp_get_thread_num
// TWO: %[[N:.*]] = func.call @omp_get_num_threads
// TWO: %[[FROM:.*]] = arith.select %[[SHARES]], %c0
// TWO: %[[TO:.*]] = arith.select %[[SHARES]], %[[ALL:[^,]*]],
// TWO: %[[ME:.*]] = arith.select %[[SHARES]], %[[T]], %c0_i32
// TWO: %[[US:.*]] = arith.select %[[SHARES]], %[[N]], %c1_i32
// TWO: func.call @shared_loop(%[[FROM]], %[[TO]], %[[ME]], %[[US]], %[[BUFFER]]
// TWO: omp.terminator
// TWO: scf.if %[[SHARES]]
// TWO: memref.dealloc %[[BUFFER]]
// TWO: } else {
// TWO-NEXT: func.call @shared_loop(%c0, %[[ALL]], %c0_i32, %c1_i32, %[[NONE]]
// With one thread, there is one.
// ONE-NOT: omp.parallel
// ONE: scf.for
// ONE: arith.index_cast %c0_i32
// ONE: arith.index_cast %c1_i32
func.func private @omp_get_thread_num() -> i32
func.func private @omp_get_num_threads() -> i32
func.func @shared(%n: index, %m: index, %y: memref<?x?xf32>, %v: i8) {
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.forall (%i) in (%n) {
    %long = arith.cmpi uge, %m, %c100 : index
    %bytes = arith.muli %m, %c100 : index
    %sums = memref.alloc(%bytes) {alignment = 64 : i64, block_bytes = 100 : i64} : memref<?xi8>
    omp.parallel if(%long) {
      %t = func.call @omp_get_thread_num() : () -> i32
      %p = func.call @omp_get_num_threads() : () -> i32
      %thread = arith.index_cast %t : i32 to index
      %threads = arith.index_cast %p : i32 to index
      %before = arith.muli %m, %thread : index
      %begin = arith.divui %before, %threads : index
      scf.for %j = %begin to %m step %c1 {
        memref.store %v, %sums[%j] : memref<?xi8>
      }
      omp.barrier
      omp.terminator
    } {shares_rows}
    memref.dealloc %sums : memref<?xi8>
  }
  return
}

// -----

// Without a loop around: a region of their own.

// REMARK: remark: [Passed] shared | Category:xfmr-lower-row-loops | Remark="threads share the rows that are long enough"

// TWO-LABEL: func private @alone_loop(
// TWO-SAME: %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: memref<?xi8>,
// CHECK-LABEL: func @alone(
// TWO: scf.if %{{.*}} {
// TWO-NEXT: %[[SUMS:.*]] = memref.alloc
// TWO: omp.parallel num_threads(%{{.*}} : i32) {
// TWO-NEXT: %[[T:.*]] = func.call @omp_get_thread_num
// TWO-NEXT: %[[N:.*]] = func.call @omp_get_num_threads
// TWO-NEXT: func.call @alone_loop(%[[T]], %[[N]], %[[SUMS]],
// TWO: memref.dealloc %[[SUMS]]
// TWO: } else {
// TWO: func.call @alone_loop(%c0_i32, %c1_i32, %{{.*}},
func.func private @omp_get_thread_num() -> i32
func.func private @omp_get_num_threads() -> i32
func.func @alone(%long: i1, %m: index, %v: i8) {
  %sums = memref.alloc(%m) {block_bytes = 64 : i64} : memref<?xi8>
  omp.parallel if(%long) {
    %t = func.call @omp_get_thread_num() : () -> i32
    %thread = arith.index_cast %t : i32 to index
    memref.store %v, %sums[%thread] : memref<?xi8>
    omp.terminator
  } {shares_rows}
  memref.dealloc %sums : memref<?xi8>
  return
}

// -----

// So with a loop around that has other effects, where that stays on one thread.

// TWO-LABEL: func private @effects_loop_loop(
// TWO-LABEL: func private @effects_loop(
// TWO-SAME: index, %{{[^:]*}}: index, %[[FORK:[^:]*]]: i1
// TWO: %[[INNER:.*]] = arith.andi %{{.*}}, %[[FORK]]
// TWO: scf.if %[[INNER]]
// TWO: omp.parallel
// TWO: call @effects_loop_loop
// TWO: } else {
// TWO: call @effects_loop_loop
// CHECK-LABEL: func @effects(
func.func private @omp_get_thread_num() -> i32
func.func @effects(%n: index, %y: memref<?xi32>, %z: memref<?xi32>, %m: index) {
  %c100 = arith.constant 100 : index
  scf.forall (%i) in (%n) {
    %long = arith.cmpi uge, %m, %c100 : index
    %one = arith.constant 1 : i32
    memref.store %one, %z[%i] : memref<?xi32>
    omp.parallel if(%long) {
      %t = func.call @omp_get_thread_num() : () -> i32
      memref.store %t, %y[%i] : memref<?xi32>
      omp.terminator
    } {shares_rows}
  }
  return
}
