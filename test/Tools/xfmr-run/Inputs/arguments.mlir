#id = affine_map<(i, j) -> (i, j)>
func.func @f32(%x: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %0 = linalg.negf ins(%x : tensor<3x?xf32>) outs(%x : tensor<3x?xf32>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}
func.func @f64(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %0 = linalg.negf ins(%x : tensor<?x4xf64>) outs(%x : tensor<?x4xf64>) -> tensor<?x4xf64>
  return %0 : tensor<?x4xf64>
}
func.func @f16(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = linalg.negf ins(%x : tensor<?x?xf16>) outs(%x : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}
func.func @bf16(%x: tensor<3x4xbf16>) -> tensor<3x4xbf16> {
  %0 = linalg.negf ins(%x : tensor<3x4xbf16>) outs(%x : tensor<3x4xbf16>) -> tensor<3x4xbf16>
  return %0 : tensor<3x4xbf16>
}
func.func @others(%mask: tensor<?xi1>, %counts: tensor<2x2xi32>) -> (tensor<?xi1>, tensor<2x2xi32>) {
  return %mask, %counts : tensor<?xi1>, tensor<2x2xi32>
}
func.func @memref(%x: memref<3x4xf32, strided<[?, 2], offset: 5>>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%x : memref<3x4xf32, strided<[?, 2], offset: 5>>) {
  ^bb0(%e: f32):
    %d = arith.addf %e, %e : f32
    linalg.yield %d : f32
  }
  return
}
func.func @scalars(%i: index, %n: i8, %b: i1, %x: f32, %h: bf16) -> (index, i8, i1, f32, bf16) {
  return %i, %n, %b, %x, %h : index, i8, i1, f32, bf16
}
