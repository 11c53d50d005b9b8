// RUN: xfmr-opt %s | FileCheck %s
// RUN: xfmr-opt %s -mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s -emit-bytecode | xfmr-opt | FileCheck %s

// CHECK-LABEL: func.func @example(
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<?x768xf32>) up(%{{.+}} : tensor<768x3072xf32>) down(%{{.+}} : tensor<3072x768xf32>) up_bias(%{{.+}} : tensor<3072xf32>) down_bias(%{{.+}} : tensor<768xf32>) outs(%{{.+}} : tensor<?x768xf32>) activation(gelu_tanh) layout(in_out) -> tensor<?x768xf32>
func.func @example(%x: tensor<?x768xf32>, %w1: tensor<768x3072xf32>, %w2: tensor<3072x768xf32>,
                   %b1: tensor<3072xf32>, %b2: tensor<768xf32>, %y: tensor<?x768xf32>)
    -> tensor<?x768xf32> {
  %0 = xfmr.ffn ins(%x : tensor<?x768xf32>) up(%w1 : tensor<768x3072xf32>)
      down(%w2 : tensor<3072x768xf32>) up_bias(%b1 : tensor<3072xf32>)
      down_bias(%b2 : tensor<768xf32>) outs(%y : tensor<?x768xf32>)
      activation(gelu_tanh) layout(in_out) -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}

