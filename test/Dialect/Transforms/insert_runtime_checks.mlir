// RUN: xfmr-opt %s --xfmr-insert-runtime-checks --split-input-file | FileCheck %s
// RUN: xfmr-opt %s --xfmr-insert-runtime-checks --split-input-file --mlir-disable-threading | FileCheck %s

// Sizes that follow from the arguments are compared at the entry.
// CHECK-LABEL: func.func @arguments(
// CHECK-SAME: %{{.*}}: tensor<?x?xf32>, %{{.*}}: tensor<64xf32>, %[[Y:.*]]: tensor<?x?xf32>)
// CHECK-SAME: attributes {xfmr.status_messages = ["{{.*}}insert_runtime_checks.mlir:[[#@LINE+14]]:8: 'xfmr.rmsnorm' op expected dim 0 of gamma to equal dim 1 of ins", "{{.*}}'xfmr.rmsnorm' op expected dim 0 of outs to equal dim 0 of ins", "{{.*}}dim 1 of outs to equal dim 1 of ins"]}
// CHECK-DAG: %[[D:.*]] = tensor.dim %[[Y]]
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[OK:.*]] = arith.cmpi eq, {{.*}}%[[D]]
// CHECK: cf.assert %[[OK]], "{{.*}}'xfmr.rmsnorm' op expected dim 0 of gamma to equal dim 1 of ins"
// CHECK: cf.assert {{.*}} "{{.*}}expected dim 0 of outs to equal dim 0 of ins"
// CHECK: cf.assert {{.*}} "{{.*}}expected dim 1 of outs to equal dim 1 of ins"
// CHECK: linalg.negf
// CHECK-NOT: cf.assert
// CHECK: xfmr.rmsnorm
func.func @arguments(%x: tensor<?x?xf32>, %g: tensor<64xf32>, %y: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %n = linalg.negf ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  %0 = xfmr.rmsnorm ins(%n : tensor<?x?xf32>) gamma(%g : tensor<64xf32>)
      outs(%y : tensor<?x?xf32>) eps(1.0e-05) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// What types tell needs no check.
// CHECK-LABEL: func.func @static(
// CHECK-NOT: cf.assert
// CHECK-NOT: xfmr.status_messages
func.func @static(%x: memref<4x64xf32>, %g: memref<64xf32>) {
  xfmr.rmsnorm ins(%x : memref<4x64xf32>) gamma(%g : memref<64xf32>)
      outs(%x : memref<4x64xf32>) eps(1.0e-05)
  return
}

// -----

// Inside a residual block the sizes of z are those of x.
// CHECK-LABEL: func.func @region(
// CHECK: cf.assert {{.*}}'xfmr.residual_block'
// CHECK: cf.assert {{.*}}'xfmr.ffn' op
// CHECK: xfmr.residual_block
// CHECK-NOT: cf.assert
// CHECK: xfmr.ffn
func.func @region(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %y: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = xfmr.residual_block none ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%z: tensor<?x?xf32>):
    %f = xfmr.ffn ins(%z : tensor<?x?xf32>) up(%w : tensor<?x?xf32>)
        down(%w : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) activation(relu)
        layout(up = out_in, down = in_out) -> tensor<?x?xf32>
    xfmr.yield %f : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// An op that may not run is checked where it runs.
// CHECK-LABEL: func.func @conditional(
// CHECK-NOT: cf.assert
// CHECK: scf.if
// CHECK: cf.assert
// CHECK: xfmr.rmsnorm
func.func @conditional(%c: i1, %x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  scf.if %c {
    xfmr.rmsnorm ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) eps(1.0e-05)
  }
  return
}

// -----

// Sizes that only running code can tell are compared before their op.
// CHECK-LABEL: func.func @loaded(
// CHECK: memref.load
// CHECK: memref.alloc
// CHECK: cf.assert
// CHECK: xfmr.rmsnorm
func.func @loaded(%x: memref<?x64xf32>, %n: memref<index>) {
  %rows = memref.load %n[] : memref<index>
  %y = memref.alloc(%rows) : memref<?x64xf32>
  xfmr.rmsnorm ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) eps(1.0e-05)
  memref.dealloc %y : memref<?x64xf32>
  return
}

// -----

// A size that is computed from arguments is computed at the entry.
// CHECK-LABEL: func.func @computed(
// CHECK-SAME: %[[X:.*]]: memref<?x64xf32>, %[[N:.*]]: index
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[ROWS:.*]] = arith.muli %[[N]], %[[C2]]
// CHECK: arith.cmpi eq, {{.*}}%[[ROWS]]
// CHECK: cf.assert
// CHECK: memref.alloc
func.func @computed(%x: memref<?x64xf32>, %n: index) {
  %c2 = arith.constant 2 : index
  %rows = arith.muli %n, %c2 : index
  %y = memref.alloc(%rows) : memref<?x64xf32>
  xfmr.rmsnorm ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) eps(1.0e-05)
  memref.dealloc %y : memref<?x64xf32>
  return
}

// -----

// CHECK: func.func private @declaration(tensor<?xf32>)
func.func private @declaration(tensor<?xf32>)
