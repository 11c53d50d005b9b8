// RUN: xfmr-opt %s -split-input-file -verify-diagnostics
// RUN: %python %S/Inputs/generic_diagnostics.py %s

func.func @add_layernorm_c1_rank_0(%x: memref<f32>, %r: memref<f32>, %y: memref<f32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected ins of rank 1 or more, got rank 0}}
  xfmr.add_layernorm ins(%x : memref<f32>) residual(%r : memref<f32>) outs(%y : memref<f32>)
      eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c1_normalized_dims_0(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                              %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected normalized_dims from 1 to 2, the rank of ins, got 0}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) normalized_dims(0)
  return
}

// -----

func.func @add_layernorm_c1_normalized_dims_negative(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
    %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected normalized_dims from 1 to 2, the rank of ins, got -1}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) normalized_dims(-1)
  return
}

// -----

func.func @add_layernorm_c1_normalized_dims_beyond_rank(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
    %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected normalized_dims from 1 to 2, the rank of ins, got 3}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) normalized_dims(3)
  return
}

// -----

func.func @add_layernorm_c2_integers(%x: memref<2x8xi32>, %r: memref<2x8xi32>, %y: memref<2x8xi32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected ins of element type f16, bf16, f32 or f64, got 'i32'}}
  xfmr.add_layernorm ins(%x : memref<2x8xi32>) residual(%r : memref<2x8xi32>)
      outs(%y : memref<2x8xi32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c2_complex(%x: memref<2x8xcomplex<f32>>, %r: memref<2x8xcomplex<f32>>,
                                    %y: memref<2x8xcomplex<f32>>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected ins of element type f16, bf16, f32 or f64, got 'complex<f32>'}}
  xfmr.add_layernorm ins(%x : memref<2x8xcomplex<f32>>) residual(%r : memref<2x8xcomplex<f32>>)
      outs(%y : memref<2x8xcomplex<f32>>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c2_f8_gamma(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                     %g: memref<8xf8E5M2>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected gamma of element type f16, bf16, f32 or f64, got 'f8E5M2'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      gamma(%g : memref<8xf8E5M2>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c2_index_beta(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                       %b: memref<8xindex>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected beta of element type f16, bf16, f32 or f64, got 'index'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      beta(%b : memref<8xindex>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c2_memref_gamma(%x: tensor<2x8xf32>, %r: tensor<2x8xf32>,
                                         %g: memref<8xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected gamma to be a tensor as ins is, got 'memref<8xf32>'}}
  %0 = xfmr.add_layernorm ins(%x : tensor<2x8xf32>) residual(%r : tensor<2x8xf32>)
      gamma(%g : memref<8xf32>) outs(%y : tensor<2x8xf32>) eps(1.0e-05) -> tensor<2x8xf32>
  return
}

// -----

func.func @add_layernorm_c2_memref_destination(%x: tensor<2x8xf32>, %r: tensor<2x8xf32>,
                                               %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected outs to be a tensor as ins is, got 'memref<2x8xf32>'}}
  xfmr.add_layernorm ins(%x : tensor<2x8xf32>) residual(%r : tensor<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c2_tensor_destination(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                               %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected outs to be a memref as ins is, got 'tensor<2x8xf32>'}}
  %0 = xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : tensor<2x8xf32>) eps(1.0e-05) -> tensor<2x8xf32>
  return
}

// -----

func.func @add_layernorm_c2_encoding(%x: tensor<2x8xf32, "encoded">,
                                     %r: tensor<2x8xf32, "encoded">, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected ins without an encoding, got 'tensor<2x8xf32, "encoded">'}}
  %0 = xfmr.add_layernorm ins(%x : tensor<2x8xf32, "encoded">)
      residual(%r : tensor<2x8xf32, "encoded">) outs(%y : tensor<2x8xf32>) eps(1.0e-05) ->
      tensor<2x8xf32>
  return
}

// -----

