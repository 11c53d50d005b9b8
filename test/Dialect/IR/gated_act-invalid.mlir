// RUN: xfmr-opt %s -split-input-file -verify-diagnostics
// RUN: %python %S/Inputs/generic_diagnostics.py %s

func.func @gated_act_c1_rank_0(%g: memref<f32>, %u: memref<f32>, %y: memref<f32>) {
  // expected-error @below {{'xfmr.gated_act' op expected gate of rank 1 or more, got rank 0}}
  xfmr.gated_act gate(%g : memref<f32>) up(%u : memref<f32>) outs(%y : memref<f32>) activation(silu)
  return
}

// -----

func.func @gated_act_c1_rank_0_packed(%p: memref<f32>, %y: memref<f32>) {
  // expected-error @below {{'xfmr.gated_act' op expected gate_up of rank 1 or more, got rank 0}}
  xfmr.gated_act gate_up(%p : memref<f32>) outs(%y : memref<f32>) activation(silu) order(gate_up)
  return
}

// -----

func.func @gated_act_c1_rank_0_destination(%p: memref<2x16xf32>, %y: memref<f32>) {
  // expected-error @below {{'xfmr.gated_act' op expected outs of rank 1 or more, got rank 0}}
  xfmr.gated_act gate_up(%p : memref<2x16xf32>) outs(%y : memref<f32>) activation(silu)
      order(gate_up)
  return
}

// -----

func.func @gated_act_c2_integers(%g: memref<2x8xi32>, %u: memref<2x8xi32>, %y: memref<2x8xi32>) {
  // expected-error @below {{'xfmr.gated_act' op expected gate of element type f16, bf16, f32 or f64, got 'i32'}}
  xfmr.gated_act gate(%g : memref<2x8xi32>) up(%u : memref<2x8xi32>) outs(%y : memref<2x8xi32>)
      activation(silu)
  return
}

// -----

func.func @gated_act_c2_f8_destination(%g: memref<2x8xf32>, %u: memref<2x8xf32>,
                                       %y: memref<2x8xf8E4M3FN>) {
  // expected-error @below {{'xfmr.gated_act' op expected outs of element type f16, bf16, f32 or f64, got 'f8E4M3FN'}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<2x8xf32>) outs(%y : memref<2x8xf8E4M3FN>)
      activation(silu)
  return
}

// -----

func.func @gated_act_c2_memref_up(%g: tensor<2x8xf32>, %u: memref<2x8xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected up to be a tensor as gate is, got 'memref<2x8xf32>'}}
  %0 = xfmr.gated_act gate(%g : tensor<2x8xf32>) up(%u : memref<2x8xf32>) outs(%y : tensor<2x8xf32>)
      activation(silu) -> tensor<2x8xf32>
  return
}

// -----

func.func @gated_act_c2_encoding(%p: tensor<2x16xf32, "encoded">, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected gate_up without an encoding, got 'tensor<2x16xf32, "encoded">'}}
  %0 = xfmr.gated_act gate_up(%p : tensor<2x16xf32, "encoded">) outs(%y : tensor<2x8xf32>)
      activation(silu) order(gate_up) -> tensor<2x8xf32>
  return
}

// -----

func.func @gated_act_c2_unranked(%p: tensor<*xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op operand #0 must be ranked tensor or strided memref, but got 'tensor<*xf32>'}}
  %0 = xfmr.gated_act gate_up(%p : tensor<*xf32>) outs(%y : tensor<2x8xf32>) activation(silu)
      order(gate_up) -> tensor<2x8xf32>
  return
}

// -----

func.func @gated_act_c3_up_rank(%g: memref<2x8xf32>, %u: memref<8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected up of rank 2, got rank 1}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<8xf32>) outs(%y : memref<2x8xf32>)
      activation(silu)
  return
}

// -----

func.func @gated_act_c3_up_shape(%g: memref<2x8xf32>, %u: memref<2x9xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected dim 1 of up to be dim 1 of gate, which is 8, got 9}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<2x9xf32>) outs(%y : memref<2x8xf32>)
      activation(silu)
  return
}

// -----

func.func @gated_act_c3_up_against_outs(%g: memref<?x8xf32>, %u: memref<2x8xf32>,
                                        %y: memref<3x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected dim 0 of outs to be dim 0 of up, which is 2, got 3}}
  xfmr.gated_act gate(%g : memref<?x8xf32>) up(%u : memref<2x8xf32>) outs(%y : memref<3x8xf32>)
      activation(silu)
  return
}

// -----

func.func @gated_act_c3_destination_shape(%g: memref<2x8xf32>, %u: memref<2x8xf32>,
                                          %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected dim 1 of outs to be dim 1 of gate, which is 8, got 4}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<2x8xf32>) outs(%y : memref<2x4xf32>)
      activation(silu)
  return
}

// -----

func.func @gated_act_c3_packed_rows(%p: memref<3x16xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected dim 0 of outs to be dim 0 of gate_up, which is 3, got 2}}
  xfmr.gated_act gate_up(%p : memref<3x16xf32>) outs(%y : memref<2x8xf32>) activation(silu)
      order(gate_up)
  return
}

