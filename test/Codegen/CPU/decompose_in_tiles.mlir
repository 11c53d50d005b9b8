// RUN: xfmr-opt --xfmr-decompose-in-tiles="hidden-block=32 column-block=16" %s | FileCheck %s
// RUN: not xfmr-opt --xfmr-decompose-in-tiles=hidden-block=0 %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not xfmr-opt --xfmr-decompose-in-tiles=column-block=0 %s 2>&1 | FileCheck %s --check-prefix=NOCOLUMN
// RUN: xfmr-opt --xfmr-decompose-in-tiles=hidden-block=1024 %s | FileCheck %s --check-prefix=EVEN
// RUN: xfmr-opt --xfmr-decompose-in-tiles="hidden-block=256 hidden-elements=1800" %s | FileCheck %s --check-prefix=FEW
// RUN: xfmr-opt --xfmr-decompose-in-tiles --remarks-filter=xfmr-decompose-in-tiles -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// NOCOLUMN: error: expected a column-block of 1 or more, got 0
// ERROR: error: expected a hidden-block of 1 or more, got 0
// REMARK: remark: [Missed] on-tensors | Category:xfmr-decompose-in-tiles | Remark="xfmr.ffn is on tensors and left alone: bufferize first"

// Between its buffers a norm is values: nothing is allocated.
// CHECK-LABEL: func @norm(
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32, strided<[8, 1], offset: ?>>, %[[G:.*]]: memref<8xf32>
func.func @norm(%x: memref<?x8xf32, strided<[8, 1], offset: ?>>, %g: memref<8xf32>) {
  // CHECK-NOT: memref.alloc
  // CHECK: %[[XT:.*]] = bufferization.to_tensor %[[X]] restrict : {{.*}} to tensor<?x8xf32>
  // CHECK: %[[GT:.*]] = bufferization.to_tensor %[[G]] restrict :
  // CHECK: %[[YT:.*]] = bufferization.to_tensor %[[X]] restrict writable :
  // CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[XT]], %{{.*}}, %[[GT]] : {{.*}}) outs(%[[YT]] :
  // CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %[[X]]
  xfmr.rmsnorm ins(%x : memref<?x8xf32, strided<[8, 1], offset: ?>>) gamma(%g : memref<8xf32>)
      outs(%x : memref<?x8xf32, strided<[8, 1], offset: ?>>) eps(1.0e-05)
  return
}

