// RUN: xfmr-opt %s --pass-pipeline="builtin.module(xfmr-cpu-vectorize-stage{pack-weights=false},xfmr-cpu-parallelize-stage,xfmr-cpu-llvm-stage)" \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s
// RUN: xfmr-opt %s --pass-pipeline="builtin.module(xfmr-cpu-vectorize-stage{pack-weights=false cpu=x86-64-v3},xfmr-cpu-parallelize-stage,xfmr-cpu-llvm-stage{cpu=x86-64-v3})" \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s

// A row's bits do not depend on how many rows there are, on its place among them,
// on columns beside it, nor on whether the weight was packed before, as a whole.
// main returns the number of elements that differ.
// CHECK: {{^0$}}

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
!rows = memref<?x?xbf16, strided<[?, 1], offset: ?>>
!out = memref<?x?xf32, strided<[?, 1], offset: ?>>

func.func private @once(%x: !rows, %w: memref<301x150xbf16> {xfmr.weight}, %y: !out) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : !rows, memref<301x150xbf16>) outs(%y : !out) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %p = arith.extf %a : bf16 to f32
    %q = arith.extf %b : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  }
  return
}

func.func private @each_time(%x: !rows, %w: !rows, %y: !out) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : !rows, !rows) outs(%y : !out) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %p = arith.extf %a : bf16 to f32
    %q = arith.extf %b : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  }
  return
}

// Fractions of no pattern, of both signs.
func.func private @fill(%x: !rows, %seed: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %factor = arith.constant 1103515245 : i32
  %more = arith.constant 12345 : i32
  %scale = arith.constant 4.65661287E-10 : f32
  %m = memref.dim %x, %c0 : !rows
  %n = memref.dim %x, %c1 : !rows
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %a = arith.muli %i, %n : index
      %b = arith.addi %a, %j : index
      %c = arith.index_cast %b : index to i32
      %d = arith.addi %c, %seed : i32
      %e = arith.muli %d, %factor : i32
      %f = arith.addi %e, %more : i32
      %g = arith.muli %f, %factor : i32
      %h = arith.sitofp %g : i32 to f32
      %v = arith.mulf %h, %scale : f32
      %t = arith.truncf %v : f32 to bf16
      memref.store %t, %x[%i, %j] : !rows
    }
  }
  return
}

func.func private @clear(%y: !out) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !out)
  return
}

func.func private @differences(%a: !out, %b: !out) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %m = memref.dim %a, %c0 : !out
  %n = memref.dim %a, %c1 : !out
  %count = scf.for %i = %c0 to %m step %c1 iter_args(%t0 = %none) -> (i32) {
    %row = scf.for %j = %c0 to %n step %c1 iter_args(%t1 = %t0) -> (i32) {
      %v = memref.load %a[%i, %j] : !out
      %w = memref.load %b[%i, %j] : !out
      %p = arith.bitcast %v : f32 to i32
      %q = arith.bitcast %w : f32 to i32
      %differs = arith.cmpi ne, %p, %q : i32
      %one = arith.extui %differs : i1 to i32
      %t2 = arith.addi %t1, %one : i32
      scf.yield %t2 : i32
    }
    scf.yield %row : i32
  }
  return %count : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c20 = arith.constant 20 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %xs = memref.alloc() : memref<160x301xbf16>
  %ws = memref.alloc() : memref<301x150xbf16>
  %ys = memref.alloc() : memref<160x150xf32>
  %zs = memref.alloc() : memref<160x150xf32>
  %x = memref.cast %xs : memref<160x301xbf16> to !rows
  %w = memref.cast %ws : memref<301x150xbf16> to !rows
  %y = memref.cast %ys : memref<160x150xf32> to !out
  func.call @fill(%x, %one) : (!rows, i32) -> ()
  func.call @fill(%w, %two) : (!rows, i32) -> ()
  func.call @clear(%y) : (!out) -> ()
  func.call @once(%x, %ws, %y) : (!rows, memref<301x150xbf16>, !out) -> ()
  // Some rows from any on, all columns but seven, packed each time.
  %total = scf.for %m = %c1 to %c20 step %c1 iter_args(%t = %none) -> (i32) {
    %from = arith.muli %m, %c7 : index
    %from1 = arith.subi %from, %c7 : index
    %a0 = memref.subview %xs[%from1, 0] [%m, 301] [1, 1] : memref<160x301xbf16> to memref<?x301xbf16, strided<[301, 1], offset: ?>>
    %b0 = memref.subview %ws[0, 7] [301, 143] [1, 1] : memref<301x150xbf16> to memref<301x143xbf16, strided<[150, 1], offset: 7>>
    %r0 = memref.subview %zs[0, 0] [%m, 143] [1, 1] : memref<160x150xf32> to memref<?x143xf32, strided<[150, 1]>>
    %e0 = memref.subview %ys[%from1, 7] [%m, 143] [1, 1] : memref<160x150xf32> to memref<?x143xf32, strided<[150, 1], offset: ?>>
    %a = memref.cast %a0 : memref<?x301xbf16, strided<[301, 1], offset: ?>> to !rows
    %b = memref.cast %b0 : memref<301x143xbf16, strided<[150, 1], offset: 7>> to !rows
    %r = memref.cast %r0 : memref<?x143xf32, strided<[150, 1]>> to !out
    %e = memref.cast %e0 : memref<?x143xf32, strided<[150, 1], offset: ?>> to !out
    func.call @clear(%r) : (!out) -> ()
    func.call @each_time(%a, %b, %r) : (!rows, !rows, !out) -> ()
    %d = func.call @differences(%r, %e) : (!out, !out) -> i32
    %next = arith.addi %t, %d : i32
    scf.yield %next : i32
  }
  memref.dealloc %xs : memref<160x301xbf16>
  memref.dealloc %ws : memref<301x150xbf16>
  memref.dealloc %ys : memref<160x150xf32>
  memref.dealloc %zs : memref<160x150xf32>
  return %total : i32
}
