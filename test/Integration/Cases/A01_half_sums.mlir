// Case A1: a half type is widened before the square, in upstream ops and in loops.
// RUN: xfmr-opt --xfmr-to-linalg %s | FileCheck %s
// RUN: xfmr-opt --xfmr-to-linalg %s | FileCheck %s --check-prefix=NARROW
// RUN: xfmr-opt --xfmr-cpu-expand-stage --xfmr-cpu-tile-stage --xfmr-cpu-bufferize-stage --xfmr-cpu-decompose-stage --xfmr-cpu-vectorize-stage %s | FileCheck %s --check-prefix=LOOPS

// No arithmetic in a half type but conversions, and no reduction into one.
// NARROW-NOT: arith.{{(add|sub|mul|div)f}} {{.*}}: {{b?f16}}
// NARROW-NOT: math.{{[a-z]+}} {{.*}} : {{b?f16}}
// NARROW-NOT: tensor<?x{{b?f16}}>
// LOOPS-NOT: arith.{{(add|sub|mul|div)f}} {{.*}}{{b?f16}}
// LOOPS-NOT: math.fma {{.*}}{{b?f16}}

// CHECK-LABEL: func @rms
// CHECK: ^bb0(%[[X:.*]]: f16, %[[SUM:.*]]: f32):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]]{{.*}} : f16 to f32
// CHECK-NEXT: math.fma %[[WIDE]], %[[WIDE]], %[[SUM]] : f32
func.func @rms(%x: tensor<?x64xf16>, %y: tensor<?x64xf16>) -> tensor<?x64xf16> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x64xf16>) outs(%y : tensor<?x64xf16>) eps(1.0e-05)
      rounding(cast_then_scale) -> tensor<?x64xf16>
  return %0 : tensor<?x64xf16>
}
// CHECK-LABEL: func @layer
// CHECK: arith.extf %{{.*}} : bf16 to f32
func.func @layer(%x: tensor<?x64xbf16>, %y: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %0 = xfmr.layernorm ins(%x : tensor<?x64xbf16>) outs(%y : tensor<?x64xbf16>) eps(1.0e-05)
      rounding(scale_then_cast) -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}
// CHECK-LABEL: func @add
func.func @add(%x: tensor<?x64xbf16>, %r: tensor<?x64xbf16>, %y: tensor<?x64xbf16>)
    -> tensor<?x64xbf16> {
  %0 = xfmr.add_rmsnorm ins(%x : tensor<?x64xbf16>) residual(%r : tensor<?x64xbf16>)
      outs(%y : tensor<?x64xbf16>) eps(1.0e-05) residual_rounding(norm_then_round)
      rounding(scale_then_cast) -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}
// CHECK-LABEL: func @gate
func.func @gate(%x: tensor<?x64xf16>, %y: tensor<?x32xf16>) -> tensor<?x32xf16> {
  %0 = xfmr.gated_act gate_up(%x : tensor<?x64xf16>) outs(%y : tensor<?x32xf16>)
      activation(silu) order(gate_up) -> tensor<?x32xf16>
  return %0 : tensor<?x32xf16>
}
