// Cases A15 and A16: a destination-passing entry allocates nothing of the size of
// its arguments and copies nothing; what lies between two norms is in registers.
//
// RUN: xfmr-opt --xfmr-cpu-expand-stage --xfmr-cpu-tile-stage --xfmr-cpu-bufferize-stage %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-to-cpu %s | FileCheck %s --check-prefix=STACK
// RUN: xfmr-opt --xfmr-lower-to-cpu=threads=2 %s | FileCheck %s --check-prefix=SHARED

// STACK-NOT: llvm.alloca
// STACK: llvm.func @entry(
// STACK-NOT: llvm.alloca

// Of a row that threads share, the sums of its blocks.
// SHARED-NOT: llvm.alloca
// SHARED: llvm.func @in_place(
// SHARED: llvm.alloca %{{.*}} x i8
// SHARED-NOT: llvm.alloca

// CHECK-LABEL: func @entry(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<1000000x64xf32>, %[[R:[a-z0-9]*]]: memref<1000000x64xf32>, %[[S:[a-z0-9]*]]: memref<1000000x64xf32>, %[[Y:[a-z0-9]*]]: memref<1000000x64xf32>
func.func @entry(%x: tensor<1000000x64xf32>, %r: tensor<1000000x64xf32>, %s: tensor<1000000x64xf32>, %y: tensor<1000000x64xf32>)
    -> (tensor<1000000x64xf32>, tensor<1000000x64xf32>) {
  // CHECK-NOT: memref.alloc
  // CHECK-NOT: memref.copy
  // CHECK: return %[[S]], %[[Y]]
  %0:2 = xfmr.add_rmsnorm ins(%x : tensor<1000000x64xf32>) residual(%r : tensor<1000000x64xf32>)
      sum(%s : tensor<1000000x64xf32>) outs(%y : tensor<1000000x64xf32>) eps(1.0e-05)
      -> tensor<1000000x64xf32>, tensor<1000000x64xf32>
  return %0#0, %0#1 : tensor<1000000x64xf32>, tensor<1000000x64xf32>
}

// CHECK-LABEL: func @in_place(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<4x65536xbf16>)
func.func @in_place(%x: tensor<4x65536xbf16>) -> tensor<4x65536xbf16> {
  // CHECK-NOT: memref.alloc
  // CHECK-NOT: memref.copy
  // CHECK: return %[[X]]
  %0 = xfmr.layernorm ins(%x : tensor<4x65536xbf16>) outs(%x : tensor<4x65536xbf16>) eps(1.0e-05)
      rounding(cast_then_scale) -> tensor<4x65536xbf16>
  return %0 : tensor<4x65536xbf16>
}

// A chain in place: each loop reads and writes the same rows.
// CHECK-LABEL: func @chain(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?x64xf32>)
func.func @chain(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // CHECK-NOT: memref.copy
  // CHECK: return %[[X]]
  %0 = xfmr.rmsnorm ins(%x : tensor<?x64xf32>) outs(%x : tensor<?x64xf32>) eps(1.0e-05) -> tensor<?x64xf32>
  %1 = xfmr.layernorm ins(%0 : tensor<?x64xf32>) outs(%x : tensor<?x64xf32>) eps(1.0e-05) -> tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// Fresh results belong to the caller; the temporaries do not outlive the call.
// CHECK-LABEL: func @fresh(
func.func @fresh(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  // CHECK: %[[R:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x64xf32>
  // CHECK-NOT: memref.copy
  // CHECK: scf.forall
  // CHECK: memref.alloc
  // CHECK: memref.dealloc
  // CHECK-NOT: memref.alloc
  // CHECK-NOT: memref.dealloc %[[R]]
  // CHECK: return %[[R]]
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %0 = xfmr.ffn ins(%x : tensor<?x64xf32>) up(%w : tensor<64x64xf32>) down(%w : tensor<64x64xf32>)
      outs(%e : tensor<?x64xf32>) activation(relu) layout(in_out) -> tensor<?x64xf32>
  %1 = linalg.add ins(%x, %0 : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}
