// RUN: xfmr-opt %s | FileCheck %s
// RUN: xfmr-opt %s -mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s -emit-bytecode | xfmr-opt | FileCheck %s

// CHECK-LABEL: func.func @example(
// CHECK: %{{.+}} = xfmr.glu_ffn ins(%{{.+}} : tensor<?x2560xbf16>) gate(%{{.+}} : tensor<10240x2560xbf16>) up(%{{.+}} : tensor<10240x2560xbf16>) down(%{{.+}} : tensor<2560x10240xbf16>) outs(%{{.+}} : tensor<?x2560xbf16>) activation(gelu_tanh) layout(out_in) -> tensor<?x2560xbf16>
func.func @example(%x: tensor<?x2560xbf16>, %g: tensor<10240x2560xbf16>,
                   %u: tensor<10240x2560xbf16>, %d: tensor<2560x10240xbf16>,
                   %y: tensor<?x2560xbf16>) -> tensor<?x2560xbf16> {
  %0 = xfmr.glu_ffn ins(%x : tensor<?x2560xbf16>)
      gate(%g : tensor<10240x2560xbf16>) up(%u : tensor<10240x2560xbf16>)
      down(%d : tensor<2560x10240xbf16>) outs(%y : tensor<?x2560xbf16>)
      activation(gelu_tanh) layout(out_in) -> tensor<?x2560xbf16>
  return %0 : tensor<?x2560xbf16>
}

// Each layout of the three weights, and all biases.
// CHECK-LABEL: func.func @layouts(
// CHECK: %{{.+}} = xfmr.glu_ffn ins(%{{.+}} : tensor<?x8xf32>) gate(%{{.+}} : tensor<8x16xf32>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<16x8xf32>) gate_bias(%{{.+}} : tensor<16xf32>) up_bias(%{{.+}} : tensor<16xf32>) down_bias(%{{.+}} : tensor<8xf32>) outs(%{{.+}} : tensor<?x8xf32>) activation(relu) layout(in_out) -> tensor<?x8xf32>
// CHECK: %{{.+}} = xfmr.glu_ffn ins(%{{.+}} : tensor<?x8xf32>) gate(%{{.+}} : tensor<16x8xf32>) up(%{{.+}} : tensor<16x8xf32>) down(%{{.+}} : tensor<16x8xf32>) outs(%{{.+}} : tensor<?x8xf32>) activation(sigmoid) layout(gate_up = out_in, down = in_out) -> tensor<?x8xf32>
// CHECK: %{{.+}} = xfmr.glu_ffn ins(%{{.+}} : tensor<?x8xf32>) gate(%{{.+}} : tensor<16x8xf32>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<16x8xf32>) outs(%{{.+}} : tensor<?x8xf32>) activation(identity) layout(gate = out_in, up = in_out, down = in_out) -> tensor<?x8xf32>
// CHECK: %{{.+}} = xfmr.glu_ffn ins(%{{.+}} : tensor<?x8xf32>) gate(%{{.+}} : tensor<8x16xf32>) up(%{{.+}} : tensor<16x8xf32>) down(%{{.+}} : tensor<8x16xf32>) outs(%{{.+}} : tensor<?x8xf32>) activation(gelu_erf) layout(gate = in_out, up = out_in, down = out_in) -> tensor<?x8xf32>
func.func @layouts(%x: tensor<?x8xf32>, %io: tensor<8x16xf32>, %oi: tensor<16x8xf32>,
                   %h: tensor<16xf32>, %b: tensor<8xf32>, %y: tensor<?x8xf32>) {
  %0 = xfmr.glu_ffn ins(%x : tensor<?x8xf32>) gate(%io : tensor<8x16xf32>) up(%io : tensor<8x16xf32>)
      down(%oi : tensor<16x8xf32>) gate_bias(%h : tensor<16xf32>) up_bias(%h : tensor<16xf32>)
      down_bias(%b : tensor<8xf32>) outs(%y : tensor<?x8xf32>) activation(relu) layout(in_out)
      -> tensor<?x8xf32>
  %1 = xfmr.glu_ffn ins(%x : tensor<?x8xf32>) gate(%oi : tensor<16x8xf32>) up(%oi : tensor<16x8xf32>)
      down(%oi : tensor<16x8xf32>) outs(%y : tensor<?x8xf32>) activation(sigmoid)
      layout(gate_up = out_in, down = in_out) -> tensor<?x8xf32>
  %2 = xfmr.glu_ffn ins(%x : tensor<?x8xf32>) gate(%oi : tensor<16x8xf32>) up(%io : tensor<8x16xf32>)
      down(%oi : tensor<16x8xf32>) outs(%y : tensor<?x8xf32>) activation(identity)
      layout(gate = out_in, up = in_out, down = in_out) -> tensor<?x8xf32>
  %3 = xfmr.glu_ffn ins(%x : tensor<?x8xf32>) gate(%io : tensor<8x16xf32>) up(%oi : tensor<16x8xf32>)
      down(%io : tensor<8x16xf32>) outs(%y : tensor<?x8xf32>) activation(gelu_erf)
      layout(down = out_in, up = out_in, gate = in_out) -> tensor<?x8xf32>
  return
}

