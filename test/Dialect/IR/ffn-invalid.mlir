// RUN: xfmr-opt %s -split-input-file -verify-diagnostics
// RUN: %python %S/Inputs/generic_diagnostics.py %s

func.func @ffn_c1_rank_0(%x: memref<f32>, %u: memref<8x16xf32>, %d: memref<16x4xf32>,
                         %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected ins of rank 1 or more, got rank 0}}
  xfmr.ffn ins(%x : memref<f32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c2_integers(%x: memref<2x8xi32>, %u: memref<8x16xf32>, %d: memref<16x4xf32>,
                           %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected ins of element type f16, bf16, f32 or f64, got 'i32'}}
  xfmr.ffn ins(%x : memref<2x8xi32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c2_complex_weight(%x: memref<2x8xf32>, %u: memref<8x16xcomplex<f32>>,
                                 %d: memref<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected up of element type f16, bf16, f32 or f64, got 'complex<f32>'}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xcomplex<f32>>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c2_integer_weight(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<16x4xi8>,
                                 %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected down of element type f16, bf16, f32 or f64, got 'i8'}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xi8>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c2_index_bias(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<16x4xf32>,
                             %db: memref<4xindex>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected down_bias of element type f16, bf16, f32 or f64, got 'index'}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      down_bias(%db : memref<4xindex>) outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c2_memref_weight(%x: tensor<2x8xf32>, %u: tensor<8x16xf32>, %d: memref<16x4xf32>,
                                %y: tensor<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected down to be a tensor as ins is, got 'memref<16x4xf32>'}}
  %0 = xfmr.ffn ins(%x : tensor<2x8xf32>) up(%u : tensor<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : tensor<2x4xf32>) activation(relu) layout(in_out) -> tensor<2x4xf32>
  return
}

// -----

func.func @ffn_c2_memref_destination(%x: tensor<2x8xf32>, %u: tensor<8x16xf32>,
                                     %d: tensor<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected outs to be a tensor as ins is, got 'memref<2x4xf32>'}}
  xfmr.ffn ins(%x : tensor<2x8xf32>) up(%u : tensor<8x16xf32>) down(%d : tensor<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c2_encoding(%x: tensor<2x8xf32>, %u: tensor<8x16xf32>,
                           %d: tensor<16x4xf32, "encoded">, %y: tensor<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected down without an encoding, got 'tensor<16x4xf32, "encoded">'}}
  %0 = xfmr.ffn ins(%x : tensor<2x8xf32>) up(%u : tensor<8x16xf32>)
      down(%d : tensor<16x4xf32, "encoded">) outs(%y : tensor<2x4xf32>) activation(relu)
      layout(in_out) -> tensor<2x4xf32>
  return
}

// -----

func.func @ffn_c2_unranked(%x: tensor<2x8xf32>, %u: tensor<*xf32>, %d: tensor<16x4xf32>,
                           %y: tensor<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op operand #1 must be ranked tensor or strided memref, but got 'tensor<*xf32>'}}
  %0 = xfmr.ffn ins(%x : tensor<2x8xf32>) up(%u : tensor<*xf32>) down(%d : tensor<16x4xf32>)
      outs(%y : tensor<2x4xf32>) activation(relu) layout(in_out) -> tensor<2x4xf32>
  return
}

// -----

func.func @ffn_c3_weight_rank(%x: memref<2x8xf32>, %u: memref<8x16x1xf32>, %d: memref<16x4xf32>,
                              %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected up of rank 2, got rank 3}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16x1xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c3_down_rank(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<16xf32>,
                            %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected down of rank 2, got rank 1}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c3_inputs(%x: memref<2x8xf32>, %u: memref<9x16xf32>, %d: memref<16x4xf32>,
                         %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected dim 0 of up to be dim 1 of ins, which is 8, got 9}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<9x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c3_inputs_out_in(%x: memref<2x8xf32>, %u: memref<16x9xf32>, %d: memref<16x4xf32>,
                                %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected dim 1 of up to be dim 1 of ins, which is 8, got 9}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<16x9xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(out_in)
  return
}

// -----

// A weight that fits one layout only.
func.func @ffn_c3_layout_of_square_weights(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                           %d: memref<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected dim 1 of up to be dim 1 of ins, which is 8, got 16}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(up = out_in, down = in_out)
  return
}

// -----

func.func @ffn_c3_hidden(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<15x4xf32>,
                         %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected dim 0 of down to be dim 1 of up, which is 16, got 15}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<15x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c3_hidden_dynamic(%x: memref<2x8xf32>, %u: memref<8x?xf32>, %d: memref<17x4xf32>,
                                 %ub: memref<16xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected dim 0 of up_bias to be dim 0 of down, which is 17, got 16}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x?xf32>) down(%d : memref<17x4xf32>)
      up_bias(%ub : memref<16xf32>) outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c4_bias_rank(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<16x4xf32>,
                            %ub: memref<1x16xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected up_bias of rank 1, got rank 2}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      up_bias(%ub : memref<1x16xf32>) outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c4_up_bias_length(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<16x4xf32>,
                                 %ub: memref<15xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected dim 0 of up_bias to be dim 1 of up, which is 16, got 15}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      up_bias(%ub : memref<15xf32>) outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c4_down_bias_length(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                   %d: memref<16x4xf32>, %db: memref<5xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected dim 0 of down_bias to be dim 1 of down, which is 4, got 5}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      down_bias(%db : memref<5xf32>) outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c4_down_bias_against_outs(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                         %d: memref<16x?xf32>, %db: memref<5xf32>,
                                         %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected dim 1 of outs to be dim 0 of down_bias, which is 5, got 4}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x?xf32>)
      down_bias(%db : memref<5xf32>) outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c5_weight_wider(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<16x4xf64>,
                               %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected down no wider than the accumulator 'f32', got 'f64'}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf64>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c5_bias_wider(%x: memref<2x8xf16>, %u: memref<8x16xf32>, %d: memref<16x4xf32>,
                             %ub: memref<16xf64>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected up_bias no wider than the accumulator 'f32', got 'f64'}}
  xfmr.ffn ins(%x : memref<2x8xf16>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      up_bias(%ub : memref<16xf64>) outs(%y : memref<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c5_hidden_type_wider(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                    %d: memref<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected hidden_type of f16, bf16, f32 or f64 no wider than the accumulator 'f32', got 'f64'}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out) hidden_type(f64)
  return
}

