// RUN: xfmr-opt %s -canonicalize -split-input-file | FileCheck %s
// Canonical forms are canonical.
// RUN: xfmr-opt %s -canonicalize -split-input-file -o %t.once && xfmr-opt %t.once -canonicalize -split-input-file | diff %t.once -

// CHECK-LABEL: @swish(
// CHECK: xfmr.ffn {{.+}} activation(silu)
// CHECK: xfmr.ffn {{.+}} activation(quick_gelu)
// CHECK: xfmr.ffn {{.+}} activation(swish, beta = 1.5)
// CHECK: xfmr.gated_act {{.+}} activation(silu)
func.func @swish(%x: memref<8xf32>, %w: memref<8x8xf32>, %y: memref<8xf32>) {
  xfmr.ffn ins(%x : memref<8xf32>) up(%w : memref<8x8xf32>) down(%w : memref<8x8xf32>) outs(%y : memref<8xf32>)
      activation(swish, beta = 1.0) layout(in_out)
  xfmr.ffn ins(%x : memref<8xf32>) up(%w : memref<8x8xf32>) down(%w : memref<8x8xf32>) outs(%y : memref<8xf32>)
      activation(swish, beta = 1.702) layout(in_out)
  xfmr.ffn ins(%x : memref<8xf32>) up(%w : memref<8x8xf32>) down(%w : memref<8x8xf32>) outs(%y : memref<8xf32>)
      activation(swish, beta = 1.5) layout(in_out)
  xfmr.gated_act gate(%x : memref<8xf32>) up(%x : memref<8xf32>) outs(%y : memref<8xf32>) activation(swish, beta = 1.0)
  return
}

