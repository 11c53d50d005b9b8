// RUN: xfmr-opt --xfmr-lower-contractions=cpu=znver4 --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-contractions=cpu=x86-64-v3 --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefix=AVX2
// RUN: xfmr-opt --xfmr-lower-contractions=cpu=znver4 --remarks-filter=xfmr-lower-contractions --split-input-file -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// A weight is packed once, at the entry, and freed at the end. Each group of four
// panels is a call.

// REMARK: [Passed] ContractionLowered {{.*}} form="packed panels"
// REMARK-NOT: PackedEachTime
// CHECK-LABEL: func @weight(
// CHECK-SAME:    %[[X:.*]]: memref<?x600xf32>, %[[W:.*]]: memref<600x256xf32> {xfmr.weight}, %[[Y:.*]]: memref<?x256xf32>)
// CHECK:         %[[P:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x600x32xf32>
// CHECK:         xfmr.pack_weight ins(%[[W]] : memref<600x256xf32>) outs(%[[P]] : memref<8x600x32xf32>) layout(in_out)
// CHECK:         scf.forall (%[[N:.*]]) = (0) to (256) step (128) {
// CHECK:           memref.subview %[[Y]][0, %[[N]]]
// CHECK:           memref.subview %[[P]][%{{.*}}, 0, 0] [4, 600, 32]
// CHECK:           call @xfmr_panel_product_f32_f32_f32
// CHECK:         memref.dealloc %[[P]]

// The kernel calls a function for each register tile. Eight rows of one panel, and
// what less than eight rows leave, in one tile: from six rows on of one panel, with
// weights on their way; three to five rows of two panels, one or two of four. No weight
// is read for a second tile of less than eight rows. A panel alone has the same functions
// as one that is not whole.

// CHECK:       func private @xfmr_panel_product_f32_f32_f32(%{{.*}}: memref<?x?xf32, strided<[?, 1], offset: ?>>, %{{.*}}: memref<?x?x32xf32, strided<[?, 32, 1], offset: ?>>, %{{.*}}: memref<?x?xf32, strided<[?, 1], offset: ?>>)
// CHECK-SAME:    noinline
// CHECK-NOT:     alloc
// CHECK:         call @xfmr_panel_tile_8x1_few_f32_f32_f32(
// CHECK:         call @xfmr_panel_tile_8x1_f32_f32_f32(
// CHECK:         %[[REST:.*]] = arith.subi
// CHECK:         arith.cmpi eq, %[[REST]], %c7
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      scf.for
// CHECK-NOT:         scf.for
// CHECK:             call @xfmr_panel_tile_7x1_masked_few_f32_f32_f32(
// CHECK:         call @xfmr_panel_tile_6x1_masked_few_f32_f32_f32(
// CHECK:         call @xfmr_panel_tile_5x2_f32_f32_f32(
// CHECK:         call @xfmr_panel_tile_4x2_f32_f32_f32(
// CHECK:         call @xfmr_panel_tile_3x2_f32_f32_f32(
// CHECK:         arith.cmpi eq, %{{.*}}, %c2
// CHECK-NEXT:    scf.if
// CHECK-NOT:       scf.for
// CHECK:           call @xfmr_panel_tile_2x4_f32_f32_f32(
// CHECK:         call @xfmr_panel_tile_1x4_f32_f32_f32(
// CHECK:         call @xfmr_panel_tile_4x1_masked_f32_f32_f32(
// CHECK:         call @xfmr_panel_tile_8x1_masked_f32_f32_f32(
// CHECK-NOT:     alloc
// CHECK:         return

// Sums of a row of four panels.
// CHECK:       func private @xfmr_panel_tile_1x4_f32_f32_f32(
// CHECK-NOT:     prefetch
// CHECK:         %{{.*}}:8 = scf.for

// The largest tile: sixteen sums from zero; each vector of weights is loaded once, an
// input of a row for each of its two products, from what LLVM takes for other rows, and
// a line of the next block is prefetched; before, the totals. No memory but the operands'.

