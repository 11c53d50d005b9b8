// RUN: xfmr-opt --xfmr-lower-row-groups --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-row-groups=prefetch-from-bytes=1 --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefix=PREFETCH

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The exponentials are computed by the pass that sums them, and read from scratch
// by the pass that divides. The one with the most to do fetches the next row.

// CHECK-LABEL: func @exponentials(
// CHECK-SAME:    %[[X:.*]]: memref<64x1000xf32>, %[[Y:.*]]: memref<64x1000xf32>
// CHECK:         %[[E:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1000xf32>
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             vector.load %[[X]]
// CHECK:             %[[V:.*]] = math.exp
// CHECK:             vector.store %[[V]], %[[E]]
// CHECK:           vector.maskedstore %[[E]]
// CHECK-NOT:       math.exp
// CHECK:           scf.for
// CHECK-NOT:         vector.load %[[X]]
// CHECK:             %[[K:.*]] = vector.load %[[E]]
// CHECK:             arith.divf %[[K]]
// CHECK:             vector.store %{{.*}}, %[[Y]]
// CHECK:           vector.maskedload %[[E]]
// CHECK:         memref.dealloc %[[E]]
// CHECK-NOT:     math.exp

// PREFETCH-LABEL: func @exponentials(
// PREFETCH:         math.exp
// PREFETCH:         memref.prefetch
// PREFETCH:         arith.divf
// PREFETCH-NOT:     memref.prefetch
func.func @exponentials(%x: memref<64x1000xf32>, %y: memref<64x1000xf32>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<64x1000xf32> to tensor<64x1000xf32>
  %e0 = tensor.empty() : tensor<64x1000xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt : tensor<64x1000xf32>) outs(%e0 : tensor<64x1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<64x1000xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<64x1000xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<64x1000xf32>, tensor<64xf32>) outs(%e0 : tensor<64x1000xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %v = arith.divf %a, %s : f32
    linalg.yield %v : f32
  } -> tensor<64x1000xf32>
  bufferization.materialize_in_destination %q in restrict writable %y : (tensor<64x1000xf32>, memref<64x1000xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A sum costs no more than to keep it; a quotient of values of the row is computed
// once a row.

// CHECK-LABEL: func @cheap(
// CHECK-NOT:     memref.alloc

// PREFETCH-LABEL: func @cheap(
// PREFETCH:         arith.subf
// PREFETCH:         memref.prefetch
func.func @cheap(%x: memref<64x1000xf32>, %r: memref<64xf32>, %y: memref<64x1000xf32>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<64x1000xf32> to tensor<64x1000xf32>
  %rt = bufferization.to_tensor %r restrict : memref<64xf32> to tensor<64xf32>
  %e0 = tensor.empty() : tensor<64x1000xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %inverse = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%rt : tensor<64xf32>) outs(%e1 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %v = arith.divf %one, %a : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %inverse : tensor<64x1000xf32>, tensor<64xf32>) outs(%e0 : tensor<64x1000xf32>) {
  ^bb0(%a: f32, %i: f32, %o: f32):
    %v = arith.mulf %a, %i : f32
    linalg.yield %v : f32
  } -> tensor<64x1000xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<64x1000xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<64x1000xf32>, tensor<64xf32>) outs(%e0 : tensor<64x1000xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %v = arith.subf %a, %s : f32
    linalg.yield %v : f32
  } -> tensor<64x1000xf32>
  bufferization.materialize_in_destination %q in restrict writable %y : (tensor<64x1000xf32>, memref<64x1000xf32>) -> ()
  return
}
