// RUN: xfmr-opt --xfmr-decompose-in-tiles --xfmr-lower-row-groups="short-rows=4 prefetch-from-bytes=32768 last-level-bytes=4194304" --canonicalize --cse %s | FileCheck %s

// Three passes over four buffers: of rows of unknown length, more addresses than
// there are registers for, so that LLVM is not to carry them from row to row.

// CHECK-LABEL: func @many(
// CHECK:         scf.for %[[I:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK-NEXT:      %[[NUMBER:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT:      %[[HIDDEN:.*]] = llvm.inline_asm "", "=r,0" %[[NUMBER]]
// CHECK-NEXT:      %[[ROW:.*]] = arith.index_cast %[[HIDDEN]] : i64 to index
// CHECK:           vector.load %{{.*}}[%[[ROW]],
func.func @many(%x: memref<?x?xf32>, %r: memref<?x?xf32>, %g: memref<?xf32>, %b: memref<?xf32>, %y: memref<?x?xf32>, %s: memref<?x?xf32>) {
  xfmr.add_layernorm ins(%x : memref<?x?xf32>) residual(%r : memref<?x?xf32>) gamma(%g : memref<?xf32>) beta(%b : memref<?xf32>)
      sum(%s : memref<?x?xf32>) outs(%y : memref<?x?xf32>) eps(1.0e-05)
  return
}

// CHECK-LABEL: func @few(
// CHECK-NOT:     llvm.inline_asm
// CHECK:         return
func.func @few(%x: memref<?x?xf32>, %g: memref<?xf32>, %y: memref<?x?xf32>) {
  xfmr.rmsnorm ins(%x : memref<?x?xf32>) gamma(%g : memref<?xf32>) outs(%y : memref<?x?xf32>) eps(1.0e-05)
  return
}

// Addresses are constants apart.

// CHECK-LABEL: func @known(
// CHECK-NOT:     llvm.inline_asm
// CHECK:         return
func.func @known(%x: memref<9x4096xf32>, %r: memref<9x4096xf32>, %g: memref<4096xf32>, %b: memref<4096xf32>, %y: memref<9x4096xf32>, %s: memref<9x4096xf32>) {
  xfmr.add_layernorm ins(%x : memref<9x4096xf32>) residual(%r : memref<9x4096xf32>) gamma(%g : memref<4096xf32>) beta(%b : memref<4096xf32>)
      sum(%s : memref<9x4096xf32>) outs(%y : memref<9x4096xf32>) eps(1.0e-05)
  return
}

// Rows two by two, of f32: 8 KB of x and y in a step, and as much of the next,
// have room in the nearest cache; 20 KB do not, and rows of a cache are then
// left to the hardware.

// CHECK-LABEL: func @near(
// CHECK:         memref.prefetch %{{.*}}, read, locality<3>, data
// CHECK:         return
func.func @near(%x: memref<64x512xf32>, %g: memref<512xf32>, %b: memref<512xf32>, %y: memref<64x512xf32>) {
  xfmr.layernorm ins(%x : memref<64x512xf32>) gamma(%g : memref<512xf32>) beta(%b : memref<512xf32>) outs(%y : memref<64x512xf32>) eps(1.0e-05)
  return
}

// CHECK-LABEL: func @in_cache(
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @in_cache(%x: memref<64x1280xf32>, %g: memref<1280xf32>, %b: memref<1280xf32>, %y: memref<64x1280xf32>) {
  xfmr.layernorm ins(%x : memref<64x1280xf32>) gamma(%g : memref<1280xf32>) beta(%b : memref<1280xf32>) outs(%y : memref<64x1280xf32>) eps(1.0e-05)
  return
}

// Pairs of bf16 are fetched while a pair has room.

// CHECK-LABEL: func @half(
// CHECK:         memref.prefetch %{{.*}}, read, locality<3>, data
// CHECK:         return
func.func @half(%x: memref<64x2560xbf16>, %g: memref<2560xbf16>, %b: memref<2560xbf16>, %y: memref<64x2560xbf16>) {
  xfmr.layernorm ins(%x : memref<64x2560xbf16>) gamma(%g : memref<2560xbf16>) beta(%b : memref<2560xbf16>) outs(%y : memref<64x2560xbf16>) eps(1.0e-05) rounding(scale_then_cast)
  return
}
