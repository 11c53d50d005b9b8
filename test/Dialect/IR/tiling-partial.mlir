// RUN: xfmr-opt %s -transform-interpreter -canonicalize -cse -split-input-file | FileCheck %s

// A norm's statistic in partial sums, one for each element of a tile; merging
// adds them up and does what follows over whole rows.
// CHECK-LABEL: @rmsnorm(
// CHECK-SAME: %[[X:[^ :,)]+]]: tensor<4x?xf16>, %{{.+}}: tensor<?xf32>, %[[Y:[^ :,)]+]]: tensor<4x?xf16>, %[[V:[^ :,)]+]]: tensor<4xf32>)
// CHECK: %[[ZERO:[^ :,)]+]] = linalg.fill {{.+}} outs(%{{.+}} : tensor<4x8xf32>)
// CHECK: %[[SUMS:[^ :,)]+]]{{.*}} = scf.for %[[J:[^ :,)]+]] = {{.+}} iter_args(%{{.+}} = %[[ZERO]]
// CHECK: %[[N:[^ :,)]+]] = affine.min
// CHECK-DAG: %[[XT:[^ :,)]+]] = tensor.extract_slice %[[X]][0, %[[J]]] [4, %[[N]]] [1, 1] : tensor<4x?xf16> to tensor<4x?xf16>
// CHECK-DAG: %[[PT:[^ :,)]+]] = tensor.extract_slice %{{.+}}[0, 0] [4, %[[N]]] [1, 1] : tensor<4x8xf32> to tensor<4x?xf32>
// CHECK: linalg.generic {{.+}} iterator_types = ["parallel", "parallel"]} ins(%[[XT]] : tensor<4x?xf16>) outs(%[[PT]] : tensor<4x?xf32>)
// CHECK: ^bb0(%[[A:[^ :,)]+]]: f16, %[[B:[^ :,)]+]]: f32):
// CHECK: %[[WIDE:[^ :,)]+]] = arith.extf %[[A]] : f16 to f32
// CHECK: math.fma %[[WIDE]], %[[WIDE]], %[[B]] : f32
// CHECK: tensor.insert_slice
// CHECK: linalg.generic {{.+}} iterator_types = ["parallel", "reduction"]}
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK: linalg.generic {{.+}} outs(%[[Y]] : tensor<4x?xf16>)
// CHECK: arith.truncf %{{.+}} : f32 to f16
func.func @rmsnorm(%x: tensor<4x?xf16>, %g: tensor<?xf32>, %y: tensor<4x?xf16>, %v: tensor<4xf32>)
    -> (tensor<4x?xf16>, tensor<4xf32>) {
  %0:2 = xfmr.rmsnorm ins(%x : tensor<4x?xf16>) gamma(%g : tensor<?xf32>) outs(%y : tensor<4x?xf16>) rstd(%v : tensor<4xf32>)
      eps(1.0e-05) rounding(scale_then_cast) -> tensor<4x?xf16>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x?xf16>, tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.rmsnorm"]} in %root : (!transform.any_op) -> !transform.any_op
    %fill:2, %tiled, %merge:2, %loop = transform.structured.tile_reduction_using_for %norm by tile_sizes = [0, 8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// All results of an add and norm.
// CHECK-LABEL: @add_layernorm(
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: scf.yield
// CHECK: return %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<4x32xf32>, tensor<4x32xf32>, tensor<4xf32>, tensor<4xf32>
func.func @add_layernorm(%x: tensor<4x32xf32>, %r: tensor<4x32xf32>, %s: tensor<4x32xf32>, %v: tensor<4xf32>, %m: tensor<4xf32>)
    -> (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:4 = xfmr.add_layernorm ins(%x : tensor<4x32xf32>) residual(%r : tensor<4x32xf32>) sum(%s : tensor<4x32xf32>)
      outs(%x : tensor<4x32xf32>) rstd(%v : tensor<4xf32>) mean(%m : tensor<4xf32>) eps(1.0e-05)
      -> tensor<4x32xf32>, tensor<4x32xf32>, tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1, %0#2, %0#3 : tensor<4x32xf32>, tensor<4x32xf32>, tensor<4xf32>, tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["xfmr.add_layernorm"]} in %root : (!transform.any_op) -> !transform.any_op
    %fill:4, %tiled, %merge:4, %loop = transform.structured.tile_reduction_using_for %norm by tile_sizes = [0, 8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A network over its hidden dim, accumulating into the down product; the
// activation sees whole sums, the bias is added once at the end.
// CHECK-LABEL: @network(
// CHECK-SAME: %[[X:[^ :,)]+]]: tensor<4x8xbf16>, %[[W:[^ :,)]+]]: tensor<8x64xbf16>, %[[D:[^ :,)]+]]: tensor<6x32xbf16>, %[[PB:[^ :,)]+]]: tensor<64xf32>, %[[DB:[^ :,)]+]]: tensor<6xf32>, %[[Y:[^ :,)]+]]: tensor<4x6xbf16>)
// CHECK: %[[ZERO:[^ :,)]+]] = linalg.fill {{.+}} -> tensor<4x6xf32>
// CHECK: %[[ACC:[^ :,)]+]] = scf.for %[[J:[^ :,)]+]] = {{.+}} step %c16 iter_args(%[[A:[^ :,)]+]] = %[[ZERO]])
// CHECK-DAG: %[[GATE:[^ :,)]+]] = tensor.extract_slice %[[W]][0, 0] [8, 32] [1, 2]
// CHECK-DAG: %[[UP:[^ :,)]+]] = tensor.extract_slice %[[W]][0, 1] [8, 32] [1, 2]
// CHECK-DAG: tensor.extract_slice %[[GATE]][0, %[[J]]] [8, 16] [1, 1]
// CHECK-DAG: tensor.extract_slice %[[UP]][0, %[[J]]] [8, 16] [1, 1]
// CHECK-DAG: tensor.extract_slice %{{.+}}[%[[J]]] [16] [1] : tensor<32xf32>
// CHECK-DAG: tensor.extract_slice %[[D]][0, %[[J]]] [6, 16] [1, 1]
// CHECK: linalg.generic {{.+}}"reduction"]} ins(%{{.+}}, %{{.+}} : tensor<4x16xbf16>, tensor<6x16xbf16>) outs(%[[A]] : tensor<4x6xf32>)
// CHECK: scf.yield
// CHECK: linalg.generic {{.+}} ins(%[[ACC]], %[[DB]] : tensor<4x6xf32>, tensor<6xf32>) outs(%[[Y]] : tensor<4x6xbf16>)
// CHECK: arith.addf
// CHECK: arith.truncf
func.func @network(%x: tensor<4x8xbf16>, %w: tensor<8x64xbf16>, %d: tensor<6x32xbf16>, %pb: tensor<64xf32>, %db: tensor<6xf32>,
                   %y: tensor<4x6xbf16>) -> tensor<4x6xbf16> {
  %0 = xfmr.glu_ffn ins(%x : tensor<4x8xbf16>) gate_up(%w : tensor<8x64xbf16>) down(%d : tensor<6x32xbf16>)
      gate_up_bias(%pb : tensor<64xf32>) down_bias(%db : tensor<6xf32>) outs(%y : tensor<4x6xbf16>) activation(gelu_erf)
      layout(gate_up = in_out, down = out_in) order(interleaved) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ffn = transform.structured.match ops{["xfmr.glu_ffn"]} in %root : (!transform.any_op) -> !transform.any_op
    %fill, %tiled, %merge, %loop = transform.structured.tile_reduction_using_for %ffn by tile_sizes = [0, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
