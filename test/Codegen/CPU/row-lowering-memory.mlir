// RUN: xfmr-opt --xfmr-lower-row-groups="prefetch-from-bytes=32768 non-temporal-from-bytes=1048576 store-fence" --canonicalize --cse --split-input-file %s | FileCheck %s
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

// Behind few rows comes nothing to fetch.

// CHECK-LABEL: func @few_rows(
// CHECK-NOT:     prefetch
// CHECK:         return
func.func @few_rows(%x: memref<4x16384xf32>, %y: memref<4x16384xf32>) {
  linalg.negf ins(%x : memref<4x16384xf32>) outs(%y : memref<4x16384xf32>)
  return
}

// -----

// Large results bypass the cache where they are aligned, which is asked once.

// CHECK-LABEL: func @large(
// CHECK:         %[[P:.*]] = memref.extract_aligned_pointer_as_index
// CHECK:         %[[LOW:.*]] = arith.andi %[[P]], %c63
// CHECK:         %[[ALIGNED:.*]] = arith.cmpi eq, %[[LOW]], %c0
// CHECK:         scf.if %[[ALIGNED]] {
// CHECK:           memref.prefetch
// CHECK:           vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<2048x128xf32>, vector<64xf32>
// CHECK:           llvm.call_intrinsic "llvm.x86.sse.sfence"
// CHECK:         } else {
// CHECK:           memref.prefetch
// CHECK-NOT:       nontemporal
// CHECK-NOT:       sfence
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
// CHECK:         %[[LARGE:.*]] = arith.cmpi uge, %{{.*}}, %c1048576
// CHECK:         %[[STREAM:.*]] = arith.andi %[[LARGE]], %{{.*}} : i1
// CHECK:         %[[FAR:.*]] = arith.cmpi uge, %{{.*}}, %c32768
// CHECK:         %[[FETCH:.*]] = arith.andi %[[FAR]], %{{.*}} : i1
// CHECK:         scf.if %[[STREAM]] {
// CHECK:           nontemporal
// CHECK:         } else {
// CHECK:           scf.if %[[FETCH]] {
// CHECK:             prefetch
// CHECK:           } else {
// CHECK-NOT:         prefetch
// CHECK-NOT:         nontemporal
// CHECK:         return
func.func @dynamic(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.negf ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}