// CHECK-LABEL: @glu(
// CHECK: xfmr.swiglu_ffn ins(%{{.+}}) gate(%{{.+}}) up(%{{.+}}) down(%{{.+}}) gate_bias(%{{.+}}) down_bias(%{{.+}}) outs(%{{.+}}) layout(gate = in_out, up = out_in, down = in_out) hidden_type(f16) {test.mark} -> tensor<?x8xf32>
func.func @glu(%x: tensor<?x8xf32>, %g: tensor<8x16xf32>, %u: tensor<16x8xf32>, %d: tensor<16x8xf32>,
               %gb: tensor<16xf32>, %db: tensor<8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = xfmr.glu_ffn ins(%x : tensor<?x8xf32>) gate(%g : tensor<8x16xf32>) up(%u : tensor<16x8xf32>)
      down(%d : tensor<16x8xf32>) gate_bias(%gb : tensor<16xf32>) down_bias(%db : tensor<8xf32>)
      outs(%y : tensor<?x8xf32>) activation(silu) layout(gate = in_out, up = out_in, down = in_out)
      hidden_type(f16) {test.mark} -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: @glu_packed_memrefs(
// CHECK: xfmr.swiglu_ffn ins(%{{.+}}) gate_up(%{{.+}}) down(%{{.+}}) gate_up_bias(%{{.+}}) outs(%{{.+}}) beta(1.702) layout(out_in) order(interleaved){{$}}
// CHECK: xfmr.swiglu_ffn {{.+}} beta(-2.0)
// CHECK: xfmr.glu_ffn {{.+}} activation(sigmoid)
// CHECK: xfmr.glu_ffn {{.+}} activation(clamped_swish
func.func @glu_packed_memrefs(%x: memref<?x8xf16>, %w: memref<32x8xf16>, %d: memref<8x16xf16>, %b: memref<32xf16>,
                              %y: memref<?x8xf16>) {
  xfmr.glu_ffn ins(%x : memref<?x8xf16>) gate_up(%w : memref<32x8xf16>) down(%d : memref<8x16xf16>)
      gate_up_bias(%b : memref<32xf16>) outs(%y : memref<?x8xf16>) activation(quick_gelu) layout(out_in)
      order(interleaved)
  xfmr.glu_ffn ins(%x : memref<?x8xf16>) gate_up(%w : memref<32x8xf16>) down(%d : memref<8x16xf16>)
      outs(%y : memref<?x8xf16>) activation(swish, beta = -2.0) layout(out_in) order(gate_up)
  xfmr.glu_ffn ins(%x : memref<?x8xf16>) gate_up(%w : memref<32x8xf16>) down(%d : memref<8x16xf16>)
      outs(%y : memref<?x8xf16>) activation(sigmoid) layout(out_in) order(gate_up)
  xfmr.glu_ffn ins(%x : memref<?x8xf16>) gate_up(%w : memref<32x8xf16>) down(%d : memref<8x16xf16>)
      outs(%y : memref<?x8xf16>) activation(clamped_swish, limit = 7.0, beta = 1.0, up_offset = 0.0) layout(out_in)
      order(gate_up)
  return
}

// CHECK-LABEL: @hidden_type(
// CHECK: xfmr.ffn {{.+}} layout(in_out){{$}}
// CHECK: xfmr.ffn {{.+}} layout(in_out) hidden_type(f32){{$}}
func.func @hidden_type(%x: memref<8xf16>, %w: memref<8x8xf16>, %y: memref<8xf16>) {
  xfmr.ffn ins(%x : memref<8xf16>) up(%w : memref<8x8xf16>) down(%w : memref<8x8xf16>) outs(%y : memref<8xf16>)
      activation(relu) layout(in_out) hidden_type(f16)
  xfmr.ffn ins(%x : memref<8xf16>) up(%w : memref<8x8xf16>) down(%w : memref<8x8xf16>) outs(%y : memref<8xf16>)
      activation(relu) layout(in_out) hidden_type(f32)
  return
}

// CHECK-LABEL: @zero_biases(
// CHECK: xfmr.glu_ffn ins(%{{.+}}) gate(%{{.+}}) up(%{{.+}}) down(%{{.+}}) up_bias(%{{.+}}) outs(
// CHECK: xfmr.swiglu_ffn ins(%{{.+}}) gate_up(%{{.+}}) down(%{{.+}}) outs(
// CHECK: xfmr.ffn ins(%{{.+}}) up(%{{.+}}) down(%{{.+}}) outs(
func.func @zero_biases(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %p: tensor<8x16xf32>, %b: tensor<8xf32>, %y: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %c0 = arith.constant dense<0.0> : tensor<8xf32>
  %c1 = arith.constant dense<-0.0> : tensor<16xf16>
  %0 = xfmr.glu_ffn ins(%x : tensor<4x8xf32>) gate(%w : tensor<8x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>)
      gate_bias(%c0 : tensor<8xf32>) up_bias(%b : tensor<8xf32>) down_bias(%c0 : tensor<8xf32>) outs(%y : tensor<4x8xf32>)
      activation(relu) layout(in_out) -> tensor<4x8xf32>
  %1 = xfmr.swiglu_ffn ins(%x : tensor<4x8xf32>) gate_up(%p : tensor<8x16xf32>) down(%w : tensor<8x8xf32>)
      gate_up_bias(%c1 : tensor<16xf16>) down_bias(%c0 : tensor<8xf32>) outs(%y : tensor<4x8xf32>)
      layout(in_out) order(gate_up) -> tensor<4x8xf32>
  %2 = xfmr.ffn ins(%x : tensor<4x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>) up_bias(%c0 : tensor<8xf32>)
      down_bias(%c0 : tensor<8xf32>) outs(%y : tensor<4x8xf32>) activation(relu) layout(in_out) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Rows, inputs, hidden elements and outputs, through every layout.
// CHECK-LABEL: @static_dims(
// CHECK: xfmr.glu_ffn ins(%{{.+}} : tensor<4x8xf32>) gate(%{{.+}} : tensor<8x16xf32>) up(%{{.+}} : tensor<16x8xf32>) down(%{{.+}} : tensor<6x16xf32>) gate_bias(%{{.+}} : tensor<16xf32>) down_bias(%{{.+}} : tensor<6xf32>) outs(%{{.+}} : tensor<4x6xf32>)
// CHECK: xfmr.swiglu_ffn ins(%{{.+}} : tensor<?x8xf32>) gate_up(%{{.+}} : tensor<32x8xf32>) down(%{{.+}} : tensor<?x16xf32>) gate_up_bias(%{{.+}} : tensor<32xf32>) outs(%{{.+}} : tensor<?x?xf32>)
// CHECK: xfmr.swiglu_ffn ins(%{{.+}} : tensor<?x8xf32>) gate_up(%{{.+}} : tensor<10x8xf32>) down(%{{.+}} : tensor<?x5xf32>) outs(%{{.+}} : tensor<?x?xf32>)
// CHECK: xfmr.gated_act gate_up(%{{.+}} : tensor<4x14xf32>) outs(%{{.+}} : tensor<4x7xf32>)
// CHECK: xfmr.gated_act gate_up(%{{.+}} : tensor<?x14xf32>) outs(%{{.+}} : tensor<?x7xf32>)
func.func @static_dims(%x: tensor<4x?xf32>, %g: tensor<?x16xf32>, %u: tensor<?x8xf32>, %d: tensor<?x?xf32>, %b: tensor<?xf32>,
                       %b6: tensor<6xf32>, %y: tensor<?x?xf32>, %x8: tensor<?x8xf32>, %b32: tensor<32xf32>,
                       %p: tensor<10x?xf32>, %y7: tensor<4x7xf32>, %p14: tensor<?x14xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<4x7xf32>, tensor<?x?xf32>) {
  %0 = xfmr.glu_ffn ins(%x : tensor<4x?xf32>) gate(%g : tensor<?x16xf32>) up(%u : tensor<?x8xf32>) down(%d : tensor<?x?xf32>)
      gate_bias(%b : tensor<?xf32>) down_bias(%b6 : tensor<6xf32>) outs(%y : tensor<?x?xf32>) activation(relu)
      layout(gate = in_out, up = out_in, down = out_in) -> tensor<?x?xf32>
  %1 = xfmr.swiglu_ffn ins(%x8 : tensor<?x8xf32>) gate_up(%u : tensor<?x8xf32>) down(%d : tensor<?x?xf32>)
      gate_up_bias(%b32 : tensor<32xf32>) outs(%y : tensor<?x?xf32>) layout(out_in) order(gate_up) -> tensor<?x?xf32>
  %2 = xfmr.swiglu_ffn ins(%x8 : tensor<?x8xf32>) gate_up(%p : tensor<10x?xf32>) down(%d : tensor<?x?xf32>)
      outs(%y : tensor<?x?xf32>) layout(out_in) order(gate_up) -> tensor<?x?xf32>
  %3 = xfmr.gated_act gate_up(%y : tensor<?x?xf32>) outs(%y7 : tensor<4x7xf32>) activation(silu) order(gate_up)
      -> tensor<4x7xf32>
  %4 = xfmr.gated_act gate_up(%p14 : tensor<?x14xf32>) outs(%y : tensor<?x?xf32>) activation(silu) order(gate_up)
      -> tensor<?x?xf32>
  return %0, %1, %2, %3, %4 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<4x7xf32>, tensor<?x?xf32>
}
