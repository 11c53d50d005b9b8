// RUN: xfmr-opt %s -canonicalize -split-input-file | FileCheck %s
// Canonical forms are canonical.
// RUN: xfmr-opt %s -canonicalize -split-input-file -o %t.once && xfmr-opt %t.once -canonicalize -split-input-file | diff %t.once -

// A gamma that is 1 with its offset.
// CHECK-LABEL: @unit_gamma(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xbf16>, %[[Y:.+]]: tensor<4x8xbf16>)
// CHECK: xfmr.rmsnorm ins(%[[X]] : tensor<4x8xbf16>) outs(%[[Y]] : tensor<4x8xbf16>) eps(1.0e-05) rounding(scale_then_cast)
func.func @unit_gamma(%x: tensor<4x8xbf16>, %y: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %g = arith.constant dense<1.0> : tensor<8xbf16>
  %0 = xfmr.rmsnorm ins(%x : tensor<4x8xbf16>) gamma(%g : tensor<8xbf16>) outs(%y : tensor<4x8xbf16>)
      eps(1.0e-05) rounding(cast_then_scale) -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// CHECK-LABEL: @zero_gamma_of_offset_1(
// CHECK: xfmr.layernorm ins(%{{.+}}) beta(%{{.+}}) outs(%{{.+}}) eps(1.0e-05) rounding(cast_then_scale) {test.mark} ->
func.func @zero_gamma_of_offset_1(%x: tensor<4x8xf16>, %b: tensor<8xf32>, %y: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %g = arith.constant dense<-0.0> : tensor<8xf32>
  %0 = xfmr.layernorm ins(%x : tensor<4x8xf16>) gamma(%g : tensor<8xf32>) beta(%b : tensor<8xf32>)
      outs(%y : tensor<4x8xf16>) eps(1.0e-05) weight_offset(1.0) rounding(cast_then_scale) {test.mark}
      -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// Constants that are not written as such.
// CHECK-LABEL: @filled_gamma(
// CHECK-NOT: linalg.fill
// CHECK-NOT: tensor.splat
// CHECK: xfmr.add_rmsnorm ins(%{{.+}}) residual(%{{.+}}) outs(%{{.+}}) eps(1.0e-05) ->
func.func @filled_gamma(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant -0.0 : f16
  %e = tensor.empty() : tensor<8xbf16>
  %g = linalg.fill ins(%one : bf16) outs(%e : tensor<8xbf16>) -> tensor<8xbf16>
  %b = tensor.splat %zero : tensor<8xf16>
  %0 = xfmr.add_rmsnorm ins(%x : tensor<4x8xf32>) residual(%r : tensor<4x8xf32>) gamma(%g : tensor<8xbf16>)
      beta(%b : tensor<8xf16>) outs(%y : tensor<4x8xf32>) eps(1.0e-05) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The sum is rounded as the op rounds it, to f32: here to 1.
// CHECK-LABEL: @gamma_beside_offset(
// CHECK: xfmr.rmsnorm ins(%{{.+}}) outs(%{{.+}}) eps(1.0e-05) ->
func.func @gamma_beside_offset(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %g = arith.constant dense<1.0e-10> : tensor<8xf32>
  %0 = xfmr.rmsnorm ins(%x : tensor<4x8xf32>) gamma(%g : tensor<8xf32>) outs(%y : tensor<4x8xf32>)
      eps(1.0e-05) weight_offset(1.0) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// In f64 it is not 1; neither are these.
// CHECK-LABEL: @kept_gammas(
// CHECK-COUNT-5: xfmr.rmsnorm ins(%{{.+}}) gamma(
func.func @kept_gammas(%x: tensor<4x8xf64>, %x1: tensor<4x8xf32>, %g: tensor<8xf32>)
    -> (tensor<4x8xf64>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<0x0xf32>) {
  %c0 = arith.constant dense<1.0e-10> : tensor<8xf32>
  %0 = xfmr.rmsnorm ins(%x : tensor<4x8xf64>) gamma(%c0 : tensor<8xf32>) outs(%x : tensor<4x8xf64>)
      eps(1.0e-05) weight_offset(1.0) -> tensor<4x8xf64>
  %c1 = arith.constant dense<1.0> : tensor<8xf32>
  %1 = xfmr.rmsnorm ins(%x1 : tensor<4x8xf32>) gamma(%c1 : tensor<8xf32>) outs(%x1 : tensor<4x8xf32>)
      eps(1.0e-05) weight_offset(1.0) -> tensor<4x8xf32>
  %c2 = arith.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0]> : tensor<8xf32>
  %2 = xfmr.rmsnorm ins(%x1 : tensor<4x8xf32>) gamma(%c2 : tensor<8xf32>) outs(%x1 : tensor<4x8xf32>)
      eps(1.0e-05) -> tensor<4x8xf32>
  %3 = xfmr.rmsnorm ins(%x1 : tensor<4x8xf32>) gamma(%g : tensor<8xf32>) outs(%x1 : tensor<4x8xf32>)
      eps(1.0e-05) -> tensor<4x8xf32>
  // A constant without elements has no value.
  %c4 = arith.constant dense<> : tensor<0xf32>
  %e = tensor.empty() : tensor<0x0xf32>
  %4 = xfmr.rmsnorm ins(%e : tensor<0x0xf32>) gamma(%c4 : tensor<0xf32>) outs(%e : tensor<0x0xf32>)
      eps(1.0e-05) -> tensor<0x0xf32>
  return %0, %1, %2, %3, %4 : tensor<4x8xf64>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<0x0xf32>
}

// CHECK-LABEL: @zero_beta(
// CHECK: xfmr.layernorm ins(%{{.+}}) gamma(%{{.+}}) outs(
// CHECK: xfmr.layernorm ins(%{{.+}}) gamma(%{{.+}}) outs(
// CHECK: xfmr.layernorm ins(%{{.+}}) gamma(%{{.+}}) beta(
func.func @zero_beta(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %b0 = arith.constant dense<0.0> : tensor<8xf16>
  %0 = xfmr.layernorm ins(%x : tensor<4x8xf32>) gamma(%g : tensor<8xf32>) beta(%b0 : tensor<8xf16>)
      outs(%x : tensor<4x8xf32>) eps(1.0e-05) -> tensor<4x8xf32>
  %b1 = arith.constant dense<-0.0> : tensor<8xf32>
  %1 = xfmr.layernorm ins(%x : tensor<4x8xf32>) gamma(%g : tensor<8xf32>) beta(%b1 : tensor<8xf32>)
      outs(%x : tensor<4x8xf32>) eps(1.0e-05) -> tensor<4x8xf32>
  %b2 = arith.constant dense<1.0e-45> : tensor<8xf32>
  %2 = xfmr.layernorm ins(%x : tensor<4x8xf32>) gamma(%g : tensor<8xf32>) beta(%b2 : tensor<8xf32>)
      outs(%x : tensor<4x8xf32>) eps(1.0e-05) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Each spelling of a rounding with a gamma.
// CHECK-LABEL: @rounding(
// CHECK: eps(1.0) ->
// CHECK: eps(2.0) ->
// CHECK: eps(3.0) rounding(cast_then_scale<bf16>) ->
// CHECK: eps(4.0) rounding(cast_then_scale) ->
// CHECK: eps(5.0) rounding(cast_then_scale<bf16>) ->
// CHECK: eps(6.0) rounding(scale_then_cast) ->
// CHECK: eps(7.0) rounding(scale_then_cast) ->
// CHECK: eps(8.0) ->
func.func @rounding(%x: tensor<8xf32>, %xh: tensor<8xf16>, %g: tensor<8xf32>, %y: tensor<8xf16>, %yd: tensor<8xf64>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf64>) {
  %0 = xfmr.rmsnorm ins(%x : tensor<8xf32>) gamma(%g : tensor<8xf32>) outs(%x : tensor<8xf32>)
      eps(1.0) rounding(cast_then_scale) -> tensor<8xf32>
  %1 = xfmr.rmsnorm ins(%x : tensor<8xf32>) gamma(%g : tensor<8xf32>) outs(%x : tensor<8xf32>)
      eps(2.0) rounding(scale_then_cast) -> tensor<8xf32>
  %2 = xfmr.rmsnorm ins(%x : tensor<8xf32>) gamma(%g : tensor<8xf32>) outs(%x : tensor<8xf32>)
      eps(3.0) rounding(cast_then_scale<bf16>) -> tensor<8xf32>
  %3 = xfmr.rmsnorm ins(%xh : tensor<8xf16>) gamma(%g : tensor<8xf32>) outs(%y : tensor<8xf16>)
      eps(4.0) rounding(cast_then_scale<f16>) -> tensor<8xf16>
  %4 = xfmr.rmsnorm ins(%xh : tensor<8xf16>) gamma(%g : tensor<8xf32>) outs(%y : tensor<8xf16>)
      eps(5.0) rounding(cast_then_scale<bf16>) -> tensor<8xf16>
  %5 = xfmr.rmsnorm ins(%xh : tensor<8xf16>) gamma(%g : tensor<8xf32>) outs(%y : tensor<8xf16>)
      eps(6.0) rounding(cast_then_scale<f32>) -> tensor<8xf16>
  %6 = xfmr.rmsnorm ins(%xh : tensor<8xf16>) gamma(%g : tensor<8xf32>) outs(%y : tensor<8xf16>)
      eps(7.0) rounding(scale_then_cast) -> tensor<8xf16>
  %7 = xfmr.rmsnorm ins(%x : tensor<8xf32>) gamma(%g : tensor<8xf32>) outs(%yd : tensor<8xf64>)
      eps(8.0) rounding(cast_then_scale<f32>) -> tensor<8xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf64>
}

// Without gamma and beta; on memrefs too.
// CHECK-LABEL: @rounding_alone(
// CHECK: eps(1.0) rounding(scale_then_cast)
// CHECK: eps(2.0) rounding(cast_then_scale<bf16>)
// CHECK: eps(3.0) rounding(cast_then_scale)
func.func @rounding_alone(%x: memref<8xf16>, %b: memref<8xf16>, %y: memref<8xf16>) {
  xfmr.rmsnorm ins(%x : memref<8xf16>) outs(%y : memref<8xf16>) eps(1.0) rounding(cast_then_scale)
  xfmr.rmsnorm ins(%x : memref<8xf16>) outs(%y : memref<8xf16>) eps(2.0) rounding(cast_then_scale<bf16>)
  xfmr.rmsnorm ins(%x : memref<8xf16>) beta(%b : memref<8xf16>) outs(%y : memref<8xf16>) eps(3.0) rounding(cast_then_scale)
  return
}

// CHECK-LABEL: @eps_position(
// CHECK: outs(%{{.+}}) eps(0.0) ->
// CHECK: outs(%{{.+}}) eps(1.0e-05) eps_position(outside) ->
func.func @eps_position(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = xfmr.layernorm ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) eps(0.0) eps_position(outside) -> tensor<8xf32>
  %1 = xfmr.layernorm ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) eps(1.0e-05) eps_position(outside) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @residual_rounding(
// CHECK: xfmr.add_layernorm {{.+}} eps(1.0) ->
// CHECK: xfmr.add_layernorm {{.+}} eps(2.0) residual_rounding(norm_then_round) ->
func.func @residual_rounding(%x: tensor<8xf32>, %xh: tensor<8xf16>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = xfmr.add_layernorm ins(%x : tensor<8xf32>) residual(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      eps(1.0) residual_rounding(norm_then_round) -> tensor<8xf32>
  %1 = xfmr.add_layernorm ins(%xh : tensor<8xf16>) residual(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      eps(2.0) residual_rounding(norm_then_round) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// An unused sum takes no buffer, nor does an unused statistic.
// CHECK-LABEL: @unused_sum(
// CHECK-NOT: tensor.empty
// CHECK: %[[N:.+]]:2 = xfmr.add_layernorm ins(%{{.+}}) residual(%{{.+}}) outs(%{{.+}}) mean(%{{.+}}) eps(1.0e-05) {test.mark = 1 : i64} -> tensor<4x8xf32>, tensor<4xf32>
// CHECK: return %[[N]]#0, %[[N]]#1
func.func @unused_sum(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %y: tensor<4x8xf32>, %v: tensor<4xf32>)
    -> (tensor<4x8xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = tensor.empty() : tensor<4xf32>
  %0:4 = xfmr.add_layernorm ins(%x : tensor<4x8xf32>) residual(%r : tensor<4x8xf32>) sum(%e : tensor<4x8xf32>)
      outs(%y : tensor<4x8xf32>) rstd(%s : tensor<4xf32>) mean(%v : tensor<4xf32>) eps(1.0e-05) {test.mark = 1 : i64}
      -> tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return %0#1, %0#3 : tensor<4x8xf32>, tensor<4xf32>
}

// One value as two destinations: the operands are told apart by their places.
// CHECK-LABEL: @unused_rstd(
// CHECK: %[[N:.+]]:2 = xfmr.layernorm ins(%{{.+}}) outs(%{{.+}}) mean(%{{.+}}) eps(1.0e-05) -> tensor<4x8xf32>, tensor<4xf32>
// CHECK: return %[[N]]#0, %[[N]]#1
func.func @unused_rstd(%x: tensor<4x8xf32>, %v: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %0:3 = xfmr.layernorm ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) rstd(%v : tensor<4xf32>)
      mean(%v : tensor<4xf32>) eps(1.0e-05) -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#2 : tensor<4x8xf32>, tensor<4xf32>
}

// The norm's result stays where a statistic is used; memrefs are written anyway.
// CHECK-LABEL: @statistic_alone(
// CHECK: %[[N:.+]]:2 = xfmr.rmsnorm ins(%{{.+}}) outs(%{{.+}}) rstd(
// CHECK: return %[[N]]#1
// CHECK-LABEL: @memrefs(
// CHECK: xfmr.rmsnorm {{.+}} rstd(
func.func @statistic_alone(%x: tensor<4x8xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = xfmr.rmsnorm ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) rstd(%v : tensor<4xf32>)
      eps(1.0e-05) -> tensor<4x8xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}
func.func @memrefs(%x: memref<4x8xf32>, %v: memref<4xf32>) {
  xfmr.rmsnorm ins(%x : memref<4x8xf32>) outs(%x : memref<4x8xf32>) rstd(%v : memref<4xf32>) eps(1.0e-05)
  return
}

// An unused norm leaves the add, which rounds to the sum's type.
// CHECK-LABEL: @unused_norm(
// CHECK-SAME: %[[X:.+]]: tensor<?x8xbf16>, %[[R:.+]]: tensor<?x8xf32>, %[[S:.+]]: tensor<?x8xbf16>,
// CHECK-NOT: xfmr
// CHECK: %[[SUM:.+]] = linalg.generic {{.+}} ins(%[[X]], %[[R]] : tensor<?x8xbf16>, tensor<?x8xf32>) outs(%[[S]] : tensor<?x8xbf16>)
// CHECK: ^bb0(%[[A:.+]]: bf16, %[[B:.+]]: f32, %{{.+}}: bf16):
// CHECK: %[[WIDE:.+]] = arith.extf %[[A]] : bf16 to f32
// CHECK: %[[FMA:.+]] = math.fma %{{.+}}, %[[WIDE]], %[[B]] : f32
// CHECK: %[[ROUND:.+]] = arith.truncf %[[FMA]] : f32 to bf16
// CHECK: linalg.yield %[[ROUND]] : bf16
// CHECK: return %[[SUM]]
func.func @unused_norm(%x: tensor<?x8xbf16>, %r: tensor<?x8xf32>, %s: tensor<?x8xbf16>, %y: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %0:2 = xfmr.add_rmsnorm ins(%x : tensor<?x8xbf16>) residual(%r : tensor<?x8xf32>) sum(%s : tensor<?x8xbf16>)
      outs(%y : tensor<?x8xbf16>) alpha(2.0) eps(1.0e-05) residual_rounding(norm_then_round)
      rounding(scale_then_cast) -> tensor<?x8xbf16>, tensor<?x8xbf16>
  return %0#0 : tensor<?x8xbf16>
}

// CHECK-LABEL: @unused_norm_used_statistic(
// CHECK: xfmr.add_rmsnorm
func.func @unused_norm_used_statistic(%x: tensor<4x8xf32>, %v: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %0:3 = xfmr.add_rmsnorm ins(%x : tensor<4x8xf32>) residual(%x : tensor<4x8xf32>) sum(%x : tensor<4x8xf32>)
      outs(%x : tensor<4x8xf32>) rstd(%v : tensor<4xf32>) eps(1.0e-05)
      -> tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>
  return %0#0, %0#2 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// What one operand knows, all know.
// CHECK-LABEL: @static_dims(
// CHECK-SAME: %[[X:.+]]: tensor<?x?xf32>, %[[G:.+]]: tensor<8xf32>, %[[Y:.+]]: tensor<4x?xf32>, %[[V:.+]]: tensor<?xf32>)
// CHECK-DAG: %[[XS:.+]] = tensor.cast %[[X]] : tensor<?x?xf32> to tensor<4x8xf32>
// CHECK-DAG: %[[YS:.+]] = tensor.cast %[[Y]] : tensor<4x?xf32> to tensor<4x8xf32>
// CHECK-DAG: %[[VS:.+]] = tensor.cast %[[V]] : tensor<?xf32> to tensor<4xf32>
// CHECK: %[[N:.+]]:2 = xfmr.rmsnorm ins(%[[XS]] : tensor<4x8xf32>) gamma(%[[G]] : tensor<8xf32>) outs(%[[YS]] : tensor<4x8xf32>) rstd(%[[VS]] : tensor<4xf32>) eps(1.0e-05) {test.mark} -> tensor<4x8xf32>, tensor<4xf32>
// CHECK-DAG: %[[R0:.+]] = tensor.cast %[[N]]#0 : tensor<4x8xf32> to tensor<4x?xf32>
// CHECK-DAG: %[[R1:.+]] = tensor.cast %[[N]]#1 : tensor<4xf32> to tensor<?xf32>
// CHECK: return %[[R0]], %[[R1]]
func.func @static_dims(%x: tensor<?x?xf32>, %g: tensor<8xf32>, %y: tensor<4x?xf32>, %v: tensor<?xf32>)
    -> (tensor<4x?xf32>, tensor<?xf32>) {
  %0:2 = xfmr.rmsnorm ins(%x : tensor<?x?xf32>) gamma(%g : tensor<8xf32>) outs(%y : tensor<4x?xf32>)
      rstd(%v : tensor<?xf32>) eps(1.0e-05) {test.mark} -> tensor<4x?xf32>, tensor<?xf32>
  return %0#0, %0#1 : tensor<4x?xf32>, tensor<?xf32>
}

// A cast that forgets a dim is looked through, one that learns it stays: no
// form leads back to another.
// CHECK-LABEL: @casts(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %[[Y:.+]]: tensor<?x8xf32>)
// CHECK: %[[C:.+]] = tensor.cast %[[Y]] : tensor<?x8xf32> to tensor<4x8xf32>
// CHECK: %[[N:.+]] = xfmr.layernorm ins(%[[X]] : tensor<4x8xf32>) outs(%[[C]] : tensor<4x8xf32>)
// CHECK: %[[R:.+]] = tensor.cast %[[N]]
// CHECK: return %[[R]] : tensor<?x8xf32>
func.func @casts(%x: tensor<4x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c = tensor.cast %x : tensor<4x8xf32> to tensor<?x?xf32>
  %0 = xfmr.layernorm ins(%c : tensor<?x?xf32>) outs(%y : tensor<?x8xf32>) eps(1.0e-05) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: @dynamic(
// CHECK-NOT: tensor.cast
// CHECK: return
func.func @dynamic(%x: tensor<?x?xf32>, %g: tensor<?xf32>, %m: memref<?x?xf32>, %mg: memref<8xf32>) -> tensor<?x?xf32> {
  %0 = xfmr.layernorm ins(%x : tensor<?x?xf32>) gamma(%g : tensor<?xf32>) outs(%x : tensor<?x?xf32>) eps(1.0e-05)
      -> tensor<?x?xf32>
  xfmr.layernorm ins(%m : memref<?x?xf32>) gamma(%mg : memref<8xf32>) outs(%m : memref<?x?xf32>) eps(1.0e-05)
  return %0 : tensor<?x?xf32>
}
