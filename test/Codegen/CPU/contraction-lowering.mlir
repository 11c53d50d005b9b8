// RUN: xfmr-opt --xfmr-lower-contractions=panels=false --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-contractions="panels=false vector-bytes=32 tile-rows=2" --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefix=SMALL

// n innermost on the right side: vectors along n, tiles of 8, 4 and 1 rows by two,
// one and one masked vector. In all of them k runs in blocks of 64 with sums of
// their own, one fma each.

// CHECK-LABEL: func @panel(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf32>, %[[W:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>)
// CHECK-NOT:     alloc
// CHECK:         %[[N:.*]] = memref.dim %[[Y]], %c1
// CHECK:         %[[MASK:.*]] = vector.create_mask %{{.*}} : vector<16xi1>
// CHECK:         scf.for %[[J:.*]] = %c0 to %{{.*}} step %c32 {
// CHECK:           scf.for %[[I:.*]] = %c0 to %{{.*}} step %c8 {
// CHECK:             vector.load %[[Y]][%[[I]], %[[J]]]
// CHECK:             %[[J1:.*]] = arith.addi %[[J]], %c16
// CHECK:             %[[TOTALS:.*]]:16 = scf.for %[[B:.*]] = %c0 to %[[END:.*]] step %c64 iter_args(%[[T0:[a-z0-9]+]] = %{{[0-9]+}}, %[[T1:[a-z0-9]+]] = %{{[0-9]+}},
// CHECK:               %[[NEXT:.*]] = arith.addi %[[B]], %c64
// CHECK:               %[[TO:.*]] = arith.minui %[[NEXT]], %[[END]]
// CHECK:               %[[SUMS:.*]]:16 = scf.for %[[K:.*]] = %[[B]] to %[[TO]] step %c1 iter_args(%[[S0:[a-z0-9]+]] = %[[ZERO:[a-z0-9_]+]], %[[S1:[a-z0-9]+]] = %[[ZERO]],
// CHECK:               %[[W0:.*]] = vector.load %[[W]][%[[K]], %[[J]]]
// CHECK-NEXT:          %[[W1:.*]] = vector.load %[[W]][%[[K]], %[[J1]]]
// CHECK-NEXT:          %[[E:.*]] = memref.load %[[A]][%[[I]], %[[K]]]
// CHECK-NEXT:          %[[V:.*]] = vector.broadcast %[[E]] : f32 to vector<16xf32>
// CHECK-NEXT:          math.fma %[[V]], %[[W0]], %[[S0]] : vector<16xf32>
// CHECK-NEXT:          math.fma %[[V]], %[[W1]], %[[S1]] : vector<16xf32>
// CHECK-COUNT-14:      math.fma
// CHECK-NOT:           math.fma
// CHECK:               scf.yield
// CHECK:               arith.addf %[[T0]], %[[SUMS]]#0
// CHECK:               arith.addf %{{.*}}, %[[SUMS]]#15
// CHECK:               scf.yield
// CHECK:             vector.store %[[TOTALS]]#0, %[[Y]][%[[I]], %[[J]]]
// CHECK:             vector.store %[[TOTALS]]#15
// CHECK:           scf.for %{{.*}} step %c4 {
// CHECK:             scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK:           scf.for %{{.*}} step %c1 {
// CHECK:             scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>) {
// CHECK:         scf.for %{{.*}} step %c16 {
// CHECK:         scf.if
// CHECK:           vector.maskedload %[[Y]]
// CHECK:           vector.maskedload %[[W]]{{.*}}, %[[MASK]],
// CHECK:           vector.maskedstore %[[Y]]{{.*}}, %[[MASK]],

