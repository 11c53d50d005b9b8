// What the parsers of the assembly refuse.
// RUN: xfmr-opt %s -split-input-file -verify-diagnostics

func.func @rounding(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.rmsnorm' expected cast_then_scale or scale_then_cast, got scale_and_cast}}
  xfmr.rmsnorm ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) eps(1.0) rounding(scale_and_cast)
  return
}

// -----

func.func @rounding_type(%x: memref<8xf32>) {
  // expected-error @below {{expected non-function type}}
  xfmr.rmsnorm ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) eps(1.0) rounding(cast_then_scale<>)
  return
}

// -----

func.func @integer_eps(%x: memref<8xf32>) {
  // expected-error @below {{unexpected decimal integer literal for a floating point value}}
  // expected-note @below {{add a trailing dot to make the literal a float}}
  xfmr.rmsnorm ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) eps(1)
  return
}

// -----

func.func @huge_eps(%x: memref<8xf32>) {
  // expected-error @below {{'xfmr.rmsnorm' op expected eps finite in 'f32' and >= 0, got inf}}
  xfmr.rmsnorm ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) eps(1.0e+400)
  return
}

// -----

func.func @no_eps(%x: memref<8xf32>) {
  xfmr.rmsnorm ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  // expected-error @below {{custom op 'xfmr.rmsnorm' expected 'eps'}}
  return
}

// -----

func.func @misspelt_keyword(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'eps_positon' is unknown (tried 'func.eps_positon' as well)}}
  xfmr.rmsnorm ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) eps(1.0) eps_positon(outside)
  return
}

// -----

func.func @eps_position(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.rmsnorm' expected inside or outside, got within}}
  xfmr.rmsnorm ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) eps(1.0) eps_position(within)
  return
}

// -----

func.func @activation(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.gated_act' expected identity, relu, relu2, gelu_erf, gelu_tanh, quick_gelu, silu, swish, sigmoid, tanh or clamped_swish, got gelu}}
  xfmr.gated_act gate(%x : memref<8xf32>) up(%x : memref<8xf32>) outs(%x : memref<8xf32>) activation(gelu)
  return
}

// -----

func.func @swish_without_beta(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.gated_act' expected activation swish with beta}}
  xfmr.gated_act gate(%x : memref<8xf32>) up(%x : memref<8xf32>) outs(%x : memref<8xf32>) activation(swish)
  return
}

// -----

func.func @silu_with_beta(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.gated_act' expected activation silu without beta}}
  xfmr.gated_act gate(%x : memref<8xf32>) up(%x : memref<8xf32>) outs(%x : memref<8xf32>) activation(silu, beta = 1.0)
  return
}

// -----

func.func @clamped_swish_without_limit(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.gated_act' expected activation clamped_swish with limit}}
  xfmr.gated_act gate(%x : memref<8xf32>) up(%x : memref<8xf32>) outs(%x : memref<8xf32>) activation(clamped_swish, beta = 1.0)
  return
}

// -----

func.func @negative_limit(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.gated_act' expected limit > 0}}
  xfmr.gated_act gate(%x : memref<8xf32>) up(%x : memref<8xf32>) outs(%x : memref<8xf32>) activation(clamped_swish, beta = 1.0, up_offset = 1.0, limit = -7.0)
  return
}

// -----

func.func @infinite_beta(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.gated_act' expected beta finite}}
  xfmr.gated_act gate(%x : memref<8xf32>) up(%x : memref<8xf32>) outs(%x : memref<8xf32>) activation(swish, beta = 0x7FF0000000000000)
  return
}

// -----

func.func @unknown_parameter(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.gated_act' expected beta, limit or up_offset, got slope}}
  xfmr.gated_act gate(%x : memref<8xf32>) up(%x : memref<8xf32>) outs(%x : memref<8xf32>) activation(swish, slope = 1.0)
  return
}

// -----

func.func @parameter_twice(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.gated_act' expected beta once}}
  xfmr.gated_act gate(%x : memref<8xf32>) up(%x : memref<8xf32>) outs(%x : memref<8xf32>) activation(swish, beta = 1.0, beta = 1.0)
  return
}

// -----

