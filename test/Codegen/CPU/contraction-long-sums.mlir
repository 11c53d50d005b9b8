// Equal addends round the same way at every step: sums of thousands stay within the
// bound, in both forms of the product.

// RUN: xfmr-run %s --entry=in_out --init=const:0.1 --check
// RUN: xfmr-run %s --entry=out_in --init=const:0.1 --check
// RUN: xfmr-run %s --entry=in_out --init=const:1.1 --check
// RUN: xfmr-run %s --entry=out_in --init=const:1.1 --check --cpu=x86-64-v3

func.func @in_out(%x: tensor<4x4096xf32>, %w: tensor<4096x64xf32>, %u: tensor<64x72xf32>, %y: tensor<4x72xf32>) -> tensor<4x72xf32> {
  %0 = xfmr.ffn ins(%x : tensor<4x4096xf32>) up(%w : tensor<4096x64xf32>) down(%u : tensor<64x72xf32>) outs(%y : tensor<4x72xf32>) activation(identity) layout(in_out) -> tensor<4x72xf32>
  return %0 : tensor<4x72xf32>
}

func.func @out_in(%x: tensor<4x4096xf32>, %w: tensor<64x4096xf32>, %u: tensor<72x64xf32>, %y: tensor<4x72xf32>) -> tensor<4x72xf32> {
  %0 = xfmr.ffn ins(%x : tensor<4x4096xf32>) up(%w : tensor<64x4096xf32>) down(%u : tensor<72x64xf32>) outs(%y : tensor<4x72xf32>) activation(identity) layout(out_in) -> tensor<4x72xf32>
  return %0 : tensor<4x72xf32>
}
