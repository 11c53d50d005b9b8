// RUN: xfmr-opt %s --xfmr-lower-contractions='cpu=sapphirerapids panels' --canonicalize --cse | FileCheck %s
// RUN: xfmr-opt %s --xfmr-lower-contractions='cpu=sapphirerapids panels' --canonicalize --cse \
// RUN: | FileCheck %s --check-prefix=KERNEL
// RUN: xfmr-opt %s --xfmr-lower-contractions='cpu=sapphirerapids panels batch-invariant' \
// RUN: | FileCheck %s --check-prefix=INVARIANT
// RUN: xfmr-opt %s --xfmr-lower-contractions='cpu=znver5 panels' \
// RUN: | FileCheck %s --check-prefix=INVARIANT

// INVARIANT-NOT: amx
// INVARIANT: call @xfmr_panel_product_bf16_bf16_f32
// INVARIANT-NOT: amx

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#contraction = {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}

// The permission is asked for once, when the module is loaded.
// CHECK: llvm.mlir.global internal @xfmr_amx_permission(-1 : i64)
// CHECK: llvm.func internal @xfmr_ask_amx_permission()
// CHECK: %[[ANSWER:.*]] = llvm.inline_asm has_side_effects "syscall", "={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}"
// CHECK: llvm.store %[[ANSWER]], %{{.*}} : i64, !llvm.ptr
// CHECK: llvm.mlir.global_ctors ctors = [@xfmr_ask_amx_permission]
// CHECK-NOT: global_ctors

