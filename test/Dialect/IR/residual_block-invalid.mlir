// RUN: xfmr-opt %s -split-input-file -verify-diagnostics
// RUN: %python %S/Inputs/generic_diagnostics.py %s

func.func @residual_block_c1_rank_0(%x: memref<f32>, %y: memref<f32>) {
  // expected-error @below {{'xfmr.residual_block' op expected ins of rank 1 or more, got rank 0}}
  xfmr.residual_block none ins(%x : memref<f32>) outs(%y : memref<f32>) {
  ^bb0(%z: memref<f32>):
    xfmr.yield %z : memref<f32>
  }
  return
}

// -----

func.func @residual_block_c1_integers(%x: memref<2x8xi32>, %y: memref<2x8xi32>) {
  // expected-error @below {{'xfmr.residual_block' op expected ins of element type f16, bf16, f32 or f64, got 'i32'}}
  xfmr.residual_block none ins(%x : memref<2x8xi32>) outs(%y : memref<2x8xi32>) {
  ^bb0(%z: memref<2x8xi32>):
    xfmr.yield %z : memref<2x8xi32>
  }
  return
}

// -----

func.func @residual_block_c1_destination_type(%x: memref<2x8xf32>, %y: memref<2x8xf16>) {
  // expected-error @below {{'xfmr.residual_block' op expected outs of element type 'f32', got 'f16'}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf16>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c1_destination_shape(%x: memref<2x8xf32>, %y: memref<3x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected dim 0 of outs to be dim 0 of ins, which is 2, got 3}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<3x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c1_destination_rank(%x: memref<2x8xf32>, %y: memref<8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected outs of rank 2, got rank 1}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c2_memref_gamma(%x: tensor<2x8xf32>, %g1: memref<8xf32>,
                                          %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm1 gamma to be a tensor as ins is, got 'memref<8xf32>'}}
  %0 = xfmr.residual_block pre ins(%x : tensor<2x8xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%g1 : memref<8xf32>)) outs(%y : tensor<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32>):
    xfmr.yield %z : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return
}

// -----

func.func @residual_block_c2_memref_destination(%x: tensor<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected outs to be a tensor as ins is, got 'memref<2x8xf32>'}}
  xfmr.residual_block none ins(%x : tensor<2x8xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32>):
    xfmr.yield %z : tensor<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c2_memref_mask(%x: tensor<2x8xf32>, %m: memref<2xi1>,
                                         %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected mask to be a tensor as ins is, got 'memref<2xi1>'}}
  %0 = xfmr.residual_block none ins(%x : tensor<2x8xf32>) mask(%m : memref<2xi1>)
      outs(%y : tensor<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32>):
    xfmr.yield %z : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return
}

// -----

func.func @residual_block_c2_encoding(%x: tensor<2x8xf32, "encoded">, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected ins without an encoding, got 'tensor<2x8xf32, "encoded">'}}
  %0 = xfmr.residual_block none ins(%x : tensor<2x8xf32, "encoded">) outs(%y : tensor<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32, "encoded">):
    xfmr.yield %z : tensor<2x8xf32, "encoded">
  } -> tensor<2x8xf32>
  return
}

// -----

