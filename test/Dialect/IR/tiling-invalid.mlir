// RUN: xfmr-opt %s -transform-interpreter -split-input-file -verify-diagnostics -mlir-print-op-on-diagnostic=false

// The normalised dim is not split; upstream's driver adds what it was doing.
func.func @norm(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @below {{'xfmr.rmsnorm' op expected tiles that hold dim 1 of the iteration domain whole: it is a reduction, which is tiled by partial results only}}
  // expected-error @below {{faild to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  %0 = xfmr.rmsnorm ins(%x : tensor<8x16xf32>) outs(%x : tensor<8x16xf32>) eps(1.0e-05) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.rmsnorm"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %norm tile_sizes [2, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Nor is it where the row's length is known at run time only.
func.func @dynamic(%x: memref<8x4x?xf32>) {
  // expected-error @below {{'xfmr.layernorm' op expected tiles that hold dim 2 of the iteration domain whole: it is a reduction, which is tiled by partial results only}}
  // expected-error @below {{faild to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  xfmr.layernorm ins(%x : memref<8x4x?xf32>) outs(%x : memref<8x4x?xf32>) eps(1.0e-05) normalized_dims(2)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.layernorm"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %norm tile_sizes [2, 0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @hidden(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  // expected-warning @below {{tiling is not thread safe at axis #1}}
  // expected-error @below {{'xfmr.ffn' op expected tiles that hold dim 1 of the iteration domain whole: it is a reduction, which is tiled by partial results only}}
  // expected-error @below {{faild to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  // expected-note @below {{when applied to this op}}
  %0 = xfmr.ffn ins(%x : tensor<8x16xf32>) up(%w : tensor<16x16xf32>) down(%w : tensor<16x16xf32>) outs(%x : tensor<8x16xf32>)
      activation(relu) layout(in_out) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ffn = transform.structured.match ops{["xfmr.ffn"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{transform.structured.tile_using_forall failed to apply}}
    transform.structured.tile_using_forall %ffn tile_sizes [2, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Partial results of several normalised dims at once.
func.func @two_dims(%x: tensor<8x4x16xf32>) -> tensor<8x4x16xf32> {
  // expected-error @below {{'xfmr.rmsnorm' op expected one normalised dim to tile by partial results}}
  %0 = xfmr.rmsnorm ins(%x : tensor<8x4x16xf32>) outs(%x : tensor<8x4x16xf32>) eps(1.0e-05) normalized_dims(2) -> tensor<8x4x16xf32>
  return %0 : tensor<8x4x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.rmsnorm"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{failed to tile using partial reduction}}
    transform.structured.tile_reduction_using_for %norm by tile_sizes = [0, 2, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @memrefs(%x: memref<8x16xf32>) {
  // expected-error @below {{'xfmr.rmsnorm' op expected tensors to tile by partial results}}
  xfmr.rmsnorm ins(%x : memref<8x16xf32>) outs(%x : memref<8x16xf32>) eps(1.0e-05)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.rmsnorm"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{failed to tile using partial reduction}}
    transform.structured.tile_reduction_using_for %norm by tile_sizes = [0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @outer_parallel(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @below {{'xfmr.rmsnorm' op expected partial results by an outer reduction}}
  // expected-error @below {{faild to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  %0 = xfmr.rmsnorm ins(%x : tensor<8x16xf32>) outs(%x : tensor<8x16xf32>) eps(1.0e-05) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.rmsnorm"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{could not tile reduction}}
    transform.structured.tile_reduction_using_forall %norm by num_threads = [0, 4] tile_sizes = [] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
