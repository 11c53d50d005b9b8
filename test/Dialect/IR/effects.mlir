// RUN: xfmr-opt %s -allow-unregistered-dialect -cse | FileCheck %s
// RUN: xfmr-opt %s -allow-unregistered-dialect -loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: xfmr-opt %s -allow-unregistered-dialect -cse | FileCheck %s --check-prefix=DCE

// On tensors ops have no effect: equal ones are one, unused ones none.
// CHECK-LABEL: @equal(
// CHECK: %[[N:.+]] = xfmr.rmsnorm {{.+}} eps(1.0e-05)
// CHECK: %[[O:.+]] = xfmr.rmsnorm {{.+}} eps(1.0e-06)
// CHECK-NOT: xfmr
// CHECK: return %[[N]], %[[N]], %[[O]]
// DCE-LABEL: @equal(
func.func @equal(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = xfmr.rmsnorm ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) eps(1.0e-05) -> tensor<4x8xf32>
  %1 = xfmr.rmsnorm ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) eps(1.0e-05) -> tensor<4x8xf32>
  %2 = xfmr.rmsnorm ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) eps(1.0e-06) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// DCE-LABEL: @dead(
// DCE-NOT: xfmr
// DCE: return
func.func @dead(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p: tensor<?x16xf32>) {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) eps(1.0e-05) -> tensor<?x8xf32>
  %1 = xfmr.add_layernorm ins(%x : tensor<?x8xf32>) residual(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) eps(1.0e-05)
      -> tensor<?x8xf32>
  %2 = xfmr.ffn ins(%x : tensor<?x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>) outs(%x : tensor<?x8xf32>)
      activation(relu) layout(in_out) -> tensor<?x8xf32>
  %3 = xfmr.gated_act gate_up(%p : tensor<?x16xf32>) outs(%x : tensor<?x8xf32>) activation(silu) order(gate_up)
      -> tensor<?x8xf32>
  %4 = xfmr.residual_block none ins(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) {
  ^bb0(%z: tensor<?x8xf32>):
    %f = math.exp %z : tensor<?x8xf32>
    xfmr.yield %f : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  return
}

// A block does what its region does.
// DCE-LABEL: @region_with_effects(
// DCE: xfmr.residual_block
// DCE: "test.op"
func.func @region_with_effects(%x: tensor<?x8xf32>) {
  %0 = xfmr.residual_block none ins(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) {
  ^bb0(%z: tensor<?x8xf32>):
    "test.op"() : () -> ()
    xfmr.yield %z : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  return
}

// On memrefs destinations are written: nothing is dropped or merged, nor a load
// of a destination from before with one from after.
// CHECK-LABEL: @memrefs(
// CHECK: memref.load
// CHECK: xfmr.rmsnorm
// CHECK: memref.load
// CHECK: xfmr.rmsnorm
// CHECK: xfmr.residual_block
// CHECK: return
// DCE-LABEL: @memrefs(
// DCE-COUNT-2: xfmr.rmsnorm
// DCE: xfmr.residual_block
func.func @memrefs(%x: memref<4x8xf32>, %y: memref<4x8xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %0 = memref.load %y[%c0, %c0] : memref<4x8xf32>
  xfmr.rmsnorm ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) eps(1.0e-05)
  %1 = memref.load %y[%c0, %c0] : memref<4x8xf32>
  xfmr.rmsnorm ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) eps(1.0e-05)
  xfmr.residual_block none ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%z: memref<4x8xf32>):
    xfmr.yield %z : memref<4x8xf32>
  }
  return %0, %1 : f32, f32
}

// Hoisted out of a loop that may not run when dims are static; a dynamic dim
// may turn out not to match, which is undefined only where the op runs.
// LICM-LABEL: @speculated(
// LICM: xfmr.rmsnorm
// LICM: xfmr.residual_block
// LICM: scf.for
func.func @speculated(%n: index, %x: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = xfmr.rmsnorm ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) eps(1.0e-05) -> tensor<4x8xf32>
    %1 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) {
    ^bb0(%z: tensor<4x8xf32>):
      %f = math.exp %z : tensor<4x8xf32>
      xfmr.yield %f : tensor<4x8xf32>
    } -> tensor<4x8xf32>
    "test.use"(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  }
  return
}

// LICM-LABEL: @not_speculated(
// LICM: scf.for
// LICM: xfmr.layernorm
// LICM: xfmr.layernorm
// LICM: xfmr.residual_block
// LICM: arith.divsi
func.func @not_speculated(%n: index, %k: i32, %x: tensor<?x8xf32>, %b: memref<4x8xf32>, %s: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = xfmr.layernorm ins(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) eps(1.0e-05) -> tensor<?x8xf32>
    xfmr.layernorm ins(%b : memref<4x8xf32>) outs(%b : memref<4x8xf32>) eps(1.0e-05)
    // The region holds what is not speculated.
    %1 = xfmr.residual_block none ins(%s : tensor<4x8xf32>) outs(%s : tensor<4x8xf32>) {
    ^bb0(%z: tensor<4x8xf32>):
      %q = arith.divsi %k, %k : i32
      %e = arith.sitofp %q : i32 to f32
      %f = tensor.splat %e : tensor<4x8xf32>
      xfmr.yield %f : tensor<4x8xf32>
    } -> tensor<4x8xf32>
    "test.use"(%0, %1) : (tensor<?x8xf32>, tensor<4x8xf32>) -> ()
  }
  return
}

// The shape of a result is that of its destination.
// RUN: xfmr-opt %s -allow-unregistered-dialect -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s --check-prefix=DIMS
// DIMS-LABEL: @result_dims(
// DIMS-SAME: %{{.+}}, %[[Y:.+]]: tensor<?x8xf32>, %[[V:.+]]: tensor<?xf32>)
// DIMS-DAG: %[[D0:.+]] = tensor.dim %[[Y]],
// DIMS-DAG: %[[D1:.+]] = tensor.dim %[[V]],
// DIMS-NOT: xfmr
// DIMS: return %[[D0]], %[[D1]], %[[D0]]
func.func @result_dims(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %v: tensor<?xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %0:2 = xfmr.rmsnorm ins(%x : tensor<?x8xf32>) outs(%y : tensor<?x8xf32>) rstd(%v : tensor<?xf32>) eps(1.0e-05)
      -> tensor<?x8xf32>, tensor<?xf32>
  %1 = xfmr.residual_block none ins(%x : tensor<?x8xf32>) outs(%y : tensor<?x8xf32>) {
  ^bb0(%z: tensor<?x8xf32>):
    %f = math.exp %z : tensor<?x8xf32>
    xfmr.yield %f : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  %d0 = tensor.dim %0#0, %c0 : tensor<?x8xf32>
  %d1 = tensor.dim %0#1, %c0 : tensor<?xf32>
  %d2 = tensor.dim %1, %c0 : tensor<?x8xf32>
  return %d0, %d1, %d2 : index, index, index
}
