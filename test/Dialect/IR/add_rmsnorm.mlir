// RUN: xfmr-opt %s | FileCheck %s
// RUN: xfmr-opt %s -mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s -emit-bytecode | xfmr-opt | FileCheck %s

// CHECK-LABEL: func.func @example(
// CHECK: %{{.+}} = xfmr.add_rmsnorm ins(%{{.+}} : tensor<?x4096xbf16>) residual(%{{.+}} : tensor<?x4096xbf16>) gamma(%{{.+}} : tensor<4096xbf16>) sum(%{{.+}} : tensor<?x4096xbf16>) outs(%{{.+}} : tensor<?x4096xbf16>) eps(1.0e-05) residual_rounding(round_then_norm) rounding(scale_then_cast) -> tensor<?x4096xbf16>, tensor<?x4096xbf16>
func.func @example(%x: tensor<?x4096xbf16>, %r: tensor<?x4096xbf16>, %g: tensor<4096xbf16>,
                   %s: tensor<?x4096xbf16>, %y: tensor<?x4096xbf16>)
    -> (tensor<?x4096xbf16>, tensor<?x4096xbf16>) {
  %sum, %norm = xfmr.add_rmsnorm ins(%x : tensor<?x4096xbf16>)
      residual(%r : tensor<?x4096xbf16>) gamma(%g : tensor<4096xbf16>)
      sum(%s : tensor<?x4096xbf16>) outs(%y : tensor<?x4096xbf16>)
      eps(1.0e-05) residual_rounding(round_then_norm)
      rounding(scale_then_cast) -> tensor<?x4096xbf16>, tensor<?x4096xbf16>
  return %sum, %norm : tensor<?x4096xbf16>, tensor<?x4096xbf16>
}

// CHECK-LABEL: func.func @least(
// CHECK: %{{.+}} = xfmr.add_rmsnorm ins(%{{.+}} : tensor<8xf32>) residual(%{{.+}} : tensor<8xf16>) outs(%{{.+}} : tensor<8xf32>) eps(1.0e-06) -> tensor<8xf32>
func.func @least(%x: tensor<8xf32>, %r: tensor<8xf16>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = xfmr.add_rmsnorm ins(%x : tensor<8xf32>) residual(%r : tensor<8xf16>)
      outs(%y : tensor<8xf32>) eps(1.0e-06) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @all(
// CHECK: %{{.+}} = xfmr.add_rmsnorm ins(%{{.+}} : tensor<3x?x8xf16>) residual(%{{.+}} : tensor<3x5x8xf32>) gamma(%{{.+}} : tensor<?x8xf32>) beta(%{{.+}} : tensor<5x8xf32>) sum(%{{.+}} : tensor<3x5x8xf16>) outs(%{{.+}} : tensor<3x5x8xbf16>) rstd(%{{.+}} : tensor<3xf32>) alpha(0.5) eps(1.0e-06) eps_position(outside) statistic(l2) weight_offset(1.0) normalized_dims(2) residual_rounding(norm_then_round) rounding(cast_then_scale) {test.mark = 1 : i32} -> tensor<3x5x8xf16>, tensor<3x5x8xbf16>, tensor<3xf32>
func.func @all(%x: tensor<3x?x8xf16>, %r: tensor<3x5x8xf32>, %g: tensor<?x8xf32>,
               %b: tensor<5x8xf32>, %s: tensor<3x5x8xf16>, %y: tensor<3x5x8xbf16>,
               %v: tensor<3xf32>) -> (tensor<3x5x8xf16>, tensor<3x5x8xbf16>, tensor<3xf32>) {
  %sum, %norm, %rstd = xfmr.add_rmsnorm ins(%x : tensor<3x?x8xf16>) residual(%r : tensor<3x5x8xf32>)
      gamma(%g : tensor<?x8xf32>) beta(%b : tensor<5x8xf32>) sum(%s : tensor<3x5x8xf16>)
      outs(%y : tensor<3x5x8xbf16>) rstd(%v : tensor<3xf32>) alpha(0.5) eps(1.0e-06)
      eps_position(outside) statistic(l2) weight_offset(1.0) normalized_dims(2)
      residual_rounding(norm_then_round) rounding(cast_then_scale) {test.mark = 1 : i32}
      -> tensor<3x5x8xf16>, tensor<3x5x8xbf16>, tensor<3xf32>
  return %sum, %norm, %rstd : tensor<3x5x8xf16>, tensor<3x5x8xbf16>, tensor<3xf32>
}

// CHECK-LABEL: func.func @memrefs(
// CHECK: xfmr.add_rmsnorm ins(%{{.+}} : memref<4x8xf32>) residual(%{{.+}} : memref<4x8xf32>) sum(%{{.+}} : memref<4x8xf32>) outs(%{{.+}} : memref<4x8xf32>) eps(1.0e-05)
func.func @memrefs(%x: memref<4x8xf32>, %r: memref<4x8xf32>, %s: memref<4x8xf32>,
                   %y: memref<4x8xf32>) {
  xfmr.add_rmsnorm ins(%x : memref<4x8xf32>) residual(%r : memref<4x8xf32>)
      sum(%s : memref<4x8xf32>) outs(%y : memref<4x8xf32>) eps(1.0e-05)
  return
}

// The sum into x, the norm into r (case A5).
// CHECK-LABEL: func.func @in_place(
// CHECK: xfmr.add_rmsnorm ins(%{{.+}} : memref<4x130xf32>) residual(%{{.+}} : memref<4x130xf32>) sum(%{{.+}} : memref<4x130xf32>) outs(%{{.+}} : memref<4x130xf32>) eps(1.0e-05)
func.func @in_place(%x: memref<4x130xf32>, %r: memref<4x130xf32>) {
  xfmr.add_rmsnorm ins(%x : memref<4x130xf32>) residual(%r : memref<4x130xf32>)
      sum(%x : memref<4x130xf32>) outs(%r : memref<4x130xf32>) eps(1.0e-05)
  return
}
