// RUN: xfmr-opt %s | FileCheck %s
// RUN: xfmr-opt %s -mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s -emit-bytecode | xfmr-opt | FileCheck %s

// CHECK-LABEL: func.func @example(
// CHECK: %{{.+}} = xfmr.gated_act gate_up(%{{.+}} : tensor<?x22016xf16>) outs(%{{.+}} : tensor<?x11008xf16>) activation(silu) order(gate_up) -> tensor<?x11008xf16>
func.func @example(%x: tensor<?x22016xf16>, %y: tensor<?x11008xf16>) -> tensor<?x11008xf16> {
  %0 = xfmr.gated_act gate_up(%x : tensor<?x22016xf16>)
      outs(%y : tensor<?x11008xf16>) activation(silu) order(gate_up)
      -> tensor<?x11008xf16>
  return %0 : tensor<?x11008xf16>
}

// CHECK-LABEL: func.func @two_operands(
// CHECK: %{{.+}} = xfmr.gated_act gate(%{{.+}} : tensor<2x?x8xf16>) up(%{{.+}} : tensor<2x3x8xf32>) outs(%{{.+}} : tensor<2x3x?xbf16>) activation(clamped_swish, limit = 7.0, beta = 1.702, up_offset = 1.0) {test.mark} -> tensor<2x3x?xbf16>
func.func @two_operands(%g: tensor<2x?x8xf16>, %u: tensor<2x3x8xf32>, %y: tensor<2x3x?xbf16>)
    -> tensor<2x3x?xbf16> {
  %0 = xfmr.gated_act gate(%g : tensor<2x?x8xf16>) up(%u : tensor<2x3x8xf32>)
      outs(%y : tensor<2x3x?xbf16>) activation(clamped_swish, limit = 7.0, beta = 1.702,
      up_offset = 1.0) {test.mark} -> tensor<2x3x?xbf16>
  return %0 : tensor<2x3x?xbf16>
}

// CHECK-LABEL: func.func @memrefs(
// CHECK: xfmr.gated_act gate_up(%{{.+}} : memref<16xf64>) outs(%{{.+}} : memref<8xf64>) activation(swish, beta = -1.0) order(interleaved)
// CHECK: xfmr.gated_act gate_up(%{{.+}} : memref<16xf64>) outs(%{{.+}} : memref<8xf64>) activation(gelu_erf) order(up_gate)
// CHECK: xfmr.gated_act gate(%{{.+}} : memref<8xf64>) up(%{{.+}} : memref<8xf64>) outs(%{{.+}} : memref<8xf64>) activation(identity)
func.func @memrefs(%x: memref<16xf64>, %y: memref<8xf64>) {
  xfmr.gated_act gate_up(%x : memref<16xf64>) outs(%y : memref<8xf64>) activation(swish, beta = -1.0)
      order(interleaved)
  xfmr.gated_act gate_up(%x : memref<16xf64>) outs(%y : memref<8xf64>) activation(gelu_erf)
      order(up_gate)
  // The destination may be the gate.
  xfmr.gated_act gate(%y : memref<8xf64>) up(%y : memref<8xf64>) outs(%y : memref<8xf64>)
      activation(identity)
  return
}
