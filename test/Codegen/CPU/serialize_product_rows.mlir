// RUN: xfmr-opt --xfmr-serialize-product-rows %s | FileCheck %s
// RUN: xfmr-opt --xfmr-serialize-product-rows --remarks-filter=xfmr-serialize-product-rows -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-COUNT-2: remark: [Passed] sequential | Category:xfmr-serialize-product-rows | Remark="tiles of rows one after another: threads share the columns of the products in them"
// REMARK-NOT: remark

// CHECK-LABEL: func @network(
func.func @network(%x: memref<256x8xf32>, %w1: memref<8x64xf32>, %w2: memref<64x8xf32>, %y: memref<256x8xf32>) {
  // CHECK: scf.for %[[I:.*]] = %c0 to %c256 step %c128 {
  // CHECK: memref.subview %{{.*}}[%[[I]], 0] [128, 8] [1, 1]
  // CHECK: xfmr.ffn
  scf.forall (%i) = (0) to (256) step (128) {
    %t = memref.subview %x[%i, 0] [128, 8] [1, 1] : memref<256x8xf32> to memref<128x8xf32, strided<[8, 1], offset: ?>>
    %r = memref.subview %y[%i, 0] [128, 8] [1, 1] : memref<256x8xf32> to memref<128x8xf32, strided<[8, 1], offset: ?>>
    xfmr.ffn ins(%t : memref<128x8xf32, strided<[8, 1], offset: ?>>) up(%w1 : memref<8x64xf32>) down(%w2 : memref<64x8xf32>)
        outs(%r : memref<128x8xf32, strided<[8, 1], offset: ?>>) activation(relu) layout(in_out)
  }
  return
}

// CHECK-LABEL: func @product(
func.func @product(%x: memref<256x8xf32>, %w: memref<8x64xf32>, %y: memref<256x64xf32>) {
  // CHECK: scf.for
  // CHECK: linalg.matmul
  scf.forall (%i) = (0) to (256) step (128) {
    %t = memref.subview %x[%i, 0] [128, 8] [1, 1] : memref<256x8xf32> to memref<128x8xf32, strided<[8, 1], offset: ?>>
    %r = memref.subview %y[%i, 0] [128, 64] [1, 1] : memref<256x64xf32> to memref<128x64xf32, strided<[64, 1], offset: ?>>
    linalg.matmul ins(%t, %w : memref<128x8xf32, strided<[8, 1], offset: ?>>, memref<8x64xf32>)
        outs(%r : memref<128x64xf32, strided<[64, 1], offset: ?>>)
  }
  return
}

// Norms alone, and products that have a matrix for each batch, share nothing.
// CHECK-LABEL: func @independent(
func.func @independent(%x: memref<256x8xf32>, %a: memref<256x4x8xf32>, %b: memref<256x8x4xf32>, %c: memref<256x4x4xf32>) {
  // CHECK: scf.forall
  // CHECK: scf.forall
  scf.forall (%i) = (0) to (256) step (4) {
    %t = memref.subview %x[%i, 0] [4, 8] [1, 1] : memref<256x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    xfmr.rmsnorm ins(%t : memref<4x8xf32, strided<[8, 1], offset: ?>>)
        outs(%t : memref<4x8xf32, strided<[8, 1], offset: ?>>) eps(1.0e-05)
  }
  scf.forall (%i) = (0) to (256) step (4) {
    %s = memref.subview %a[%i, 0, 0] [4, 4, 8] [1, 1, 1] : memref<256x4x8xf32> to memref<4x4x8xf32, strided<[32, 8, 1], offset: ?>>
    %t = memref.subview %b[%i, 0, 0] [4, 8, 4] [1, 1, 1] : memref<256x8x4xf32> to memref<4x8x4xf32, strided<[32, 4, 1], offset: ?>>
    %u = memref.subview %c[%i, 0, 0] [4, 4, 4] [1, 1, 1] : memref<256x4x4xf32> to memref<4x4x4xf32, strided<[16, 4, 1], offset: ?>>
    linalg.batch_matmul ins(%s, %t : memref<4x4x8xf32, strided<[32, 8, 1], offset: ?>>, memref<4x8x4xf32, strided<[32, 4, 1], offset: ?>>)
        outs(%u : memref<4x4x4xf32, strided<[16, 4, 1], offset: ?>>)
  }
  return
}
