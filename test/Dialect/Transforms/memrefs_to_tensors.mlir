// RUN: xfmr-opt --xfmr-memrefs-to-tensors %s | FileCheck %s
// RUN: xfmr-opt --xfmr-memrefs-to-tensors --remarks-filter=xfmr-memrefs-to-tensors -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Passed] lifted | Category:xfmr-memrefs-to-tensors | Remark="ops on memrefs became ops on tensors", ops=2

// A buffer that holds nothing but results is gone.
// CHECK-LABEL: func @promoted(
// CHECK-SAME: %[[X:.*]]: memref<?x64xf32, strided<[?, ?], offset: ?>>, %[[Y:.*]]: memref<?x64xf32>
func.func @promoted(%x: memref<?x64xf32, strided<[?, ?], offset: ?>>, %y: memref<?x64xf32>) {
  // CHECK-NOT: memref.alloc
  // CHECK: %[[XT:.*]] = bufferization.to_tensor %[[X]] restrict : memref<?x64xf32, strided<[?, ?], offset: ?>> to tensor<?x64xf32>
  // CHECK: %[[E:.*]] = tensor.empty
  // CHECK: %[[N:.*]] = xfmr.rmsnorm ins(%[[XT]] : {{.*}}) outs(%[[E]] :
  // CHECK: %[[YT:.*]] = bufferization.to_tensor %[[Y]] restrict writable
  // CHECK: %[[S:.*]] = linalg.add ins(%{{.*}}, %[[N]] : {{.*}}) outs(%[[YT]] :
  // CHECK: bufferization.materialize_in_destination %[[S]] in restrict writable %[[Y]]
  // CHECK-NOT: memref.dealloc
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32, strided<[?, ?], offset: ?>>
  %t = memref.alloc(%n) : memref<?x64xf32>
  xfmr.rmsnorm ins(%x : memref<?x64xf32, strided<[?, ?], offset: ?>>) outs(%t : memref<?x64xf32>) eps(1.0e-05)
  linalg.add ins(%x, %t : memref<?x64xf32, strided<[?, ?], offset: ?>>, memref<?x64xf32>) outs(%y : memref<?x64xf32>)
  memref.dealloc %t : memref<?x64xf32>
  return
}

// One that something else sees stays.
// CHECK-LABEL: func @escapes(
func.func @escapes(%x: memref<4x64xf32>) -> memref<4x64xf32> {
  // CHECK: %[[T:.*]] = memref.alloc
  // CHECK: %[[N:.*]] = xfmr.rmsnorm
  // CHECK: bufferization.materialize_in_destination %[[N]] in restrict writable %[[T]]
  // CHECK: return %[[T]]
  %t = memref.alloc() : memref<4x64xf32>
  xfmr.rmsnorm ins(%x : memref<4x64xf32>) outs(%t : memref<4x64xf32>) eps(1.0e-05)
  return %t : memref<4x64xf32>
}

// Other elements than those it writes: what it reads depends on the order.
// CHECK-LABEL: func @transposes(
func.func @transposes(%x: memref<8x8xf32>) {
  // CHECK: linalg.transpose ins(%{{.*}} : memref<8x8xf32>)
  linalg.transpose ins(%x : memref<8x8xf32>) outs(%x : memref<8x8xf32>) permutation = [1, 0]
  return
}

// Tiles of such a memref have no type.
// CHECK-LABEL: func @not_strided(
// CHECK-NEXT: linalg.negf ins({{.*}} : memref<8x8xf32, #{{.*}}>) outs({{.*}} : memref<8x8xf32>)
func.func @not_strided(%x: memref<8x8xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>, %y: memref<8x8xf32>) {
  linalg.negf ins(%x : memref<8x8xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>) outs(%y : memref<8x8xf32>)
  return
}
