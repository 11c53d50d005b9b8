// The second half of a SmolLM2-135M layer: rmsnorm, SwiGLU network, residual.
// The weights lie as the checkpoint has them, [outputs, inputs].
//
//   xfmr-run examples/smollm2_block.mlir --entry=bf16 --shape=0=128x576 --check --time

func.func @bf16(%x: tensor<?x576xbf16>, %norm: tensor<576xf32> {xfmr.weight},
    %gate: tensor<1536x576xbf16> {xfmr.weight}, %up: tensor<1536x576xbf16> {xfmr.weight},
    %down: tensor<576x1536xbf16> {xfmr.weight}, %y: tensor<?x576xbf16>) -> tensor<?x576xbf16> {
  %0 = xfmr.residual_block pre ins(%x : tensor<?x576xbf16>)
      norm1(<rmsnorm, eps = 1.0e-05, rounding = cast_then_scale> gamma(%norm : tensor<576xf32>))
      outs(%y : tensor<?x576xbf16>) {
  ^bb0(%z: tensor<?x576xbf16>):
    %f = xfmr.swiglu_ffn ins(%z : tensor<?x576xbf16>)
        gate(%gate : tensor<1536x576xbf16>) up(%up : tensor<1536x576xbf16>)
        down(%down : tensor<576x1536xbf16>) outs(%y : tensor<?x576xbf16>)
        layout(out_in) -> tensor<?x576xbf16>
    xfmr.yield %f : tensor<?x576xbf16>
  } -> tensor<?x576xbf16>
  return %0 : tensor<?x576xbf16>
}

// The same in f32, where nothing is left to round.
func.func @f32(%x: tensor<?x576xf32>, %norm: tensor<576xf32> {xfmr.weight},
    %gate: tensor<1536x576xf32> {xfmr.weight}, %up: tensor<1536x576xf32> {xfmr.weight},
    %down: tensor<576x1536xf32> {xfmr.weight}, %y: tensor<?x576xf32>) -> tensor<?x576xf32> {
  %0 = xfmr.residual_block pre ins(%x : tensor<?x576xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%norm : tensor<576xf32>))
      outs(%y : tensor<?x576xf32>) {
  ^bb0(%z: tensor<?x576xf32>):
    %f = xfmr.swiglu_ffn ins(%z : tensor<?x576xf32>)
        gate(%gate : tensor<1536x576xf32>) up(%up : tensor<1536x576xf32>)
        down(%down : tensor<576x1536xf32>) outs(%y : tensor<?x576xf32>)
        layout(out_in) -> tensor<?x576xf32>
    xfmr.yield %f : tensor<?x576xf32>
  } -> tensor<?x576xf32>
  return %0 : tensor<?x576xf32>
}