func.func @layout(%x: memref<8xf32>, %w: memref<8x8xf32>, %y: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.ffn' expected in_out, out_in or the name of a weight, got row_major}}
  xfmr.ffn ins(%x : memref<8xf32>) up(%w : memref<8x8xf32>) down(%w : memref<8x8xf32>) outs(%y : memref<8xf32>) activation(relu) layout(row_major)
  return
}

// -----

func.func @no_layout(%x: memref<8xf32>, %w: memref<8x8xf32>, %y: memref<8xf32>) {
  xfmr.ffn ins(%x : memref<8xf32>) up(%w : memref<8x8xf32>) down(%w : memref<8x8xf32>) outs(%y : memref<8xf32>) activation(relu)
  // expected-error @below {{custom op 'xfmr.ffn' expected 'layout'}}
  return
}

// -----

func.func @layout_of_one_weight(%x: memref<8xf32>, %w: memref<8x8xf32>, %y: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.ffn' expected the layout of every weight}}
  xfmr.ffn ins(%x : memref<8xf32>) up(%w : memref<8x8xf32>) down(%w : memref<8x8xf32>) outs(%y : memref<8xf32>) activation(relu) layout(up = in_out)
  return
}

// -----

func.func @layout_twice(%x: memref<8xf32>, %w: memref<8x8xf32>, %y: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.ffn' expected the layout of each weight once}}
  xfmr.ffn ins(%x : memref<8xf32>) up(%w : memref<8x8xf32>) down(%w : memref<8x8xf32>) outs(%y : memref<8xf32>) activation(relu) layout(up = in_out, up = in_out)
  return
}

// -----

func.func @layout_of_no_weight(%x: memref<8xf32>, %w: memref<8x8xf32>, %y: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.ffn' expected in_out, out_in or the name of a weight, got gate}}
  xfmr.ffn ins(%x : memref<8xf32>) up(%w : memref<8x8xf32>) down(%w : memref<8x8xf32>) outs(%y : memref<8xf32>) activation(relu) layout(up = in_out, gate = in_out)
  return
}

// -----

func.func @layout_value(%x: memref<8xf32>, %w: memref<8x8xf32>, %y: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.ffn' expected in_out or out_in, got in}}
  xfmr.ffn ins(%x : memref<8xf32>) up(%w : memref<8x8xf32>) down(%w : memref<8x8xf32>) outs(%y : memref<8xf32>) activation(relu) layout(up = in, down = in_out)
  return
}

// -----

func.func @order(%x: memref<8xf32>, %y: memref<4xf32>) {
  // expected-error @below {{custom op 'xfmr.gated_act' expected gate_up, up_gate or interleaved, got gate_first}}
  xfmr.gated_act gate_up(%x : memref<8xf32>) outs(%y : memref<4xf32>) activation(silu) order(gate_first)
  return
}

// -----

func.func @topology(%x: memref<8xf32>) {
  // expected-error @below {{custom op 'xfmr.residual_block' expected pre, post, sandwich, branch_post or none, got middle}}
  xfmr.residual_block middle ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) {
  ^bb0(%z: memref<8xf32>):
    xfmr.yield %z : memref<8xf32>
  }
  return
}

// -----

// expected-error @below {{expected rmsnorm or layernorm, got batchnorm}}
func.func private @norm_kind() attributes {test.norm = #xfmr.norm<batchnorm, eps = 1.0>}

// -----

// expected-error @below {{expected eps, eps_position, statistic, unbiased, weight_offset or rounding, got epsilon}}
func.func private @norm_key() attributes {test.norm = #xfmr.norm<rmsnorm, eps = 1.0, epsilon = 1.0>}

// -----

// expected-error @below {{expected eps once}}
func.func private @norm_key_twice() attributes {test.norm = #xfmr.norm<rmsnorm, eps = 1.0, eps = 1.0>}

// -----

// expected-error @below {{expected eps}}
func.func private @norm_without_eps() attributes {test.norm = #xfmr.norm<rmsnorm, weight_offset = 1.0>}

// -----

// expected-error @below {{expected statistic l2 on an rmsnorm only}}
func.func private @norm_l2_of_layernorm() attributes {test.norm = #xfmr.norm<layernorm, eps = 1.0, statistic = l2>}

// -----

// expected-error @below {{expected unbiased on a layernorm only}}
func.func private @norm_unbiased_rmsnorm() attributes {test.norm = #xfmr.norm<rmsnorm, eps = 1.0, unbiased>}
