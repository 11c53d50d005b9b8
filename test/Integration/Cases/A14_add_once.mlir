// Case A14: a residual add beside its norm is computed once, in the one loop over
// rows, whatever the tiles, and both results are right. (Within a tile the loops over
// vectors may add again rather than read the sum back: never another loop over rows.)

// RUN: xfmr-opt --xfmr-cpu-expand-stage=runtime-checks=false --xfmr-cpu-tile-stage=tile-rows=1 --xfmr-cpu-bufferize-stage --xfmr-cpu-decompose-stage %s | FileCheck %s --check-prefixes=CHECK,TILED
// RUN: xfmr-opt --xfmr-cpu-expand-stage=runtime-checks=false --xfmr-cpu-tile-stage=tile-rows=7 --xfmr-cpu-bufferize-stage --xfmr-cpu-decompose-stage %s | FileCheck %s --check-prefixes=CHECK,TILED
// RUN: xfmr-opt --xfmr-cpu-expand-stage=runtime-checks=false --xfmr-cpu-tile-stage=tile-rows=64 --xfmr-cpu-bufferize-stage --xfmr-cpu-decompose-stage %s | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: xfmr-opt --xfmr-cpu-expand-stage=runtime-checks=false --xfmr-cpu-tile-stage=tile-rows=100 --xfmr-cpu-bufferize-stage --xfmr-cpu-decompose-stage %s | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: xfmr-opt --xfmr-cpu-expand-stage=runtime-checks=false --xfmr-cpu-tile-stage=tile-rows=7 --xfmr-cpu-bufferize-stage --xfmr-cpu-decompose-stage --xfmr-cpu-vectorize-stage %s | FileCheck %s --check-prefix=LOOPS

// RUN: xfmr-run %s --entry=fused --check --passes='builtin.module(xfmr-tile-rows{tile-rows=1})'
// RUN: xfmr-run %s --entry=fused --check --passes='builtin.module(xfmr-tile-rows{tile-rows=7})'
// RUN: xfmr-run %s --entry=fused --check --passes='builtin.module(xfmr-tile-rows{tile-rows=64})'
// RUN: xfmr-run %s --entry=fused --check --passes='builtin.module(xfmr-tile-rows{tile-rows=100})'
// RUN: xfmr-run %s --entry=layer --check --passes='builtin.module(xfmr-tile-rows{tile-rows=1})'
// RUN: xfmr-run %s --entry=layer --check --passes='builtin.module(xfmr-tile-rows{tile-rows=7})'
// RUN: xfmr-run %s --entry=layer --check --passes='builtin.module(xfmr-tile-rows{tile-rows=64})'
// RUN: xfmr-run %s --entry=layer --check --passes='builtin.module(xfmr-tile-rows{tile-rows=100})'
// RUN: xfmr-run %s --entry=apart --check --passes='builtin.module(xfmr-tile-rows{tile-rows=1})'
// RUN: xfmr-run %s --entry=apart --check --passes='builtin.module(xfmr-tile-rows{tile-rows=7})'
// RUN: xfmr-run %s --entry=apart --check --passes='builtin.module(xfmr-tile-rows{tile-rows=64})'
// RUN: xfmr-run %s --entry=apart --check --passes='builtin.module(xfmr-tile-rows{tile-rows=100})'
// RUN: xfmr-run %s --entry=layer --check --threads=2 --parallel-from=0

// CHECK-LABEL: func.func @fused
// TILED: scf.forall
// WHOLE-NOT: scf.forall
// CHECK: linalg.generic {{.*}}["parallel", "parallel"]
// CHECK: arith.addf %in, %in
// CHECK-NEXT: linalg.yield
// CHECK-NOT: arith.addf %in, %in
// CHECK-NOT: scf.forall
// LOOPS-LABEL: func.func @fused
// LOOPS: scf.forall
// One loop over the rows of the tile, and within it one over the row's vectors, of
// which the last is a part.
// LOOPS: scf.for %{{.*}} = %c0 to %{{[0-9]+}} step %c1
// LOOPS-NOT: scf.for %{{.*}} to %{{[0-9]+}} step %c1
// LOOPS-NOT: scf.forall
func.func @fused(%x: tensor<64x130xf32>, %r: tensor<64x130xf32>, %g: tensor<130xf32>,
                 %s: tensor<64x130xf32>, %y: tensor<64x130xf32>)
    -> (tensor<64x130xf32>, tensor<64x130xf32>) {
  %sum, %norm = xfmr.add_rmsnorm ins(%x : tensor<64x130xf32>) residual(%r : tensor<64x130xf32>)
      gamma(%g : tensor<130xf32>) sum(%s : tensor<64x130xf32>) outs(%y : tensor<64x130xf32>)
      eps(1.0e-05) -> tensor<64x130xf32>, tensor<64x130xf32>
  return %sum, %norm : tensor<64x130xf32>, tensor<64x130xf32>
}

// CHECK-LABEL: func.func @layer
// TILED: scf.forall
// WHOLE-NOT: scf.forall
// CHECK: linalg.generic {{.*}}["parallel", "parallel"]
// CHECK: arith.addf %in, %in
// CHECK-NEXT: linalg.yield
// CHECK-NOT: arith.addf %in, %in
// CHECK-NOT: scf.forall
// LOOPS-LABEL: func.func @layer
// LOOPS: scf.forall
// LOOPS: scf.for %{{.*}} = %c0 to %{{[0-9]+}} step %c1
// LOOPS-NOT: scf.for %{{.*}} to %{{[0-9]+}} step %c1
// LOOPS-NOT: scf.forall
func.func @layer(%x: tensor<64x130xf32>, %r: tensor<64x130xf32>, %s: tensor<64x130xf32>,
                 %y: tensor<64x130xf32>) -> (tensor<64x130xf32>, tensor<64x130xf32>) {
  %sum, %norm = xfmr.add_layernorm ins(%x : tensor<64x130xf32>) residual(%r : tensor<64x130xf32>)
      sum(%s : tensor<64x130xf32>) outs(%y : tensor<64x130xf32>)
      eps(1.0e-05) -> tensor<64x130xf32>, tensor<64x130xf32>
  return %sum, %norm : tensor<64x130xf32>, tensor<64x130xf32>
}

// CHECK-LABEL: func.func @apart
// TILED: scf.forall
// WHOLE-NOT: scf.forall
// CHECK: linalg.add
// CHECK-NOT: linalg.add
// CHECK-NOT: scf.forall
// LOOPS-LABEL: func.func @apart
// LOOPS: scf.forall
// LOOPS-NOT: scf.forall
// The add is another op, whose result is used twice.
func.func @apart(%x: tensor<64x130xf32>, %r: tensor<64x130xf32>, %s: tensor<64x130xf32>,
                 %y: tensor<64x130xf32>) -> (tensor<64x130xf32>, tensor<64x130xf32>) {
  %sum = linalg.add ins(%x, %r : tensor<64x130xf32>, tensor<64x130xf32>)
      outs(%s : tensor<64x130xf32>) -> tensor<64x130xf32>
  %norm = xfmr.rmsnorm ins(%sum : tensor<64x130xf32>) outs(%y : tensor<64x130xf32>)
      eps(1.0e-05) -> tensor<64x130xf32>
  return %sum, %norm : tensor<64x130xf32>, tensor<64x130xf32>
}
