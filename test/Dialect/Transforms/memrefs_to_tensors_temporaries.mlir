// RUN: xfmr-opt --xfmr-memrefs-to-tensors=temporaries-only %s | FileCheck %s
// RUN: xfmr-opt --xfmr-memrefs-to-tensors %s | FileCheck %s --check-prefix=ALL

// The buffers between the parts of a softmax become values, also one that is used
// twice: what it is filled with does not depend on what it held.
// CHECK-LABEL: func @softmax(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<4x64xf32>, %[[Y:[a-z0-9]*]]: memref<4x64xf32>
func.func @softmax(%x: memref<4x64xf32>, %y: memref<4x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  // CHECK-NOT: memref.alloc
  // CHECK: %[[E0:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: %[[F0:.*]] = linalg.fill ins(%{{.*}}) outs(%[[E0]] :
  // CHECK: %[[XT:.*]] = bufferization.to_tensor %[[X]] restrict :
  // CHECK: %[[M:.*]] = linalg.reduce ins(%[[XT]] : tensor<4x64xf32>) outs(%[[F0]] : tensor<4xf32>)
  %s = memref.alloc() : memref<4xf32>
  linalg.fill ins(%least : f32) outs(%s : memref<4xf32>)
  linalg.reduce ins(%x : memref<4x64xf32>) outs(%s : memref<4xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %m = arith.maximumf %a, %b : f32
      linalg.yield %m : f32
    }
  // CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[M]] :
  %p = memref.alloc() : memref<4x64xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%x, %s : memref<4x64xf32>, memref<4xf32>) outs(%p : memref<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  // CHECK: %[[E1:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: %[[F1:.*]] = linalg.fill ins(%{{.*}}) outs(%[[E1]] :
  // CHECK: %[[S:.*]] = linalg.reduce { arith.addf } ins(%[[P]] : tensor<4x64xf32>) outs(%[[F1]] : tensor<4xf32>)
  linalg.fill ins(%zero : f32) outs(%s : memref<4xf32>)
  linalg.reduce { arith.addf } ins(%p : memref<4x64xf32>) outs(%s : memref<4xf32>) dimensions = [1]
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[S]] :
  // CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[Y]]
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%p, %s : memref<4x64xf32>, memref<4xf32>) outs(%y : memref<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  }
  // CHECK-NOT: memref.dealloc
  // CHECK: return
  memref.dealloc %s : memref<4xf32>
  memref.dealloc %p : memref<4x64xf32>
  return
}

// Between buffers of others nothing is gained.
// CHECK-LABEL: func @no_temporary(
// CHECK-NOT: to_tensor
// CHECK: linalg.exp
// ALL-LABEL: func @no_temporary(
// ALL: to_tensor
func.func @no_temporary(%x: memref<4x64xf32>, %y: memref<4x64xf32>) {
  linalg.exp ins(%x : memref<4x64xf32>) outs(%y : memref<4x64xf32>)
  return
}

// A product keeps its buffers, and so does what it reads and writes.
// CHECK-LABEL: func @product(
// CHECK: memref.alloc
// CHECK-NOT: to_tensor
// CHECK: memref.dealloc
// CHECK-NOT: to_tensor
// CHECK: return
func.func @product(%x: memref<4x64xf32>, %w: memref<64x8xf32>, %y: memref<4x8xf32>) {
  %t = memref.alloc() : memref<4x64xf32>
  linalg.exp ins(%x : memref<4x64xf32>) outs(%t : memref<4x64xf32>)
  linalg.matmul ins(%t, %w : memref<4x64xf32>, memref<64x8xf32>) outs(%y : memref<4x8xf32>)
  memref.dealloc %t : memref<4x64xf32>
  return
}

// A sum into a buffer of others may change what it reads.
// CHECK-LABEL: func @shared_sum(
// CHECK: linalg.reduce { arith.addf } ins(%{{.*}} : memref<4x64xf32>)
// ALL-LABEL: func @shared_sum(
// ALL: linalg.reduce { arith.addf } ins(%{{.*}} : memref<4x64xf32>)
func.func @shared_sum(%x: memref<4x64xf32>, %s: memref<4xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<4x64xf32>) outs(%s : memref<4xf32>) dimensions = [1]
  return
}

