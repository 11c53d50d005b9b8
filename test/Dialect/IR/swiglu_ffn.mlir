// RUN: xfmr-opt %s | FileCheck %s
// RUN: xfmr-opt %s -mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s -emit-bytecode | xfmr-opt | FileCheck %s

// CHECK-LABEL: func.func @example(
// CHECK: %{{.+}} = xfmr.swiglu_ffn ins(%{{.+}} : tensor<?x576xbf16>) gate(%{{.+}} : tensor<1536x576xbf16>) up(%{{.+}} : tensor<1536x576xbf16>) down(%{{.+}} : tensor<576x1536xbf16>) outs(%{{.+}} : tensor<?x576xbf16>) layout(out_in) -> tensor<?x576xbf16>
func.func @example(%x: tensor<?x576xbf16>, %g: tensor<1536x576xbf16>, %u: tensor<1536x576xbf16>,
                   %d: tensor<576x1536xbf16>, %y: tensor<?x576xbf16>) -> tensor<?x576xbf16> {
  %0 = xfmr.swiglu_ffn ins(%x : tensor<?x576xbf16>)
      gate(%g : tensor<1536x576xbf16>) up(%u : tensor<1536x576xbf16>)
      down(%d : tensor<576x1536xbf16>) outs(%y : tensor<?x576xbf16>)
      layout(out_in) -> tensor<?x576xbf16>
  return %0 : tensor<?x576xbf16>
}

// CHECK-LABEL: func.func @all(
// CHECK: %{{.+}} = xfmr.swiglu_ffn ins(%{{.+}} : tensor<2x3x8xf16>) gate(%{{.+}} : tensor<8x16xf32>) up(%{{.+}} : tensor<16x8xf32>) down(%{{.+}} : tensor<16x5xf16>) gate_bias(%{{.+}} : tensor<16xf16>) up_bias(%{{.+}} : tensor<16xf32>) down_bias(%{{.+}} : tensor<5xbf16>) outs(%{{.+}} : tensor<2x3x5xf32>) beta(1.5) layout(gate = in_out, up = out_in, down = in_out) hidden_type(bf16) {test.mark} -> tensor<2x3x5xf32>
func.func @all(%x: tensor<2x3x8xf16>, %g: tensor<8x16xf32>, %u: tensor<16x8xf32>,
               %d: tensor<16x5xf16>, %gb: tensor<16xf16>, %ub: tensor<16xf32>, %db: tensor<5xbf16>,
               %y: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = xfmr.swiglu_ffn ins(%x : tensor<2x3x8xf16>) gate(%g : tensor<8x16xf32>)
      up(%u : tensor<16x8xf32>) down(%d : tensor<16x5xf16>) gate_bias(%gb : tensor<16xf16>)
      up_bias(%ub : tensor<16xf32>) down_bias(%db : tensor<5xbf16>) outs(%y : tensor<2x3x5xf32>)
      beta(1.5) layout(gate = in_out, up = out_in, down = in_out) hidden_type(bf16) {test.mark}
      -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @packed(
// CHECK: %{{.+}} = xfmr.swiglu_ffn ins(%{{.+}} : tensor<?x8xf32>) gate_up(%{{.+}} : tensor<?x8xf32>) down(%{{.+}} : tensor<8x16xf32>) gate_up_bias(%{{.+}} : tensor<32xf32>) outs(%{{.+}} : tensor<?x8xf32>) layout(out_in) order(gate_up) -> tensor<?x8xf32>
func.func @packed(%x: tensor<?x8xf32>, %w: tensor<?x8xf32>, %d: tensor<8x16xf32>,
                  %gb: tensor<32xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = xfmr.swiglu_ffn ins(%x : tensor<?x8xf32>) gate_up(%w : tensor<?x8xf32>)
      down(%d : tensor<8x16xf32>) gate_up_bias(%gb : tensor<32xf32>) outs(%y : tensor<?x8xf32>)
      beta(1.0) layout(out_in) order(gate_up) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @memrefs(
// CHECK: xfmr.swiglu_ffn ins(%{{.+}} : memref<8xf32>) gate(%{{.+}} : memref<8x16xf32>) up(%{{.+}} : memref<8x16xf32>) down(%{{.+}} : memref<16x8xf32>) outs(%{{.+}} : memref<8xf32>) layout(in_out)
func.func @memrefs(%x: memref<8xf32>, %g: memref<8x16xf32>, %d: memref<16x8xf32>,
                   %y: memref<8xf32>) {
  xfmr.swiglu_ffn ins(%x : memref<8xf32>) gate(%g : memref<8x16xf32>) up(%g : memref<8x16xf32>)
      down(%d : memref<16x8xf32>) outs(%y : memref<8xf32>) layout(in_out)
  return
}
