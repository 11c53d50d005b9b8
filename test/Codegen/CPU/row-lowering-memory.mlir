// RUN: xfmr-opt --xfmr-lower-row-groups="prefetch-from-bytes=32768 last-level-bytes=4194304 non-temporal-from-bytes=1048576 x86" --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-row-groups --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefix=OFF

// OFF-NOT: prefetch
// OFF-NOT: nontemporal
// OFF-NOT: sfence

// In the nearest cache: neither.

// CHECK-LABEL: func @near(
// CHECK-NOT:     prefetch
// CHECK-NOT:     nontemporal
// CHECK-NOT:     sfence
// CHECK:         return
func.func @near(%x: memref<16x128xf32>, %y: memref<16x128xf32>) {
  linalg.negf ins(%x : memref<16x128xf32>) outs(%y : memref<16x128xf32>)
  return
}

// -----

// Farther: each line of the next row of x is fetched while this row is stored.

// CHECK-LABEL: func @far(
// CHECK-SAME:    %[[X:.*]]: memref<256x128xf32>, %[[Y:.*]]: memref<256x128xf32>)
// CHECK-NOT:     scf.if
// CHECK:         scf.for %[[I:.*]] = %c0 to %c256
// CHECK:           scf.for %[[J:.*]] = %c0 to %c128 step %c64 {
// CHECK:             %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK-NEXT:        memref.prefetch %[[X]][%[[NEXT]], %[[J]]], read, locality<3>, data
// CHECK-COUNT-3:     memref.prefetch %[[X]][%[[NEXT]], %{{.*}}], read, locality<3>, data
// CHECK-NOT:         memref.prefetch
// CHECK:             vector.store %{{.*}}, %[[Y]][%[[I]], %[[J]]] : memref<256x128xf32>, vector<64xf32>
// CHECK-NOT:     sfence
func.func @far(%x: memref<256x128xf32>, %y: memref<256x128xf32>) {
  linalg.negf ins(%x : memref<256x128xf32>) outs(%y : memref<256x128xf32>)
  return
}

// -----

// Where two rows more than fill the nearest cache, the next one goes into the
// second, if it comes from memory.

// CHECK-LABEL: func @long_rows(
// CHECK-COUNT-4: memref.prefetch {{.*}} locality<2>, data
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @long_rows(%x: memref<128x4096xf32>, %y: memref<128x4096xf32>) {
  linalg.negf ins(%x : memref<128x4096xf32>) outs(%y : memref<128x4096xf32>)
  return
}

// CHECK-LABEL: func @long_rows_in_cache(
// CHECK-NOT:     prefetch
// CHECK:         return
func.func @long_rows_in_cache(%x: memref<120x4096xf32>, %y: memref<120x4096xf32>) {
  linalg.negf ins(%x : memref<120x4096xf32>) outs(%y : memref<120x4096xf32>)
  return
}

// CHECK-LABEL: func @two_rows_fit(
// CHECK:         memref.prefetch {{.*}} locality<3>, data
// CHECK:         return
func.func @two_rows_fit(%x: memref<120x2048xf32>, %y: memref<120x2048xf32>) {
  linalg.negf ins(%x : memref<120x2048xf32>) outs(%y : memref<120x2048xf32>)
  return
}

// -----

// Behind few rows comes nothing to fetch.

// CHECK-LABEL: func @few_rows(
// CHECK-NOT:     prefetch
// CHECK:         return
func.func @few_rows(%x: memref<4x16384xf32>, %y: memref<4x16384xf32>) {
  linalg.negf ins(%x : memref<4x16384xf32>) outs(%y : memref<4x16384xf32>)
  return
}

// -----

// Large results bypass the cache where they are aligned, which is asked once; a
// branch that always goes one way tells at each strip.

