// RUN: xfmr-opt --xfmr-tile-rows=threads=2 --split-input-file %s | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: xfmr-opt --xfmr-tile-rows=threads=0 --split-input-file %s | FileCheck %s --check-prefixes=CHECK,ANY
// RUN: xfmr-opt --xfmr-tile-rows --split-input-file %s | FileCheck %s --check-prefix=ONE --implicit-check-not=xfmr.any_rows
// RUN: not xfmr-opt --xfmr-tile-rows=threads=-1 %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: expected threads of 0 or more, got -1

// Tiles of a number of rows that is not known end anywhere.

// CHECK-LABEL: func @dynamic(
// CHECK: scf.forall {{.*}} step (4)
// CHECK: affine.min
// CHECK: } {xfmr.any_rows}
func.func @dynamic(%x: memref<?x64xf32>, %g: memref<64xf32>, %y: memref<?x64xf32>) {
  xfmr.rmsnorm ins(%x : memref<?x64xf32>) gamma(%g : memref<64xf32>) outs(%y : memref<?x64xf32>) eps(1.0e-05)
  return
}

// -----

// Three tiles are no even number for two threads; for one they are all full.

// CHECK-LABEL: func @three_tiles(
// CHECK: scf.forall {{.*}} = (0) to (12) step (4)
// CHECK: affine.min
// CHECK: } {xfmr.any_rows}
// ONE-LABEL: func @three_tiles(
// ONE: scf.forall {{.*}} = (0) to (12) step (4)
// ONE-NOT: affine.min
// ONE: return
func.func @three_tiles(%x: tensor<12x64xf32>, %g: tensor<64xf32>, %y: tensor<12x64xf32>) -> tensor<12x64xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<12x64xf32>) gamma(%g : tensor<64xf32>) outs(%y : tensor<12x64xf32>)
      eps(1.0e-05) -> tensor<12x64xf32>
  return %0 : tensor<12x64xf32>
}

// -----

// Two threads have two full tiles each; of more threads nothing is known.

// CHECK-LABEL: func @four_tiles(
// CHECK: scf.forall {{.*}} = (0) to (16) step (4)
// TWO-NOT: affine.min
// ANY: affine.min
// TWO-NOT: xfmr.any_rows
// ANY: xfmr.any_rows
// CHECK: return
func.func @four_tiles(%x: memref<16x64xf32>, %g: memref<64xf32>, %y: memref<16x64xf32>) {
  xfmr.rmsnorm ins(%x : memref<16x64xf32>) gamma(%g : memref<64xf32>) outs(%y : memref<16x64xf32>) eps(1.0e-05)
  return
}

// -----

// So many tiles that one more or less does not matter.

// CHECK-LABEL: func @many_tiles(
// CHECK: scf.forall {{.*}} = (0) to (1004) step (4)
// CHECK-NOT: affine.min
// CHECK: return
func.func @many_tiles(%x: memref<1004x64xf32>, %g: memref<64xf32>, %y: memref<1004x64xf32>) {
  xfmr.rmsnorm ins(%x : memref<1004x64xf32>) gamma(%g : memref<64xf32>) outs(%y : memref<1004x64xf32>) eps(1.0e-05)
  return
}

// -----

// Rows that are worth a thread each do not stay in one tile; short ones do, and
// so do those that threads share.

// TWO-LABEL: func @long_rows(
// TWO: scf.forall {{.*}} = (0) to (3) step (2)
// TWO: } {xfmr.any_rows}
// TWO-NOT: scf.forall
// TWO: return
// ANY-LABEL: func @long_rows(
// ANY: scf.forall (%{{.*}}) in (3)
// ANY-NOT: scf.forall
// ANY: return
// ONE-LABEL: func @long_rows(
// ONE-NOT: scf.forall
// ONE: return
func.func @long_rows(%x: memref<3x16384xf32>, %g: memref<16384xf32>, %y: memref<3x16384xf32>,
    %xs: memref<3x4096xf32>, %gs: memref<4096xf32>, %ys: memref<3x4096xf32>,
    %xl: memref<3x65536xf32>, %gl: memref<65536xf32>, %yl: memref<3x65536xf32>) {
  xfmr.rmsnorm ins(%x : memref<3x16384xf32>) gamma(%g : memref<16384xf32>) outs(%y : memref<3x16384xf32>) eps(1.0e-05)
  xfmr.rmsnorm ins(%xs : memref<3x4096xf32>) gamma(%gs : memref<4096xf32>) outs(%ys : memref<3x4096xf32>) eps(1.0e-05)
  xfmr.rmsnorm ins(%xl : memref<3x65536xf32>) gamma(%gl : memref<65536xf32>) outs(%yl : memref<3x65536xf32>) eps(1.0e-05)
  return
}

// -----

// Every tile of a product reads the weights: its rows stay together.

// CHECK-LABEL: func @product(
// CHECK-NOT: scf.forall
// CHECK: return
func.func @product(%x: tensor<4x64xf32>, %w: tensor<64x8192xf32>, %y: tensor<4x8192xf32>) -> tensor<4x8192xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<4x64xf32>, tensor<64x8192xf32>) outs(%y : tensor<4x8192xf32>) -> tensor<4x8192xf32>
  return %0 : tensor<4x8192xf32>
}
