// RUN: xfmr-opt --xfmr-tile-rows=tile-rows=16 --canonicalize --cse -split-input-file %s | FileCheck %s

// A norm, a network and a residual add are one loop; what is used in it alone is
// a tile, also where an op names the destination of another one.
// CHECK-LABEL: func @block(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf32>, %[[W1:[^:]*]]: tensor<64x96xf32>, %[[W2:[^:]*]]: tensor<96x64xf32>, %[[Y:[^:]*]]: tensor<?x64xf32>
func.func @block(%x: tensor<?x64xf32>, %w1: tensor<64x96xf32>, %w2: tensor<96x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // CHECK: %[[ROWS:.*]] = tensor.dim %[[X]]
  // CHECK: %[[R:.*]] = scf.forall (%[[I:.*]]) = (0) to (%[[ROWS]]) step (16) shared_outs(%[[O:.*]] = %[[Y]]) -> (tensor<?x64xf32>) {
  // CHECK: %[[SIZE:.*]] = affine.min {{.*}}(%[[I]])[%[[ROWS]]]
  // CHECK: %[[XT:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [%[[SIZE]], 64] [1, 1]
  // CHECK: %[[E:.*]] = tensor.empty(%[[SIZE]]) : tensor<?x64xf32>
  // CHECK: %[[N:.*]] = xfmr.rmsnorm ins(%[[XT]] : {{.*}}) outs(%[[E]] :
  // CHECK: %[[F:.*]] = xfmr.ffn ins(%[[N]] : {{.*}}) up(%[[W1]] : {{.*}}) down(%[[W2]] : {{.*}}) outs(%[[E]] :
  // CHECK: %[[YT:.*]] = tensor.extract_slice %[[O]][%[[I]], 0] [%[[SIZE]], 64] [1, 1]
  // CHECK: %[[S:.*]] = linalg.add ins(%[[XT]], %[[F]] : {{.*}}) outs(%[[YT]] :
  // CHECK: scf.forall.in_parallel {
  // CHECK-NEXT: tensor.parallel_insert_slice %[[S]] into %[[O]][%[[I]], 0] [%[[SIZE]], 64] [1, 1]
  // CHECK-NOT: xfmr.
  // CHECK: return %[[R]]
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %0 = xfmr.rmsnorm ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) eps(1.0e-05) -> tensor<?x64xf32>
  %1 = xfmr.ffn ins(%0 : tensor<?x64xf32>) up(%w1 : tensor<64x96xf32>) down(%w2 : tensor<96x64xf32>)
      outs(%y : tensor<?x64xf32>) activation(relu) layout(in_out) -> tensor<?x64xf32>
  %2 = linalg.add ins(%x, %1 : tensor<?x64xf32>, tensor<?x64xf32>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}

// -----