// What a value is read from lives until the last result is written.
// CHECK-LABEL: func @epilogue(
func.func @epilogue(%x: memref<4x64xf32>, %w: memref<64x8xf32>, %y: memref<4x8xf32>) {
  // CHECK: %[[ACC:.*]] = memref.alloc
  %acc = memref.alloc() : memref<4x8xf32>
  %t = memref.alloc() : memref<4x8xf32>
  linalg.matmul ins(%x, %w : memref<4x64xf32>, memref<64x8xf32>) outs(%acc : memref<4x8xf32>)
  // CHECK: linalg.matmul
  // CHECK: bufferization.to_tensor %[[ACC]]
  linalg.exp ins(%acc : memref<4x8xf32>) outs(%t : memref<4x8xf32>)
  memref.dealloc %acc : memref<4x8xf32>
  // CHECK-NOT: dealloc
  // CHECK: bufferization.materialize_in_destination
  // CHECK-NEXT: memref.dealloc %[[ACC]]
  linalg.add ins(%t, %y : memref<4x8xf32>, memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  memref.dealloc %t : memref<4x8xf32>
  return
}

// What was written as a value is read as one, and an op between ops on temporaries
// is lifted with them: nothing is in memory before the last of them.
// CHECK-LABEL: func @read_again(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<4x64xf32>, %[[Y:[a-z0-9]*]]: memref<4x64xf32>, %[[Z:[a-z0-9]*]]: memref<4x64xf32>
func.func @read_again(%x: memref<4x64xf32>, %y: memref<4x64xf32>, %z: memref<4x64xf32>) {
  %t = memref.alloc() : memref<4x64xf32>
  // CHECK: %[[E:.*]] = linalg.exp
  // CHECK: %[[N:.*]] = linalg.negf
  // CHECK: bufferization.materialize_in_destination %[[N]] in restrict writable %[[Y]]
  // CHECK: %[[S:.*]] = linalg.add ins(%[[E]], %[[N]] :
  // CHECK: bufferization.materialize_in_destination %[[S]] in restrict writable %[[Z]]
  // CHECK-NOT: linalg.negf
  // CHECK: linalg.negf ins(%[[Z]] : memref<4x64xf32>) outs(%[[X]] : memref<4x64xf32>)
  linalg.exp ins(%x : memref<4x64xf32>) outs(%t : memref<4x64xf32>)
  linalg.negf ins(%x : memref<4x64xf32>) outs(%y : memref<4x64xf32>)
  linalg.add ins(%t, %y : memref<4x64xf32>, memref<4x64xf32>) outs(%z : memref<4x64xf32>)
  linalg.negf ins(%z : memref<4x64xf32>) outs(%x : memref<4x64xf32>)
  memref.dealloc %t : memref<4x64xf32>
  return
}

// Of memory that overlaps what was written nothing is known: no value is carried
// over to where it is read.
// CHECK-LABEL: func @overlapping(
// CHECK: memref.alloc
// CHECK-NOT: to_tensor
// CHECK: return
func.func @overlapping(%x: memref<4x64xf32>, %y: memref<5x64xf32>, %z: memref<4x64xf32>) {
  %upper = memref.subview %y[0, 0] [4, 64] [1, 1] : memref<5x64xf32> to memref<4x64xf32, strided<[64, 1]>>
  %lower = memref.subview %y[1, 0] [4, 64] [1, 1]
      : memref<5x64xf32> to memref<4x64xf32, strided<[64, 1], offset: 64>>
  %t = memref.alloc() : memref<4x64xf32>
  linalg.exp ins(%x : memref<4x64xf32>) outs(%t : memref<4x64xf32>)
  linalg.add ins(%t, %x : memref<4x64xf32>, memref<4x64xf32>) outs(%upper : memref<4x64xf32, strided<[64, 1]>>)
  linalg.add ins(%t, %lower : memref<4x64xf32>, memref<4x64xf32, strided<[64, 1], offset: 64>>)
      outs(%z : memref<4x64xf32>)
  memref.dealloc %t : memref<4x64xf32>
  return
}
