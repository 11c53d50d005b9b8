// RUN: xfmr-opt %s | FileCheck %s
// RUN: xfmr-opt %s -mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s -emit-bytecode | xfmr-opt | FileCheck %s

// CHECK-LABEL: func.func @example(
// CHECK: %{{.+}} = xfmr.rmsnorm ins(%{{.+}} : tensor<?x4096xbf16>) gamma(%{{.+}} : tensor<4096xf32>) outs(%{{.+}} : tensor<?x4096xbf16>) eps(1.0e-05) rounding(cast_then_scale) -> tensor<?x4096xbf16>
func.func @example(%x: tensor<?x4096xbf16>, %g: tensor<4096xf32>,
                   %y: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x4096xbf16>) gamma(%g : tensor<4096xf32>)
      outs(%y : tensor<?x4096xbf16>) eps(1.0e-05) rounding(cast_then_scale)
      -> tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

// CHECK-LABEL: func.func @least(
// CHECK: %{{.+}} = xfmr.rmsnorm ins(%{{.+}} : tensor<8xf32>) outs(%{{.+}} : tensor<8xf32>) eps(0.0) -> tensor<8xf32>
func.func @least(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) eps(0.0) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Every operand and attribute, in an order of the format's own.
// CHECK-LABEL: func.func @all(
// CHECK: %{{.+}} = xfmr.rmsnorm ins(%{{.+}} : tensor<2x?x4x8xf16>) gamma(%{{.+}} : tensor<4x8xbf16>) beta(%{{.+}} : tensor<?x8xf32>) outs(%{{.+}} : tensor<2x?x4x8xf64>) rstd(%{{.+}} : tensor<2x?xf32>) eps(1.0e-06) eps_position(outside) statistic(l2) weight_offset(1.0) normalized_dims(2) rounding(cast_then_scale<bf16>) {test.mark = "kept"} -> tensor<2x?x4x8xf64>, tensor<2x?xf32>
func.func @all(%x: tensor<2x?x4x8xf16>, %g: tensor<4x8xbf16>, %b: tensor<?x8xf32>,
               %y: tensor<2x?x4x8xf64>, %r: tensor<2x?xf32>)
    -> (tensor<2x?x4x8xf64>, tensor<2x?xf32>) {
  %y1, %rstd = xfmr.rmsnorm ins(%x : tensor<2x?x4x8xf16>) gamma(%g : tensor<4x8xbf16>)
      beta(%b : tensor<?x8xf32>) outs(%y : tensor<2x?x4x8xf64>) rstd(%r : tensor<2x?xf32>)
      eps(1.0e-06) eps_position(outside) statistic(l2) weight_offset(1.0) normalized_dims(2)
      rounding(cast_then_scale<bf16>) {test.mark = "kept"} -> tensor<2x?x4x8xf64>, tensor<2x?xf32>
  return %y1, %rstd : tensor<2x?x4x8xf64>, tensor<2x?xf32>
}

// Attributes at their defaults are not printed.
// CHECK-LABEL: func.func @defaults(
// CHECK: %{{.+}} = xfmr.rmsnorm ins(%{{.+}} : tensor<8x8xf32>) outs(%{{.+}} : tensor<8x8xf32>) eps(1.0) -> tensor<8x8xf32>
func.func @defaults(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) eps(1.0)
      eps_position(inside) statistic(rms) weight_offset(0.0) normalized_dims(1) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @memrefs(
// CHECK: xfmr.rmsnorm ins(%{{.+}} : memref<?x?xf32, strided<[?, ?], offset: ?>>) gamma(%{{.+}} : memref<?xf32>) outs(%{{.+}} : memref<?x?xf32, strided<[?, 2], offset: 3>>) rstd(%{{.+}} : memref<?xf32>) eps(1.0e-05)
func.func @memrefs(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %g: memref<?xf32>,
                   %y: memref<?x?xf32, strided<[?, 2], offset: 3>>, %r: memref<?xf32>) {
  xfmr.rmsnorm ins(%x : memref<?x?xf32, strided<[?, ?], offset: ?>>) gamma(%g : memref<?xf32>)
      outs(%y : memref<?x?xf32, strided<[?, 2], offset: 3>>) rstd(%r : memref<?xf32>) eps(1.0e-05)
  return
}

// A destination may be the input.
// CHECK-LABEL: func.func @in_place(
// CHECK: xfmr.rmsnorm ins(%{{.+}} : memref<4x8xf64>) outs(%{{.+}} : memref<4x8xf64>) eps(1.0e-05)
func.func @in_place(%x: memref<4x8xf64>) {
  xfmr.rmsnorm ins(%x : memref<4x8xf64>) outs(%x : memref<4x8xf64>) eps(1.0e-05)
  return
}

// f64 weights and results of f64 data, and a result that is narrower.
// CHECK-LABEL: func.func @narrow(
// CHECK: %{{.+}} = xfmr.rmsnorm ins(%{{.+}} : tensor<3x8xf64>) gamma(%{{.+}} : tensor<8xf64>) outs(%{{.+}} : tensor<3x8xf32>) eps(1.0e+39) rounding(scale_then_cast) -> tensor<3x8xf32>
func.func @narrow(%x: tensor<3x8xf64>, %g: tensor<8xf64>, %y: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<3x8xf64>) gamma(%g : tensor<8xf64>) outs(%y : tensor<3x8xf32>)
      eps(1.0e+39) rounding(scale_then_cast) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// What is dynamic on one side is accepted; zero sizes too.
// CHECK-LABEL: func.func @sizes(
// CHECK: %{{.+}} = xfmr.rmsnorm ins(%{{.+}} : tensor<?x?xf32>) gamma(%{{.+}} : tensor<0xf32>) outs(%{{.+}} : tensor<4x?xf32>) eps(1.0e-05) -> tensor<4x?xf32>
func.func @sizes(%x: tensor<?x?xf32>, %g: tensor<0xf32>, %y: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x?xf32>) gamma(%g : tensor<0xf32>) outs(%y : tensor<4x?xf32>)
      eps(1.0e-05) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