func.func @add_layernorm_c2_unranked(%x: tensor<*xf32>, %r: tensor<*xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op operand #0 must be ranked tensor or strided memref, but got 'tensor<*xf32>'}}
  %0 = xfmr.add_layernorm ins(%x : tensor<*xf32>) residual(%r : tensor<*xf32>)
      outs(%y : tensor<2x8xf32>) eps(1.0e-05) -> tensor<2x8xf32>
  return
}

// -----

func.func @add_layernorm_c2_layout(%x: memref<2x8xf32, affine_map<(d0, d1) -> (d0 mod 2, d1)>>,
                                   %r: memref<2x8xf32, affine_map<(d0, d1) -> (d0 mod 2, d1)>>,
                                   %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op operand #0 must be ranked tensor or strided memref, but got 'memref<2x8xf32, affine_map<(d0, d1) -> (d0 mod 2, d1)>>'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32, affine_map<(d0, d1) -> (d0 mod 2, d1)>>) residual(%r :
      memref<2x8xf32, affine_map<(d0, d1) -> (d0 mod 2, d1)>>) outs(%y : memref<2x8xf32>)
      eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c3_rank(%x: memref<2x8xf32>, %r: memref<2x8xf32>, %y: memref<8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected outs of rank 2, got rank 1}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c3_rows(%x: memref<2x8xf32>, %r: memref<2x8xf32>, %y: memref<3x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected dim 0 of outs to be dim 0 of ins, which is 2, got 3}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<3x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c3_row_length(%x: memref<?x8xf32>, %r: memref<?x8xf32>,
                                       %y: memref<?x9xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected dim 1 of outs to be dim 1 of ins, which is 8, got 9}}
  xfmr.add_layernorm ins(%x : memref<?x8xf32>) residual(%r : memref<?x8xf32>)
      outs(%y : memref<?x9xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c4_gamma_rank(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                       %g: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected gamma of rank 1, got rank 2}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      gamma(%g : memref<2x8xf32>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c4_gamma_length(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                         %g: memref<7xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected dim 0 of gamma to be dim 1 of ins, which is 8, got 7}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      gamma(%g : memref<7xf32>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c4_beta_rank(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                      %b: memref<1x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected beta of rank 1, got rank 2}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      beta(%b : memref<1x8xf32>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c4_beta_length(%x: memref<2x?xf32>, %r: memref<2x?xf32>,
                                        %b: memref<9xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected dim 1 of outs to be dim 0 of beta, which is 9, got 8}}
  xfmr.add_layernorm ins(%x : memref<2x?xf32>) residual(%r : memref<2x?xf32>)
      beta(%b : memref<9xf32>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c4_gamma_against_beta(%x: memref<2x?xf32>, %r: memref<2x?xf32>,
                                               %g: memref<8xf32>, %b: memref<9xf32>,
                                               %y: memref<2x?xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected dim 0 of beta to be dim 0 of gamma, which is 8, got 9}}
  xfmr.add_layernorm ins(%x : memref<2x?xf32>) residual(%r : memref<2x?xf32>)
      gamma(%g : memref<8xf32>) beta(%b : memref<9xf32>) outs(%y : memref<2x?xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c4_gamma_of_two_dims(%x: memref<2x4x8xf32>, %r: memref<2x4x8xf32>,
                                              %g: memref<8x4xf32>, %y: memref<2x4x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected dim 0 of gamma to be dim 1 of ins, which is 4, got 8}}
  xfmr.add_layernorm ins(%x : memref<2x4x8xf32>) residual(%r : memref<2x4x8xf32>)
      gamma(%g : memref<8x4xf32>) outs(%y : memref<2x4x8xf32>) eps(1.0e-05) normalized_dims(2)
  return
}

// -----

func.func @add_layernorm_c5_gamma_wider(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                        %g: memref<8xf64>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected gamma no wider than the accumulator 'f32', got 'f64'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      gamma(%g : memref<8xf64>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c5_beta_wider(%x: memref<2x8xf16>, %r: memref<2x8xf16>,
                                       %b: memref<8xf64>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected beta no wider than the accumulator 'f32', got 'f64'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf16>) residual(%r : memref<2x8xf16>)
      beta(%b : memref<8xf64>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
      residual_rounding(round_then_norm)
  return
}

// -----

func.func @add_layernorm_c5_residual_wider(%x: memref<2x8xf32>, %r: memref<2x8xf64>,
                                           %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected residual no wider than the accumulator 'f32', got 'f64'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf64>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c6_eps_negative(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                         %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected eps finite in 'f32' and >= 0, got -1.0}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(-1.0)
  return
}

// -----

func.func @add_layernorm_c6_eps_nan(%x: memref<2x8xf32>, %r: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected eps finite in 'f32' and >= 0, got nan}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(0x7FF8000000000000)
  return
}

// -----

func.func @add_layernorm_c6_eps_inf(%x: memref<2x8xf32>, %r: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected eps finite in 'f32' and >= 0, got inf}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(0x7FF0000000000000)
  return
}

// -----

func.func @add_layernorm_c6_eps_beyond_f32(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                           %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected eps finite in 'f32' and >= 0, got 1.0e+39}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e+39)
  return
}

