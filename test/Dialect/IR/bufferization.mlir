// RUN: xfmr-opt %s -split-input-file -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" -verify-diagnostics | FileCheck %s

// Into a destination of its own: no buffer, no copy.
// CHECK-LABEL: @norm(
// CHECK-SAME: %[[X:[^ :,)]+]]: memref<?x64xf32>, %[[G:[^ :,)]+]]: memref<64xf32>, %[[Y:[^ :,)]+]]: memref<?x64xf32>, %[[V:[^ :,)]+]]: memref<?xf32>)
// CHECK-NEXT: xfmr.rmsnorm ins(%[[X]] : memref<?x64xf32>) gamma(%[[G]] : memref<64xf32>) outs(%[[Y]] : memref<?x64xf32>) rstd(%[[V]] : memref<?xf32>) eps(1.0e-05) {test.mark}
// CHECK-NEXT: return %[[Y]], %[[V]]
func.func @norm(%x: tensor<?x64xf32>, %g: tensor<64xf32>, %y: tensor<?x64xf32>, %v: tensor<?xf32>)
    -> (tensor<?x64xf32>, tensor<?xf32>) {
  %0:2 = xfmr.rmsnorm ins(%x : tensor<?x64xf32>) gamma(%g : tensor<64xf32>) outs(%y : tensor<?x64xf32>) rstd(%v : tensor<?xf32>)
      eps(1.0e-05) {test.mark} -> tensor<?x64xf32>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x64xf32>, tensor<?xf32>
}

// The destination may be x (case A5), both destinations x and the residual.
// CHECK-LABEL: @in_place(
// CHECK-SAME: %[[X:[^ :,)]+]]: memref<4x130xf32>, %[[R:[^ :,)]+]]: memref<4x130xf32>)
// CHECK-NEXT: xfmr.add_rmsnorm ins(%[[X]] : memref<4x130xf32>) residual(%[[R]] : memref<4x130xf32>) sum(%[[X]] : memref<4x130xf32>) outs(%[[R]] : memref<4x130xf32>)
// CHECK-NEXT: xfmr.layernorm ins(%[[R]] : memref<4x130xf32>) outs(%[[R]] : memref<4x130xf32>)
// CHECK-NEXT: xfmr.gated_act gate(%[[X]] : memref<4x130xf32>) up(%[[R]] : memref<4x130xf32>) outs(%[[X]] : memref<4x130xf32>)
// CHECK-NEXT: return
func.func @in_place(%x: tensor<4x130xf32>, %r: tensor<4x130xf32>) -> (tensor<4x130xf32>, tensor<4x130xf32>) {
  %0:2 = xfmr.add_rmsnorm ins(%x : tensor<4x130xf32>) residual(%r : tensor<4x130xf32>) sum(%x : tensor<4x130xf32>)
      outs(%r : tensor<4x130xf32>) eps(1.0e-05) -> tensor<4x130xf32>, tensor<4x130xf32>
  %1 = xfmr.layernorm ins(%0#1 : tensor<4x130xf32>) outs(%0#1 : tensor<4x130xf32>) eps(1.0e-05) -> tensor<4x130xf32>
  %2 = xfmr.gated_act gate(%0#0 : tensor<4x130xf32>) up(%1 : tensor<4x130xf32>) outs(%0#0 : tensor<4x130xf32>)
      activation(silu) -> tensor<4x130xf32>
  return %2, %1 : tensor<4x130xf32>, tensor<4x130xf32>
}

// What is still needed is not overwritten: x after the op, a gamma by later
// rows, x of a network; nor is one destination two.
// CHECK-LABEL: @out_of_place(
// CHECK-SAME: %[[X:[^ :,)]+]]: memref<8x8xf32>, %[[G:[^ :,)]+]]: memref<8xf32>
// CHECK: %[[A:[^ :,)]+]] = memref.alloc() {{.*}}: memref<8x8xf32>
// CHECK: xfmr.rmsnorm ins(%[[X]] : memref<8x8xf32>) gamma(%[[G]] : memref<8xf32>) outs(%[[A]] : memref<8x8xf32>)
// CHECK: %[[B:[^ :,)]+]] = memref.alloc() {{.*}}: memref<8xf32>
// CHECK: xfmr.rmsnorm ins(%[[X]] : memref<8x8xf32>) gamma(%[[G]] : memref<8xf32>) outs(%{{.+}} : memref<8x8xf32>) rstd(%[[B]] : memref<8xf32>)
// CHECK: %[[C:[^ :,)]+]] = memref.alloc() {{.*}}: memref<8x8xf32>
// CHECK: xfmr.ffn ins(%[[X]] : memref<8x8xf32>) {{.+}} outs(%[[C]] : memref<8x8xf32>)
// CHECK: %[[D:[^ :,)]+]] = memref.alloc() {{.*}}: memref<8x8xf32>
// CHECK: %[[E:[^ :,)]+]] = memref.alloc() {{.*}}: memref<8x8xf32>
// CHECK: xfmr.add_layernorm {{.+}} sum(%[[D]] : memref<8x8xf32>) outs(%[[E]] : memref<8x8xf32>)
// CHECK-NOT: memref.copy
func.func @out_of_place(%x: tensor<8x8xf32>, %g: tensor<8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = xfmr.rmsnorm ins(%x : tensor<8x8xf32>) gamma(%g : tensor<8xf32>) outs(%x : tensor<8x8xf32>) eps(1.0e-05) -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %1:2 = xfmr.rmsnorm ins(%x : tensor<8x8xf32>) gamma(%g : tensor<8xf32>) outs(%e : tensor<8x8xf32>) rstd(%g : tensor<8xf32>)
      eps(1.0e-05) -> tensor<8x8xf32>, tensor<8xf32>
  %2 = xfmr.ffn ins(%x : tensor<8x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>)
      activation(relu) layout(in_out) -> tensor<8x8xf32>
  %f = tensor.empty() : tensor<8x8xf32>
  %3:2 = xfmr.add_layernorm ins(%x : tensor<8x8xf32>) residual(%x : tensor<8x8xf32>) sum(%f : tensor<8x8xf32>)
      outs(%f : tensor<8x8xf32>) eps(1.0e-05) -> tensor<8x8xf32>, tensor<8x8xf32>
  return %0, %1#0, %1#1, %2, %3#0, %3#1, %x : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// A destination that the caller may not see written.
// CHECK-LABEL: @not_writable(
// CHECK: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: xfmr.layernorm
func.func @not_writable(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {bufferization.writable = false}) -> tensor<4x8xf32> {
  %0 = xfmr.layernorm ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) eps(1.0e-05) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Memrefs stay as they are.
// CHECK-LABEL: @memrefs(
// CHECK-NEXT: xfmr.layernorm
// CHECK-NEXT: return
func.func @memrefs(%x: memref<4x8xf32>) {
  xfmr.layernorm ins(%x : memref<4x8xf32>) outs(%x : memref<4x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @block(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{'xfmr.residual_block' op expected to be expanded before bufferization: run xfmr-expand-residual-blocks first}}
  // expected-error @below {{failed to bufferize op}}
  %0 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    xfmr.yield %z : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
