// RUN: xfmr-opt %s | FileCheck %s
// RUN: xfmr-opt %s -mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s -emit-bytecode | xfmr-opt | FileCheck %s

// CHECK-LABEL: func.func @example(
// CHECK: %{{.+}} = xfmr.add_layernorm ins(%{{.+}} : tensor<?x768xf32>) residual(%{{.+}} : tensor<?x768xf32>) gamma(%{{.+}} : tensor<768xf32>) beta(%{{.+}} : tensor<768xf32>) outs(%{{.+}} : tensor<?x768xf32>) eps(1.0e-12) -> tensor<?x768xf32>
func.func @example(%x: tensor<?x768xf32>, %r: tensor<?x768xf32>, %g: tensor<768xf32>,
                   %b: tensor<768xf32>, %y: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %norm = xfmr.add_layernorm ins(%x : tensor<?x768xf32>)
      residual(%r : tensor<?x768xf32>) gamma(%g : tensor<768xf32>)
      beta(%b : tensor<768xf32>) outs(%y : tensor<?x768xf32>) eps(1.0e-12)
      -> tensor<?x768xf32>
  return %norm : tensor<?x768xf32>
}

// CHECK-LABEL: func.func @all(
// CHECK: %{{.+}} = xfmr.add_layernorm ins(%{{.+}} : tensor<3x8xbf16>) residual(%{{.+}} : tensor<3x8xbf16>) gamma(%{{.+}} : tensor<8xbf16>) beta(%{{.+}} : tensor<8xbf16>) sum(%{{.+}} : tensor<3x8xbf16>) outs(%{{.+}} : tensor<3x8xbf16>) rstd(%{{.+}} : tensor<3xf32>) mean(%{{.+}} : tensor<3xf32>) alpha(2.9130000000000003) eps(1.0e-05) eps_position(outside) unbiased weight_offset(1.0) residual_rounding(round_then_norm) rounding(cast_then_scale<f16>) -> tensor<3x8xbf16>, tensor<3x8xbf16>, tensor<3xf32>, tensor<3xf32>
func.func @all(%x: tensor<3x8xbf16>, %r: tensor<3x8xbf16>, %g: tensor<8xbf16>, %b: tensor<8xbf16>,
               %s: tensor<3x8xbf16>, %y: tensor<3x8xbf16>, %v: tensor<3xf32>, %m: tensor<3xf32>)
    -> (tensor<3x8xbf16>, tensor<3x8xbf16>, tensor<3xf32>, tensor<3xf32>) {
  %sum, %norm, %rstd, %mean = xfmr.add_layernorm ins(%x : tensor<3x8xbf16>)
      residual(%r : tensor<3x8xbf16>) gamma(%g : tensor<8xbf16>) beta(%b : tensor<8xbf16>)
      sum(%s : tensor<3x8xbf16>) outs(%y : tensor<3x8xbf16>) rstd(%v : tensor<3xf32>)
      mean(%m : tensor<3xf32>) alpha(2.9130000000000003) eps(1.0e-05) eps_position(outside) unbiased
      weight_offset(1.0) normalized_dims(1) residual_rounding(round_then_norm)
      rounding(cast_then_scale<f16>) -> tensor<3x8xbf16>, tensor<3x8xbf16>, tensor<3xf32>, tensor<3xf32>
  return %sum, %norm, %rstd, %mean : tensor<3x8xbf16>, tensor<3x8xbf16>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @memrefs(
// CHECK: xfmr.add_layernorm ins(%{{.+}} : memref<?x8xf16>) residual(%{{.+}} : memref<?x8xf16>) outs(%{{.+}} : memref<?x8xf16>) mean(%{{.+}} : memref<?xf32>) eps(1.0e-05) residual_rounding(norm_then_round) rounding(scale_then_cast)
func.func @memrefs(%x: memref<?x8xf16>, %r: memref<?x8xf16>, %y: memref<?x8xf16>,
                   %m: memref<?xf32>) {
  xfmr.add_layernorm ins(%x : memref<?x8xf16>) residual(%r : memref<?x8xf16>)
      outs(%y : memref<?x8xf16>) mean(%m : memref<?xf32>) eps(1.0e-05)
      residual_rounding(norm_then_round) rounding(scale_then_cast)
  return
}