// -----

func.func @add_layernorm_c6_eps_beyond_f32_of_f16(%x: memref<2x8xf16>, %r: memref<2x8xf16>,
    %y: memref<2x8xf16>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected eps finite in 'f32' and >= 0, got 1.0e+39}}
  xfmr.add_layernorm ins(%x : memref<2x8xf16>) residual(%r : memref<2x8xf16>)
      outs(%y : memref<2x8xf16>) eps(1.0e+39) residual_rounding(round_then_norm)
      rounding(scale_then_cast)
  return
}

// -----

func.func @add_layernorm_c7_offset_without_gamma(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                                 %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected gamma beside a weight_offset}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) weight_offset(1.0)
  return
}

// -----

func.func @add_layernorm_c7_offset_nan(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                       %g: memref<8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected weight_offset finite in 'f32', got nan}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      gamma(%g : memref<8xf32>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
      weight_offset(0x7FF8000000000000)
  return
}

// -----

func.func @add_layernorm_c7_offset_beyond_f32(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                              %g: memref<8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected weight_offset finite in 'f32', got -1.0e+39}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      gamma(%g : memref<8xf32>) outs(%y : memref<2x8xf32>) eps(1.0e-05) weight_offset(-1.0e+39)
  return
}

// -----

func.func @add_layernorm_c8_no_rounding_of_f16(%x: memref<2x8xf16>, %r: memref<2x8xf16>,
                                               %y: memref<2x8xf16>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected rounding, as the result's type 'f16' is narrower than the accumulator 'f32'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf16>) residual(%r : memref<2x8xf16>)
      outs(%y : memref<2x8xf16>) eps(1.0e-05) residual_rounding(round_then_norm)
  return
}

// -----

func.func @add_layernorm_c8_no_rounding_of_f64_to_f32(%x: memref<2x8xf64>, %r: memref<2x8xf64>,
    %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected rounding, as the result's type 'f32' is narrower than the accumulator 'f64'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf64>) residual(%r : memref<2x8xf64>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c8_type_of_scale_then_cast(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
    %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected rounding to give a type to cast_then_scale only}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) rounding(scale_then_cast<bf16>)
  return
}

// -----

func.func @add_layernorm_c8_type_wider(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                       %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected rounding to a type of f16, bf16, f32 or f64 no wider than the accumulator 'f32', got 'f64'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) rounding(cast_then_scale<f64>)
  return
}

// -----

func.func @add_layernorm_c8_type_no_float(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                          %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected rounding to a type of f16, bf16, f32 or f64 no wider than the accumulator 'f32', got 'i16'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) rounding(cast_then_scale<i16>)
  return
}

