// In place: the result is the destination's memory.
func.func @norm(%x: tensor<?x40xf32>, %g: tensor<40xf32> {xfmr.weight}, %y: tensor<?x40xf32>)
    -> tensor<?x40xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x40xf32>) gamma(%g : tensor<40xf32>)
      outs(%y : tensor<?x40xf32>) eps(1.0e-05) -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}

// Fresh memory for the result.
func.func @network(%x: tensor<?x40xf32>, %up: tensor<72x40xf32>, %down: tensor<40x72xf32>)
    -> tensor<?x40xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x40xf32>
  %y = tensor.empty(%rows) : tensor<?x40xf32>
  %0 = xfmr.ffn ins(%x : tensor<?x40xf32>) up(%up : tensor<72x40xf32>)
      down(%down : tensor<40x72xf32>) outs(%y : tensor<?x40xf32>)
      activation(relu) layout(out_in) -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}

// On memrefs, with strides of the caller's choice, in bf16.
func.func @strided(%x: memref<?x?xbf16, strided<[?, ?], offset: ?>>,
                   %g: memref<?xf32>, %y: memref<?x?xbf16, strided<[?, ?], offset: ?>>) {
  xfmr.rmsnorm ins(%x : memref<?x?xbf16, strided<[?, ?], offset: ?>>) gamma(%g : memref<?xf32>)
      outs(%y : memref<?x?xbf16, strided<[?, ?], offset: ?>>) eps(1.0e-05)
      rounding(scale_then_cast)
  return
}

// Scalars go by value, their results through pointers.
func.func @scalars(%n: index, %a: f32, %h: f16, %flag: i1) -> (index, f32, f16, i1) {
  %m = arith.addi %n, %n : index
  %b = arith.negf %a : f32
  return %m, %b, %h, %flag : index, f32, f16, i1
}
