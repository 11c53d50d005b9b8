// RUN: xfmr-opt %s -allow-unregistered-dialect -canonicalize -split-input-file | FileCheck %s
// Canonical forms are canonical.
// RUN: xfmr-opt %s -allow-unregistered-dialect -canonicalize -split-input-file -o %t.once && xfmr-opt %t.once -allow-unregistered-dialect -canonicalize -split-input-file | diff %t.once -

// The norms of a block have the canonical forms of the norm ops.
// CHECK-LABEL: @norms(
// CHECK: xfmr.residual_block sandwich ins(%{{.+}}) norm1(<layernorm, eps = 0.0, rounding = scale_then_cast>) norm2(<rmsnorm, eps = 1.0e-05, weight_offset = 1.0, rounding = cast_then_scale> gamma(%{{.+}})) outs(%{{.+}}) attributes {test.mark} {
func.func @norms(%x: tensor<4x8xbf16>, %g: tensor<8xf32>, %y: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %g1 = arith.constant dense<2.0> : tensor<8xbf16>
  %b0 = arith.constant dense<0.0> : tensor<8xf32>
  %0 = xfmr.residual_block sandwich ins(%x : tensor<4x8xbf16>)
      norm1(<layernorm, eps = 0.0, eps_position = outside, weight_offset = -1.0, rounding = cast_then_scale>
            gamma(%g1 : tensor<8xbf16>) beta(%b0 : tensor<8xf32>))
      norm2(<rmsnorm, eps = 1.0e-05, weight_offset = 1.0, rounding = cast_then_scale<bf16>>
            gamma(%g : tensor<8xf32>) beta(%b0 : tensor<8xf32>))
      outs(%y : tensor<4x8xbf16>) attributes {test.mark} {
  ^bb0(%z: tensor<4x8xbf16>):
    %f = "test.op"(%z) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
    xfmr.yield %f : tensor<4x8xbf16>
  } -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// CHECK-LABEL: @residual_rounding(
// CHECK: xfmr.residual_block post ins(%{{.+}}) norm1(<rmsnorm, eps = 1.0e-05>) outs(%{{.+}}) {
func.func @residual_rounding(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = xfmr.residual_block post ins(%x : tensor<4x8xf32>)
      norm1(<rmsnorm, eps = 1.0e-05, rounding = scale_then_cast>)
      outs(%y : tensor<4x8xf32>) residual_rounding(round_then_norm) {
  ^bb0(%z: tensor<4x8xf32>):
    %f = "test.op"(%z) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @true_mask(
// CHECK: xfmr.residual_block none ins(%{{.+}}) outs(
func.func @true_mask(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = arith.constant dense<true> : tensor<4xi1>
  %0 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) mask(%m : tensor<4xi1>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    %f = math.exp %z : tensor<4x8xf32>
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @false_mask(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %
// CHECK-NEXT: return %[[X]]
func.func @false_mask(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %false = arith.constant false
  %e = tensor.empty() : tensor<4xi1>
  %m = linalg.fill ins(%false : i1) outs(%e : tensor<4xi1>) -> tensor<4xi1>
  %0 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) mask(%m : tensor<4xi1>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    %f = math.exp %z : tensor<4x8xf32>
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Kept: the region may do something, the mask is of several minds or has no
// value, the type of x is not that of the result.
// CHECK-LABEL: @kept_masks(
// CHECK-COUNT-4: xfmr.residual_block none ins(%{{.+}}) mask(
func.func @kept_masks(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %yd: tensor<?x8xf32>, %x0: tensor<0x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>, tensor<0x8xf32>) {
  %m = arith.constant dense<false> : tensor<4xi1>
  %mixed = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  %none = arith.constant dense<> : tensor<0xi1>
  %0 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) mask(%m : tensor<4xi1>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    %f = "test.op"(%z) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  %1 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) mask(%mixed : tensor<4xi1>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    %f = math.exp %z : tensor<4x8xf32>
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  %2 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) mask(%m : tensor<4xi1>) outs(%yd : tensor<?x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    %f = math.exp %z : tensor<4x8xf32>
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<?x8xf32>
  %3 = xfmr.residual_block none ins(%x0 : tensor<0x8xf32>) mask(%none : tensor<0xi1>) outs(%x0 : tensor<0x8xf32>) {
  ^bb0(%z: tensor<0x8xf32>):
    %f = math.exp %z : tensor<0x8xf32>
    xfmr.yield %f : tensor<0x8xf32>
  } -> tensor<0x8xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>, tensor<0x8xf32>
}

// -----

// CHECK-LABEL: @zero_branch(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xbf16>, %
// CHECK-NEXT: return %[[X]]
func.func @zero_branch(%x: tensor<4x8xbf16>, %y: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = xfmr.residual_block pre ins(%x : tensor<4x8xbf16>) norm1(<rmsnorm, eps = 1.0e-05, rounding = scale_then_cast>)
      outs(%y : tensor<4x8xbf16>) {
  ^bb0(%z: tensor<4x8xbf16>):
    %f = arith.constant dense<0.0> : tensor<4x8xbf16>
    xfmr.yield %f : tensor<4x8xbf16>
  } -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// A norm of the zeros gives its beta, and alpha scales.
// CHECK-LABEL: @kept_zero_branch(
// CHECK: xfmr.residual_block branch_post
// CHECK: linalg.generic
// CHECK: math.fma
func.func @kept_zero_branch(%x: tensor<4x8xf32>, %b: tensor<8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %f = arith.constant dense<0.0> : tensor<4x8xf32>
  %0 = xfmr.residual_block branch_post ins(%x : tensor<4x8xf32>) norm1(<layernorm, eps = 1.0e-05> beta(%b : tensor<8xf32>))
      outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  %1 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) alpha(2.0) {
  ^bb0(%z: tensor<4x8xf32>):
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// A value from above is added.
// CHECK-LABEL: @branch_from_above(
// CHECK-SAME: %[[X:.+]]: tensor<?x8xbf16>, %[[F:.+]]: tensor<?x8xbf16>, %[[M:.+]]: tensor<?xi1>, %[[Y:.+]]: tensor<?x8xbf16>)
// CHECK: %[[S:.+]] = linalg.generic {{.+}} ins(%[[X]], %[[F]], %[[M]] : tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<?xi1>) outs(%[[Y]] : tensor<?x8xbf16>)
// CHECK: ^bb0(%[[A:.+]]: bf16, %{{.+}}: bf16, %[[TAKE:.+]]: i1, %{{.+}}: bf16):
// CHECK: %[[ROUND:.+]] = arith.truncf %{{.+}} : f32 to bf16
// CHECK: %[[SELECT:.+]] = arith.select %[[TAKE]], %[[ROUND]], %[[A]] : bf16
// CHECK: linalg.yield %[[SELECT]]
// CHECK: return %[[S]]
func.func @branch_from_above(%x: tensor<?x8xbf16>, %f: tensor<?x8xbf16>, %m: tensor<?xi1>, %y: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %0 = xfmr.residual_block pre ins(%x : tensor<?x8xbf16>) norm1(<layernorm, eps = 1.0e-05, rounding = scale_then_cast>)
      mask(%m : tensor<?xi1>) outs(%y : tensor<?x8xbf16>) {
  ^bb0(%z: tensor<?x8xbf16>):
    xfmr.yield %f : tensor<?x8xbf16>
  } -> tensor<?x8xbf16>
  return %0 : tensor<?x8xbf16>
}

// Without a norm z is x.
// CHECK-LABEL: @branch_is_x(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %
// CHECK: linalg.generic {{.+}} ins(%[[X]], %[[X]] :
func.func @branch_is_x(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    xfmr.yield %z : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @post_is_add_norm(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf16>, %[[F:.+]]: tensor<4x8xf16>, %[[G:.+]]: tensor<8xf32>, %[[B:.+]]: tensor<8xf32>, %[[Y:.+]]: tensor<4x8xf16>)
// CHECK: xfmr.add_rmsnorm ins(%[[X]] : tensor<4x8xf16>) residual(%[[F]] : tensor<4x8xf16>) gamma(%[[G]] : tensor<8xf32>) outs(%[[Y]] : tensor<4x8xf16>) alpha(2.0) eps(1.0e-05) eps_position(outside) statistic(l2) weight_offset(1.0) residual_rounding(norm_then_round) rounding(cast_then_scale) ->
// CHECK: xfmr.add_layernorm ins(%[[X]] : tensor<4x8xf16>) residual(%[[X]] : tensor<4x8xf16>) beta(%[[B]] : tensor<8xf32>) outs(%[[Y]] : tensor<4x8xf16>) eps(1.0e-05) unbiased residual_rounding(round_then_norm) rounding(scale_then_cast) ->
func.func @post_is_add_norm(%x: tensor<4x8xf16>, %f: tensor<4x8xf16>, %g: tensor<8xf32>, %b: tensor<8xf32>, %y: tensor<4x8xf16>)
    -> (tensor<4x8xf16>, tensor<4x8xf16>) {
  %0 = xfmr.residual_block post ins(%x : tensor<4x8xf16>)
      norm1(<rmsnorm, eps = 1.0e-05, eps_position = outside, statistic = l2, weight_offset = 1.0, rounding = cast_then_scale>
            gamma(%g : tensor<8xf32>))
      outs(%y : tensor<4x8xf16>) alpha(2.0) residual_rounding(norm_then_round) {
  ^bb0(%z: tensor<4x8xf16>):
    xfmr.yield %f : tensor<4x8xf16>
  } -> tensor<4x8xf16>
  %1 = xfmr.residual_block post ins(%x : tensor<4x8xf16>)
      norm1(<layernorm, eps = 1.0e-05, unbiased, rounding = scale_then_cast> beta(%b : tensor<8xf32>))
      outs(%y : tensor<4x8xf16>) residual_rounding(round_then_norm) {
  ^bb0(%z: tensor<4x8xf16>):
    xfmr.yield %z : tensor<4x8xf16>
  } -> tensor<4x8xf16>
  return %0, %1 : tensor<4x8xf16>, tensor<4x8xf16>
}

// Kept: a norm before z, a mask over the norm, effects, memrefs.
// CHECK-LABEL: @kept_regions(
// CHECK: xfmr.residual_block pre
// CHECK: xfmr.residual_block post {{.+}} mask(
// CHECK: xfmr.residual_block none
// CHECK: "test.op"
// CHECK: xfmr.residual_block none ins(%{{.+}} : memref<4x8xf32>)
func.func @kept_regions(%x: tensor<4x8xf32>, %m: tensor<4xi1>, %y: tensor<4x8xf32>, %b: memref<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = xfmr.residual_block pre ins(%x : tensor<4x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    xfmr.yield %z : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  %1 = xfmr.residual_block post ins(%x : tensor<4x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>) mask(%m : tensor<4xi1>)
      outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    xfmr.yield %z : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  %2 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    "test.op"() : () -> ()
    xfmr.yield %z : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  xfmr.residual_block none ins(%b : memref<4x8xf32>) outs(%b : memref<4x8xf32>) {
  ^bb0(%z: memref<4x8xf32>):
    xfmr.yield %z : memref<4x8xf32>
  }
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
