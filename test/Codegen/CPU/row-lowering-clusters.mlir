// RUN: xfmr-opt --xfmr-lower-row-groups --canonicalize --cse --split-input-file %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// A product between row ops: it is rewritten onto memrefs, what it reads and what
// it yields lie in temporaries, freed at the end; its inputs that are in buffers are
// read there.

// CHECK-LABEL: func @product(
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf32>, %[[W:.*]]: memref<64x32xf32>, %[[B:.*]]: memref<32xf32>, %[[Y:.*]]: memref<?x32xbf16>)
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[X]], %c0
// CHECK:         %[[IN:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x64xf32>
// CHECK:         scf.for
// CHECK:           arith.negf
// CHECK:           vector.store %{{.*}}, %[[IN]]
// CHECK:         %[[OUT:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x32xf32>
// CHECK:         scf.for
// CHECK:           vector.store %{{.*}}, %[[OUT]]
// CHECK:         linalg.matmul ins(%[[IN]], %[[W]] : memref<?x64xf32>, memref<64x32xf32>) outs(%[[OUT]] : memref<?x32xf32>)
// CHECK:         scf.for
// CHECK:           vector.load %[[OUT]]
// CHECK:           vector.load %[[B]]
// CHECK:           arith.truncf
// CHECK:           vector.store %{{.*}}, %[[Y]]
// CHECK:         memref.dealloc %[[OUT]]
// CHECK:         memref.dealloc %[[IN]]
// CHECK-NEXT:    return
func.func @product(%x: memref<?x64xf32>, %w: memref<64x32xf32>, %b: memref<32xf32>, %y: memref<?x32xbf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<?x64xf32> to tensor<?x64xf32>
  %wt = bufferization.to_tensor %w restrict : memref<64x32xf32> to tensor<64x32xf32>
  %bt = bufferization.to_tensor %b restrict : memref<32xf32> to tensor<32xf32>
  %yt = bufferization.to_tensor %y restrict writable : memref<?x32xbf16> to tensor<?x32xbf16>
  %n = tensor.dim %xt, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %in = linalg.negf ins(%xt : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %o = tensor.empty(%n) : tensor<?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
  %p = linalg.matmul ins(%in, %wt : tensor<?x64xf32>, tensor<64x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %r = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bt : tensor<?x32xf32>, tensor<32xf32>) outs(%yt : tensor<?x32xbf16>) {
  ^bb0(%a: f32, %c: f32, %d: bf16):
    %s = arith.addf %a, %c : f32
    %t = arith.truncf %s : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x32xbf16>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<?x32xbf16>, memref<?x32xbf16>) -> ()
  return
}

// -----

// The product accumulates in its destination when nothing else lies there.

// CHECK-LABEL: func @in_place(
// CHECK-SAME:    %[[X:.*]]: memref<8x64xf32>, %[[W:.*]]: memref<64x32xf32>, %[[Y:.*]]: memref<8x32xf32>)
// CHECK-NOT:     alloc
// CHECK:         scf.for
// CHECK:           vector.store %{{.*}}, %[[Y]]
// CHECK:         linalg.matmul ins(%[[X]], %[[W]] : {{.*}}) outs(%[[Y]] : memref<8x32xf32>)
// CHECK-NEXT:    return
func.func @in_place(%x: memref<8x64xf32>, %w: memref<64x32xf32>, %y: memref<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<8x64xf32> to tensor<8x64xf32>
  %wt = bufferization.to_tensor %w restrict : memref<64x32xf32> to tensor<64x32xf32>
  %yt = bufferization.to_tensor %y restrict writable : memref<8x32xf32> to tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%yt : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = linalg.matmul ins(%xt, %wt : tensor<8x64xf32>, tensor<64x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  bufferization.materialize_in_destination %p in restrict writable %y : (tensor<8x32xf32>, memref<8x32xf32>) -> ()
  return
}

// -----

// Its destination is its own input: through a temporary.

// CHECK-LABEL: func @over_input(
// CHECK-SAME:    %[[X:.*]]: memref<8x8xf32>, %[[W:.*]]: memref<8x8xf32>)
// CHECK:         %[[T:.*]] = memref.alloc()
// CHECK:         linalg.matmul ins(%[[X]], %[[W]] : {{.*}}) outs(%[[T]] :
// CHECK:         vector.maskedload %[[T]]
// CHECK:         vector.maskedstore %[[X]]
// CHECK:         memref.dealloc %[[T]]
func.func @over_input(%x: memref<8x8xf32>, %w: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict writable : memref<8x8xf32> to tensor<8x8xf32>
  %wt = bufferization.to_tensor %w restrict : memref<8x8xf32> to tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%xt : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%xt, %wt : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  bufferization.materialize_in_destination %p in restrict writable %x : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>

// The destination is the operand, read at other positions.

// CHECK-LABEL: func @transpose(
// CHECK-SAME:    %[[X:.*]]: memref<16x16xf32>)
// CHECK:         %[[T:.*]] = memref.alloc()
// CHECK:         scf.for
// CHECK:           vector.gather
// CHECK:           vector.store %{{.*}}, %[[T]]
// CHECK:         scf.for
// CHECK:           vector.load %[[T]]
// CHECK:           vector.store %{{.*}}, %[[X]]
// CHECK:         memref.dealloc %[[T]]
func.func @transpose(%x: memref<16x16xf32>) {
  %xt = bufferization.to_tensor %x restrict writable : memref<16x16xf32> to tensor<16x16xf32>
  %t = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt : tensor<16x16xf32>) outs(%xt : tensor<16x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<16x16xf32>
  bufferization.materialize_in_destination %t in restrict writable %x : (tensor<16x16xf32>, memref<16x16xf32>) -> ()
  return
}

// -----

// A destination that is another view of the operand's buffer: a tile over itself
// needs nothing, one over another does.

// CHECK-LABEL: func @tiles(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:         alloc
// CHECK:             math.absf
// CHECK:           %[[T:.*]] = memref.alloc()
// CHECK:           arith.negf
// CHECK:           memref.dealloc %[[T]]
func.func @tiles(%x: memref<64x16xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c4 {
    %a = memref.subview %x[%i, 0] [4, 16] [1, 1] : memref<64x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    %b = memref.subview %x[%i, 0] [4, 16] [1, 1] : memref<64x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    %at = bufferization.to_tensor %a restrict : memref<4x16xf32, strided<[16, 1], offset: ?>> to tensor<4x16xf32>
    %bt = bufferization.to_tensor %b restrict writable : memref<4x16xf32, strided<[16, 1], offset: ?>> to tensor<4x16xf32>
    %n = linalg.abs ins(%at : tensor<4x16xf32>) outs(%bt : tensor<4x16xf32>) -> tensor<4x16xf32>
    bufferization.materialize_in_destination %n in restrict writable %b : (tensor<4x16xf32>, memref<4x16xf32, strided<[16, 1], offset: ?>>) -> ()
    %j = arith.addi %i, %c32 : index
    %c = memref.subview %x[%j, 0] [4, 16] [1, 1] : memref<64x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    %bu = bufferization.to_tensor %b restrict : memref<4x16xf32, strided<[16, 1], offset: ?>> to tensor<4x16xf32>
    %ct = bufferization.to_tensor %c restrict writable : memref<4x16xf32, strided<[16, 1], offset: ?>> to tensor<4x16xf32>
    %m = linalg.negf ins(%bu : tensor<4x16xf32>) outs(%ct : tensor<4x16xf32>) -> tensor<4x16xf32>
    bufferization.materialize_in_destination %m in restrict writable %c : (tensor<4x16xf32>, memref<4x16xf32, strided<[16, 1], offset: ?>>) -> ()
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// The two halves of a packed operand are views of its buffer.

// CHECK-LABEL: func @halves(
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf32>, %[[Y:.*]]: memref<?x32xf32>)
// CHECK-NOT:     alloc
// CHECK-DAG:     %[[A:.*]] = memref.subview %[[X]][0, 0] [%{{.*}}, 32] [1, 1]
// CHECK-DAG:     %[[B:.*]] = memref.subview %[[X]][0, 32] [%{{.*}}, 32] [1, 1]
// CHECK:         vector.load %[[A]]
// CHECK:         vector.load %[[B]]
func.func @halves(%x: memref<?x64xf32>, %y: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %xt = bufferization.to_tensor %x restrict : memref<?x64xf32> to tensor<?x64xf32>
  %yt = bufferization.to_tensor %y restrict writable : memref<?x32xf32> to tensor<?x32xf32>
  %n = tensor.dim %xt, %c0 : tensor<?x64xf32>
  %a = tensor.extract_slice %xt[0, 0] [%n, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %b = tensor.extract_slice %xt[0, 32] [%n, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %m = linalg.mul ins(%a, %b : tensor<?x32xf32>, tensor<?x32xf32>) outs(%yt : tensor<?x32xf32>) -> tensor<?x32xf32>
  bufferization.materialize_in_destination %m in restrict writable %y : (tensor<?x32xf32>, memref<?x32xf32>) -> ()
  return
}

// -----

// Swapped contents: nothing is written before both are read.

// CHECK-LABEL: func @swap(
// CHECK-SAME:    %[[X:.*]]: memref<16xf32>, %[[Y:.*]]: memref<16xf32>)
// CHECK-NOT:     vector.store %{{.*}}, %[[X]]
// CHECK-NOT:     vector.store %{{.*}}, %[[Y]]
// CHECK:         %[[B:.*]] = vector.load %[[Y]]
// CHECK:         vector.store %[[B]], %[[T:.*]][%c0]
// CHECK:         %[[A:.*]] = vector.load %[[X]]
// CHECK:         vector.store %[[A]], %[[U:.*]][%c0]
// CHECK:         %[[B2:.*]] = vector.load %[[T]]
// CHECK:         vector.store %[[B2]], %[[X]]
// CHECK:         %[[A2:.*]] = vector.load %[[U]]
// CHECK:         vector.store %[[A2]], %[[Y]]
func.func @swap(%x: memref<16xf32>, %y: memref<16xf32>) {
  %xt = bufferization.to_tensor %x restrict writable : memref<16xf32> to tensor<16xf32>
  %yt = bufferization.to_tensor %y restrict writable : memref<16xf32> to tensor<16xf32>
  bufferization.materialize_in_destination %yt in restrict writable %x : (tensor<16xf32>, memref<16xf32>) -> ()
  bufferization.materialize_in_destination %xt in restrict writable %y : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}

// -----

// An op outside of the class, a reduction of rows, goes onto memrefs as it is.

// CHECK-LABEL: func @leading(
// CHECK-SAME:    %[[X:.*]]: memref<8x16xf32>, %[[Y:.*]]: memref<16xf32>)
// CHECK-NOT:     alloc
// CHECK:         linalg.reduce ins(%[[X]] : memref<8x16xf32>) outs(%[[Y]] : memref<16xf32>) dimensions = [0]
// CHECK-NOT:     alloc
func.func @leading(%x: memref<8x16xf32>, %y: memref<16xf32>) {
  %xt = bufferization.to_tensor %x restrict : memref<8x16xf32> to tensor<8x16xf32>
  %yt = bufferization.to_tensor %y restrict writable : memref<16xf32> to tensor<16xf32>
  %r = linalg.reduce ins(%xt : tensor<8x16xf32>) outs(%yt : tensor<16xf32>) dimensions = [0]
    (%v: f32, %a: f32) {
      %s = arith.addf %v, %a : f32
      linalg.yield %s : f32
    }
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}

// -----

// Reductions of which one reduces the other's rows: a group each.

// CHECK-LABEL: func @nested(
// CHECK:         %[[T:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK:         scf.for %[[I:.*]] = %c0 to %c8
// CHECK:           memref.store %{{.*}}, %[[T]][%[[I]]]
// CHECK:         vector.maskedload %[[T]]
// CHECK:         memref.store %{{.*}}, %{{.*}}[] : memref<f32>
// CHECK:         memref.dealloc %[[T]]
func.func @nested(%x: memref<8x16xf32>, %y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<8x16xf32> to tensor<8x16xf32>
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce { arith.addf } ins(%xt : tensor<8x16xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %e0 = tensor.empty() : tensor<f32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.maximumf } ins(%r : tensor<8xf32>) outs(%f0 : tensor<f32>) dimensions = [0]
  bufferization.materialize_in_destination %s in restrict writable %y : (tensor<f32>, memref<f32>) -> ()
  return
}
