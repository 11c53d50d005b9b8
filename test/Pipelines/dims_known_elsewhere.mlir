// A dim that another operand knows is static in all slices, so that a tile and the
// place that it is written to are one; no copy is left, on memrefs or tensors.
//
// RUN: xfmr-opt --xfmr-cpu-expand-stage --xfmr-cpu-tile-stage --xfmr-cpu-bufferize-stage \
// RUN:   --xfmr-cpu-decompose-stage --xfmr-cpu-vectorize-stage %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-to-cpu %s | FileCheck %s --check-prefix=LLVM

// LLVM-NOT: memrefCopy
// LLVM: llvm.func @memrefs

// CHECK-NOT: memref.copy
// CHECK-LABEL: func @memrefs(
// CHECK: memref.subview %{{.*}}[%{{.*}}, %{{.*}}, 0] [1, %{{.*}}, 32] [1, 1, 1]
// CHECK-NOT: memref.copy
func.func @memrefs(%x: memref<?x?x?xbf16>, %up: memref<64x32xf32>, %down: memref<32x64xf32>, %y: memref<?x?x?xf32>) {
  xfmr.ffn ins(%x : memref<?x?x?xbf16>) up(%up : memref<64x32xf32>) down(%down : memref<32x64xf32>)
      outs(%y : memref<?x?x?xf32>) activation(tanh) layout(out_in) hidden_type(f16)
  return
}

// CHECK-LABEL: func @tensors(
// CHECK-NOT: memref.copy
// CHECK: return
func.func @tensors(%x: tensor<?x?xf32>, %g: tensor<64xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x?xf32>) gamma(%g : tensor<64xf32>) outs(%y : tensor<?x?xf32>)
      eps(1.0e-05) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
