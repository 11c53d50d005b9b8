// RUN: xfmr-opt %s | FileCheck %s
// RUN: xfmr-opt %s -mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s -emit-bytecode | xfmr-opt | FileCheck %s

// CHECK-LABEL: func.func @example(
// CHECK: %{{.+}} = xfmr.layernorm ins(%{{.+}} : tensor<?x768xf32>) gamma(%{{.+}} : tensor<768xf32>) beta(%{{.+}} : tensor<768xf32>) outs(%{{.+}} : tensor<?x768xf32>) eps(1.0e-12) -> tensor<?x768xf32>
func.func @example(%x: tensor<?x768xf32>, %g: tensor<768xf32>, %b: tensor<768xf32>,
                   %y: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %0 = xfmr.layernorm ins(%x : tensor<?x768xf32>) gamma(%g : tensor<768xf32>)
      beta(%b : tensor<768xf32>) outs(%y : tensor<?x768xf32>) eps(1.0e-12)
      -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}

// CHECK-LABEL: func.func @least(
// CHECK: %{{.+}} = xfmr.layernorm ins(%{{.+}} : tensor<1xf64>) outs(%{{.+}} : tensor<1xf64>) eps(1.0) -> tensor<1xf64>
func.func @least(%y: tensor<1xf64>, %z: tensor<1xf64>) -> tensor<1xf64> {
  %0 = xfmr.layernorm ins(%y : tensor<1xf64>) outs(%z : tensor<1xf64>) eps(1.0) -> tensor<1xf64>
  return %0 : tensor<1xf64>
}

// CHECK-LABEL: func.func @all(
// CHECK: %{{.+}} = xfmr.layernorm ins(%{{.+}} : tensor<2x?x4x8xbf16>) gamma(%{{.+}} : tensor<?x4x8xf16>) beta(%{{.+}} : tensor<?x4x8xf32>) outs(%{{.+}} : tensor<2x?x4x8xf16>) rstd(%{{.+}} : tensor<2xf32>) mean(%{{.+}} : tensor<2xf32>) eps(1.0e-38) eps_position(outside) unbiased weight_offset(-0.5) normalized_dims(3) rounding(scale_then_cast) {test.mark} -> tensor<2x?x4x8xf16>, tensor<2xf32>, tensor<2xf32>
func.func @all(%x: tensor<2x?x4x8xbf16>, %g: tensor<?x4x8xf16>, %b: tensor<?x4x8xf32>,
               %y: tensor<2x?x4x8xf16>, %r: tensor<2xf32>, %m: tensor<2xf32>)
    -> (tensor<2x?x4x8xf16>, tensor<2xf32>, tensor<2xf32>) {
  %y1, %rstd, %mean = xfmr.layernorm ins(%x : tensor<2x?x4x8xbf16>) gamma(%g : tensor<?x4x8xf16>)
      beta(%b : tensor<?x4x8xf32>) outs(%y : tensor<2x?x4x8xf16>) rstd(%r : tensor<2xf32>)
      mean(%m : tensor<2xf32>) eps(1.0e-38) eps_position(outside) unbiased weight_offset(-0.5)
      normalized_dims(3) rounding(scale_then_cast) {test.mark}
      -> tensor<2x?x4x8xf16>, tensor<2xf32>, tensor<2xf32>
  return %y1, %rstd, %mean : tensor<2x?x4x8xf16>, tensor<2xf32>, tensor<2xf32>
}

// A mean without an rstd.
// CHECK-LABEL: func.func @mean(
// CHECK: %{{.+}} = xfmr.layernorm ins(%{{.+}} : tensor<4x8xf64>) outs(%{{.+}} : tensor<4x8xf64>) mean(%{{.+}} : tensor<4xf64>) eps(1.0e-05) -> tensor<4x8xf64>, tensor<4xf64>
func.func @mean(%x: tensor<4x8xf64>, %y: tensor<4x8xf64>, %m: tensor<4xf64>)
    -> (tensor<4x8xf64>, tensor<4xf64>) {
  %y1, %mean = xfmr.layernorm ins(%x : tensor<4x8xf64>) outs(%y : tensor<4x8xf64>)
      mean(%m : tensor<4xf64>) eps(1.0e-05) -> tensor<4x8xf64>, tensor<4xf64>
  return %y1, %mean : tensor<4x8xf64>, tensor<4xf64>
}

// CHECK-LABEL: func.func @memrefs(
// CHECK: xfmr.layernorm ins(%{{.+}} : memref<4x8xf16>) gamma(%{{.+}} : memref<8xf32>) beta(%{{.+}} : memref<8xf32>) outs(%{{.+}} : memref<4x8xf32>) rstd(%{{.+}} : memref<4xf32>) mean(%{{.+}} : memref<4xf32>) eps(1.0e-05)
func.func @memrefs(%x: memref<4x8xf16>, %g: memref<8xf32>, %b: memref<8xf32>, %y: memref<4x8xf32>,
                   %r: memref<4xf32>, %m: memref<4xf32>) {
  xfmr.layernorm ins(%x : memref<4x8xf16>) gamma(%g : memref<8xf32>) beta(%b : memref<8xf32>)
      outs(%y : memref<4x8xf32>) rstd(%r : memref<4xf32>) mean(%m : memref<4xf32>) eps(1.0e-05)
  return
}

// All dims are one row.
// CHECK-LABEL: func.func @one_row(
// CHECK: %{{.+}} = xfmr.layernorm ins(%{{.+}} : tensor<4x8xf32>) gamma(%{{.+}} : tensor<4x8xf32>) outs(%{{.+}} : tensor<4x8xf32>) mean(%{{.+}} : tensor<f32>) eps(1.0e-05) normalized_dims(2) -> tensor<4x8xf32>, tensor<f32>
func.func @one_row(%x: tensor<4x8xf32>, %g: tensor<4x8xf32>, %y: tensor<4x8xf32>,
                   %m: tensor<f32>) -> (tensor<4x8xf32>, tensor<f32>) {
  %0:2 = xfmr.layernorm ins(%x : tensor<4x8xf32>) gamma(%g : tensor<4x8xf32>)
      outs(%y : tensor<4x8xf32>) mean(%m : tensor<f32>) eps(1.0e-05) normalized_dims(2)
      -> tensor<4x8xf32>, tensor<f32>
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<f32>
}
