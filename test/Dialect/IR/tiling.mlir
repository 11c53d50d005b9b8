// RUN: xfmr-opt %s -transform-interpreter -canonicalize -cse -split-input-file | FileCheck %s

// Rows tile freely; results and saved statistics are cut alike, weights are not.
// CHECK-LABEL: @norm_forall(
// CHECK-SAME: %[[X:[^ :,)]+]]: tensor<?x64xf32>, %[[G:[^ :,)]+]]: tensor<64xf32>, %[[Y:[^ :,)]+]]: tensor<?x64xf32>, %[[V:[^ :,)]+]]: tensor<?xf32>, %[[M:[^ :,)]+]]: tensor<?xf32>)
// CHECK: scf.forall (%[[TILE:[^ :,)]+]]) in (%{{.+}}) shared_outs(%[[YA:[^ :,)]+]] = %[[Y]], %[[VA:[^ :,)]+]] = %[[V]], %[[MA:[^ :,)]+]] = %[[M]])
// CHECK-DAG: %[[I:[^ :,)]+]] = affine.apply #{{.+}}(%[[TILE]])
// CHECK-DAG: %[[N:[^ :,)]+]] = affine.min #{{.+}}(%[[TILE]])
// CHECK-DAG: %[[XT:[^ :,)]+]] = tensor.extract_slice %[[X]][%[[I]], 0] [%[[N]], 64] [1, 1]
// CHECK-DAG: %[[YT:[^ :,)]+]] = tensor.extract_slice %[[YA]][%[[I]], 0] [%[[N]], 64] [1, 1]
// CHECK-DAG: %[[VT:[^ :,)]+]] = tensor.extract_slice %[[VA]][%[[I]]] [%[[N]]] [1]
// CHECK-DAG: %[[MT:[^ :,)]+]] = tensor.extract_slice %[[MA]][%[[I]]] [%[[N]]] [1]
// CHECK: %[[T:[^ :,)]+]]:3 = xfmr.layernorm ins(%[[XT]] : tensor<?x64xf32>) gamma(%[[G]] : tensor<64xf32>) outs(%[[YT]] : tensor<?x64xf32>) rstd(%[[VT]] : tensor<?xf32>) mean(%[[MT]] : tensor<?xf32>) eps(1.0e-05) {test.mark}
// CHECK-DAG: tensor.parallel_insert_slice %[[T]]#0 into %[[YA]][%[[I]], 0] [%[[N]], 64] [1, 1]
// CHECK-DAG: tensor.parallel_insert_slice %[[T]]#1 into %[[VA]][%[[I]]] [%[[N]]] [1]
// CHECK-DAG: tensor.parallel_insert_slice %[[T]]#2 into %[[MA]][%[[I]]] [%[[N]]] [1]
func.func @norm_forall(%x: tensor<?x64xf32>, %g: tensor<64xf32>, %y: tensor<?x64xf32>, %v: tensor<?xf32>, %m: tensor<?xf32>)
    -> (tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0:3 = xfmr.layernorm ins(%x : tensor<?x64xf32>) gamma(%g : tensor<64xf32>) outs(%y : tensor<?x64xf32>)
      rstd(%v : tensor<?xf32>) mean(%m : tensor<?xf32>) eps(1.0e-05) {test.mark}
      -> tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>
  return %0#0, %0#1, %0#2 : tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.layernorm"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_forall %norm tile_sizes [16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Several row dims, several normalised dims, and a size that divides.
// CHECK-LABEL: @norm_for(
// CHECK-SAME: %[[X:[^ :,)]+]]: tensor<8x12x4x16xbf16>, %[[R:[^ :,)]+]]: tensor<8x12x4x16xbf16>,
// CHECK: scf.for %[[I:[^ :,)]+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[S0:[^ :,)]+]] = %{{.+}}, %[[Y0:[^ :,)]+]] = %{{.+}})
// CHECK: scf.for %[[J:[^ :,)]+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[S1:[^ :,)]+]] = %[[S0]], %[[Y1:[^ :,)]+]] = %[[Y0]])
// CHECK-DAG: %[[XT:[^ :,)]+]] = tensor.extract_slice %[[X]][%[[I]], %[[J]], 0, 0] [2, 3, 4, 16] [1, 1, 1, 1]
// CHECK-DAG: %[[RT:[^ :,)]+]] = tensor.extract_slice %[[R]][%[[I]], %[[J]], 0, 0] [2, 3, 4, 16] [1, 1, 1, 1]
// CHECK-DAG: %[[ST:[^ :,)]+]] = tensor.extract_slice %[[S1]][%[[I]], %[[J]], 0, 0] [2, 3, 4, 16] [1, 1, 1, 1]
// CHECK-DAG: %[[YT:[^ :,)]+]] = tensor.extract_slice %[[Y1]][%[[I]], %[[J]], 0, 0] [2, 3, 4, 16] [1, 1, 1, 1]
// CHECK: %[[T:[^ :,)]+]]:2 = xfmr.add_rmsnorm ins(%[[XT]] : tensor<2x3x4x16xbf16>) residual(%[[RT]] : tensor<2x3x4x16xbf16>) gamma(%{{.+}} : tensor<4x16xf32>) sum(%[[ST]] : tensor<2x3x4x16xbf16>) outs(%[[YT]] : tensor<2x3x4x16xbf16>) eps(1.0e-05) normalized_dims(2)
func.func @norm_for(%x: tensor<8x12x4x16xbf16>, %r: tensor<8x12x4x16xbf16>, %g: tensor<4x16xf32>, %s: tensor<8x12x4x16xbf16>,
                    %y: tensor<8x12x4x16xbf16>) -> (tensor<8x12x4x16xbf16>, tensor<8x12x4x16xbf16>) {
  %0:2 = xfmr.add_rmsnorm ins(%x : tensor<8x12x4x16xbf16>) residual(%r : tensor<8x12x4x16xbf16>) gamma(%g : tensor<4x16xf32>)
      sum(%s : tensor<8x12x4x16xbf16>) outs(%y : tensor<8x12x4x16xbf16>) eps(1.0e-05) normalized_dims(2)
      residual_rounding(round_then_norm) rounding(scale_then_cast) -> tensor<8x12x4x16xbf16>, tensor<8x12x4x16xbf16>
  return %0#0, %0#1 : tensor<8x12x4x16xbf16>, tensor<8x12x4x16xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.add_rmsnorm"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %norm tile_sizes [2, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile as long as the row splits nothing.
// CHECK-LABEL: @whole_row(
// CHECK: xfmr.rmsnorm ins(%{{.+}} : tensor<2x16xf32>)
func.func @whole_row(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<8x16xf32>) outs(%x : tensor<8x16xf32>) eps(1.0e-05) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.rmsnorm"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %norm tile_sizes [2, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// On memrefs.
// CHECK-LABEL: @memrefs(
// CHECK-SAME: %[[X:[^ :,)]+]]: memref<?x16xf32>, %[[Y:[^ :,)]+]]: memref<?x16xf32>, %[[P:[^ :,)]+]]: memref<?x32xf32>, %{{.+}}: memref<16x16xf32>)
// CHECK: scf.for %[[I:[^ :,)]+]] =
// CHECK: %[[XT:[^ :,)]+]] = memref.subview %[[X]][%[[I]], 0]
// CHECK: %[[YT:[^ :,)]+]] = memref.subview %[[Y]][%[[I]], 0]
// CHECK: xfmr.rmsnorm ins(%[[XT]] : memref<?x16xf32, strided<[16, 1], offset: ?>>) outs(%[[YT]] : memref<?x16xf32, strided<[16, 1], offset: ?>>)
// CHECK: scf.for
// CHECK: xfmr.ffn ins(%{{.+}} : memref<?x16xf32, strided<[16, 1], offset: ?>>) up(%{{.+}} : memref<16x16xf32>)
// CHECK: scf.for %[[I2:[^ :,)]+]] =
// CHECK: scf.for %[[J2:[^ :,)]+]] =
// CHECK-DAG: memref.subview %[[P]][%[[I2]], %[[J2]]] [%{{.+}}, 4] [1, 1]
// CHECK-DAG: %[[UP:[^ :,)]+]] = affine.apply #{{.+}}(%[[J2]])
// CHECK-DAG: memref.subview %[[P]][%[[I2]], %[[UP]]] [%{{.+}}, 4] [1, 1]
// CHECK: xfmr.gated_act gate(%{{.+}}) up(%{{.+}}) outs(%{{.+}}) activation(silu){{$}}
func.func @memrefs(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %p: memref<?x32xf32>, %w: memref<16x16xf32>) {
  xfmr.rmsnorm ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) eps(1.0e-05)
  xfmr.ffn ins(%x : memref<?x16xf32>) up(%w : memref<16x16xf32>) down(%w : memref<16x16xf32>) outs(%y : memref<?x16xf32>)
      activation(relu) layout(in_out)
  xfmr.gated_act gate_up(%p : memref<?x32xf32>) outs(%y : memref<?x16xf32>) activation(silu) order(gate_up)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.rmsnorm"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %norm tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %ffn = transform.structured.match ops{["xfmr.ffn"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %ffn tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %gate = transform.structured.match ops{["xfmr.gated_act"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %gate tile_sizes [4, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A packed gate in each order, split over d_ff; whole it stays packed.
// CHECK-DAG: #[[$FAR:.+]] = affine_map<(d0) -> (d0 + 16)>
// CHECK-DAG: #[[$TWICE:.+]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-DAG: #[[$NEXT:.+]] = affine_map<(d0) -> (d0 * 2 + 1)>
// CHECK-LABEL: @gates(
// CHECK-SAME: %[[P:[^ :,)]+]]: tensor<8x32xf16>
// CHECK: scf.for %[[J:[^ :,)]+]] =
// CHECK-DAG: %[[FIRST:[^ :,)]+]] = tensor.extract_slice %[[P]][0, %[[J]]] [8, 4] [1, 1]
// CHECK-DAG: %[[OFF:[^ :,)]+]] = affine.apply #[[$FAR]](%[[J]])
// CHECK-DAG: %[[SECOND:[^ :,)]+]] = tensor.extract_slice %[[P]][0, %[[OFF]]] [8, 4] [1, 1]
// CHECK: xfmr.gated_act gate(%[[FIRST]] : tensor<8x4xf16>) up(%[[SECOND]] : tensor<8x4xf16>) outs(%{{.+}} : tensor<8x4xf32>) activation(silu) {test.mark} -> tensor<8x4xf32>
// CHECK: scf.for %[[J:[^ :,)]+]] =
// CHECK-DAG: %[[FIRST:[^ :,)]+]] = tensor.extract_slice %[[P]][0, %[[J]]] [8, 4] [1, 1]
// CHECK-DAG: %[[OFF:[^ :,)]+]] = affine.apply #[[$FAR]](%[[J]])
// CHECK-DAG: %[[SECOND:[^ :,)]+]] = tensor.extract_slice %[[P]][0, %[[OFF]]] [8, 4] [1, 1]
// CHECK: xfmr.gated_act gate(%[[SECOND]] : tensor<8x4xf16>) up(%[[FIRST]] : tensor<8x4xf16>)
// CHECK: scf.for %[[J:[^ :,)]+]] =
// CHECK-DAG: %[[OFF0:[^ :,)]+]] = affine.apply #[[$TWICE]](%[[J]])
// CHECK-DAG: %[[OFF1:[^ :,)]+]] = affine.apply #[[$NEXT]](%[[J]])
// CHECK-DAG: %[[FIRST:[^ :,)]+]] = tensor.extract_slice %[[P]][0, %[[OFF0]]] [8, 4] [1, 2]
// CHECK-DAG: %[[SECOND:[^ :,)]+]] = tensor.extract_slice %[[P]][0, %[[OFF1]]] [8, 4] [1, 2]
// CHECK: xfmr.gated_act gate(%[[FIRST]] : tensor<8x4xf16>) up(%[[SECOND]] : tensor<8x4xf16>)
func.func @gates(%p: tensor<8x32xf16>, %y: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = xfmr.gated_act gate_up(%p : tensor<8x32xf16>) outs(%y : tensor<8x16xf32>) activation(silu) order(gate_up) {test.mark}
      -> tensor<8x16xf32>
  %1 = xfmr.gated_act gate_up(%p : tensor<8x32xf16>) outs(%y : tensor<8x16xf32>) activation(silu) order(up_gate)
      -> tensor<8x16xf32>
  %2 = xfmr.gated_act gate_up(%p : tensor<8x32xf16>) outs(%y : tensor<8x16xf32>) activation(silu) order(interleaved)
      -> tensor<8x16xf32>
  return %0, %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}
// CHECK-LABEL: @whole_gate(
// CHECK: xfmr.gated_act gate_up(%{{.+}} : tensor<2x32xf16>) outs(%{{.+}} : tensor<2x16xf32>) activation(silu) order(interleaved)
// CHECK: xfmr.gated_act gate(%{{.+}} : tensor<?x?xf16>) up(%{{.+}} : tensor<?x?xf16>) outs(%{{.+}} : tensor<?x?xf16>)
func.func @whole_gate(%p: tensor<8x32xf16>, %y: tensor<8x16xf32>, %d: tensor<?x?xf16>) -> (tensor<8x16xf32>, tensor<?x?xf16>) {
  %0 = xfmr.gated_act gate_up(%p : tensor<8x32xf16>) outs(%y : tensor<8x16xf32>) activation(silu) order(interleaved)
      {test.rows} -> tensor<8x16xf32>
  %1 = xfmr.gated_act gate(%d : tensor<?x?xf16>) up(%d : tensor<?x?xf16>) outs(%d : tensor<?x?xf16>) activation(silu)
      {test.both} -> tensor<?x?xf16>
  return %0, %1 : tensor<8x16xf32>, tensor<?x?xf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %gates = transform.structured.match ops{["func.func"]} attributes{sym_name = "gates"} in %root : (!transform.any_op) -> !transform.any_op
    %all = transform.structured.match ops{["xfmr.gated_act"]} in %gates : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %all tile_sizes [0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %rows = transform.structured.match ops{["xfmr.gated_act"]} attributes{test.rows} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %rows tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %both = transform.structured.match ops{["xfmr.gated_act"]} attributes{test.both} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %both tile_sizes [2, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Networks tile over rows, weights whole.
// CHECK-LABEL: @networks(
// CHECK: scf.forall
// CHECK: xfmr.swiglu_ffn ins(%{{.+}} : tensor<4x8xf32>) gate_up(%{{.+}} : tensor<32x8xf32>) down(%{{.+}} : tensor<6x16xf32>) gate_up_bias(%{{.+}} : tensor<32xf32>) down_bias(%{{.+}} : tensor<6xf32>) outs(%{{.+}} : tensor<4x6xf32>)
// CHECK: tensor.parallel_insert_slice %{{.+}} into %{{.+}}[%{{.+}}, 0] [4, 6] [1, 1]
func.func @networks(%x: tensor<16x8xf32>, %w: tensor<32x8xf32>, %d: tensor<6x16xf32>, %b: tensor<32xf32>, %db: tensor<6xf32>,
                    %y: tensor<16x6xf32>) -> tensor<16x6xf32> {
  %0 = xfmr.swiglu_ffn ins(%x : tensor<16x8xf32>) gate_up(%w : tensor<32x8xf32>) down(%d : tensor<6x16xf32>)
      gate_up_bias(%b : tensor<32xf32>) down_bias(%db : tensor<6xf32>) outs(%y : tensor<16x6xf32>) layout(out_in)
      order(interleaved) -> tensor<16x6xf32>
  return %0 : tensor<16x6xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ffn = transform.structured.match ops{["xfmr.swiglu_ffn"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_forall %ffn tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Producers are fused into a loop over rows: norm, network, gate, elementwise.
// CHECK-LABEL: @fuse_into(
// CHECK: scf.forall
// CHECK: linalg.exp {{.+}} -> tensor<4x8xf32>
// CHECK: xfmr.rmsnorm ins(%{{.+}} : tensor<4x8xf32>)
// CHECK: xfmr.ffn ins(%{{.+}} : tensor<4x8xf32>)
// CHECK: xfmr.layernorm ins(%{{.+}} : tensor<4x8xf32>)
// CHECK: scf.forall.in_parallel
func.func @fuse_into(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>, %y: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %e = tensor.empty() : tensor<16x8xf32>
  %0 = linalg.exp ins(%x : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = xfmr.rmsnorm ins(%0 : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) eps(1.0e-05) -> tensor<16x8xf32>
  %2 = xfmr.ffn ins(%1 : tensor<16x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>) outs(%e : tensor<16x8xf32>)
      activation(relu) layout(in_out) -> tensor<16x8xf32>
  %3 = xfmr.layernorm ins(%2 : tensor<16x8xf32>) outs(%y : tensor<16x8xf32>) eps(1.0e-05) -> tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ln = transform.structured.match ops{["xfmr.layernorm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %ln tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %ffn = transform.structured.match ops{["xfmr.ffn"]} in %root : (!transform.any_op) -> !transform.any_op
    %f1, %loop1 = transform.structured.fuse_into_containing_op %ffn into %loop : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %rms = transform.structured.match ops{["xfmr.rmsnorm"]} in %root : (!transform.any_op) -> !transform.any_op
    %f2, %loop2 = transform.structured.fuse_into_containing_op %rms into %loop1 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %f3, %loop3 = transform.structured.fuse_into_containing_op %exp into %loop2 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// The same in one step, from the last op on.
// CHECK-LABEL: @fuse(
// CHECK-NOT: xfmr
// CHECK: scf.for
// CHECK: xfmr.add_rmsnorm ins(%{{.+}} : tensor<4x8xf32>)
// CHECK: xfmr.swiglu_ffn ins(%{{.+}} : tensor<4x8xf32>)
// CHECK: linalg.exp {{.+}} -> tensor<4x8xf32>
// CHECK: scf.yield
// CHECK-NOT: xfmr
// CHECK: return
func.func @fuse(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>, %y: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %e = tensor.empty() : tensor<16x8xf32>
  %1 = xfmr.add_rmsnorm ins(%x : tensor<16x8xf32>) residual(%x : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) eps(1.0e-05)
      -> tensor<16x8xf32>
  %2 = xfmr.swiglu_ffn ins(%1 : tensor<16x8xf32>) gate(%w : tensor<8x8xf32>) up(%w : tensor<8x8xf32>)
      down(%w : tensor<8x8xf32>) outs(%e : tensor<16x8xf32>) layout(in_out) -> tensor<16x8xf32>
  %3 = linalg.exp ins(%2 : tensor<16x8xf32>) outs(%y : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.fuse %exp tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A consumer that wants part of each row gets no norm of part of a row.
// CHECK-LABEL: @not_fused(
// CHECK: xfmr.rmsnorm ins(%{{.+}} : tensor<16x8xf32>)
// CHECK: scf.for
// CHECK-NOT: xfmr
func.func @not_fused(%x: tensor<16x8xf32>, %y: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = xfmr.rmsnorm ins(%x : tensor<16x8xf32>) outs(%y : tensor<16x8xf32>) eps(1.0e-05) -> tensor<16x8xf32>
  %2 = linalg.exp ins(%1 : tensor<16x8xf32>) outs(%y : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.fuse %exp tile_sizes [4, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A saved statistic asks for rows, too.
// CHECK-LABEL: @fuse_statistic(
// CHECK: scf.for
// CHECK: %[[N:[^ :,)]+]]:2 = xfmr.rmsnorm ins(%{{.+}} : tensor<4x8xf32>) outs(%{{.+}} : tensor<4x8xf32>) rstd(%{{.+}} : tensor<4xf32>)
// CHECK: linalg.exp ins(%[[N]]#1 : tensor<4xf32>)
func.func @fuse_statistic(%x: tensor<16x8xf32>, %v: tensor<16xf32>, %y: tensor<16x8xf32>) -> tensor<16xf32> {
  %1:2 = xfmr.rmsnorm ins(%x : tensor<16x8xf32>) outs(%y : tensor<16x8xf32>) rstd(%v : tensor<16xf32>) eps(1.0e-05)
      -> tensor<16x8xf32>, tensor<16xf32>
  %2 = linalg.exp ins(%1#1 : tensor<16xf32>) outs(%v : tensor<16xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.fuse %exp tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// That rows are whole follows from any operand: here the producer's x and its
// destination are equal by the op's contract alone.
// CHECK-LABEL: @fuse_dynamic(
// CHECK-NOT: xfmr
// CHECK: scf.for
// CHECK: xfmr.rmsnorm ins(%{{.+}} : tensor<?x?xf32>)
// CHECK: xfmr.ffn ins(%{{.+}} : tensor<?x?xf32>)
// CHECK: xfmr.layernorm ins(%{{.+}} : tensor<?x?xf32>)
// CHECK: scf.yield
// CHECK-NOT: xfmr
// CHECK: return
func.func @fuse_dynamic(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>, %o: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) eps(1.0e-05) -> tensor<?x?xf32>
  %1 = xfmr.ffn ins(%0 : tensor<?x?xf32>) up(%w : tensor<?x?xf32>) down(%w : tensor<?x?xf32>) outs(%z : tensor<?x?xf32>)
      activation(relu) layout(in_out) -> tensor<?x?xf32>
  %2 = xfmr.layernorm ins(%1 : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) eps(1.0e-05) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.layernorm"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.fuse %norm tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
