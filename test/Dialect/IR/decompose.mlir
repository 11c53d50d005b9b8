// RUN: xfmr-opt %s -transform-interpreter -canonicalize -split-input-file | FileCheck %s

// What linalg::AggregatedOpInterface gives, on tensors.

// CHECK-DAG: #[[$ALL:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: @rmsnorm(
// CHECK-SAME: %[[X:[^ :,)]+]]: tensor<?x64xbf16>, %[[G:[^ :,)]+]]: tensor<64xbf16>, %[[Y:[^ :,)]+]]: tensor<?x64xbf16>)
// CHECK-DAG: %[[D:[^ :,)]+]] = arith.constant 6.400000e+01 : f32
// CHECK-DAG: %[[EPS:[^ :,)]+]] = arith.constant 9.99999974E-6 : f32
// CHECK-DAG: %[[ONE:[^ :,)]+]] = arith.constant 1.000000e+00 : f32
// Squares are widened before, and summed in f32.
// CHECK: %[[S:[^ :,)]+]] = linalg.generic {indexing_maps = [#[[$ALL]], #[[$ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]] : tensor<?x64xbf16>) outs(%{{.+}} : tensor<?xf32>)
// CHECK: ^bb0(%[[A:[^ :,)]+]]: bf16, %[[B:[^ :,)]+]]: f32):
// CHECK-NEXT: %[[W:[^ :,)]+]] = arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT: %[[F:[^ :,)]+]] = math.fma %[[W]], %[[W]], %[[B]] : f32
// CHECK-NEXT: linalg.yield %[[F]] : f32
// CHECK: %[[RSTD:[^ :,)]+]] = linalg.generic {{.+}} ins(%[[S]] : tensor<?xf32>)
// CHECK: ^bb0(%[[A:[^ :,)]+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: %[[MS:[^ :,)]+]] = arith.divf %[[A]], %[[D]] : f32
// CHECK-NEXT: %[[SUM:[^ :,)]+]] = arith.addf %[[MS]], %[[EPS]] : f32
// CHECK-NEXT: %[[ROOT:[^ :,)]+]] = math.sqrt %[[SUM]] : f32
// CHECK-NEXT: %[[Q:[^ :,)]+]] = arith.divf %[[ONE]], %[[ROOT]] : f32
// CHECK-NEXT: linalg.yield %[[Q]] : f32
// cast_then_scale rounds twice; the offset is added in f32.
// CHECK: linalg.generic {indexing_maps = [#[[$ALL]], #[[$ROW]], #[[$COLUMN]], #[[$ALL]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[RSTD]], %[[G]] : tensor<?x64xbf16>, tensor<?xf32>, tensor<64xbf16>) outs(%[[Y]] : tensor<?x64xbf16>)
// CHECK: ^bb0(%[[A:[^ :,)]+]]: bf16, %[[R:[^ :,)]+]]: f32, %[[GAMMA:[^ :,)]+]]: bf16, %{{.+}}: bf16):
// CHECK-NEXT: %[[W:[^ :,)]+]] = arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT: %[[N:[^ :,)]+]] = arith.mulf %[[W]], %[[R]] : f32
// CHECK-NEXT: %[[CAST:[^ :,)]+]] = arith.truncf %[[N]] : f32 to bf16
// CHECK-NEXT: %[[BACK:[^ :,)]+]] = arith.extf %[[CAST]] : bf16 to f32
// CHECK-NEXT: %[[WG:[^ :,)]+]] = arith.extf %[[GAMMA]] : bf16 to f32
// CHECK-NEXT: %[[OG:[^ :,)]+]] = arith.addf %[[WG]], %[[ONE]] : f32
// CHECK-NEXT: %[[M:[^ :,)]+]] = arith.mulf %[[OG]], %[[BACK]] : f32
// CHECK-NEXT: %[[Z:[^ :,)]+]] = arith.truncf %[[M]] : f32 to bf16
// CHECK-NEXT: linalg.yield %[[Z]] : bf16
func.func @rmsnorm(%x: tensor<?x64xbf16>, %g: tensor<64xbf16>, %y: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x64xbf16>) gamma(%g : tensor<64xbf16>) outs(%y : tensor<?x64xbf16>) eps(1.0e-05)
      weight_offset(1.0) rounding(cast_then_scale) -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["xfmr.rmsnorm"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.decompose_interface %op : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Two passes with a correction, in f64; two normalised dims of unknown size.
// CHECK-LABEL: @layernorm(
// CHECK-SAME: %[[X:[^ :,)]+]]: tensor<4x?x?xf64>, %[[B:[^ :,)]+]]: tensor<?x?xf32>, %{{.+}}: tensor<4x?x?xf64>)
// CHECK: %[[N:[^ :,)]+]] = arith.muli %{{.+}}, %{{.+}} : index
// CHECK: %[[NI:[^ :,)]+]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[D:[^ :,)]+]] = arith.sitofp %[[NI]] : i64 to f64
// CHECK: linalg.generic {{.+}} iterator_types = ["parallel", "reduction", "reduction"]} ins(%[[X]] : tensor<4x?x?xf64>)
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK: arith.divf %{{.+}}, %[[D]] : f64
// CHECK: linalg.generic {{.+}} iterator_types = ["parallel", "reduction", "reduction"]}
// CHECK: ^bb0(%[[A:[^ :,)]+]]: f64, %[[MEAN:[^ :,)]+]]: f64, %[[Q:[^ :,)]+]]: f64, %[[S:[^ :,)]+]]: f64):
// CHECK-NEXT: %[[DEV:[^ :,)]+]] = arith.subf %[[A]], %[[MEAN]] : f64
// CHECK-NEXT: %[[Q1:[^ :,)]+]] = math.fma %[[DEV]], %[[DEV]], %[[Q]] : f64
// CHECK-NEXT: %[[S1:[^ :,)]+]] = arith.addf %[[S]], %[[DEV]] : f64
// CHECK-NEXT: linalg.yield %[[Q1]], %[[S1]]
// CHECK: linalg.generic
// CHECK: ^bb0(%[[Q:[^ :,)]+]]: f64, %[[S:[^ :,)]+]]: f64, %{{.+}}: f64
// CHECK: %[[DM:[^ :,)]+]] = arith.divf %[[S]], %[[D]] : f64
// CHECK: %[[DM2:[^ :,)]+]] = arith.mulf %[[DM]], %[[DM]] : f64
// CHECK: %[[P:[^ :,)]+]] = arith.mulf %[[D]], %[[DM2]] : f64
// CHECK: %[[SUB:[^ :,)]+]] = arith.subf %[[Q]], %[[P]] : f64
// CHECK: %[[MAX:[^ :,)]+]] = arith.maximumf %[[SUB]], %{{.+}} : f64
// CHECK: %[[D1:[^ :,)]+]] = arith.subf %[[D]], %{{.+}} : f64
// CHECK: %[[VAR:[^ :,)]+]] = arith.divf %[[MAX]], %[[D1]] : f64
// CHECK: %[[ROOT:[^ :,)]+]] = math.sqrt %[[VAR]] : f64
// CHECK: arith.addf %[[ROOT]], %{{.+}} : f64
// CHECK: linalg.generic
// CHECK: arith.extf %{{.+}} : f32 to f64
// CHECK: arith.addf
func.func @layernorm(%x: tensor<4x?x?xf64>, %b: tensor<?x?xf32>, %y: tensor<4x?x?xf64>) -> tensor<4x?x?xf64> {
  %0 = xfmr.layernorm ins(%x : tensor<4x?x?xf64>) beta(%b : tensor<?x?xf32>) outs(%y : tensor<4x?x?xf64>) eps(1.0e-12)
      eps_position(outside) unbiased normalized_dims(2) -> tensor<4x?x?xf64>
  return %0 : tensor<4x?x?xf64>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["xfmr.layernorm"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.decompose_interface %op : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// The hidden value is rounded once, to its own type; products and their sums
// are f32 whatever the types of weights are.
// CHECK-LABEL: @ffn(
// CHECK-SAME: %[[X:[^ :,)]+]]: tensor<2x3x8xbf16>, %[[U:[^ :,)]+]]: tensor<16x8xf32>, %[[W:[^ :,)]+]]: tensor<16x4xf16>, %[[UB:[^ :,)]+]]: tensor<16xf32>, %[[Y:[^ :,)]+]]: tensor<2x3x4xbf16>)
// CHECK: %[[P:[^ :,)]+]] = linalg.generic {{.+}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[X]], %[[U]] : tensor<2x3x8xbf16>, tensor<16x8xf32>) outs(%{{.+}} : tensor<2x3x16xf32>)
// CHECK: %[[H:[^ :,)]+]] = linalg.generic {{.+}} ins(%[[P]], %[[UB]] : tensor<2x3x16xf32>, tensor<16xf32>) outs(%{{.+}} : tensor<2x3x16xf16>)
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK: arith.truncf %{{.+}} : f32 to f16
// CHECK: %[[Q:[^ :,)]+]] = linalg.generic {{.+}} ins(%[[H]], %[[W]] : tensor<2x3x16xf16>, tensor<16x4xf16>) outs(%{{.+}} : tensor<2x3x4xf32>)
// CHECK: linalg.generic {{.+}} ins(%[[Q]] : tensor<2x3x4xf32>) outs(%[[Y]] : tensor<2x3x4xbf16>)
// CHECK: arith.truncf %{{.+}} : f32 to bf16
func.func @ffn(%x: tensor<2x3x8xbf16>, %u: tensor<16x8xf32>, %w: tensor<16x4xf16>, %ub: tensor<16xf32>, %y: tensor<2x3x4xbf16>)
    -> tensor<2x3x4xbf16> {
  %0 = xfmr.ffn ins(%x : tensor<2x3x8xbf16>) up(%u : tensor<16x8xf32>) down(%w : tensor<16x4xf16>) up_bias(%ub : tensor<16xf32>)
      outs(%y : tensor<2x3x4xbf16>) activation(relu) layout(up = out_in, down = in_out) hidden_type(f16) -> tensor<2x3x4xbf16>
  return %0 : tensor<2x3x4xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["xfmr.ffn"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.decompose_interface %op : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A f16 gate beside a bf16 up: neither type holds the other.
// CHECK-LABEL: @gated_act(
// CHECK: linalg.generic
// CHECK: ^bb0(%[[G:[^ :,)]+]]: f16, %[[U:[^ :,)]+]]: bf16, %{{.+}}: f16):
// CHECK-DAG: arith.extf %[[G]] : f16 to f32
// CHECK-DAG: arith.extf %[[U]] : bf16 to f32
// CHECK: arith.truncf %{{.+}} : f32 to f16
func.func @gated_act(%g: tensor<4x8xf16>, %u: tensor<4x8xbf16>, %y: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = xfmr.gated_act gate(%g : tensor<4x8xf16>) up(%u : tensor<4x8xbf16>) outs(%y : tensor<4x8xf16>) activation(silu)
      -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["xfmr.gated_act"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.decompose_interface %op : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