// -----

func.func @gated_act_c3_packed_not_twice(%p: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected dim 1 of outs to be half of dim 1 of gate_up, which is 8, got 8}}
  xfmr.gated_act gate_up(%p : memref<2x8xf32>) outs(%y : memref<2x8xf32>) activation(silu)
      order(gate_up)
  return
}

// -----

func.func @gated_act_c3_packed_odd(%p: memref<2x17xf32>, %y: memref<2x?xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected dim 1 of gate_up to be even, got 17}}
  xfmr.gated_act gate_up(%p : memref<2x17xf32>) outs(%y : memref<2x?xf32>) activation(silu)
      order(gate_up)
  return
}

// -----

func.func @gated_act_c4_up_wider(%g: memref<2x8xf32>, %u: memref<2x8xf64>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected up no wider than the accumulator 'f32', got 'f64'}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<2x8xf64>) outs(%y : memref<2x8xf32>)
      activation(silu)
  return
}

// -----

func.func @gated_act_c5_gate_alone(%g: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected gate and up, or gate_up, got gate alone}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) outs(%y : memref<2x8xf32>) activation(silu)
  return
}

// -----

func.func @gated_act_c5_up_alone(%u: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected gate and up, or gate_up, got up alone}}
  xfmr.gated_act up(%u : memref<2x8xf32>) outs(%y : memref<2x8xf32>) activation(silu)
  return
}

// -----

func.func @gated_act_c5_none(%y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected gate and up, or gate_up, got none}}
  xfmr.gated_act outs(%y : memref<2x8xf32>) activation(silu)
  return
}

// -----

func.func @gated_act_c5_both(%g: memref<2x8xf32>, %u: memref<2x8xf32>, %p: memref<2x16xf32>,
                             %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected gate and up, or gate_up, got both}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<2x8xf32>) gate_up(%p : memref<2x16xf32>)
      outs(%y : memref<2x8xf32>) activation(silu) order(gate_up)
  return
}

// -----

func.func @gated_act_c5_no_order(%p: memref<2x16xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected order beside gate_up}}
  xfmr.gated_act gate_up(%p : memref<2x16xf32>) outs(%y : memref<2x8xf32>) activation(silu)
  return
}

// -----

func.func @gated_act_c5_order_of_two(%g: memref<2x8xf32>, %u: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected order beside gate_up only}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<2x8xf32>) outs(%y : memref<2x8xf32>)
      activation(silu) order(gate_up)
  return
}

// -----

func.func @gated_act_c6_no_result(%g: tensor<2x8xf32>, %u: tensor<2x8xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  xfmr.gated_act gate(%g : tensor<2x8xf32>) up(%u : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>)
      activation(silu)
  return
}

// -----

func.func @gated_act_c6_result_type(%g: tensor<2x8xf32>, %u: tensor<2x8xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected type of operand #2 ('tensor<2x8xf32>') to match type of corresponding result ('tensor<2x8xf16>')}}
  %0 = xfmr.gated_act gate(%g : tensor<2x8xf32>) up(%u : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>)
      activation(silu) -> tensor<2x8xf16>
  return
}

// -----

func.func @gated_act_c6_result_of_memrefs(%g: memref<2x8xf32>, %u: memref<2x8xf32>,
                                          %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %0 = xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<2x8xf32>) outs(%y : memref<2x8xf32>)
      activation(silu) -> tensor<2x8xf32>
  return
}

// -----

func.func @gated_act_c7_misspelt_attribute(%g: memref<2x8xf32>, %u: memref<2x8xf32>,
                                           %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected no attribute 'oder': it is neither the op's nor prefixed by a dialect}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<2x8xf32>) outs(%y : memref<2x8xf32>)
      activation(silu) {oder = #xfmr.gate_up_order<gate_up>}
  return
}

// -----

func.func @gated_act_c8_beta_beyond_f32(%g: memref<2x8xf32>, %u: memref<2x8xf32>,
                                        %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected the activation's beta finite in 'f32', got -1.0e+39}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<2x8xf32>) outs(%y : memref<2x8xf32>)
      activation(swish, beta = -1.0e+39)
  return
}

// -----

func.func @gated_act_c8_limit_beyond_f32(%g: memref<2x8xf32>, %u: memref<2x8xf32>,
                                         %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected the activation's limit finite in 'f32', got 1.0e+39}}
  xfmr.gated_act gate(%g : memref<2x8xf32>) up(%u : memref<2x8xf32>) outs(%y : memref<2x8xf32>)
      activation(clamped_swish, limit = 1.0e+39, beta = 1.0, up_offset = 0.0)
  return
}

// -----

func.func @gated_act_c9_destination_is_packed(%p: memref<?x?xf32>) {
  // expected-error @below {{'xfmr.gated_act' op expected outs to be another memref than gate_up}}
  xfmr.gated_act gate_up(%p : memref<?x?xf32>) outs(%p : memref<?x?xf32>) activation(silu)
      order(gate_up)
  return
}