func.func @residual_block_c2_integer_gamma(%x: memref<2x8xf32>, %g1: memref<8xi32>,
                                           %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm1 gamma of element type f16, bf16, f32 or f64, got 'i32'}}
  xfmr.residual_block pre ins(%x : memref<2x8xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%g1 : memref<8xi32>)) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c3_pre_without_norm(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm1 for topology pre}}
  xfmr.residual_block pre ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c3_post_with_norm2(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected no norm2 for topology post}}
  xfmr.residual_block post ins(%x : memref<2x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      norm2(<rmsnorm, eps = 1.0e-05>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c3_sandwich_without_norm2(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm2 for topology sandwich}}
  xfmr.residual_block sandwich ins(%x : memref<2x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c3_branch_post_without_norm(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm1 for topology branch_post}}
  xfmr.residual_block branch_post ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c3_none_with_norm(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected no norm1 for topology none}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c4_gamma_rank(%x: memref<2x8xf32>, %g1: memref<2x8xf32>,
                                        %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm1 gamma of rank 1, got rank 2}}
  xfmr.residual_block pre ins(%x : memref<2x8xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%g1 : memref<2x8xf32>)) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c4_gamma_length(%x: memref<2x8xf32>, %g1: memref<7xf32>,
                                          %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected dim 0 of norm1 gamma to be dim 1 of ins, which is 8, got 7}}
  xfmr.residual_block pre ins(%x : memref<2x8xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%g1 : memref<7xf32>)) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c4_beta_length(%x: memref<2x8xf32>, %b2: memref<9xf32>,
                                         %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected dim 0 of norm2 beta to be dim 1 of ins, which is 8, got 9}}
  xfmr.residual_block sandwich ins(%x : memref<2x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      norm2(<rmsnorm, eps = 1.0e-05> beta(%b2 : memref<9xf32>)) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c4_gamma_against_gamma(%x: memref<2x?xf32>, %g1: memref<8xf32>,
                                                 %g2: memref<9xf32>, %y: memref<2x?xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected dim 0 of norm2 gamma to be dim 0 of norm1 gamma, which is 8, got 9}}
  xfmr.residual_block sandwich ins(%x : memref<2x?xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%g1 : memref<8xf32>))
      norm2(<rmsnorm, eps = 1.0e-05> gamma(%g2 : memref<9xf32>)) outs(%y : memref<2x?xf32>) {
  ^bb0(%z: memref<2x?xf32>):
    xfmr.yield %z : memref<2x?xf32>
  }
  return
}

// -----

func.func @residual_block_c4_gamma_wider(%x: memref<2x8xf32>, %g1: memref<8xf64>,
                                         %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm1 gamma no wider than the accumulator 'f32', got 'f64'}}
  xfmr.residual_block pre ins(%x : memref<2x8xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%g1 : memref<8xf64>)) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c5_eps_negative(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm1 eps finite in 'f32' and >= 0, got -1.0}}
  xfmr.residual_block pre ins(%x : memref<2x8xf32>) norm1(<rmsnorm, eps = -1.0>)
      outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c5_eps_beyond_f32(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm2 eps finite in 'f32' and >= 0, got 1.0e+39}}
  xfmr.residual_block sandwich ins(%x : memref<2x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      norm2(<layernorm, eps = 1.0e+39>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c5_offset_without_gamma(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm1 gamma beside a weight_offset}}
  xfmr.residual_block pre ins(%x : memref<2x8xf32>)
      norm1(<rmsnorm, eps = 1.0e-05, weight_offset = 1.0>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c5_no_rounding(%x: memref<2x8xbf16>, %y: memref<2x8xbf16>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm1 rounding, as the result's type 'bf16' is narrower than the accumulator 'f32'}}
  xfmr.residual_block branch_post ins(%x : memref<2x8xbf16>) norm1(<rmsnorm, eps = 1.0e-05>)
      outs(%y : memref<2x8xbf16>) {
  ^bb0(%z: memref<2x8xbf16>):
    xfmr.yield %z : memref<2x8xbf16>
  }
  return
}

// -----

func.func @residual_block_c5_rounding_type(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected norm1 rounding to a type of f16, bf16, f32 or f64 no wider than the accumulator 'f32', got 'f64'}}
  xfmr.residual_block branch_post ins(%x : memref<2x8xf32>)
      norm1(<rmsnorm, eps = 1.0e-05, rounding = cast_then_scale<f64>>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c5_unbiased_of_one(%x: memref<2x1xf32>, %y: memref<2x1xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected 2 elements or more a row for unbiased, got 1}}
  xfmr.residual_block post ins(%x : memref<2x1xf32>) norm1(<layernorm, eps = 1.0e-05, unbiased>)
      outs(%y : memref<2x1xf32>) {
  ^bb0(%z: memref<2x1xf32>):
    xfmr.yield %z : memref<2x1xf32>
  }
  return
}

// -----