// CHECK-LABEL: func @large(
// CHECK:         %[[P:.*]] = memref.extract_aligned_pointer_as_index
// CHECK:         %[[LOW:.*]] = arith.andi %[[P]], %c63
// CHECK:         %[[ALIGNED:.*]] = arith.cmpi eq, %[[LOW]], %c0
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             memref.prefetch
// CHECK:             scf.if %[[ALIGNED]] {
// CHECK-NEXT:          vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<2048x128xf32>, vector<64xf32>
// CHECK-NEXT:        } else {
// CHECK-NEXT:          vector.store %{{.*}} : memref<2048x128xf32>, vector<64xf32>
// CHECK-NEXT:        }
// CHECK:         scf.if %[[ALIGNED]] {
// CHECK-NEXT:      llvm.call_intrinsic "llvm.x86.sse.sfence"
// CHECK:         return
func.func @large(%x: memref<2048x128xf32>, %y: memref<2048x128xf32>) {
  linalg.negf ins(%x : memref<2048x128xf32>) outs(%y : memref<2048x128xf32>)
  return
}

// -----

// Rows whose length is no multiple of a cache line cannot.

// CHECK-LABEL: func @large_ragged(
// CHECK-NOT:     nontemporal
// CHECK:         return
func.func @large_ragged(%x: memref<2048x129xf32>, %y: memref<2048x129xf32>) {
  linalg.negf ins(%x : memref<2048x129xf32>) outs(%y : memref<2048x129xf32>)
  return
}

// -----

// It is the whole that counts, not the tile: 512 x 1024 x 4 bytes are stored.

// CHECK-LABEL: func @tiles(
// CHECK:         scf.forall
// CHECK:           nontemporal
func.func @tiles(%x: memref<512x1024xf32>, %y: memref<512x1024xf32>) {
  scf.forall (%i) = (0) to (512) step (4) {
    %tile = memref.subview %x[%i, 0] [4, 1024] [1, 1] : memref<512x1024xf32> to memref<4x1024xf32, strided<[1024, 1], offset: ?>>
    %out = memref.subview %y[%i, 0] [4, 1024] [1, 1] : memref<512x1024xf32> to memref<4x1024xf32, strided<[1024, 1], offset: ?>>
    linalg.negf ins(%tile : memref<4x1024xf32, strided<[1024, 1], offset: ?>>) outs(%out : memref<4x1024xf32, strided<[1024, 1], offset: ?>>)
  }
  return
}

// -----

// Sizes that are known at run time alone are compared there.