// Rows that tiles can read where they are; the number of rows is static.
// CHECK-LABEL: func @static
// CHECK-SAME: (%[[X:.*]]: memref<128x96xbf16>
// CHECK: %[[PACKED:.*]] = memref.alloc() {{.*}} : memref<2x48x32x2xbf16>
// CHECK-NOT: memref.alloc
// CHECK: %[[FLAG:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[GRANTED:.*]] = arith.cmpi eq, %[[FLAG]], %{{.*}} : i64
// CHECK: scf.if %[[GRANTED]] {
// CHECK: %[[W:.*]] = memref.cast %[[PACKED]]
// CHECK: %[[A:.*]] = memref.cast %[[X]]
// CHECK: call @xfmr_amx_panel_product(%[[A]], %[[W]],
// CHECK: } else {
// CHECK: call @xfmr_panel_product_bf16_bf16_f32
func.func @static(%x: memref<128x96xbf16>, %w: memref<64x96xbf16> {xfmr.weight}, %y: memref<128x64xf32>) {
  linalg.generic #contraction ins(%x, %w : memref<128x96xbf16>, memref<64x96xbf16>) outs(%y : memref<128x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// One row is a vector's work, whatever the kernel grants.
// CHECK-LABEL: func @one
// CHECK-NOT: amx
func.func @one(%x: memref<1x96xbf16>, %w: memref<64x96xbf16> {xfmr.weight}, %y: memref<1x64xf32>) {
  linalg.generic #contraction ins(%x, %w : memref<1x96xbf16>, memref<64x96xbf16>) outs(%y : memref<1x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// Tiles of rows: what counts is the number of all rows, of which the last tile
// may have any part. The rows are copied where a tile would read beyond the last.
// CHECK-LABEL: func @tiles
// CHECK: %[[ROWS:.*]] = memref.dim %{{.*}}, %c0 : memref<?x96xbf16>
// CHECK: scf.for %{{.*}} = %c0 to %[[ROWS]] step %c512
// CHECK: %[[TILE:.*]] = affine.min
// CHECK: arith.cmpi uge, %[[ROWS]], %c2
// CHECK-NOT: arith.cmpi uge, %[[TILE]]
// CHECK: %[[COPY:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x96xbf16>
// CHECK: scf.if
// CHECK: vector.load {{.*}} vector<32xbf16>
// CHECK: vector.store {{.*}}, %[[COPY]]
// CHECK: call @xfmr_amx_panel_product
// CHECK: memref.dealloc %[[COPY]]
func.func @tiles(%x: memref<?x96xbf16>, %w: memref<64x96xbf16> {xfmr.weight}, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %rows = memref.dim %x, %c0 : memref<?x96xbf16>
  scf.for %i = %c0 to %rows step %c512 {
    %n = affine.min affine_map<(i)[m] -> (512, m - i)>(%i)[%rows]
    %xt = memref.subview %x[%i, 0] [%n, 96] [1, 1] : memref<?x96xbf16> to memref<?x96xbf16, strided<[96, 1], offset: ?>>
    %yt = memref.subview %y[%i, 0] [%n, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic #contraction ins(%xt, %w : memref<?x96xbf16, strided<[96, 1], offset: ?>>, memref<64x96xbf16>) outs(%yt : memref<?x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%a: bf16, %b: bf16, %c: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %c, %2 : f32
      linalg.yield %3 : f32
    }
  }
  return
}

// Rows of 4096 elements compete for the same places of a cache: they are copied,
// once for all panels.
// CHECK-LABEL: func @stride
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[COPY:.*]][%{{.*}}] : memref<16x4128xbf16>
// CHECK: scf.forall
// CHECK: call @xfmr_amx_panel_product
// CHECK: memref.dealloc %[[COPY]]
func.func @stride(%x: memref<16x4096xbf16>, %w: memref<512x4096xbf16> {xfmr.weight}, %y: memref<16x512xf32>) {
  linalg.generic #contraction ins(%x, %w : memref<16x4096xbf16>, memref<512x4096xbf16>) outs(%y : memref<16x512xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// Tiles overwrite what would be zeros; vector code has them.
// CHECK-LABEL: func @overwrites
// CHECK-NOT: linalg.fill
// CHECK: scf.if
// CHECK-NOT: linalg.fill
// CHECK: call @xfmr_amx_panel_product({{.*}}, %true)
// CHECK: } else {
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[OUT:.*]] : memref<128x64xf32
// CHECK: call @xfmr_panel_product_bf16_bf16_f32
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @overwrites(%x: memref<128x96xbf16>, %w: memref<64x96xbf16> {xfmr.weight}, %y: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<128x64xf32>)
  linalg.generic #contraction ins(%x, %w : memref<128x96xbf16>, memref<64x96xbf16>) outs(%y : memref<128x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// Other numbers are added to.
// CHECK-LABEL: func @adds
// CHECK: linalg.fill
// CHECK: call @xfmr_amx_panel_product({{.*}}, %false)
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @adds(%x: memref<128x96xbf16>, %w: memref<64x96xbf16> {xfmr.weight}, %y: memref<128x64xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%y : memref<128x64xf32>)
  linalg.generic #contraction ins(%x, %w : memref<128x96xbf16>, memref<64x96xbf16>) outs(%y : memref<128x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// Two products of the same rows in a loop have one copy of them.
// CHECK-LABEL: func @shared
// CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<16x4128xbf16>
// CHECK-NOT: memref<16x4128xbf16>, vector
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[COPY]]
// CHECK: %[[ROWS:.*]] = memref.cast %[[COPY]]
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: call @xfmr_amx_panel_product(%[[ROWS]],
// CHECK: call @xfmr_amx_panel_product(%[[ROWS]],
// CHECK: memref.dealloc %[[COPY]]
// CHECK-NOT: memref.dealloc %[[COPY]]
// CHECK: return
func.func @shared(%x: memref<16x4096xbf16>, %v: memref<64x4096xbf16> {xfmr.weight}, %w: memref<64x4096xbf16> {xfmr.weight}, %y: memref<16x64xf32>, %z: memref<16x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    linalg.generic #contraction ins(%x, %v : memref<16x4096xbf16>, memref<64x4096xbf16>) outs(%y : memref<16x64xf32>) {
    ^bb0(%a: bf16, %b: bf16, %c: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %c, %2 : f32
      linalg.yield %3 : f32
    }
    linalg.generic #contraction ins(%x, %w : memref<16x4096xbf16>, memref<64x4096xbf16>) outs(%z : memref<16x64xf32>) {
    ^bb0(%a: bf16, %b: bf16, %c: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %c, %2 : f32
      linalg.yield %3 : f32
    }
  }
  return
}