// SMALL-LABEL: func @panel(
// SMALL:         scf.for {{.*}} step %c16 {
// SMALL:           scf.for {{.*}} step %c2 {
// SMALL:             scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// SMALL:           scf.for {{.*}} step %c1 {
func.func @panel(%a: memref<?x?xf32>, %w: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.matmul ins(%a, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// -----

// k innermost, as checkpoints hold weights: vectors along k, four by four sums, the
// lanes added by one tree, onto what the output held. 16 divides 64: no tail.

// CHECK-LABEL: func @dot(
// CHECK-SAME:    %[[A:.*]]: memref<?x64xbf16>, %[[W:.*]]: memref<32x64xbf16>, %[[Y:.*]]: memref<?x32xf32>)
// CHECK:         scf.for %[[J:.*]] = %c0 to %c32 step %c4 {
// CHECK:           scf.for %[[I:.*]] = %c0 to %{{.*}} step %c4 {
// CHECK:             %[[SUMS:.*]]:16 = scf.for %[[K:.*]] = %c0 to %c64 step %c16
// CHECK:               %[[WV:.*]] = vector.load %[[W]][%[[J]], %[[K]]] : memref<32x64xbf16>, vector<16xbf16>
// CHECK-NEXT:          %[[WF:.*]] = arith.extf %[[WV]] : vector<16xbf16> to vector<16xf32>
// CHECK:               %[[AV:.*]] = vector.load %[[A]][%[[I]], %[[K]]] : memref<?x64xbf16>, vector<16xbf16>
// CHECK-NEXT:          %[[AF:.*]] = arith.extf %[[AV]] : vector<16xbf16> to vector<16xf32>
// CHECK-NEXT:          math.fma %[[AF]], %[[WF]], %{{.*}} : vector<16xf32>
// CHECK-COUNT-15:      math.fma
// CHECK-NOT:         mask
// CHECK:             %[[TOTAL:.*]] = arith.addf %[[SUMS]]#0, %{{.*}} : vector<16xf32>
// CHECK:             %[[L:.*]] = vector.extract_strided_slice %[[TOTAL]] {offsets = [0], sizes = [8]
// CHECK-NEXT:        %[[H:.*]] = vector.extract_strided_slice %[[TOTAL]] {offsets = [8], sizes = [8]
// CHECK-NEXT:        arith.addf %[[L]], %[[H]] : vector<8xf32>
// CHECK:             %[[B:.*]] = memref.load %[[Y]][%[[I]], %[[J]]]
// CHECK-NEXT:        %[[R:.*]] = arith.addf %[[B]], %{{.*}} : f32
// CHECK-NEXT:        memref.store %[[R]], %[[Y]][%[[I]], %[[J]]]
// CHECK:           scf.for %{{.*}} step %c1 {
// CHECK:             scf.for %{{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
func.func @dot(%a: memref<?x64xbf16>, %w: memref<32x64xbf16>, %y: memref<?x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<?x64xbf16>, memref<32x64xbf16>) outs(%y : memref<?x32xf32>) {
  ^bb0(%x: bf16, %v: bf16, %acc: f32):
    %xf = arith.extf %x : bf16 to f32
    %vf = arith.extf %v : bf16 to f32
    %p = arith.mulf %xf, %vf : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// The transposed view of a contiguous weight is read in the form of its dims, with
// its strides: by gather.

// CHECK-LABEL: func @view(
// CHECK:         scf.for %{{.*}} = %c0 to %c16 step %c1 iter_args(%{{.*}} = %{{.*}}) -> (vector<16xf32>)
// CHECK:           vector.gather
func.func @view(%a: memref<1x16xf32>, %w: memref<16x16xf32, strided<[1, 16]>>, %y: memref<1x16xf32>) {
  linalg.matmul ins(%a, %w : memref<1x16xf32>, memref<16x16xf32, strided<[1, 16]>>) outs(%y : memref<1x16xf32>)
  return
}

// -----

// A batch, and a matrix whose vector is the left side.

// CHECK-LABEL: func @batch(
// CHECK-SAME:    %[[A:.*]]: memref<3x8x4xf64>
// CHECK:         scf.for %[[B:.*]] = %c0 to %c3 step %c1 {
// CHECK:             scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args
// CHECK:               memref.load %[[A]][%[[B]],
func.func @batch(%a: memref<3x8x4xf64>, %w: memref<3x4x16xf64>, %y: memref<3x8x16xf64>) {
  linalg.batch_matmul ins(%a, %w : memref<3x8x4xf64>, memref<3x4x16xf64>) outs(%y : memref<3x8x16xf64>)
  return
}

// CHECK-LABEL: func @vector(
// CHECK-SAME:    %[[W:.*]]: memref<8x64xf32>, %[[X:.*]]: memref<64xf32>
// CHECK:         scf.for %[[J:.*]] = %c0 to %c8 step %c4 {
// CHECK:           scf.for %[[K:.*]] = %c0 to %c64 step %c16
// CHECK:             vector.load %[[W]][%[[J]], %[[K]]]
// CHECK:             vector.load %[[X]][%[[K]]]
func.func @vector(%w: memref<8x64xf32>, %x: memref<64xf32>, %y: memref<8xf32>) {
  linalg.matvec ins(%w, %x : memref<8x64xf32>, memref<64xf32>) outs(%y : memref<8xf32>)
  return
}