// Packed, in each order; the gate of gpt-oss.
// CHECK-LABEL: func.func @packed(
// CHECK: %{{.+}} = xfmr.glu_ffn ins(%{{.+}} : tensor<?x8xf16>) gate_up(%{{.+}} : tensor<32x8xbf16>) down(%{{.+}} : tensor<8x16xf16>) gate_up_bias(%{{.+}} : tensor<32xf32>) outs(%{{.+}} : tensor<?x8xf16>) activation(clamped_swish, limit = 7.0, beta = 1.702, up_offset = 1.0) layout(out_in) order(interleaved) hidden_type(f32) -> tensor<?x8xf16>
// CHECK: %{{.+}} = xfmr.glu_ffn ins(%{{.+}} : tensor<?x8xf16>) gate_up(%{{.+}} : tensor<32x8xbf16>) down(%{{.+}} : tensor<8x16xf16>) outs(%{{.+}} : tensor<?x8xf16>) activation(tanh) layout(out_in) order(gate_up) -> tensor<?x8xf16>
// CHECK: %{{.+}} = xfmr.glu_ffn ins(%{{.+}} : tensor<?x8xf16>) gate_up(%{{.+}} : tensor<8x32xbf16>) down(%{{.+}} : tensor<8x16xf16>) outs(%{{.+}} : tensor<?x8xf16>) activation(relu2) layout(gate_up = in_out, down = out_in) order(up_gate) {test.mark} -> tensor<?x8xf16>
func.func @packed(%x: tensor<?x8xf16>, %w: tensor<32x8xbf16>, %wt: tensor<8x32xbf16>,
                  %d: tensor<8x16xf16>, %gb: tensor<32xf32>, %y: tensor<?x8xf16>) {
  %0 = xfmr.glu_ffn ins(%x : tensor<?x8xf16>) gate_up(%w : tensor<32x8xbf16>)
      down(%d : tensor<8x16xf16>) gate_up_bias(%gb : tensor<32xf32>) outs(%y : tensor<?x8xf16>)
      activation(clamped_swish, limit = 7.0, beta = 1.702, up_offset = 1.0) layout(out_in)
      order(interleaved) hidden_type(f32) -> tensor<?x8xf16>
  %1 = xfmr.glu_ffn ins(%x : tensor<?x8xf16>) gate_up(%w : tensor<32x8xbf16>)
      down(%d : tensor<8x16xf16>) outs(%y : tensor<?x8xf16>) activation(tanh) layout(out_in)
      order(gate_up) -> tensor<?x8xf16>
  %2 = xfmr.glu_ffn ins(%x : tensor<?x8xf16>) gate_up(%wt : tensor<8x32xbf16>)
      down(%d : tensor<8x16xf16>) outs(%y : tensor<?x8xf16>) activation(relu2)
      layout(gate_up = in_out, down = out_in) order(up_gate) {test.mark} -> tensor<?x8xf16>
  return
}

// CHECK-LABEL: func.func @memrefs(
// CHECK: xfmr.glu_ffn ins(%{{.+}} : memref<?x8xf32>) gate_up(%{{.+}} : memref<8x?xf32>) down(%{{.+}} : memref<?x8xf32>) outs(%{{.+}} : memref<?x8xf32>) activation(relu) layout(in_out) order(gate_up)
func.func @memrefs(%x: memref<?x8xf32>, %w: memref<8x?xf32>, %d: memref<?x8xf32>,
                   %y: memref<?x8xf32>) {
  xfmr.glu_ffn ins(%x : memref<?x8xf32>) gate_up(%w : memref<8x?xf32>) down(%d : memref<?x8xf32>)
      outs(%y : memref<?x8xf32>) activation(relu) layout(in_out) order(gate_up)
  return
}