// Inputs that are no whole steps: the copy ends in zeros.
// CHECK-LABEL: func @ragged
// CHECK: %[[MASK:.*]] = vector.create_mask
// CHECK: vector.maskedload %{{.*}}, %[[MASK]], %{{.*}} vector<32xbf16>
// CHECK: vector.store %{{.*}} : memref<16x96xbf16>
func.func @ragged(%x: memref<16x70xbf16>, %w: memref<64x70xbf16> {xfmr.weight}, %y: memref<16x64xf32>) {
  linalg.generic #contraction ins(%x, %w : memref<16x70xbf16>, memref<64x70xbf16>) outs(%y : memref<16x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// Up to 16 rows: one tile of rows meets four of weights, of two panels. All of them
// are prefetched, 16 pairs of inputs a step.
// KERNEL: func.func private @xfmr_amx_panel_product
// KERNEL-SAME: passthrough = ["noinline"
// KERNEL: %[[FEW:.*]] = arith.select
// KERNEL: scf.for %{{.*}} = %c0 to %[[FEW]] step %c2 {
// KERNEL-COUNT-4: amx.tile_zero
// KERNEL: scf.for %[[P:.*]] = %c0 to %{{.*}} step %c16 {{.*}} -> (!amx.tile<16x16xf32>, !amx.tile<16x16xf32>, !amx.tile<16x16xf32>, !amx.tile<16x16xf32>)
// KERNEL: %[[FROM:.*]] = arith.addi %[[P]], %c32
// KERNEL: %[[TO:.*]] = arith.addi %[[P]], %c48
// KERNEL: scf.for %[[L:.*]] = %[[FROM]] to %[[TO]] step %c1 {
// KERNEL-NEXT: memref.prefetch %{{.*}}[%[[L]], %c0], read, locality<3>
// KERNEL-NEXT: memref.prefetch %{{.*}}[%[[L]], %c32], read, locality<3>
// KERNEL-NEXT: }
// KERNEL: %[[W0:.*]] = amx.tile_load %{{.*}} into !amx.tile<16x32xbf16>
// KERNEL-NEXT: %[[X0:.*]] = amx.tile_load %arg0
// KERNEL-NEXT: amx.tile_mulf %[[X0]], %[[W0]]
// KERNEL-NEXT: amx.tile_load
// KERNEL-NEXT: amx.tile_mulf %[[X0]]
// KERNEL-COUNT-2: memref.prefetch
// KERNEL: amx.tile_load
// KERNEL-NEXT: amx.tile_mulf %[[X0]]
// KERNEL-NEXT: amx.tile_load
// KERNEL-NEXT: amx.tile_mulf %[[X0]]
// KERNEL-NEXT: scf.yield

// More rows: two tiles of them meet the two tiles of a panel. The first block of
// rows prefetches what it is about to meet; the next four what all rows meet next, a
// quarter each; further ones nothing: loops that are run as often. Up to 16 rows that
// are left are one tile.
// KERNEL: scf.for %{{.*}} = %[[FEW]] to %{{.*}} step %c16 {
// KERNEL: %[[AHEAD:.*]] = arith.select %{{.*}}, %c16, %c0
// KERNEL: arith.select %{{.*}}, %c4, %c0
// KERNEL: scf.for %[[P:.*]] = %c0 to %{{.*}} step %c16 iter_args({{.*}}) -> (!amx.tile<16x16xf32>, !amx.tile<16x16xf32>, !amx.tile<16x16xf32>, !amx.tile<16x16xf32>)
// KERNEL: %[[QUARTER:.*]] = arith.divui %[[P]], %c4
// KERNEL: scf.for %{{.*}} = %[[QUARTER]]
// KERNEL-COUNT-2: memref.prefetch {{.*}} locality<2>
// KERNEL: %[[FROM:.*]] = arith.addi %[[P]], %c32
// KERNEL: %[[TO:.*]] = arith.addi %[[FROM]], %[[AHEAD]]
// KERNEL: scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// KERNEL-COUNT-2: memref.prefetch {{.*}} locality<3>
// KERNEL-NOT: memref.prefetch
// KERNEL: %[[W0:.*]] = amx.tile_load
// KERNEL-NEXT: %[[X0:.*]] = amx.tile_load %arg0
// KERNEL-NEXT: amx.tile_mulf %[[X0]], %[[W0]]
// KERNEL: %[[X1:.*]] = amx.tile_load %arg0
// KERNEL-NEXT: amx.tile_mulf %[[X1]], %[[W0]]
// KERNEL-NEXT: %[[W1:.*]] = amx.tile_load
// KERNEL-NEXT: amx.tile_mulf %[[X0]], %[[W1]]
// KERNEL-NEXT: amx.tile_mulf %[[X1]], %[[W1]]
// KERNEL-NEXT: scf.yield
// KERNEL: amx.tile_store
// KERNEL: vector.maskedstore
// KERNEL: scf.for {{.*}} step %c16 iter_args({{.*}}) -> (!amx.tile<16x16xf32>, !amx.tile<16x16xf32>) {
// KERNEL-NOT: !amx.tile<16x16xf32>, !amx.tile<16x16xf32>, !amx.tile<16x16xf32>