// Case A14: two results, both used in the loop and outside, and the op is there
// once.
// CHECK-LABEL: func @two_results(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x130xf32>, %[[R:[^:]*]]: tensor<64x130xf32>, %[[S:[^:]*]]: tensor<64x130xf32>, %[[N:[^:]*]]: tensor<64x130xf32>, %[[Y:[^:]*]]: tensor<64x130xf32>
func.func @two_results(%x: tensor<64x130xf32>, %r: tensor<64x130xf32>, %s: tensor<64x130xf32>,
    %n: tensor<64x130xf32>, %y: tensor<64x130xf32>) -> (tensor<64x130xf32>, tensor<64x130xf32>, tensor<64x130xf32>) {
  // CHECK: %[[L:.*]]:3 = scf.forall (%{{.*}}) = (0) to (64) step (16) shared_outs(%{{.*}} = %[[S]], %{{.*}} = %[[N]], %{{.*}} = %[[Y]])
  // CHECK: %[[A:.*]]:2 = xfmr.add_rmsnorm
  // CHECK-NOT: xfmr.add_rmsnorm
  // CHECK: linalg.add ins(%[[A]]#0, %[[A]]#1 : tensor<16x130xf32>, tensor<16x130xf32>)
  // CHECK-NOT: xfmr.add_rmsnorm
  // CHECK: return %[[L]]#0, %[[L]]#1, %[[L]]#2
  %0:2 = xfmr.add_rmsnorm ins(%x : tensor<64x130xf32>) residual(%r : tensor<64x130xf32>)
      sum(%s : tensor<64x130xf32>) outs(%n : tensor<64x130xf32>) eps(1.0e-05) -> tensor<64x130xf32>, tensor<64x130xf32>
  %1 = linalg.add ins(%0#0, %0#1 : tensor<64x130xf32>, tensor<64x130xf32>) outs(%y : tensor<64x130xf32>) -> tensor<64x130xf32>
  return %0#0, %0#1, %1 : tensor<64x130xf32>, tensor<64x130xf32>, tensor<64x130xf32>
}

// -----

// A destination that is an input: rows are read where they are written.
// CHECK-LABEL: func @in_place(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>
func.func @in_place(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: scf.forall {{.*}} shared_outs(%[[O:.*]] = %[[X]])
  // CHECK-NOT: tensor.extract_slice %[[X]]
  // CHECK: %[[T:.*]] = tensor.extract_slice %[[O]]
  // CHECK: xfmr.layernorm ins(%[[T]] : {{.*}}) outs(%[[T]] :
  %0 = xfmr.layernorm ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) eps(1.0e-05) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Short dims are taken whole, so that tiles have 16 rows here too.
// CHECK-LABEL: func @leading_dims(
func.func @leading_dims(%x: tensor<?x5x3x1x64xf32>, %y: tensor<?x5x3x1x64xf32>) -> tensor<?x5x3x1x64xf32> {
  // CHECK: scf.forall (%{{.*}}) in (%{{.*}})
  // CHECK: xfmr.rmsnorm ins(%{{.*}} : tensor<1x5x3x1x64xf32>)
  %0 = xfmr.rmsnorm ins(%x : tensor<?x5x3x1x64xf32>) outs(%y : tensor<?x5x3x1x64xf32>) eps(1.0e-05) -> tensor<?x5x3x1x64xf32>
  return %0 : tensor<?x5x3x1x64xf32>
}

// -----

// CHECK-LABEL: func @two_loops(
func.func @two_loops(%x: tensor<?x?x64xf32>, %y: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  // CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (%{{.*}}, %{{.*}}) step (1, 16)
  // CHECK: tensor.extract_slice %{{.*}}[%[[I]], %[[J]], 0] [1, %{{.*}}, 64]
  %0 = xfmr.rmsnorm ins(%x : tensor<?x?x64xf32>) outs(%y : tensor<?x?x64xf32>) eps(1.0e-05) -> tensor<?x?x64xf32>
  return %0 : tensor<?x?x64xf32>
}

// -----

// Rows of several dims, and their statistics.
// CHECK-LABEL: func @suffix(
func.func @suffix(%x: tensor<32x4x8xf32>, %y: tensor<32x4x8xf32>, %m: tensor<32xf32>) -> (tensor<32x4x8xf32>, tensor<32xf32>) {
  // CHECK: scf.forall (%[[I:.*]]) = (0) to (32) step (16)
  // CHECK: xfmr.layernorm ins(%{{.*}} : tensor<16x4x8xf32>) outs(%{{.*}} : tensor<16x4x8xf32>) mean(%{{.*}} : tensor<16xf32>)
  // CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[I]], 0, 0] [16, 4, 8] [1, 1, 1]
  // CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[I]]] [16] [1]
  %0:2 = xfmr.layernorm ins(%x : tensor<32x4x8xf32>) outs(%y : tensor<32x4x8xf32>) mean(%m : tensor<32xf32>)
      eps(1.0e-05) normalized_dims(2) -> tensor<32x4x8xf32>, tensor<32xf32>
  return %0#0, %0#1 : tensor<32x4x8xf32>, tensor<32xf32>
}

// -----

// Whoever wrote them: a product, a reduction over its rows, elementwise ops. The
// fill is made in the tile.
// CHECK-LABEL: func @linalg(
func.func @linalg(%x: tensor<?x64xf32>, %w: tensor<64x32xf32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  // CHECK-NOT: linalg.fill
  // CHECK: scf.forall
  // CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x32xf32>
  // CHECK: %[[Z:.*]] = linalg.fill ins(%{{.*}}) outs(%[[E]] : tensor<?x32xf32>)
  // CHECK: %[[P:.*]] = linalg.matmul {{.*}} outs(%[[Z]] :
  // CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[P]] : {{.*}}) outs(%{{.*}} : tensor<?xf32>)
  // CHECK: linalg.generic {{.*}} ins(%[[P]], %[[M]] :
  // CHECK: scf.forall.in_parallel
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%z : tensor<?x32xf32>) -> tensor<?x32xf32>
  // The size of a result is that of its destination.
  %n1 = tensor.dim %p, %c0 : tensor<?x32xf32>
  %e1 = tensor.empty(%n1) : tensor<?xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<?x32xf32>) outs(%z1 : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %1 = arith.maximumf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %m : tensor<?x32xf32>, tensor<?xf32>) outs(%y : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// What is added to is read: the rows of the destination.
// CHECK-LABEL: func @accumulates(
// CHECK-SAME: %[[Y:[^:]*]]: tensor<32x8xf32>)
func.func @accumulates(%x: tensor<32x4xf32>, %w: tensor<4x8xf32>, %y: tensor<32x8xf32>) -> tensor<32x8xf32> {
  // CHECK: scf.forall {{.*}} shared_outs(%[[O:.*]] = %[[Y]])
  // CHECK: %[[T:.*]] = tensor.extract_slice %[[O]]
  // CHECK: linalg.matmul {{.*}} outs(%[[T]] :
  %0 = linalg.matmul ins(%x, %w : tensor<32x4xf32>, tensor<4x8xf32>) outs(%y : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %0 : tensor<32x8xf32>
}

// -----

// Two loops: the second product needs all rows of the first.
// CHECK-LABEL: func @needs_all_rows(
func.func @needs_all_rows(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // CHECK: %[[A:.*]] = scf.forall
  // CHECK: xfmr.rmsnorm
  // CHECK: scf.forall
  // CHECK: linalg.matmul ins(%{{.*}}, %[[A]] :
  %e = tensor.empty() : tensor<32x32xf32>
  %n = xfmr.rmsnorm ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) eps(1.0e-05) -> tensor<32x32xf32>
  %0 = linalg.matmul ins(%x, %n : tensor<32x32xf32>, tensor<32x32xf32>) outs(%y : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

// -----

// An op stays before a write to memory that it may have been read from.
// CHECK-LABEL: func @memory_between(
func.func @memory_between(%x: memref<32x8xf32>, %y: memref<32x8xf32>, %z: tensor<32x8xf32>) -> tensor<32x8xf32> {
  // CHECK: scf.forall
  // CHECK: xfmr.rmsnorm
  // CHECK: bufferization.materialize_in_destination
  // CHECK: scf.forall
  // CHECK: linalg.add
  %e = tensor.empty() : tensor<32x8xf32>
  %0 = bufferization.to_tensor %x restrict : memref<32x8xf32> to tensor<32x8xf32>
  %1 = xfmr.rmsnorm ins(%0 : tensor<32x8xf32>) outs(%e : tensor<32x8xf32>) eps(1.0e-05) -> tensor<32x8xf32>
  bufferization.materialize_in_destination %z in restrict writable %x : (tensor<32x8xf32>, memref<32x8xf32>) -> ()
  %2 = linalg.add ins(%1, %z : tensor<32x8xf32>, tensor<32x8xf32>) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %2 : tensor<32x8xf32>
}

// -----

// One tile holds all rows, there are no rows, or there are none at run time.
// CHECK-LABEL: func @no_loop(
func.func @no_loop(%x: tensor<2x8x64xf32>, %v: tensor<64xf32>, %z: tensor<0x64xf32>)
    -> (tensor<2x8x64xf32>, tensor<64xf32>, tensor<0x64xf32>) {
  // CHECK-NOT: scf.forall
  // CHECK: xfmr.rmsnorm
  // CHECK: xfmr.rmsnorm
  // CHECK: return
  %0 = xfmr.rmsnorm ins(%x : tensor<2x8x64xf32>) outs(%x : tensor<2x8x64xf32>) eps(1.0e-05) -> tensor<2x8x64xf32>
  %1 = xfmr.rmsnorm ins(%v : tensor<64xf32>) outs(%v : tensor<64xf32>) eps(1.0e-05) -> tensor<64xf32>
  %2 = xfmr.rmsnorm ins(%z : tensor<0x64xf32>) outs(%z : tensor<0x64xf32>) eps(1.0e-05) -> tensor<0x64xf32>
  return %0, %1, %2 : tensor<2x8x64xf32>, tensor<64xf32>, tensor<0x64xf32>
}

// -----

// No loop either, but the network does not write to the destination of the add.
// CHECK-LABEL: func @one_row_block(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[W:[^:]*]]: tensor<8x8xf32>, %[[Y:[^:]*]]: tensor<8xf32>
func.func @one_row_block(%x: tensor<8xf32>, %w: tensor<8x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<8xf32>
  // CHECK: %[[F:.*]] = xfmr.ffn {{.*}} outs(%[[E]] :
  // CHECK: linalg.add ins(%[[X]], %[[F]] : {{.*}}) outs(%[[Y]] :
  %0 = xfmr.ffn ins(%x : tensor<8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>)
      outs(%y : tensor<8xf32>) activation(relu) layout(in_out) -> tensor<8xf32>
  %1 = linalg.add ins(%x, %0 : tensor<8xf32>, tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// In a loop that the user wrote, and not in one that is parallel already.
// CHECK-LABEL: func @nested(
func.func @nested(%x: tensor<32x8xf32>, %n: index) -> tensor<32x8xf32> {
  // CHECK: scf.for
  // CHECK: scf.forall
  // CHECK: xfmr.rmsnorm
  // CHECK: scf.yield
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<32x8xf32> {
    %1 = xfmr.rmsnorm ins(%a : tensor<32x8xf32>) outs(%a : tensor<32x8xf32>) eps(1.0e-05) -> tensor<32x8xf32>
    scf.yield %1 : tensor<32x8xf32>
  }
  // CHECK: scf.forall
  // CHECK-NOT: scf.forall (
  // CHECK: xfmr.layernorm ins(%{{.*}} : tensor<32x8xf32>)
  %2 = scf.forall (%i) in (2) shared_outs(%o = %0) -> tensor<32x8xf32> {
    %3 = xfmr.layernorm ins(%x : tensor<32x8xf32>) outs(%x : tensor<32x8xf32>) eps(1.0e-05) -> tensor<32x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %3 into %o[0, 0] [32, 8] [1, 1] : tensor<32x8xf32> into tensor<32x8xf32>
    }
  }
  return %2 : tensor<32x8xf32>
}

// -----

// On memrefs each op has a loop.
// CHECK-LABEL: func @memrefs(
// CHECK-SAME: %[[X:.*]]: memref<?x64xf32, strided<[?, ?], offset: ?>>, %[[Y:.*]]: memref<?x64xf32>
func.func @memrefs(%x: memref<?x64xf32, strided<[?, ?], offset: ?>>, %y: memref<?x64xf32>) {
  // CHECK: scf.forall (%[[I:.*]]) = (0) to (%{{.*}}) step (16) {
  // CHECK: %[[XT:.*]] = memref.subview %[[X]][%[[I]], 0]
  // CHECK: %[[YT:.*]] = memref.subview %[[Y]][%[[I]], 0]
  // CHECK: xfmr.rmsnorm ins(%[[XT]] : {{.*}}) outs(%[[YT]] :
  // CHECK: scf.forall
  // CHECK: linalg.exp
  // CHECK-NOT: scf.forall
  // CHECK: linalg.transpose
  xfmr.rmsnorm ins(%x : memref<?x64xf32, strided<[?, ?], offset: ?>>) outs(%y : memref<?x64xf32>) eps(1.0e-05)
  linalg.exp ins(%y : memref<?x64xf32>) outs(%y : memref<?x64xf32>)
  %t = memref.alloc() : memref<64x64xf32>
  linalg.transpose ins(%t : memref<64x64xf32>) outs(%t : memref<64x64xf32>) permutation = [1, 0]
  memref.dealloc %t : memref<64x64xf32>
  return
}

// -----

// One op of the group is enough to know how many rows there are.
// CHECK-LABEL: func @known_rows(
func.func @known_rows(%x: tensor<?x8xf32>, %y: tensor<32x8xf32>) -> tensor<32x8xf32> {
  // CHECK: scf.forall (%{{.*}}) = (0) to (32) step (16)
  // CHECK: xfmr.rmsnorm ins(%{{.*}} : tensor<16x8xf32>)
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<16x8xf32>)
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %0 = xfmr.rmsnorm ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) eps(1.0e-05) -> tensor<?x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x8xf32>) outs(%y : tensor<32x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.negf %a : f32
    linalg.yield %2 : f32
  } -> tensor<32x8xf32>
  return %1 : tensor<32x8xf32>
}
