// RUN: xfmr-opt --xfmr-expand-aggregates %s | FileCheck %s
// RUN: xfmr-opt --xfmr-expand-aggregates --remarks-filter=xfmr-expand-aggregates -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Passed] aggregate | Category:xfmr-expand-aggregates | Remark="linalg.softmax decomposed"
// REMARK: remark: [Missed] aggregate | Category:xfmr-expand-aggregates | Remark="linalg.softmax has no decomposition here"

// CHECK-LABEL: func @tensor
func.func @tensor(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // CHECK-NOT: linalg.softmax
  // CHECK: arith.maxnumf
  // CHECK: arith.subf
  // CHECK: math.exp
  // CHECK: arith.addf
  // CHECK: %[[INVERSE:.*]] = arith.divf
  // CHECK: arith.mulf %{{.*}}, %[[INVERSE]]
  // CHECK: return
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x64xf32>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: func @memref
func.func @memref(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // CHECK: linalg.softmax
  linalg.softmax dimension(1) ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>)
  return
}

// The dialect's own ops stay whole.
// CHECK-LABEL: func @own
func.func @own(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // CHECK: xfmr.rmsnorm
  %0 = xfmr.rmsnorm ins(%x : tensor<?x64xf32>) outs(%y : tensor<?x64xf32>) eps(1.0e-05) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
