// RUN: xfmr-opt --xfmr-lower-row-groups --remarks-filter=xfmr-lower-row-groups -o /dev/null --split-input-file %s 2>&1 | FileCheck %s
// RUN: not xfmr-opt --xfmr-lower-row-groups=vector-bytes=48 -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not xfmr-opt --xfmr-lower-row-groups=accumulators=0 -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=NONE

// WIDTH: error: xfmr-lower-row-groups: 48 is not a power of two from 1 to 64
// NONE:  error: xfmr-lower-row-groups: 0 is not a power of two from 1 to 64

// CHECK: remarks.mlir:[[#@LINE+4]]:8: remark: [Missed] TensorsLeft {{.*}} Reason="its results are written to no buffer", Remark="left tensor ops alone"
func.func @no_sink(%x: memref<4xf32>) -> tensor<4xf32> {
  %xt = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.negf ins(%xt : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: remark: [Missed] TensorsLeft {{.*}} Reason="a tensor is not in a buffer"
func.func @argument(%x: tensor<4xf32>, %y: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.negf ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %y : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// CHECK: remark: [Missed] TensorsLeft {{.*}} Reason="'memref.store' touches its buffers in between"
func.func @changed(%x: memref<4xf32>, %y: memref<4xf32>, %v: f32, %i: index) {
  %xt = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.negf ins(%xt : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  memref.store %v, %x[%i] : memref<4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %y : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// CHECK: remark: [Missed] OpLeft {{.*}} Reason="'linalg.reduce': it reduces a dim that is not among the last", Remark="left an op alone"
func.func @leading(%x: memref<8x16xf32>, %y: memref<16xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<8x16xf32>) outs(%y : memref<16xf32>) dimensions = [0]
  return
}

// -----

// CHECK: remark: [Missed] OpLeft {{.*}} Reason="'linalg.div': the body's 'arith.divsi' cannot be computed on vectors"
func.func @traps(%x: memref<8xi32>, %y: memref<8xi32>) {
  linalg.div ins(%x, %x : memref<8xi32>, memref<8xi32>) outs(%y : memref<8xi32>)
  return
}

// -----

// CHECK: remark: [Missed] OpLeft {{.*}} Reason="'linalg.generic': the body's 'math.fpowi' cannot be computed on vectors"
func.func @powers(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %three = arith.constant 3 : i32
    %p = math.fpowi %v, %three : f32, i32
    linalg.yield %p : f32
  }
  return
}

// -----

// CHECK: remark: [Missed] OpLeft {{.*}} Reason="'linalg.reduce': output 0 is not reduced by one operation whose order is free"
func.func @order(%x: memref<8x16xf32>, %y: memref<8xf32>) {
  linalg.reduce ins(%x : memref<8x16xf32>) outs(%y : memref<8xf32>) dimensions = [1]
    (%v: f32, %a: f32) {
      %s = arith.subf %a, %v : f32
      linalg.yield %s : f32
    }
  return
}

// -----

// CHECK: remark: [Missed] OpLeft {{.*}} Reason="'linalg.generic': elements of type f8E4M3FN are not supported"
func.func @type(%x: memref<8xf8E4M3FN>, %y: memref<8xf8E4M3FN>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<8xf8E4M3FN>) outs(%y : memref<8xf8E4M3FN>) {
  ^bb0(%v: f8E4M3FN, %o: f8E4M3FN):
    linalg.yield %v : f8E4M3FN
  }
  return
}

// -----

// CHECK: remark: [Missed] OpLeft {{.*}} Reason="'linalg.negf': a memref's layout is not strided"
func.func @layout(%x: memref<8x8xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>, %y: memref<8x8xf32>) {
  linalg.negf ins(%x : memref<8x8xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>) outs(%y : memref<8x8xf32>)
  return
}

// -----

// CHECK: remark: [Passed] RowGroupLowered {{.*}} Remark="lowered a row group", ops=2, results=1
// CHECK: remark: [Passed] RowGroupLowered {{.*}} Remark="lowered an op on memrefs"
// CHECK-NOT: remark:
func.func @lowered(%x: memref<8xf32>, %y: memref<8xf32>) {
  %xt = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.negf ins(%xt : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.exp ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<8xf32>, memref<8xf32>) -> ()
  linalg.exp ins(%y : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}
