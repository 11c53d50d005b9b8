// RUN: xfmr-opt --xfmr-lower-contractions="cpu=znver4 threads=2" --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-contractions="cpu=znver4 threads=7" --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefix=SEVEN

// Each of the threads has half of eighteen panels, which groups of four would not
// share so.

// CHECK-LABEL: func @half(
// CHECK-SAME:    %{{.*}}: memref<?x64xf32>, %{{.*}}: memref<64x576xf32> {xfmr.weight}, %[[Y:.*]]: memref<?x576xf32>)
// CHECK:         scf.forall (%[[T:.*]]) in (2) {
// CHECK:           %[[FIRST:.*]] = arith.divui %{{.*}}, %c2
// CHECK:           %[[BEGIN:.*]] = arith.muli %[[FIRST]], %c32
// CHECK:           memref.subview %[[Y]][0, %[[BEGIN]]] [%{{.*}}, 288]
// CHECK:           memref.subview %{{.*}}[%{{.*}}, 0, 0] [9, 64, 32]
// CHECK:           call @xfmr_panel_product_f32_f32_f32

// Four of seven threads have three panels, the others two.

// SEVEN-LABEL: func @half(
// SEVEN:         scf.forall (%[[T:.*]]) in (7) {
// SEVEN:           %[[BEGIN:.*]] = arith.muli %{{.*}}, %c32
// SEVEN:           %[[LAST:.*]] = arith.muli %{{.*}}, %c32
// SEVEN:           %[[END:.*]] = arith.minui %[[LAST]], %c576
// SEVEN:           %[[COLUMNS:.*]] = arith.subi %[[END]], %[[BEGIN]]
// SEVEN:           memref.subview %{{.*}}[0, %[[BEGIN]]] [%{{.*}}, %[[COLUMNS]]]

func.func @half(%x: memref<?x64xf32>, %w: memref<64x576xf32> {xfmr.weight},
                %y: memref<?x576xf32>) {
  linalg.matmul ins(%x, %w : memref<?x64xf32>, memref<64x576xf32>)
                outs(%y : memref<?x576xf32>)
  return
}

// -----

// No more parts than panels.

// SEVEN-LABEL: func @few_panels(
// SEVEN:         scf.forall (%{{.*}}) in (5) {

// One group is not shared.

// CHECK-LABEL: func @few_panels(
// CHECK:         scf.forall (%{{.*}}) in (2) {
func.func @few_panels(%x: memref<?x64xf32>, %w: memref<64x150xf32> {xfmr.weight},
                      %y: memref<?x150xf32>) {
  linalg.matmul ins(%x, %w : memref<?x64xf32>, memref<64x150xf32>)
                outs(%y : memref<?x150xf32>)
  return
}

// -----

// CHECK-LABEL: func @one_group(
// CHECK-NOT:     scf.forall
// CHECK:         call @xfmr_panel_product_f32_f32_f32
func.func @one_group(%x: memref<?x64xf32>, %w: memref<64x128xf32> {xfmr.weight},
                     %y: memref<?x128xf32>) {
  linalg.matmul ins(%x, %w : memref<?x64xf32>, memref<64x128xf32>)
                outs(%y : memref<?x128xf32>)
  return
}

// -----

// What is packed each time is packed in groups.

// CHECK-LABEL: func @packed_each_time(
// CHECK:         scf.forall (%{{.*}}) = (0) to (576) step (128) {
func.func @packed_each_time(%x: memref<?x64xf32>, %w: memref<64x576xf32>,
                            %y: memref<?x576xf32>) {
  linalg.matmul ins(%x, %w : memref<?x64xf32>, memref<64x576xf32>)
                outs(%y : memref<?x576xf32>)
  return
}