// -----

func.func @add_layernorm_c9_rstd_rank(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                      %y: memref<2x8xf32>, %v: memref<2x1xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected rstd of rank 1, got rank 2}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) rstd(%v : memref<2x1xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c9_rstd_rows(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                      %y: memref<2x8xf32>, %v: memref<3xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected dim 0 of rstd to be dim 0 of ins, which is 2, got 3}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) rstd(%v : memref<3xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c9_rstd_type(%x: memref<2x8xbf16>, %r: memref<2x8xbf16>,
                                      %y: memref<2x8xbf16>, %v: memref<2xbf16>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected rstd of element type 'f32', got 'bf16'}}
  xfmr.add_layernorm ins(%x : memref<2x8xbf16>) residual(%r : memref<2x8xbf16>)
      outs(%y : memref<2x8xbf16>) rstd(%v : memref<2xbf16>) eps(1.0e-05)
      residual_rounding(round_then_norm) rounding(scale_then_cast)
  return
}

// -----

func.func @add_layernorm_c9_rstd_type_of_f64(%x: memref<2x8xf64>, %r: memref<2x8xf64>,
                                             %y: memref<2x8xf64>, %v: memref<2xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected rstd of element type 'f64', got 'f32'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf64>) residual(%r : memref<2x8xf64>)
      outs(%y : memref<2x8xf64>) rstd(%v : memref<2xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c9_mean_rows(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                      %y: memref<2x8xf32>, %v: memref<2xf32>, %m: memref<4xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected dim 0 of mean to be dim 0 of ins, which is 2, got 4}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) rstd(%v : memref<2xf32>) mean(%m : memref<4xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c9_mean_type(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                      %y: memref<2x8xf32>, %m: memref<2xf64>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected mean of element type 'f32', got 'f64'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) mean(%m : memref<2xf64>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c10_no_result(%x: tensor<2x8xf32>, %r: tensor<2x8xf32>,
                                       %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  xfmr.add_layernorm ins(%x : tensor<2x8xf32>) residual(%r : tensor<2x8xf32>)
      outs(%y : tensor<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c10_result_type(%x: tensor<2x8xf32>, %r: tensor<2x8xf32>,
                                         %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected type of operand #2 ('tensor<2x8xf32>') to match type of corresponding result ('tensor<?x8xf32>')}}
  %0 = xfmr.add_layernorm ins(%x : tensor<2x8xf32>) residual(%r : tensor<2x8xf32>)
      outs(%y : tensor<2x8xf32>) eps(1.0e-05) -> tensor<?x8xf32>
  return
}

// -----

func.func @add_layernorm_c10_two_results(%x: tensor<2x8xf32>, %r: tensor<2x8xf32>,
                                         %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected the number of tensor results (2) to be equal to the number of output tensors (1)}}
  %0:2 = xfmr.add_layernorm ins(%x : tensor<2x8xf32>) residual(%r : tensor<2x8xf32>)
      outs(%y : tensor<2x8xf32>) eps(1.0e-05) -> tensor<2x8xf32>, tensor<2x8xf32>
  return
}

// -----

func.func @add_layernorm_c10_result_of_memrefs(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                               %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %0 = xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) -> tensor<2x8xf32>
  return
}

// -----

func.func @add_layernorm_c11_misspelt_attribute(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                                %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected no attribute 'roundng': it is neither the op's nor prefixed by a dialect}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) {roundng = #xfmr.rounding<scale_then_cast>}
  return
}

// -----

func.func @add_layernorm_c11_unknown_attribute(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                               %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected no attribute 'axis': it is neither the op's nor prefixed by a dialect}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) {axis = 1}
  return
}

// -----

func.func @add_layernorm_c11_unknown_of_dialect(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                                %y: memref<2x8xf32>) {
  // expected-error @below {{expected no attribute 'xfmr.axis', the dialect does not know it}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05) {xfmr.axis = 1}
  return
}

// -----

func.func @add_layernorm_c12_rstd_is_beta(%x: memref<2x2xf32>, %r: memref<2x2xf32>,
                                          %b: memref<2xf32>, %y: memref<2x2xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected rstd to be another memref than beta}}
  xfmr.add_layernorm ins(%x : memref<2x2xf32>) residual(%r : memref<2x2xf32>)
      beta(%b : memref<2xf32>) outs(%y : memref<2x2xf32>) rstd(%b : memref<2xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c12_one_destination_twice(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
    %y: memref<2x8xf32>, %v: memref<2xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected rstd to be another memref than mean}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) rstd(%v : memref<2xf32>) mean(%v : memref<2xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c12_sum_is_outs(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                         %s: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected sum to be another memref than outs}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      sum(%s : memref<2x8xf32>) outs(%s : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c12_both_are_x(%x: memref<2x8xf32>, %r: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected sum to be another memref than outs}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      sum(%x : memref<2x8xf32>) outs(%x : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c13_residual_rank(%x: memref<2x8xf32>, %r: memref<8xf32>,
                                           %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected residual of rank 2, got rank 1}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<8xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c13_residual_shape(%x: memref<2x8xf32>, %r: memref<2x9xf32>,
                                            %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected dim 1 of residual to be dim 1 of ins, which is 8, got 9}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x9xf32>)
      outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c13_sum_shape(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                       %s: memref<3x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected dim 0 of sum to be dim 0 of ins, which is 2, got 3}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      sum(%s : memref<3x8xf32>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c13_sum_type(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                      %s: memref<2x8xf16>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected sum of element type 'f32', got 'f16'}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      sum(%s : memref<2x8xf16>) outs(%y : memref<2x8xf32>) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c14_alpha_nan(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                       %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected alpha finite in 'f32', got nan}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) alpha(0x7FF8000000000000) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c14_alpha_beyond_f32(%x: memref<2x8xf32>, %r: memref<2x8xf32>,
                                              %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected alpha finite in 'f32', got 1.0e+39}}
  xfmr.add_layernorm ins(%x : memref<2x8xf32>) residual(%r : memref<2x8xf32>)
      outs(%y : memref<2x8xf32>) alpha(1.0e+39) eps(1.0e-05)
  return
}

