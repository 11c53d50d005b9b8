// RUN: xfmr-opt --xfmr-lower-row-groups %s | FileCheck %s --implicit-check-not=omp.
// RUN: xfmr-opt --xfmr-lower-row-groups=share-rows-from=40000 --canonicalize %s | FileCheck %s --check-prefixes=CHECK,SHARED
// RUN: xfmr-opt --pass-pipeline="builtin.module(func.func(xfmr-lower-row-groups{share-rows-from=40000}))" %s | FileCheck %s --implicit-check-not=omp.

// Sums of a row of more than 16384 elements start anew in every block of it;
// blocks are combined in order. Threads that share a row each take blocks that
// follow each other, and leave their sums in memory.

#row = affine_map<(i, j) -> (i, j)>
#per_row = affine_map<(i, j) -> (i)>

// One block: one loop.
// CHECK-LABEL: func @one_block(
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c16384{{.*}} step %c128
// CHECK-NOT: scf.for
// CHECK: return
func.func @one_block(%x: memref<3x16384xf32>, %s: memref<3xf32>) {
  linalg.generic {indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<3x16384xf32>) outs(%s : memref<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// Too few blocks to be shared.
// CHECK-LABEL: func @two_blocks(
// CHECK: %[[NONE:.*]] = ub.poison : vector<16xf32>
// CHECK: %[[ALL:.*]]:3 = scf.while (%[[FROM:.*]] = %[[ZERO:c0.*]], %[[TOTAL:.*]] = %[[NONE]])
// CHECK: %[[TO:.*]] = arith.minui
// CHECK: %[[BLOCK:.*]] = scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c128{{.*}} iter_args(%{{.*}} = %cst
// CHECK: vector.extract_strided_slice %[[BLOCK]]
// CHECK: %[[FOLDED:.*]] = arith.addf %{{.*}} : vector<16xf32>
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %[[TO]]
// CHECK: %[[RARELY:.*]] = llvm.intr.expect %[[MORE]], %false
// CHECK: scf.condition(%[[RARELY]]) %[[FROM]], %[[TOTAL]], %[[FOLDED]]
// CHECK: ^bb0(%[[AT:.*]]: index, %[[BEFORE:.*]]: vector<16xf32>, %[[THIS:.*]]: vector<16xf32>):
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %c16384
// CHECK: arith.cmpi ne, %[[AT]], %[[ZERO]]
// CHECK: %[[SUM:.*]] = scf.if
// CHECK-NEXT: %[[BOTH:.*]] = arith.addf %[[BEFORE]], %[[THIS]]
// CHECK-NEXT: scf.yield %[[BOTH]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[THIS]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[NEXT]], %[[SUM]]
// The last one likewise, which is the first of most rows.
// CHECK: arith.cmpi ne, %[[ALL]]#0, %[[ZERO]]
// CHECK: scf.if
// CHECK-NEXT: arith.addf %[[ALL]]#1, %[[ALL]]#2
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[ALL]]#2
func.func @two_blocks(%x: memref<3x20000xf32>, %s: memref<3xf32>) {
  linalg.generic {indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<3x20000xf32>) outs(%s : memref<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// The result of a row is stored once, when nobody reads the sums any more.
// CHECK-LABEL: func @three_blocks(
// SHARED-SAME: %[[X:.*]]: memref<3x49152xf32>, %[[S:.*]]: memref<3xf32>)
// SHARED: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64, block_bytes = 64 : i64} : memref<256xi8>
// SHARED: omp.parallel if(%true) {
// SHARED: %[[NUMBER:.*]] = func.call @omp_get_thread_num
// SHARED: %[[COUNT:.*]] = func.call @omp_get_num_threads
// SHARED: %[[THREAD:.*]] = arith.index_cast %[[NUMBER]]
// SHARED: %[[THREADS:.*]] = arith.index_cast %[[COUNT]]
// SHARED: %[[BEFORE:.*]] = arith.divui %{{.*}}, %[[THREADS]]
// SHARED: %[[AFTER:.*]] = arith.divui %{{.*}}, %[[THREADS]]
// SHARED: %[[BEGIN:.*]] = arith.muli %[[BEFORE]], %c16384
// SHARED: %[[BEHIND:.*]] = arith.muli %[[AFTER]], %c16384
// SHARED: %[[LAST:.*]] = arith.cmpi eq, %{{.*}}, %[[THREADS]]
// SHARED: %[[OTHERS:.*]] = arith.cmpi ugt, %[[THREADS]], %c1
// SHARED: %[[VIEW:.*]] = memref.view %[[SUMS]]
// SHARED: scf.for
// SHARED: %[[END:.*]] = arith.minui %[[BEHIND]], %c49152
// SHARED: %[[ANY:.*]] = arith.cmpi ult, %[[BEGIN]], %[[END]]
// SHARED: %[[OWN:.*]] = scf.if %[[ANY]]
// SHARED: scf.while (%[[FROM:.*]] = %[[BEGIN]], %{{.*}} = %{{.*}})
// SHARED: %[[UNLIKELY:.*]] = llvm.intr.expect %[[OTHERS]], %false
// SHARED: scf.if %[[UNLIKELY]] {
// SHARED: arith.divui %[[FROM]], %c16384
// SHARED: vector.store %{{.*}}, %[[VIEW]]
// SHARED: scf.condition
// SHARED: arith.cmpi ne, %{{.*}}, %[[BEGIN]]
// SHARED-NOT: vector.store
// SHARED: omp.barrier
// SHARED: %[[FIRST:.*]] = vector.load %[[VIEW]][%c0]
// SHARED: scf.for %{{.*}} = %c1 to %c3 {{.*}} iter_args(%[[TOTAL:.*]] = %[[FIRST]])
// SHARED: %[[ITS:.*]] = vector.load %[[VIEW]]
// SHARED: arith.addf %[[TOTAL]], %[[ITS]]
// SHARED: } else {
// SHARED-NEXT: scf.yield %[[OWN]]
// SHARED: memref.load %[[S]]
// SHARED: omp.barrier
// SHARED: scf.if %[[LAST]] {
// SHARED-NEXT: memref.store %{{.*}}, %[[S]]
// SHARED: omp.terminator
// SHARED-NEXT: } {shares_rows}
// SHARED-NEXT: memref.dealloc %[[SUMS]]
func.func @three_blocks(%x: memref<3x49152xf32>, %s: memref<3xf32>) {
  linalg.generic {indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<3x49152xf32>) outs(%s : memref<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// What is stored is shared as well, where the row is long at run time; what whole
// strips leave is the last thread's. Nothing is waited for.
// CHECK-LABEL: func @stores(
// SHARED-NOT: alloc
// SHARED: %[[LONG:.*]] = arith.cmpi uge, %{{.*}}, %c40000
// SHARED: omp.parallel if(%[[LONG]]) {
// SHARED: %[[LAST:.*]] = arith.cmpi eq
// SHARED-NOT: omp.barrier
// SHARED: scf.for
// SHARED: scf.for
// SHARED: vector.store
// SHARED: %[[START:.*]] = arith.select %[[LAST]], %{{.*}}, %[[END:.*]] : index
// SHARED: scf.for %{{.*}} = %[[START]] to %[[END]] step %c16
// SHARED: vector.store
// SHARED: %[[RAGGED:.*]] = arith.cmpi ult, %[[END]]
// SHARED: %[[OWN:.*]] = arith.andi %[[RAGGED]], %[[LAST]]
// SHARED: scf.if %[[OWN]]
// SHARED: vector.maskedstore
// SHARED: } {shares_rows}
func.func @stores(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Rows of several dims are not shared.
// CHECK-LABEL: func @columns(
// CHECK-NOT: omp.
func.func @columns(%x: memref<3x4x49152xf32>, %s: memref<3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>],
                  iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : memref<3x4x49152xf32>) outs(%s : memref<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}
