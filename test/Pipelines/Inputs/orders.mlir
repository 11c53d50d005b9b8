func.func @block(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = xfmr.residual_block pre ins(%x : tensor<?x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>) outs(%y : tensor<?x8xf32>) {
  ^bb0(%z: tensor<?x8xf32>):
    %f = xfmr.ffn ins(%z : tensor<?x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>)
        outs(%y : tensor<?x8xf32>) activation(silu) layout(in_out) -> tensor<?x8xf32>
    xfmr.yield %f : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

func.func @norm(%x: tensor<9x8xf32>, %y: tensor<9x8xf32>) -> tensor<9x8xf32> {
  %0 = xfmr.layernorm ins(%x : tensor<9x8xf32>) outs(%y : tensor<9x8xf32>) eps(1.0e-05) -> tensor<9x8xf32>
  return %0 : tensor<9x8xf32>
}

func.func @memrefs(%x: memref<?x8xf32>, %y: memref<?x8xf32, strided<[?, ?], offset: ?>>) {
  xfmr.rmsnorm ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32, strided<[?, ?], offset: ?>>) eps(1.0e-05)
  return
}

func.func @other(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = math.exp %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
