// RUN: xfmr-opt %s | FileCheck %s
// RUN: xfmr-opt %s -mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s -emit-bytecode | xfmr-opt | FileCheck %s

// CHECK-LABEL: func.func @example(
// CHECK: %{{.+}} = xfmr.residual_block pre ins(%{{.+}} : tensor<?x576xbf16>) norm1(<rmsnorm, eps = 1.0e-05, rounding = cast_then_scale> gamma(%{{.+}} : tensor<576xf32>)) outs(%{{.+}} : tensor<?x576xbf16>) {
// CHECK: %{{.+}} = xfmr.swiglu_ffn ins(%{{.+}} : tensor<?x576xbf16>) gate(%{{.+}} : tensor<1536x576xbf16>) up(%{{.+}} : tensor<1536x576xbf16>) down(%{{.+}} : tensor<576x1536xbf16>) outs(%{{.+}} : tensor<?x576xbf16>) layout(out_in) -> tensor<?x576xbf16>
// CHECK: xfmr.yield %{{.+}} : tensor<?x576xbf16>
func.func @example(%x: tensor<?x576xbf16>, %g: tensor<576xf32>, %wg: tensor<1536x576xbf16>,
                   %wu: tensor<1536x576xbf16>, %wd: tensor<576x1536xbf16>, %y: tensor<?x576xbf16>)
    -> tensor<?x576xbf16> {
  %0 = xfmr.residual_block pre ins(%x : tensor<?x576xbf16>)
      norm1(<rmsnorm, eps = 1.0e-05, rounding = cast_then_scale>
            gamma(%g : tensor<576xf32>))
      outs(%y : tensor<?x576xbf16>) {
  ^bb0(%z: tensor<?x576xbf16>):
    %f = xfmr.swiglu_ffn ins(%z : tensor<?x576xbf16>)
        gate(%wg : tensor<1536x576xbf16>) up(%wu : tensor<1536x576xbf16>)
        down(%wd : tensor<576x1536xbf16>) outs(%y : tensor<?x576xbf16>)
        layout(out_in) -> tensor<?x576xbf16>
    xfmr.yield %f : tensor<?x576xbf16>
  } -> tensor<?x576xbf16>
  return %0 : tensor<?x576xbf16>
}

// Gemma 2's: a norm before and a norm after the sub-layer.
// CHECK-LABEL: func.func @sandwich(
// CHECK: %{{.+}} = xfmr.residual_block sandwich ins(%{{.+}} : tensor<?x8xbf16>) norm1(<rmsnorm, eps = 1.0e-06, weight_offset = 1.0, rounding = scale_then_cast> gamma(%{{.+}} : tensor<8xbf16>)) norm2(<rmsnorm, eps = 1.0e-06, weight_offset = 1.0, rounding = scale_then_cast> gamma(%{{.+}} : tensor<8xbf16>)) outs(%{{.+}} : tensor<?x8xbf16>) {
// CHECK: xfmr.yield %{{.+}} : tensor<?x8xbf16>
func.func @sandwich(%x: tensor<?x8xbf16>, %g1: tensor<8xbf16>, %g2: tensor<8xbf16>,
                    %y: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %0 = xfmr.residual_block sandwich ins(%x : tensor<?x8xbf16>)
      norm1(<rmsnorm, eps = 1.0e-06, weight_offset = 1.0, rounding = scale_then_cast>
            gamma(%g1 : tensor<8xbf16>))
      norm2(<rmsnorm, weight_offset = 1.0, eps = 1.0e-06, rounding = scale_then_cast>
            gamma(%g2 : tensor<8xbf16>))
      outs(%y : tensor<?x8xbf16>) {
  ^bb0(%z: tensor<?x8xbf16>):
    xfmr.yield %z : tensor<?x8xbf16>
  } -> tensor<?x8xbf16>
  return %0 : tensor<?x8xbf16>
}