// -----

func.func @add_layernorm_c15_no_residual_rounding(%x: memref<2x8xbf16>, %r: memref<2x8xbf16>,
    %y: memref<2x8xbf16>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected residual_rounding, as the sum's type 'bf16' is narrower than the accumulator 'f32'}}
  xfmr.add_layernorm ins(%x : memref<2x8xbf16>) residual(%r : memref<2x8xbf16>)
      outs(%y : memref<2x8xbf16>) eps(1.0e-05) rounding(scale_then_cast)
  return
}

// -----

func.func @add_layernorm_c16_unbiased_of_one(%x: memref<2x1xf32>, %r: memref<2x1xf32>,
                                             %y: memref<2x1xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected 2 elements or more a row for unbiased, got 1}}
  xfmr.add_layernorm ins(%x : memref<2x1xf32>) residual(%r : memref<2x1xf32>)
      outs(%y : memref<2x1xf32>) eps(1.0e-05) unbiased
  return
}

// -----

func.func @add_layernorm_c16_unbiased_of_none(%x: memref<2x4x0xf32>, %r: memref<2x4x0xf32>,
                                              %y: memref<2x4x0xf32>) {
  // expected-error @below {{'xfmr.add_layernorm' op expected 2 elements or more a row for unbiased, got 0}}
  xfmr.add_layernorm ins(%x : memref<2x4x0xf32>) residual(%r : memref<2x4x0xf32>)
      outs(%y : memref<2x4x0xf32>) eps(1.0e-05) unbiased normalized_dims(2)
  return
}
