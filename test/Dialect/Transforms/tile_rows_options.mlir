// RUN: xfmr-opt --xfmr-tile-rows=product-rows=64 %s | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: xfmr-opt --xfmr-tile-rows=tile-rows=1 %s | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: xfmr-opt --xfmr-tile-rows=tile-rows=7 %s | FileCheck %s --check-prefixes=CHECK,SEVEN
// RUN: xfmr-opt --xfmr-tile-rows=tile-rows=200 %s | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: not xfmr-opt --xfmr-tile-rows=tile-rows=-1 %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: xfmr-opt --xfmr-tile-rows="product-rows=16 most-product-rows=64 product-bytes=1024" %s | FileCheck %s --check-prefix=BYTES
// RUN: xfmr-opt --xfmr-tile-rows="product-rows=16 most-product-rows=32 product-bytes=4096" %s | FileCheck %s --check-prefix=BYTES
// RUN: not xfmr-opt --xfmr-tile-rows=product-rows=0 %s 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: xfmr-opt --xfmr-tile-rows=product-rows=64 --remarks-filter=xfmr-tile-rows -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// ERROR: error: expected tile-rows of 0 or more, got -1

// PRODUCT: error: expected product-rows of 1 or more, got 0

// Networks get larger tiles, since every tile reads the weights.
// REMARK: remark: [Passed] rows-tiled | Category:xfmr-tile-rows | Remark="one loop over rows for: xfmr.rmsnorm", tile-rows=4
// REMARK: remark: [Passed] rows-tiled | Category:xfmr-tile-rows | Remark="one loop over rows for: xfmr.ffn", tile-rows=64
// REMARK: remark: [Missed] not-fused | Category:xfmr-tile-rows | Reason="it does not read the rows of that result one by one, or something in between needs all of them", Remark="linalg.matmul is not fused with xfmr.rmsnorm"
// REMARK: remark: [Analysis] one-tile | Category:xfmr-tile-rows | Remark="all rows in one tile: xfmr.rmsnorm", tile-rows=4

// CHECK-LABEL: func @norm
func.func @norm(%x: tensor<100x8xf32>, %y: tensor<100x8xf32>) -> tensor<100x8xf32> {
  // AUTO: scf.forall (%{{.*}}) = (0) to (100) step (4)
  // ONE: scf.forall (%{{.*}}) in (100)
  // SEVEN: scf.forall (%{{.*}}) = (0) to (100) step (7)
  // ALL-NOT: scf.forall
  // CHECK: xfmr.rmsnorm
  %0 = xfmr.rmsnorm ins(%x : tensor<100x8xf32>) outs(%y : tensor<100x8xf32>) eps(1.0e-05) -> tensor<100x8xf32>
  return %0 : tensor<100x8xf32>
}

// CHECK-LABEL: func @network
func.func @network(%x: tensor<100x8xf32>, %w: tensor<8x8xf32>, %y: tensor<100x8xf32>) -> tensor<100x8xf32> {
  // AUTO: scf.forall (%{{.*}}) = (0) to (100) step (64)
  // BYTES-LABEL: func @network
  // BYTES: scf.forall (%{{.*}}) = (0) to (100) step (32)
  // CHECK: xfmr.ffn
  %0 = xfmr.ffn ins(%x : tensor<100x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>)
      outs(%y : tensor<100x8xf32>) activation(relu) layout(in_out) -> tensor<100x8xf32>
  return %0 : tensor<100x8xf32>
}

// CHECK-LABEL: func @all_rows
func.func @all_rows(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %n = xfmr.rmsnorm ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) eps(1.0e-05) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %n : tensor<4x4xf32>, tensor<4x4xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