// DeepNet's, with everything that a norm may say, and a mask.
// CHECK-LABEL: func.func @post(
// CHECK: %{{.+}} = xfmr.residual_block post ins(%{{.+}} : tensor<2x?x8xf16>) norm1(<layernorm, eps = 1.0e-05, eps_position = outside, unbiased, weight_offset = 0.5, rounding = cast_then_scale<bf16>> gamma(%{{.+}} : tensor<8xf32>) beta(%{{.+}} : tensor<?xf32>)) mask(%{{.+}} : tensor<2x?xi1>) outs(%{{.+}} : tensor<2x?x8xf16>) alpha(2.0) residual_rounding(norm_then_round) attributes {test.mark} {
// CHECK: xfmr.yield %{{.+}} : tensor<2x?x8xf16>
func.func @post(%x: tensor<2x?x8xf16>, %g: tensor<8xf32>, %b: tensor<?xf32>, %m: tensor<2x?xi1>,
                %y: tensor<2x?x8xf16>) -> tensor<2x?x8xf16> {
  %0 = xfmr.residual_block post ins(%x : tensor<2x?x8xf16>)
      norm1(<layernorm, eps = 1.0e-05, eps_position = outside, unbiased, weight_offset = 0.5,
             rounding = cast_then_scale<bf16>> gamma(%g : tensor<8xf32>) beta(%b : tensor<?xf32>))
      mask(%m : tensor<2x?xi1>) outs(%y : tensor<2x?x8xf16>) alpha(2.0)
      residual_rounding(norm_then_round) attributes {test.mark} {
  ^bb0(%z: tensor<2x?x8xf16>):
    xfmr.yield %z : tensor<2x?x8xf16>
  } -> tensor<2x?x8xf16>
  return %0 : tensor<2x?x8xf16>
}

// OLMo2's; the statistic of the L2 norm.
// CHECK-LABEL: func.func @branch_post(
// CHECK: %{{.+}} = xfmr.residual_block branch_post ins(%{{.+}} : tensor<8xf64>) norm1(<rmsnorm, eps = 0.0, statistic = l2>) outs(%{{.+}} : tensor<8xf64>) {
// CHECK: xfmr.yield %{{.+}} : tensor<8xf64>
func.func @branch_post(%x: tensor<8xf64>, %y: tensor<8xf64>) -> tensor<8xf64> {
  %0 = xfmr.residual_block branch_post ins(%x : tensor<8xf64>)
      norm1(<rmsnorm, eps = 0.0, statistic = l2>) outs(%y : tensor<8xf64>) {
  ^bb0(%z: tensor<8xf64>):
    xfmr.yield %z : tensor<8xf64>
  } -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// CHECK-LABEL: func.func @none(
// CHECK: %{{.+}} = xfmr.residual_block none ins(%{{.+}} : tensor<4x8xbf16>) outs(%{{.+}} : tensor<4x8xbf16>) {
// CHECK: xfmr.yield %{{.+}} : tensor<4x8xbf16>
func.func @none(%x: tensor<4x8xbf16>, %y: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = xfmr.residual_block none ins(%x : tensor<4x8xbf16>) outs(%y : tensor<4x8xbf16>) {
  ^bb0(%z: tensor<4x8xbf16>):
    xfmr.yield %z : tensor<4x8xbf16>
  } -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// CHECK-LABEL: func.func @memrefs(
// CHECK: xfmr.residual_block pre ins(%{{.+}} : memref<?x8xf32>) norm1(<layernorm, eps = 1.0e-05>) mask(%{{.+}} : memref<?xi1>) outs(%{{.+}} : memref<?x8xf32>) {
// CHECK: xfmr.yield %{{.+}} : memref<?x8xf32>
// CHECK: xfmr.residual_block none ins(%{{.+}} : memref<?x8xf32>) outs(%{{.+}} : memref<?x8xf32>) {
// CHECK: xfmr.yield %{{.+}} : memref<?x8xf32>
func.func @memrefs(%x: memref<?x8xf32>, %m: memref<?xi1>, %y: memref<?x8xf32>) {
  xfmr.residual_block pre ins(%x : memref<?x8xf32>) norm1(<layernorm, eps = 1.0e-05>)
      mask(%m : memref<?xi1>) outs(%y : memref<?x8xf32>) {
  ^bb0(%z: memref<?x8xf32>):
    xfmr.yield %z : memref<?x8xf32>
  }
  // The destination may be x.
  xfmr.residual_block none ins(%x : memref<?x8xf32>) outs(%x : memref<?x8xf32>) {
  ^bb0(%z: memref<?x8xf32>):
    xfmr.yield %y : memref<?x8xf32>
  }
  return
}
