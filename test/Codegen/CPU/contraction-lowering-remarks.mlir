// RUN: xfmr-opt --xfmr-lower-contractions --remarks-filter=xfmr-lower-contractions -o /dev/null %s 2>&1 | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-contractions=panels=false --remarks-filter=xfmr-lower-contractions -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not xfmr-opt --xfmr-lower-contractions=tile-rows=3 -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=ROWS

// RUN: not xfmr-opt --xfmr-lower-contractions=cpu=nothing -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=CPU

// CPU: error: unknown CPU 'nothing'
// ROWS: error: xfmr-lower-contractions: 3 is not a power of two from 1 to 64

// CHECK: remarks.mlir:[[#@LINE+4]]:3: remark: [Passed] ContractionLowered {{.*}} Remark="lowered a contraction", form="panels packed each time"
// CHECK: remarks.mlir:[[#@LINE+3]]:3: remark: [Missed] PackedEachTime {{.*}} bytesMovedPerElement=8, multiplyAddsPerElement=4
// PLAIN: remarks.mlir:[[#@LINE+2]]:3: remark: [Passed] ContractionLowered {{.*}} Remark="lowered a contraction", form=panel
func.func @lowered(%a: memref<4x4xf32>, %y: memref<4x4xf32>) {
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return
}

// CHECK: remark: [Missed] OpLeft {{.*}} Reason="it is not on memrefs", Remark="left an op alone"
func.func @tensors(%a: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK: remark: [Missed] OpLeft {{.*}} Reason="it accumulates in neither f32 nor f64"
func.func @half(%a: memref<4x4xf16>, %y: memref<4x4xf16>) {
  linalg.matmul ins(%a, %a : memref<4x4xf16>, memref<4x4xf16>) outs(%y : memref<4x4xf16>)
  return
}

// CHECK: remark: [Missed] OpLeft {{.*}} Reason="its body is not a multiply-accumulate of the inputs"
func.func @distance(%a: memref<4xf32>, %b: memref<4xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%y : memref<f32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %d = arith.subf %p, %q : f32
    %s = arith.addf %acc, %d : f32
    linalg.yield %s : f32
  }
  return
}