// CHECK:       func private @xfmr_panel_tile_8x1_f32_f32_f32(%[[A:.*]]: memref<8x?xf32, strided<[?, 1], offset: ?>>, %[[B:.*]]: memref<1x?x32xf32, strided<[?, 32, 1], offset: ?>>, %[[C:.*]]: memref<8x32xf32, strided<[?, 1], offset: ?>>, %[[NEXT:.*]]: index, %[[STRIDE:.*]]: index, %[[SAME:.*]]: memref<8x?xf32, strided<[?, 1], offset: ?>>)
// CHECK-SAME:    noinline
// CHECK-NOT:     alloc
// CHECK:         %[[INPUTS:.*]] = memref.dim %[[A]], %c1
// CHECK:         %[[SAME_A:.*]] = memref.reinterpret_cast %[[SAME]]
// CHECK-COUNT-16: memref.prefetch %[[C]][{{.*}}], write, locality<3>
// CHECK-NEXT:    %[[SUMS:.*]]:16 = scf.for %[[K:.*]] = %c0 to %[[INPUTS]] step %c1 iter_args(%[[S0:[a-z0-9]+]] = %[[ZERO:[a-z0-9_]+]], %[[S1:[a-z0-9]+]] = %[[ZERO]],
// CHECK-NEXT:      %[[STEP:.*]] = arith.muli %[[K]], %[[STRIDE]]
// CHECK-NEXT:      %[[LINE:.*]] = arith.addi %[[NEXT]], %[[STEP]]
// CHECK-NEXT:      memref.prefetch %[[B]][%c0, %c0, %[[LINE]]], read, locality<3>
// CHECK-NEXT:      %[[W0:.*]] = vector.load %[[B]]
// CHECK-NEXT:      %[[W1:.*]] = vector.load %[[B]]
// CHECK-NEXT:      memref.load %[[A]][%c0, %[[K]]]
// CHECK-NEXT:      %[[V:.*]] = vector.broadcast {{.*}} : f32 to vector<16xf32>
// CHECK-NEXT:      math.fma %[[V]], %[[W0]], %[[S0]]
// CHECK-NEXT:      memref.load %[[SAME_A]][%c0, %[[K]]]
// CHECK-NEXT:      %[[V1:.*]] = vector.broadcast {{.*}} : f32 to vector<16xf32>
// CHECK-NEXT:      math.fma %[[V1]], %[[W1]], %[[S1]]
// CHECK-COUNT-14:  math.fma
// CHECK-NOT:       {{math.fma|vector.load}}
// CHECK:           scf.yield
// CHECK:         vector.load %[[C]]
// CHECK:         arith.addf
// CHECK:         vector.store {{.*}}, %[[C]]
// CHECK-NOT:     alloc
// CHECK:         return

// Few rows fetch into the second cache, as many lines as a step reads.
// CHECK:       func private @xfmr_panel_tile_8x1_few_f32_f32_f32(
// CHECK-NOT:     prefetch
// CHECK:         scf.for
// CHECK-COUNT-2: memref.prefetch {{.*}} locality<2>
// CHECK-NOT:     prefetch
// CHECK:         scf.yield

// Sixteen registers hold four rows of one panel of two vectors. An input is loaded
// once, as everywhere where a product does not broadcast it by itself.
// AVX2-LABEL: func @weight(
// AVX2:         memref.alloc() {{.*}} : memref<16x600x16xf32>
// AVX2:       func private @xfmr_panel_tile_4x1_f32_f32_f32(
// AVX2-NOT:     memref.reinterpret_cast
// AVX2:         {{.*}}:8 = scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
func.func @weight(%x: memref<?x600xf32>, %w: memref<600x256xf32> {xfmr.weight}, %y: memref<?x256xf32>) {
  linalg.matmul ins(%x, %w : memref<?x600xf32>, memref<600x256xf32>) outs(%y : memref<?x256xf32>)
  return
}

// -----

