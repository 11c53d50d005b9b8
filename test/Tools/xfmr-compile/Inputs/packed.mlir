// Networks whose weights are packed outside of them: of all layouts, with sizes
// that are known, and with sizes that are not.
func.func @swiglu(%x: tensor<?x70xf32>, %gate: tensor<70x101xf32> {xfmr.weight},
                  %up: tensor<101x70xf32> {xfmr.weight}, %down: tensor<101x50xf32> {xfmr.weight},
                  %y: tensor<?x50xf32>) -> tensor<?x50xf32> {
  %0 = xfmr.swiglu_ffn ins(%x : tensor<?x70xf32>) gate(%gate : tensor<70x101xf32>)
      up(%up : tensor<101x70xf32>) down(%down : tensor<101x50xf32>)
      outs(%y : tensor<?x50xf32>) layout(gate = in_out, up = out_in, down = in_out)
      -> tensor<?x50xf32>
  return %0 : tensor<?x50xf32>
}

func.func @dynamic(%x: tensor<?x?xbf16>, %gate_up: tensor<?x?xbf16> {xfmr.weight},
                   %down: tensor<?x?xbf16> {xfmr.weight}, %y: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = xfmr.glu_ffn ins(%x : tensor<?x?xbf16>) gate_up(%gate_up : tensor<?x?xbf16>)
      down(%down : tensor<?x?xbf16>) outs(%y : tensor<?x?xbf16>) activation(relu)
      layout(gate_up = out_in, down = out_in) order(interleaved) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Weights that panels fill: they may be packed in place.
func.func @rows(%x: tensor<?x64xf32>, %gate: tensor<128x64xf32> {xfmr.weight},
                %up: tensor<64x128xf32> {xfmr.weight}, %down: tensor<64x128xf32> {xfmr.weight},
                %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = xfmr.swiglu_ffn ins(%x : tensor<?x64xf32>) gate(%gate : tensor<128x64xf32>)
      up(%up : tensor<64x128xf32>) down(%down : tensor<64x128xf32>)
      outs(%y : tensor<?x64xf32>) layout(gate = out_in, up = in_out, down = out_in)
      -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// No weight of it is packed: it looks as it always did.
func.func @norm(%x: tensor<?x40xf32>, %g: tensor<40xf32> {xfmr.weight}, %y: tensor<?x40xf32>)
    -> tensor<?x40xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x40xf32>) gamma(%g : tensor<40xf32>)
      outs(%y : tensor<?x40xf32>) eps(1.0e-05) -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}
