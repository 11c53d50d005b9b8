// RUN: xfmr-opt %s --xfmr-emulate-target-ops --canonicalize | FileCheck %s

// The product of the odd elements comes first. Subnormals are zeros, on the way in and
// on the way out.
// CHECK-LABEL: func @dot
// CHECK-SAME: (%[[ACC:.*]]: vector<16xf32>, %[[A:.*]]: vector<32xbf16>, %[[B:.*]]: vector<32xbf16>)
// CHECK-DAG: %[[HIGH:.*]] = arith.constant dense<-65536> : vector<16xi32>
// CHECK-DAG: %[[SIXTEEN:.*]] = arith.constant dense<16> : vector<16xi32>
// CHECK-DAG: %[[EXPONENT:.*]] = arith.constant dense<2139095040> : vector<16xi32>
// CHECK: %[[BITS:.*]] = vector.bitcast %[[A]] : vector<32xbf16> to vector<16xi32>
// CHECK: arith.andi %[[BITS]], %[[HIGH]]
// CHECK: arith.andi %{{.*}}, %[[EXPONENT]]
// CHECK: %[[ODD:.*]] = math.fma
// CHECK: arith.bitcast %[[ODD]]
// CHECK: %[[LOW:.*]] = vector.bitcast %[[A]]
// CHECK: arith.shli %[[LOW]], %[[SIXTEEN]]
// CHECK: %[[EVEN:.*]] = math.fma
// CHECK: arith.bitcast %[[EVEN]]
// CHECK-NOT: math.fma
// CHECK-NOT: x86vector
func.func @dot(%acc: vector<16xf32>, %a: vector<32xbf16>, %b: vector<32xbf16>) -> vector<16xf32> {
  %0 = x86vector.avx512.dot %acc, %a, %b : vector<32xbf16> -> vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func @convert
// CHECK: arith.select
// CHECK: arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
func.func @convert(%a: vector<8xf32>) -> vector<8xbf16> {
  %0 = x86vector.avx512.cvt.packed.f32_to_bf16 %a : vector<8xf32> -> vector<8xbf16>
  return %0 : vector<8xbf16>
}

// Loops and conditionals lose their tiles; what else they carry stays. Tiles of
// sibling regions share buffers.
// CHECK-LABEL: func @tiles
// CHECK-COUNT-5: memref.alloca() {alignment = 64 : i64} : memref<1024xi8>
// CHECK-NOT: memref.alloca
// CHECK: %{{.*}} = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (index)
// CHECK-NOT: amx
func.func @tiles(%a: memref<?x?xbf16>, %b: memref<?x64xbf16>, %c: memref<?x?xf32>, %k: index, %if: i1) -> index {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %z = amx.tile_zero : !amx.tile<16x16xf32>
  %r:2 = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %z, %n = %c0) -> (!amx.tile<16x16xf32>, index) {
    %p = arith.divui %i, %c2 : index
    %x = amx.tile_load %a[%c0, %i] : memref<?x?xbf16> into !amx.tile<16x32xbf16>
    %w = amx.tile_load %b[%p, %c0] : memref<?x64xbf16> into !amx.tile<16x32xbf16>
    %s = amx.tile_mulf %x, %w, %acc : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
    %m = arith.addi %n, %i : index
    scf.yield %s, %m : !amx.tile<16x16xf32>, index
  }
  %q = scf.if %if -> (!amx.tile<16x16xf32>) {
    %w = amx.tile_load %c[%c0, %c0] : memref<?x?xf32> into !amx.tile<16x16xf32>
    scf.yield %w : !amx.tile<16x16xf32>
  } else {
    %w = amx.tile_load %c[%c32, %c0] : memref<?x?xf32> into !amx.tile<16x16xf32>
    scf.yield %w : !amx.tile<16x16xf32>
  }
  amx.tile_store %c[%c0, %c0], %r#0 : memref<?x?xf32>, !amx.tile<16x16xf32>
  amx.tile_store %c[%c32, %c0], %q : memref<?x?xf32>, !amx.tile<16x16xf32>
  return %r#1 : index
}