// All results are materialized, in the order of the destinations.
// CHECK-LABEL: func @results(
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32>, %[[S:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4x8xf32>, %[[R:.*]]: memref<4xf32>
func.func @results(%x: memref<4x8xf32>, %s: memref<4x8xf32>, %y: memref<4x8xf32>, %r: memref<4xf32>) {
  // CHECK: materialize_in_destination %{{.*}} in restrict writable %[[S]]
  // CHECK: materialize_in_destination %{{.*}} in restrict writable %[[Y]]
  // CHECK: materialize_in_destination %{{.*}} in restrict writable %[[R]]
  xfmr.add_rmsnorm ins(%x : memref<4x8xf32>) residual(%x : memref<4x8xf32>) sum(%s : memref<4x8xf32>)
      outs(%y : memref<4x8xf32>) rstd(%r : memref<4xf32>) eps(1.0e-05)
  return
}

// A network: a loop over blocks of the hidden dim, in it one over blocks of
// columns, whose gate and up are as wide as a block of columns. Rows of hidden
// values are apart by more than a block of them, and those of sums begin at multiples
// of 32. Whole blocks have a static size.
// CHECK-LABEL: func @network(
func.func @network(%x: memref<?x8xf32>, %wg: memref<64x8xf32>, %wu: memref<64x8xf32>, %wd: memref<8x64xf32>, %y: memref<?x8xf32>) {
  // CHECK: memref.alloc(%{{.*}}) {{.*}} : memref<?x64xf32>
  // CHECK: %[[HIDDEN:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x64xf32>
  // CHECK: scf.for %[[H:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: %[[BLOCK:.*]] = memref.subview %[[HIDDEN]][0, 0] [%{{.*}}, 32] [1, 1]
  // CHECK: scf.forall (%[[C:.*]]) = (0) to (32) step (16) {
  // CHECK: %[[O:.*]] = affine.apply #{{.*}}(%[[H]], %[[C]])
  // CHECK: %[[COLUMNS:.*]] = memref.subview %[[BLOCK]][0, %[[C]]] [%{{.*}}, 16] [1, 1]
  // CHECK: memref.subview %{{.*}}[%[[O]], 0] [16, 8] [1, 1]
  // CHECK: memref.alloc(%{{.*}}) {{.*}} : memref<?x16xf32>
  // CHECK: memref.subview %{{.*}}[%[[O]], 0] [16, 8] [1, 1]
  // CHECK: memref.alloc(%{{.*}}) {{.*}} : memref<?x16xf32>
  // CHECK: linalg.generic {{.*}} outs(%[[COLUMNS]] :
  // CHECK: memref.dealloc
  // CHECK: memref.dealloc
  // CHECK: }
  // CHECK: memref.subview %{{.*}}[0, %[[H]]] [8, 32] [1, 1]
  // CHECK: linalg.generic {{.*}} ins(%[[BLOCK]],
  // CHECK: }
  // CHECK: memref.dealloc
  xfmr.swiglu_ffn ins(%x : memref<?x8xf32>) gate(%wg : memref<64x8xf32>) up(%wu : memref<64x8xf32>) down(%wd : memref<8x64xf32>)
      outs(%y : memref<?x8xf32>) layout(out_in)
  return
}

// A gate is one op.
// CHECK-LABEL: func @gate(
// CHECK-SAME: %[[GU:.*]]: memref<?x16xbf16>, %[[Y:.*]]: memref<?x8xbf16>
func.func @gate(%gu: memref<?x16xbf16>, %y: memref<?x8xbf16>) {
  // CHECK-NOT: to_tensor
  // CHECK: %[[G:.*]] = memref.subview %[[GU]][0, 0]
  // CHECK: %[[U:.*]] = memref.subview %[[GU]][0, 8]
  // CHECK: linalg.generic {{.*}} ins(%[[G]], %[[U]] : {{.*}}) outs(%[[Y]] :
  xfmr.gated_act gate_up(%gu : memref<?x16xbf16>) outs(%y : memref<?x8xbf16>) activation(silu) order(gate_up)
  return
}

// A value between ops on buffers is one afterwards.
// CHECK-LABEL: func @value(
// CHECK-NOT: xfmr
// CHECK: return
func.func @value(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) eps(1.0e-05) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @tensors(
func.func @tensors(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: xfmr.ffn
  %0 = xfmr.ffn ins(%x : tensor<4x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>)
      outs(%y : tensor<4x8xf32>) activation(relu) layout(in_out) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Known sizes are cut evenly, into multiples of 256.
// EVEN-LABEL: func @even(
// Two known rows have blocks of up to 900 columns: whole steps of 256, of one size.
// FEW-LABEL: func @even(
// FEW:  memref.alloc() {{.*}} : memref<2x800xf32>
// FEW:  scf.for %{{.*}} = %{{.*}} to %c1100 step %c768
func.func @even(%x: memref<2x8xf32>, %w1: memref<8x1100xf32>, %w2: memref<1100x8xf32>, %y: memref<2x8xf32>) {
  // EVEN: memref.alloc() {{.*}} : memref<2x800xf32>
  // EVEN: scf.for %{{.*}} = %{{.*}} to %c1100 step %c768
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%w1 : memref<8x1100xf32>) down(%w2 : memref<1100x8xf32>)
      outs(%y : memref<2x8xf32>) activation(relu) layout(in_out)
  return
}
