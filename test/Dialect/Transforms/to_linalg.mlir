// RUN: xfmr-opt --xfmr-to-linalg %s | FileCheck %s
// RUN: xfmr-opt --xfmr-to-linalg --remarks-filter=xfmr-to-linalg -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Passed] decomposed | Category:xfmr-to-linalg | Remark="xfmr.rmsnorm decomposed"

// CHECK-NOT: xfmr.

// CHECK-LABEL: func @rmsnorm(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>, %[[Y:.*]]: tensor<?x64xf32>
func.func @rmsnorm(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // CHECK: %[[SQUARES:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[X]] : tensor<?x64xf32>)
  // CHECK: math.fma
  // CHECK: %[[RSTD:.*]] = linalg.generic {{.*}} ins(%[[SQUARES]] : tensor<?xf32>)
  // CHECK: math.sqrt
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[RSTD]] : tensor<?x64xf32>, tensor<?xf32>) outs(%[[Y]] : tensor<?x64xf32>)
  // CHECK: return %[[R]]
  %0 = xfmr.rmsnorm ins(%x : tensor<?x64xf32>) outs(%y : tensor<?x64xf32>) eps(1.0e-05) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: func @two_results(
func.func @two_results(%x: tensor<4x64xf32>, %r: tensor<4x64xf32>, %s: tensor<4x64xf32>, %y: tensor<4x64xf32>)
    -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  // CHECK: %[[SUM:.*]] = linalg.generic
  // CHECK: %[[NORM:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %{{.*}} : tensor<4x64xf32>, tensor<4xf32>)
  // CHECK: return %[[SUM]], %[[NORM]]
  %0:2 = xfmr.add_rmsnorm ins(%x : tensor<4x64xf32>) residual(%r : tensor<4x64xf32>) sum(%s : tensor<4x64xf32>)
      outs(%y : tensor<4x64xf32>) eps(1.0e-05) -> tensor<4x64xf32>, tensor<4x64xf32>
  return %0#0, %0#1 : tensor<4x64xf32>, tensor<4x64xf32>
}

// Temporaries on memrefs are freed.
// CHECK-LABEL: func @memref(
func.func @memref(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // CHECK: %[[SQUARES:.*]] = memref.alloc(
  // CHECK: %[[RSTD:.*]] = memref.alloc(
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[RSTD]] :
  // CHECK: memref.dealloc %[[RSTD]]
  // CHECK: memref.dealloc %[[SQUARES]]
  xfmr.rmsnorm ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) eps(1.0e-05)
  return
}

// Residual blocks are expanded, and what is in their regions is decomposed too.
// CHECK-LABEL: func @block(
func.func @block(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-COUNT-2: iterator_types = ["parallel", "parallel", "reduction"]
  %0 = xfmr.residual_block pre ins(%x : tensor<4x8xf32>) norm1(<layernorm, eps = 1.0e-05>)
      outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    %f = xfmr.ffn ins(%z : tensor<4x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>)
        outs(%y : tensor<4x8xf32>) activation(relu) layout(in_out) -> tensor<4x8xf32>
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