func.func @residual_block_c6_residual_rounding_of_pre(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected residual_rounding for topology post only}}
  xfmr.residual_block pre ins(%x : memref<2x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      outs(%y : memref<2x8xf32>) residual_rounding(round_then_norm) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c6_no_residual_rounding(%x: memref<2x8xf16>, %y: memref<2x8xf16>) {
  // expected-error @below {{'xfmr.residual_block' op expected residual_rounding, as the sum's type 'f16' is narrower than the accumulator 'f32'}}
  xfmr.residual_block post ins(%x : memref<2x8xf16>)
      norm1(<rmsnorm, eps = 1.0e-05, rounding = scale_then_cast>) outs(%y : memref<2x8xf16>) {
  ^bb0(%z: memref<2x8xf16>):
    xfmr.yield %z : memref<2x8xf16>
  }
  return
}

// -----

func.func @residual_block_c6_alpha_inf(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected alpha finite in 'f32', got inf}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>)
      alpha(0x7FF0000000000000) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c6_alpha_beyond_f32(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected alpha finite in 'f32', got 1.0e+39}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) alpha(1.0e+39) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c7_mask_type(%x: memref<2x8xf32>, %m: memref<2xi8>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected mask of element type i1, got 'i8'}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) mask(%m : memref<2xi8>)
      outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c7_mask_rank(%x: memref<2x8xf32>, %m: memref<2x8xi1>,
                                       %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected mask of rank 1, got rank 2}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) mask(%m : memref<2x8xi1>)
      outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c7_mask_rows(%x: memref<2x8xf32>, %m: memref<3xi1>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected dim 0 of mask to be dim 0 of ins, which is 2, got 3}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) mask(%m : memref<3xi1>)
      outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c8_no_argument(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected a region of one argument, got 0}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
    xfmr.yield %x : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c8_two_arguments(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected a region of one argument, got 2}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>, %z2: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c8_argument_type(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected the region's argument of type 'memref<2x8xf32>', got 'memref<?x8xf32>'}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<?x8xf32>):
    xfmr.yield %x : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c8_yielded_type(%x: memref<2x8xf32>, %y: memref<2x8xf32>,
    %y2: memref<2x8xf16>) {
  // expected-error @below {{'xfmr.residual_block' op expected the region to yield type 'memref<2x8xf32>', got 'memref<2x8xf16>'}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %y2 : memref<2x8xf16>
  }
  return
}

// -----

func.func @residual_block_c8_terminator(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected the region to end in xfmr.yield, got llvm.unreachable}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    llvm.unreachable
  }
  return
}

// -----

func.func @residual_block_c8_two_blocks(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expects region #0 to have 0 or 1 blocks}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    cf.br ^bb1
  ^bb1:
    xfmr.yield %x : memref<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c9_no_result(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  xfmr.residual_block none ins(%x : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32>):
    xfmr.yield %z : tensor<2x8xf32>
  }
  return
}

// -----

func.func @residual_block_c9_result_type(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected type of operand #1 ('tensor<2x8xf32>') to match type of corresponding result ('tensor<?x8xf32>')}}
  %0 = xfmr.residual_block none ins(%x : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32>):
    xfmr.yield %z : tensor<2x8xf32>
  } -> tensor<?x8xf32>
  return
}

// -----

func.func @residual_block_c9_two_results(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected the number of tensor results (2) to be equal to the number of output tensors (1)}}
  %0:2 = xfmr.residual_block none ins(%x : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32>):
    xfmr.yield %z : tensor<2x8xf32>
  } -> tensor<2x8xf32>, tensor<2x8xf32>
  return
}

// -----

func.func @residual_block_c9_result_of_memrefs(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %0 = xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  } -> tensor<2x8xf32>
  return
}

// -----

func.func @residual_block_c10_misspelt_attribute(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected no attribute 'alhpa': it is neither the op's nor prefixed by a dialect}}
  xfmr.residual_block none ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) attributes
      {alhpa = 2.0} {
  ^bb0(%z: memref<2x8xf32>):
    xfmr.yield %z : memref<2x8xf32>
  }
  return
}
