// RUN: xfmr-opt --xfmr-lower-row-groups %s | FileCheck %s --implicit-check-not=scf.forall
// RUN: xfmr-opt --xfmr-lower-row-groups=share-rows-from=40000 %s | FileCheck %s --check-prefixes=CHECK,SHARED

// Sums of a row of more than 16384 elements start anew in every block of so many;
// blocks are combined in order. Threads that share a row leave the sums of their
// blocks in memory.

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
// CHECK: scf.for %[[FROM:.*]] = %[[ZERO:c0.*]] to %{{.*}} step %c16384{{.*}} iter_args(%[[TOTAL:.*]] = %cst
// CHECK: %[[TO:.*]] = arith.minui
// CHECK: %[[BLOCK:.*]] = scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c128{{.*}} iter_args(%{{.*}} = %cst
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[FROM]], %[[ZERO]]
// CHECK: %[[SUM:.*]] = scf.if %[[FIRST]]
// CHECK-NEXT: scf.yield %[[BLOCK]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[BOTH:.*]] = arith.addf %[[TOTAL]], %[[BLOCK]]
// CHECK-NEXT: scf.yield %[[BOTH]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[SUM]]
func.func @two_blocks(%x: memref<3x20000xf32>, %s: memref<3xf32>) {
  linalg.generic {indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<3x20000xf32>) outs(%s : memref<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func @three_blocks(
// SHARED: scf.for
// SHARED: %[[SUMS:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x128xf32>
// SHARED: scf.forall (%[[FROM:.*]]) = (0) to (%{{.*}}) step (16384) {
// SHARED: %[[BLOCK:.*]] = scf.for %{{.*}} = %[[FROM]]
// SHARED: %[[NUMBER:.*]] = arith.divui %[[FROM]]
// SHARED: vector.store %[[BLOCK]], %[[SUMS]][%[[NUMBER]], %c0
// SHARED: } {shares_row}
// SHARED: %[[FIRST:.*]] = vector.load %[[SUMS]][%c0
// SHARED: scf.for %[[NEXT:.*]] = %c1{{.*}} iter_args(%[[TOTAL:.*]] = %[[FIRST]])
// SHARED: %[[ITS:.*]] = vector.load %[[SUMS]][%[[NEXT]]
// SHARED: arith.addf %[[TOTAL]], %[[ITS]]
// SHARED: memref.dealloc %[[SUMS]]
func.func @three_blocks(%x: memref<3x49152xf32>, %s: memref<3xf32>) {
  linalg.generic {indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<3x49152xf32>) outs(%s : memref<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// What is stored is shared as well, where the row is long at run time.
// CHECK-LABEL: func @stores(
// SHARED: %[[LONG:.*]] = arith.cmpi uge, %{{.*}}, %c40000
// SHARED: scf.if %[[LONG]]
// SHARED: scf.forall
// SHARED: vector.store
// SHARED: } {shares_row}
// SHARED: } else {
// SHARED: vector.store
func.func @stores(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  return
}