// CHECK-LABEL: func @dynamic(
// CHECK-DAG:     %[[FAR:.*]] = arith.cmpi uge, %{{.*}}, %c32768
// CHECK:         %[[MANY:.*]] = arith.andi %[[FAR]], %{{.*}} : i1
// CHECK-NEXT:    %[[ROWS:.*]] = arith.muli
// CHECK-NEXT:    %[[LONG:.*]] = arith.cmpi uge, %[[ROWS]], %c32769
// CHECK-NEXT:    %[[MEMORY:.*]] = arith.cmpi uge, %{{.*}}, %c4194304
// CHECK-NEXT:    %[[SHORT:.*]] = arith.cmpi ule, %[[ROWS]], %c32768
// CHECK-NEXT:    %[[SLOW:.*]] = arith.ori %[[MEMORY]], %[[SHORT]] : i1
// CHECK-NEXT:    %[[FETCH:.*]] = arith.andi %[[MANY]], %[[SLOW]] : i1
// CHECK:         %[[LARGE:.*]] = arith.cmpi uge, %{{.*}}, %c1048576
// CHECK:         %[[STREAM:.*]] = arith.andi %[[LARGE]], %{{.*}} : i1
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.if %[[FETCH]] {
// CHECK:               scf.if %[[LONG]] {
// CHECK-COUNT-4:         memref.prefetch {{.*}} locality<2>
// CHECK-NEXT:          } else {
// CHECK-COUNT-4:         memref.prefetch {{.*}} locality<3>
// CHECK:             vector.load
// CHECK:             scf.if %[[STREAM]] {
// CHECK-NEXT:          vector.store {{.*}} nontemporal
// CHECK-NEXT:        } else {
// CHECK-NEXT:          vector.store
// CHECK-NEXT:        }
// CHECK:           vector.maskedstore
// CHECK:         scf.if %[[STREAM]] {
// CHECK-NEXT:      llvm.call_intrinsic "llvm.x86.sse.sfence"
// CHECK:         return
func.func @dynamic(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.negf ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The first pass stores the sum, and the last one reads it; but a sum that is
// stored past the cache is not read, where it is as soon computed again: so it is
// stored last, as its inputs may lie under it.

// CHECK-LABEL: func @add_norm(
// CHECK-SAME:    %[[X:.*]]: memref<?x512xf32>, %[[R:.*]]: memref<?x512xf32>, %[[S:.*]]: memref<?x512xf32>, %[[Y:.*]]: memref<?x512xf32>)
// CHECK:         arith.cmpi uge, %{{.*}}, %c1048576
// CHECK:         arith.cmpi uge, %{{.*}}, %c1048576
// CHECK-NEXT:    %[[LARGE:.*]] = arith.ori %{{.*}}, %{{.*}} : i1
// CHECK:         %[[STREAM:.*]] = arith.andi %[[LARGE]], %{{.*}} : i1
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[SUM:.*]] = arith.addf
// CHECK:             scf.if %[[STREAM]] {
// CHECK-NEXT:        } else {
// CHECK-NEXT:          vector.store %[[SUM]], %[[S]]
// CHECK:           scf.for
// CHECK:             %[[AGAIN:.*]] = scf.if %[[STREAM]]
// CHECK-NEXT:          vector.load %[[X]]
// CHECK-NEXT:          vector.load %[[R]]
// CHECK:             } else {
// CHECK-NEXT:          vector.load %[[S]]
// CHECK:             scf.if %[[STREAM]] {
// CHECK-NEXT:          vector.store %{{.*}}, %[[Y]]{{.*}} nontemporal
// CHECK-NEXT:          vector.store %[[AGAIN]], %[[S]]{{.*}} nontemporal
// CHECK-NEXT:        } else {
// CHECK-NEXT:          vector.store %{{.*}}, %[[Y]]
// CHECK-NEXT:        }
// CHECK:         return
func.func @add_norm(%x: memref<?x512xf32>, %r: memref<?x512xf32>, %s: memref<?x512xf32>, %y: memref<?x512xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<?x512xf32> to tensor<?x512xf32>
  %rt = bufferization.to_tensor %r restrict : memref<?x512xf32> to tensor<?x512xf32>
  %yt = bufferization.to_tensor %y restrict writable : memref<?x512xf32> to tensor<?x512xf32>
  %rows = tensor.dim %xt, %c0 : tensor<?x512xf32>
  %e = tensor.empty(%rows) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.add ins(%xt, %rt : tensor<?x512xf32>, tensor<?x512xf32>) outs(%yt : tensor<?x512xf32>) -> tensor<?x512xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%sum : tensor<?x512xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %q = math.fma %v, %v, %acc : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %squares : tensor<?x512xf32>, tensor<?xf32>) outs(%yt : tensor<?x512xf32>) {
  ^bb0(%v: f32, %q: f32, %o: f32):
    %rstd = math.rsqrt %q : f32
    %n = arith.mulf %v, %rstd : f32
    linalg.yield %n : f32
  } -> tensor<?x512xf32>
  bufferization.materialize_in_destination %sum in restrict writable %s : (tensor<?x512xf32>, memref<?x512xf32>) -> ()
  bufferization.materialize_in_destination %norm in restrict writable %y : (tensor<?x512xf32>, memref<?x512xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A sum that takes longer to compute is kept in a buffer of one row, where the
// result is stored past the cache.

// CHECK-LABEL: func @rounded_add_norm(
// CHECK-SAME:    %[[X:.*]]: memref<?x512xbf16>, %[[R:.*]]: memref<?x512xbf16>, %[[S:.*]]: memref<?x512xbf16>, %[[Y:.*]]: memref<?x512xbf16>)
// CHECK:         arith.cmpi uge, %{{.*}}, %c1048576
// CHECK:         arith.cmpi uge, %{{.*}}, %c1048576
// CHECK-NEXT:    %[[LARGE:.*]] = arith.ori %{{.*}}, %{{.*}} : i1
// CHECK:         %[[BUFFER:.*]] = scf.if %[[LARGE]]
// CHECK:           memref.alloc() {alignment = 64 : i64} : memref<512xbf16>
// CHECK:         scf.for %[[I:.*]] = %c0
// CHECK-DAG:       %[[ROW:.*]] = memref.subview %[[S]][%[[I]], 0] [1, 512] [1, 1]
// CHECK-DAG:       %[[SCRATCH:.*]] = memref.cast %[[BUFFER]]
// CHECK-NEXT:      %[[KEPT:.*]] = arith.select %[[STREAM:.*]], %[[SCRATCH]], %[[ROW]]
// CHECK:           scf.for
// CHECK-NEXT:        vector.load %[[X]]
// CHECK:             vector.load %[[R]]
// CHECK:             vector.store %[[SUM:.*]], %[[KEPT]][%[[J:.*]]] : memref<512xbf16
// CHECK-NEXT:        scf.if %[[STREAM]] {
// CHECK-NEXT:          vector.store %[[SUM]], %[[S]][%[[I]], %[[J]]] {{.*}}nontemporal = true
// CHECK:           scf.for
// CHECK:             vector.load %[[KEPT]]
// CHECK-NOT:         vector.load
// CHECK:             vector.store {{.*}}, %[[Y]]{{.*}}nontemporal = true
// CHECK:             vector.store {{.*}}, %[[Y]]
// CHECK:         scf.if %[[LARGE]] {
// CHECK-NEXT:      memref.dealloc %[[BUFFER]]
// CHECK:         return
func.func @rounded_add_norm(%x: memref<?x512xbf16>, %r: memref<?x512xbf16>, %s: memref<?x512xbf16>, %y: memref<?x512xbf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<?x512xbf16> to tensor<?x512xbf16>
  %rt = bufferization.to_tensor %r restrict : memref<?x512xbf16> to tensor<?x512xbf16>
  %yt = bufferization.to_tensor %y restrict writable : memref<?x512xbf16> to tensor<?x512xbf16>
  %rows = tensor.dim %xt, %c0 : tensor<?x512xbf16>
  %e = tensor.empty(%rows) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %rt : tensor<?x512xbf16>, tensor<?x512xbf16>) outs(%yt : tensor<?x512xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %wide = arith.extf %a : bf16 to f32
    %other = arith.extf %b : bf16 to f32
    %both = arith.addf %wide, %other : f32
    %t = arith.truncf %both : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x512xbf16>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%sum : tensor<?x512xbf16>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: bf16, %acc: f32):
    %w = arith.extf %v : bf16 to f32
    %q = math.fma %w, %w, %acc : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %squares : tensor<?x512xbf16>, tensor<?xf32>) outs(%yt : tensor<?x512xbf16>) {
  ^bb0(%v: bf16, %q: f32, %o: bf16):
    %w = arith.extf %v : bf16 to f32
    %rstd = math.rsqrt %q : f32
    %n = arith.mulf %w, %rstd : f32
    %t = arith.truncf %n : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x512xbf16>
  bufferization.materialize_in_destination %sum in restrict writable %s : (tensor<?x512xbf16>, memref<?x512xbf16>) -> ()
  bufferization.materialize_in_destination %norm in restrict writable %y : (tensor<?x512xbf16>, memref<?x512xbf16>) -> ()
  return
}