// -----

func.func @ffn_c5_hidden_type_no_float(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                       %d: memref<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected hidden_type of f16, bf16, f32 or f64 no wider than the accumulator 'f32', got 'i32'}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out) hidden_type(i32)
  return
}

// -----

func.func @ffn_c5_hidden_type_no_scalar(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                        %d: memref<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected hidden_type of f16, bf16, f32 or f64 no wider than the accumulator 'f32', got 'tensor<4xf16>'}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out) hidden_type(tensor<4xf16>)
  return
}

// -----

func.func @ffn_c6_rank(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<16x4xf32>,
                       %y: memref<4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected outs of rank 2, got rank 1}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c6_rows(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<16x4xf32>,
                       %y: memref<3x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected dim 0 of outs to be dim 0 of ins, which is 2, got 3}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<3x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c6_outputs(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<16x4xf32>,
                          %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected dim 1 of outs to be dim 1 of down, which is 4, got 8}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x8xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c7_no_result(%x: tensor<2x8xf32>, %u: tensor<8x16xf32>, %d: tensor<16x4xf32>,
                            %y: tensor<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  xfmr.ffn ins(%x : tensor<2x8xf32>) up(%u : tensor<8x16xf32>) down(%d : tensor<16x4xf32>)
      outs(%y : tensor<2x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c7_result_type(%x: tensor<2x8xf32>, %u: tensor<8x16xf32>, %d: tensor<16x4xf32>,
                              %y: tensor<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected type of operand #3 ('tensor<2x4xf32>') to match type of corresponding result ('tensor<2x?xf32>')}}
  %0 = xfmr.ffn ins(%x : tensor<2x8xf32>) up(%u : tensor<8x16xf32>) down(%d : tensor<16x4xf32>)
      outs(%y : tensor<2x4xf32>) activation(relu) layout(in_out) -> tensor<2x?xf32>
  return
}

// -----

func.func @ffn_c7_two_results(%x: tensor<2x8xf32>, %u: tensor<8x16xf32>, %d: tensor<16x4xf32>,
                              %y: tensor<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected the number of tensor results (2) to be equal to the number of output tensors (1)}}
  %0:2 = xfmr.ffn ins(%x : tensor<2x8xf32>) up(%u : tensor<8x16xf32>) down(%d : tensor<16x4xf32>)
      outs(%y : tensor<2x4xf32>) activation(relu) layout(in_out) -> tensor<2x4xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @ffn_c7_result_of_memrefs(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                    %d: memref<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %0 = xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out) -> tensor<2x4xf32>
  return
}

// -----

func.func @ffn_c8_misspelt_attribute(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                     %d: memref<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected no attribute 'hiden_type': it is neither the op's nor prefixed by a dialect}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out) {hiden_type = bf16}
  return
}

// -----

func.func @ffn_c8_unknown_of_dialect(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                     %d: memref<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{expected no attribute 'xfmr.tile', the dialect does not know it}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(relu) layout(in_out) {xfmr.tile = 4}
  return
}

// -----

func.func @ffn_c9_destination_is_x(%x: memref<2x8xf32>, %u: memref<8x16xf32>, %d: memref<16x8xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected outs to be another memref than ins}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x8xf32>)
      outs(%x : memref<2x8xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c9_destination_is_weight(%x: memref<16x8xf32>, %u: memref<8x16xf32>,
                                        %d: memref<16x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected outs to be another memref than down}}
  xfmr.ffn ins(%x : memref<16x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%d : memref<16x4xf32>) activation(relu) layout(in_out)
  return
}

// -----

func.func @ffn_c10_activation_of_two_operands(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                              %d: memref<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected an activation of one operand, got clamped_swish, which is a gate}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(clamped_swish, limit = 7.0, beta = 1.0, up_offset = 0.0)
      layout(in_out)
  return
}

// -----

func.func @ffn_c10_beta_beyond_f32(%x: memref<2x8xf32>, %u: memref<8x16xf32>,
                                   %d: memref<16x4xf32>, %y: memref<2x4xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected the activation's beta finite in 'f32', got 1.0e+39}}
  xfmr.ffn ins(%x : memref<2x8xf32>) up(%u : memref<8x16xf32>) down(%d : memref<16x4xf32>)
      outs(%y : memref<2x4xf32>) activation(swish, beta = 1.0e+39) layout(in_out)
  return
}
