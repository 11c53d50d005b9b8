// RUN: xfmr-opt %s | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s --mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s --emit-bytecode | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s --xfmr-to-linalg | FileCheck %s --check-prefix=LINALG

// CHECK-LABEL: @my_copy(
// CHECK-SAME: %[[X:.*]]: tensor<?x4096xbf16>, %[[Y:.*]]: tensor<?x4096xf32>)
// CHECK: xfmr.my_copy ins(%[[X]] : tensor<?x4096xbf16>) outs(%[[Y]] : tensor<?x4096xf32>) -> tensor<?x4096xf32>
// LINALG-LABEL: @my_copy(
// LINALG: linalg.generic
// LINALG: arith.extf %{{.*}} : bf16 to f32
func.func @my_copy(%x: tensor<?x4096xbf16>, %y: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %0 = xfmr.my_copy ins(%x : tensor<?x4096xbf16>)
      outs(%y : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}

// CHECK-LABEL: @my_copy_on_memrefs(
// CHECK: xfmr.my_copy ins(%{{.*}} : memref<2x?xf64>) outs(%{{.*}} : memref<2x?xf16, strided<[?, ?], offset: ?>>)
// CHECK-NEXT: return
// LINALG-LABEL: @my_copy_on_memrefs(
// LINALG: linalg.generic
// LINALG: arith.truncf %{{.*}} : f64 to f16
func.func @my_copy_on_memrefs(%x: memref<2x?xf64>, %y: memref<2x?xf16, strided<[?, ?], offset: ?>>) {
  xfmr.my_copy ins(%x : memref<2x?xf64>) outs(%y : memref<2x?xf16, strided<[?, ?], offset: ?>>)
  return
}