// Pairs of bf16 by the dot product, where it is faster; widened otherwise, the odd
// input first. A tiny sum is not left at that.

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @pairs(
// CHECK:         xfmr.pack_weight ins(%{{.*}} : memref<64x600xbf16>) outs(%{{.*}} : memref<2x300x32x2xbf16>) layout(out_in)
// CHECK-NOT:     scf.forall
// CHECK:       func private @xfmr_panel_tile_8x1_bf16_bf16_f32(
// CHECK:         vector.load {{.*}} : memref<8x?xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
// CHECK:         x86vector.avx512.dot
// CHECK:         vector.reduction <or>
// CHECK:         call @xfmr_panel_tiny_sums(

// AVX2-LABEL: func @pairs(
// AVX2:         outs(%{{.*}} : memref<4x300x16x2xbf16>)
// AVX2-NOT:     x86vector
// AVX2:         memref.alloc() {{.*}} : memref<128x264xf32>
// AVX2:         arith.extf {{.*}} : vector<8xbf16> to vector<8xf32>
// AVX2:         arith.andi
// AVX2:         math.fma
// AVX2:         arith.shli
// AVX2:         math.fma
func.func @pairs(%x: memref<?x600xbf16>, %w: memref<64x600xbf16> {xfmr.weight}, %y: memref<?x64xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x600xbf16>, memref<64x600xbf16>) outs(%y : memref<?x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %p = arith.extf %a : bf16 to f32
    %q = arith.extf %b : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Parts of one weight that begin with a panel are read from its one packed copy:
// columns from a loop's position on, rows from 128 on.

// CHECK-LABEL: func @parts(
// CHECK-COUNT-1: xfmr.pack_weight ins(%arg1 : memref<256x512xf32>)
// CHECK-NOT:     xfmr.pack_weight
// CHECK:         scf.for %[[I:.*]] = %c0 to %c512 step %c64 {
// CHECK:           memref.subview %{{.*}}[%{{.*}}, 128, 0] [2, 128, 32]
// CHECK:           call @xfmr_panel_product_f32_f32_f32
func.func @parts(%x: memref<4x128xf32>, %w: memref<256x512xf32> {xfmr.weight}, %y: memref<4x512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %half = memref.subview %w[128, 0] [128, 512] [1, 1] : memref<256x512xf32> to memref<128x512xf32, strided<[512, 1], offset: 65536>>
  scf.for %i = %c0 to %c512 step %c64 {
    %v = memref.subview %half[0, %i] [128, 64] [1, 1] : memref<128x512xf32, strided<[512, 1], offset: 65536>> to memref<128x64xf32, strided<[512, 1], offset: ?>>
    %z = memref.subview %y[0, %i] [4, 64] [1, 1] : memref<4x512xf32> to memref<4x64xf32, strided<[512, 1], offset: ?>>
    linalg.matmul ins(%x, %v : memref<4x128xf32>, memref<128x64xf32, strided<[512, 1], offset: ?>>) outs(%z : memref<4x64xf32, strided<[512, 1], offset: ?>>)
  }
  return
}

// -----

// A part that begins inside a panel is packed on its own; at an unknown place, each
// time.

// CHECK-LABEL: func @inside(
// CHECK:         %[[V:.*]] = memref.subview %arg1[0, 3] [128, 64]
// CHECK:         xfmr.pack_weight ins(%[[V]]
// CHECK:         call @xfmr_panel_product
// CHECK:         %[[SCRATCH:.*]] = memref.alloc() {{.*}} : memref<2x128x32xf32>
// CHECK:         %[[BLOCK:.*]] = memref.cast %[[SCRATCH]]
// CHECK:         xfmr.pack_weight ins(%{{.*}} outs(%[[BLOCK]]
// CHECK:         call @xfmr_panel_product
// CHECK:         memref.dealloc %[[SCRATCH]]
// REMARK: [Missed] PackedEachTime {{.*}} bytesMovedPerElement=8, multiplyAddsPerElement=4
func.func @inside(%x: memref<4x128xf32>, %w: memref<128x512xf32> {xfmr.weight}, %i: index, %y: memref<4x64xf32>) {
  %v = memref.subview %w[0, 3] [128, 64] [1, 1] : memref<128x512xf32> to memref<128x64xf32, strided<[512, 1], offset: 3>>
  linalg.matmul ins(%x, %v : memref<4x128xf32>, memref<128x64xf32, strided<[512, 1], offset: 3>>) outs(%y : memref<4x64xf32>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %i step %c1 {
    %u = memref.subview %w[0, %j] [128, 64] [1, 1] : memref<128x512xf32> to memref<128x64xf32, strided<[512, 1], offset: ?>>
    linalg.matmul ins(%x, %u : memref<4x128xf32>, memref<128x64xf32, strided<[512, 1], offset: ?>>) outs(%y : memref<4x64xf32>)
  }
  return
}

// -----

// Nothing is left of an empty product, and what has no matrix for all rows is no
// product of panels.

// REMARK: form=empty
// REMARK: form=panel
// CHECK-LABEL: func @other(
// CHECK-NOT:     xfmr.pack_weight
// CHECK-NOT:     call
// CHECK:         return
func.func @other(%x: memref<0x4xf32>, %w: memref<4x8xf32>, %y: memref<0x8xf32>, %a: memref<2x4x4xf32>, %b: memref<2x4x4xf32>) {
  linalg.matmul ins(%x, %w : memref<0x4xf32>, memref<4x8xf32>) outs(%y : memref<0x8xf32>)
  linalg.batch_matmul ins(%a, %a : memref<2x4x4xf32>, memref<2x4x4xf32>) outs(%b : memref<2x4x4xf32>)
  return
}