// Each activation, on a row alone; the result has other types and widths.
// CHECK-LABEL: func.func @activations(
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<8xbf16>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<4x16xf16>) outs(%{{.+}} : tensor<4xf32>) activation(identity) layout(up = in_out, down = out_in) -> tensor<4xf32>
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<8xbf16>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<4x16xf16>) outs(%{{.+}} : tensor<4xf32>) activation(relu) layout(up = in_out, down = out_in) -> tensor<4xf32>
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<8xbf16>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<4x16xf16>) outs(%{{.+}} : tensor<4xf32>) activation(relu2) layout(up = in_out, down = out_in) -> tensor<4xf32>
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<8xbf16>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<4x16xf16>) outs(%{{.+}} : tensor<4xf32>) activation(gelu_erf) layout(up = in_out, down = out_in) -> tensor<4xf32>
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<8xbf16>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<4x16xf16>) outs(%{{.+}} : tensor<4xf32>) activation(quick_gelu) layout(up = in_out, down = out_in) -> tensor<4xf32>
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<8xbf16>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<4x16xf16>) outs(%{{.+}} : tensor<4xf32>) activation(silu) layout(up = in_out, down = out_in) -> tensor<4xf32>
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<8xbf16>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<4x16xf16>) outs(%{{.+}} : tensor<4xf32>) activation(swish, beta = 1.702) layout(up = in_out, down = out_in) -> tensor<4xf32>
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<8xbf16>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<4x16xf16>) outs(%{{.+}} : tensor<4xf32>) activation(sigmoid) layout(up = in_out, down = out_in) hidden_type(f16) -> tensor<4xf32>
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<8xbf16>) up(%{{.+}} : tensor<8x16xf32>) down(%{{.+}} : tensor<4x16xf16>) outs(%{{.+}} : tensor<4xf32>) activation(tanh) layout(up = in_out, down = out_in) hidden_type(f32) {test.mark} -> tensor<4xf32>
func.func @activations(%x: tensor<8xbf16>, %w1: tensor<8x16xf32>, %w2: tensor<4x16xf16>,
                       %y: tensor<4xf32>) {
  %0 = xfmr.ffn ins(%x : tensor<8xbf16>) up(%w1 : tensor<8x16xf32>) down(%w2 : tensor<4x16xf16>)
      outs(%y : tensor<4xf32>) activation(identity) layout(up = in_out, down = out_in)
      -> tensor<4xf32>
  %1 = xfmr.ffn ins(%x : tensor<8xbf16>) up(%w1 : tensor<8x16xf32>) down(%w2 : tensor<4x16xf16>)
      outs(%y : tensor<4xf32>) activation(relu) layout(down = out_in, up = in_out)
      -> tensor<4xf32>
  %2 = xfmr.ffn ins(%x : tensor<8xbf16>) up(%w1 : tensor<8x16xf32>) down(%w2 : tensor<4x16xf16>)
      outs(%y : tensor<4xf32>) activation(relu2) layout(up = in_out, down = out_in)
      -> tensor<4xf32>
  %3 = xfmr.ffn ins(%x : tensor<8xbf16>) up(%w1 : tensor<8x16xf32>) down(%w2 : tensor<4x16xf16>)
      outs(%y : tensor<4xf32>) activation(gelu_erf) layout(up = in_out, down = out_in)
      -> tensor<4xf32>
  %4 = xfmr.ffn ins(%x : tensor<8xbf16>) up(%w1 : tensor<8x16xf32>) down(%w2 : tensor<4x16xf16>)
      outs(%y : tensor<4xf32>) activation(quick_gelu) layout(up = in_out, down = out_in)
      -> tensor<4xf32>
  %5 = xfmr.ffn ins(%x : tensor<8xbf16>) up(%w1 : tensor<8x16xf32>) down(%w2 : tensor<4x16xf16>)
      outs(%y : tensor<4xf32>) activation(silu) layout(up = in_out, down = out_in)
      -> tensor<4xf32>
  %6 = xfmr.ffn ins(%x : tensor<8xbf16>) up(%w1 : tensor<8x16xf32>) down(%w2 : tensor<4x16xf16>)
      outs(%y : tensor<4xf32>) activation(swish, beta = 1.702) layout(up = in_out, down = out_in)
      -> tensor<4xf32>
  %7 = xfmr.ffn ins(%x : tensor<8xbf16>) up(%w1 : tensor<8x16xf32>) down(%w2 : tensor<4x16xf16>)
      outs(%y : tensor<4xf32>) activation(sigmoid) layout(up = in_out, down = out_in)
      hidden_type(f16) -> tensor<4xf32>
  %8 = xfmr.ffn ins(%x : tensor<8xbf16>) up(%w1 : tensor<8x16xf32>) down(%w2 : tensor<4x16xf16>)
      outs(%y : tensor<4xf32>) activation(tanh) layout(up = in_out, down = out_in)
      hidden_type(f32) {test.mark} -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @memrefs(
// CHECK: xfmr.ffn ins(%{{.+}} : memref<2x?x8xf64>) up(%{{.+}} : memref<16x8xf32>) down(%{{.+}} : memref<?x16xf64>) down_bias(%{{.+}} : memref<?xf64>) outs(%{{.+}} : memref<2x?x?xf64>) activation(relu) layout(out_in)
func.func @memrefs(%x: memref<2x?x8xf64>, %w1: memref<16x8xf32>, %w2: memref<?x16xf64>,
                   %b: memref<?xf64>, %y: memref<2x?x?xf64>) {
  xfmr.ffn ins(%x : memref<2x?x8xf64>) up(%w1 : memref<16x8xf32>) down(%w2 : memref<?x16xf64>)
      down_bias(%b : memref<?xf64>) outs(%y : memref<2x?x?xf64>) activation(relu) layout(out_in)
  return
}

// No hidden element.
// CHECK-LABEL: func.func @no_hidden(
// CHECK: %{{.+}} = xfmr.ffn ins(%{{.+}} : tensor<4x8xf32>) up(%{{.+}} : tensor<8x0xf32>) down(%{{.+}} : tensor<0x8xf32>) outs(%{{.+}} : tensor<4x8xf32>) activation(relu) layout(in_out) -> tensor<4x8xf32>
func.func @no_hidden(%x: tensor<4x8xf32>, %w1: tensor<8x0xf32>, %w2: tensor<0x8xf32>,
                     %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = xfmr.ffn ins(%x : tensor<4x8xf32>) up(%w1 : tensor<8x0xf32>) down(%w2 : tensor<0x8xf32>)
      outs(%y : tensor<4x8xf32>) activation(relu) layout(in_out) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
