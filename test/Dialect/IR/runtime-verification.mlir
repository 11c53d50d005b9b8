// RUN: xfmr-opt %s -generate-runtime-verification -cse | FileCheck %s --implicit-check-not=cf.assert

// CHECK-LABEL: @norm(
// CHECK-SAME: %[[X:.+]]: tensor<?x?xf32>, %[[G:.+]]: tensor<8xf32>, %[[Y:.+]]: tensor<?x8xf32>, %[[V:.+]]: tensor<?xf32>)
// CHECK: cf.assert %{{.+}}, "ERROR: Runtime op verification failed{{.+}}expected dim 0 of gamma to equal dim 1 of ins
// CHECK: cf.assert {{.+}}expected dim 0 of outs to equal dim 0 of ins
// CHECK: cf.assert {{.+}}expected dim 1 of outs to equal dim 1 of ins
// CHECK: cf.assert {{.+}}expected dim 0 of rstd to equal dim 0 of ins
// CHECK: xfmr.rmsnorm
func.func @norm(%x: tensor<?x?xf32>, %g: tensor<8xf32>, %y: tensor<?x8xf32>, %v: tensor<?xf32>)
    -> (tensor<?x8xf32>, tensor<?xf32>) {
  %0:2 = xfmr.rmsnorm ins(%x : tensor<?x?xf32>) gamma(%g : tensor<8xf32>) outs(%y : tensor<?x8xf32>)
      rstd(%v : tensor<?xf32>) eps(1.0e-05) -> tensor<?x8xf32>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x8xf32>, tensor<?xf32>
}

// What is static was verified.
// CHECK-LABEL: @static(
// CHECK-NOT: arith.cmpi
func.func @static(%x: memref<4x8xf32>, %r: memref<4x8xf32>) {
  xfmr.add_layernorm ins(%x : memref<4x8xf32>) residual(%r : memref<4x8xf32>) outs(%x : memref<4x8xf32>) eps(1.0e-05)
  return
}

// CHECK-LABEL: @residual(
// CHECK: cf.assert {{.+}}expected dim 0 of residual to equal dim 0 of ins
// CHECK: cf.assert {{.+}}expected dim 0 of sum to equal dim 0 of ins
func.func @residual(%x: memref<4x8xf32>, %r: memref<?x8xf32>) {
  xfmr.add_rmsnorm ins(%x : memref<4x8xf32>) residual(%r : memref<?x8xf32>) sum(%r : memref<?x8xf32>)
      outs(%x : memref<4x8xf32>) eps(1.0e-05)
  return
}

// Every dim is compared with the first that is to be equal, here gate's.
// CHECK-LABEL: @network(
// CHECK: cf.assert {{.+}}expected dim 1 of gate to equal dim 1 of ins
// CHECK: cf.assert {{.+}}expected dim 0 of up to equal dim 1 of ins
// CHECK: cf.assert {{.+}}expected dim 1 of up to equal dim 0 of gate
// CHECK: cf.assert {{.+}}expected dim 0 of down to equal dim 0 of gate
// CHECK: cf.assert {{.+}}expected dim 0 of up_bias to equal dim 0 of gate
// CHECK: cf.assert {{.+}}expected dim 0 of down_bias to equal dim 1 of down
// CHECK: cf.assert {{.+}}expected dim 0 of outs to equal dim 0 of ins
// CHECK: cf.assert {{.+}}expected dim 1 of outs to equal dim 1 of down
func.func @network(%x: memref<?x?xf32>, %g: memref<?x?xf32>, %u: memref<?x?xf32>, %d: memref<?x?xf32>, %b: memref<?xf32>,
                   %y: memref<?x?xf32>) {
  xfmr.glu_ffn ins(%x : memref<?x?xf32>) gate(%g : memref<?x?xf32>) up(%u : memref<?x?xf32>) down(%d : memref<?x?xf32>)
      up_bias(%b : memref<?xf32>) down_bias(%b : memref<?xf32>) outs(%y : memref<?x?xf32>) activation(relu)
      layout(gate = out_in, up = in_out, down = in_out)
  return
}

// A packed operand has twice as many elements.
// CHECK-LABEL: @packed(
// CHECK-DAG: %[[C2:.+]] = arith.constant 2 : index
// CHECK-DAG: %[[W:.+]] = memref.dim %{{.+}}, %{{.+}} : memref<?x8xf32>
// CHECK-DAG: %[[H:.+]] = memref.dim %{{.+}}, %{{.+}} : memref<8x?xf32>
// CHECK: %[[TWICE:.+]] = arith.muli %[[H]], %[[C2]] : index
// CHECK: %[[OK:.+]] = arith.cmpi eq, %[[W]], %[[TWICE]] : index
// CHECK: cf.assert %[[OK]], {{.+}}expected dim 0 of gate_up to equal 2 times dim 1 of down
// CHECK: cf.assert {{.+}}expected dim 0 of gate_up_bias to equal 2 times dim 1 of down
// CHECK: cf.assert {{.+}}expected dim 1 of gate_up to equal 2 times dim 1 of outs
func.func @packed(%x: memref<4x8xf32>, %w: memref<?x8xf32>, %d: memref<8x?xf32>, %b: memref<32xf32>, %y: memref<4x8xf32>,
                  %p: memref<4x?xf32>) {
  xfmr.swiglu_ffn ins(%x : memref<4x8xf32>) gate_up(%w : memref<?x8xf32>) down(%d : memref<8x?xf32>)
      gate_up_bias(%b : memref<32xf32>) outs(%y : memref<4x8xf32>) layout(out_in) order(gate_up)
  xfmr.gated_act gate_up(%p : memref<4x?xf32>) outs(%y : memref<4x8xf32>) activation(silu) order(gate_up)
  return
}

// What a region yields is checked where it is known.
// CHECK-LABEL: @block(
// CHECK: cf.assert {{.+}}expected dim 0 of norm1 gamma to equal dim 1 of ins
// CHECK: cf.assert {{.+}}expected dim 0 of mask to equal dim 0 of ins
// CHECK: cf.assert {{.+}}expected dim 0 of outs to equal dim 0 of ins
// CHECK: cf.assert {{.+}}expected dim 1 of outs to equal dim 1 of ins
// CHECK: xfmr.residual_block
// CHECK: cf.assert {{.+}}expected dim 0 of the yielded value to equal dim 0 of ins
// CHECK: cf.assert {{.+}}expected dim 1 of the yielded value to equal dim 1 of ins
// CHECK: xfmr.yield
func.func @block(%x: tensor<?x?xf32>, %g: tensor<8xf32>, %m: tensor<?xi1>, %f: tensor<?x?xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = xfmr.residual_block pre ins(%x : tensor<?x?xf32>) norm1(<rmsnorm, eps = 1.0e-05> gamma(%g : tensor<8xf32>))
      mask(%m : tensor<?xi1>) outs(%y : tensor<?x8xf32>) {
  ^bb0(%z: tensor<?x?xf32>):
    xfmr.yield %f : tensor<?x?xf32>
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
