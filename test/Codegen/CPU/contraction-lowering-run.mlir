// RUN: xfmr-opt %s --xfmr-lower-contractions=panels=false --canonicalize --cse \
// RUN:   --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:   --convert-math-to-llvm --finalize-memref-to-llvm --convert-arith-to-llvm \
// RUN:   --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s
// RUN: xfmr-opt %s --xfmr-lower-contractions="panels=false vector-bytes=16" --canonicalize --cse \
// RUN:   --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:   --convert-math-to-llvm --finalize-memref-to-llvm --convert-arith-to-llvm \
// RUN:   --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s
// RUN: xfmr-opt %s --xfmr-lower-contractions --xfmr-lower-weight-packing --xfmr-lower-row-loops --canonicalize --cse \
// RUN:   --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:   --convert-math-to-llvm --finalize-memref-to-llvm --convert-arith-to-llvm \
// RUN:   --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s
// RUN: xfmr-opt %s --xfmr-lower-contractions=vector-bytes=16 --xfmr-lower-weight-packing=vector-bytes=16 --xfmr-lower-row-loops --canonicalize --cse \
// RUN:   --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:   --convert-math-to-llvm --finalize-memref-to-llvm --convert-arith-to-llvm \
// RUN:   --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s

// Small integers, exact in any order: all sizes around the tiles' edges, both
// layouts of the right side, contiguous and as transposed views, against scalar
// loops; with panels, packed each time, and without. main returns the number of wrong elements.
// CHECK: {{^0$}}

!strided = memref<?x?xf32, strided<[?, ?], offset: ?>>

func.func @in_out(%a: memref<?x?xf32>, %w: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.matmul ins(%a, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

func.func @out_in(%a: memref<?x?xf32>, %w: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

func.func @in_out_strided(%a: !strided, %w: !strided, %y: !strided) {
  linalg.matmul ins(%a, %w : !strided, !strided) outs(%y : !strided)
  return
}

func.func @out_in_strided(%a: !strided, %w: !strided, %y: !strided) {
  linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %w : !strided, !strided) outs(%y : !strided)
  return
}

func.func private @fill(%x: memref<?xf32>, %factor: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %size step %c1 {
    %a = arith.muli %i, %factor : index
    %b = arith.remui %a, %c7 : index
    %c = arith.subi %b, %c3 : index
    %d = arith.index_cast %c : index to i32
    %e = arith.sitofp %d : i32 to f32
    memref.store %e, %x[%i] : memref<?xf32>
  }
  return
}

// The number of elements that differ from before + a * w, w as [k, n].
func.func private @check(%a: !strided, %w: !strided, %before: !strided, %y: !strided) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %m = memref.dim %y, %c0 : !strided
  %n = memref.dim %y, %c1 : !strided
  %k = memref.dim %w, %c0 : !strided
  %total = scf.for %i = %c0 to %m step %c1 iter_args(%t0 = %none) -> (i32) {
    %row = scf.for %j = %c0 to %n step %c1 iter_args(%t1 = %t0) -> (i32) {
      %b = memref.load %before[%i, %j] : !strided
      %e = scf.for %l = %c0 to %k step %c1 iter_args(%s = %b) -> (f32) {
        %av = memref.load %a[%i, %l] : !strided
        %wv = memref.load %w[%l, %j] : !strided
        %p = arith.mulf %av, %wv : f32
        %s1 = arith.addf %s, %p : f32
        scf.yield %s1 : f32
      }
      %got = memref.load %y[%i, %j] : !strided
      %differs = arith.cmpf une, %e, %got : f32
      %one = arith.extui %differs : i1 to i32
      %t2 = arith.addi %t1, %one : i32
      scf.yield %t2 : i32
    }
    scf.yield %row : i32
  }
  return %total : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c11 = arith.constant 11 : index
  %c15 = arith.constant 15 : index
  %c40 = arith.constant 40 : index
  %c70 = arith.constant 70 : index
  %none = arith.constant 0 : i32
  %total = scf.for %m = %c0 to %c15 step %c1 iter_args(%t0 = %none) -> (i32) {
    %t5 = scf.for %n = %c0 to %c70 step %c3 iter_args(%t1 = %t0) -> (i32) {
      %t4 = scf.for %k = %c0 to %c40 step %c11 iter_args(%t2 = %t1) -> (i32) {
        %mk = arith.muli %m, %k : index
        %kn = arith.muli %k, %n : index
        %mn = arith.muli %m, %n : index
        %as = memref.alloc(%mk) : memref<?xf32>
        %ws = memref.alloc(%kn) : memref<?xf32>
        %bs = memref.alloc(%mn) : memref<?xf32>
        %ys = memref.alloc(%mn) : memref<?xf32>
        func.call @fill(%as, %c3) : (memref<?xf32>, index) -> ()
        func.call @fill(%ws, %c5) : (memref<?xf32>, index) -> ()
        func.call @fill(%bs, %c11) : (memref<?xf32>, index) -> ()
        // Views of the same elements: a and y by rows or columns; w as [k, n] and
        // as [n, k].
        %a = memref.reinterpret_cast %as to offset: [0], sizes: [%m, %k], strides: [%k, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1]>>
        %y = memref.reinterpret_cast %ys to offset: [0], sizes: [%m, %n], strides: [%n, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1]>>
        %w = memref.reinterpret_cast %ws to offset: [0], sizes: [%k, %n], strides: [%n, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1]>>
        %v = memref.reinterpret_cast %ws to offset: [0], sizes: [%n, %k], strides: [%k, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1]>>
        %a0 = memref.cast %a : memref<?x?xf32, strided<[?, 1]>> to !strided
        %y0 = memref.cast %y : memref<?x?xf32, strided<[?, 1]>> to !strided
        %w0 = memref.cast %w : memref<?x?xf32, strided<[?, 1]>> to !strided
        %ac = memref.reinterpret_cast %as to offset: [%c0], sizes: [%m, %k], strides: [%c1, %m] : memref<?xf32> to !strided
        %yc = memref.reinterpret_cast %ys to offset: [%c0], sizes: [%m, %n], strides: [%c1, %m] : memref<?xf32> to !strided
        %bc = memref.reinterpret_cast %bs to offset: [%c0], sizes: [%m, %n], strides: [%c1, %m] : memref<?xf32> to !strided
        %b0 = memref.reinterpret_cast %bs to offset: [%c0], sizes: [%m, %n], strides: [%n, %c1] : memref<?xf32> to !strided
        // v's elements as [k, n], and w's as [n, k].
        %vt = memref.reinterpret_cast %ws to offset: [%c0], sizes: [%k, %n], strides: [%c1, %k] : memref<?xf32> to !strided
        %wt = memref.reinterpret_cast %ws to offset: [%c0], sizes: [%n, %k], strides: [%c1, %n] : memref<?xf32> to !strided
        %ai = memref.cast %a : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
        %yi = memref.cast %y : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
        %wi = memref.cast %w : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
        %vi = memref.cast %v : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>

        memref.copy %bs, %ys : memref<?xf32> to memref<?xf32>
        func.call @in_out(%ai, %wi, %yi) : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
        %e0 = func.call @check(%a0, %w0, %b0, %y0) : (!strided, !strided, !strided, !strided) -> i32
        memref.copy %bs, %ys : memref<?xf32> to memref<?xf32>
        func.call @out_in(%ai, %vi, %yi) : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
        %e1 = func.call @check(%a0, %vt, %b0, %y0) : (!strided, !strided, !strided, !strided) -> i32
        memref.copy %bs, %ys : memref<?xf32> to memref<?xf32>
        func.call @in_out_strided(%ac, %vt, %yc) : (!strided, !strided, !strided) -> ()
        %e2 = func.call @check(%ac, %vt, %bc, %yc) : (!strided, !strided, !strided, !strided) -> i32
        memref.copy %bs, %ys : memref<?xf32> to memref<?xf32>
        func.call @out_in_strided(%ac, %wt, %yc) : (!strided, !strided, !strided) -> ()
        %e3 = func.call @check(%ac, %w0, %bc, %yc) : (!strided, !strided, !strided, !strided) -> i32

        memref.dealloc %as : memref<?xf32>
        memref.dealloc %ws : memref<?xf32>
        memref.dealloc %bs : memref<?xf32>
        memref.dealloc %ys : memref<?xf32>
        %e4 = arith.addi %e0, %e1 : i32
        %e5 = arith.addi %e2, %e3 : i32
        %e6 = arith.addi %e4, %e5 : i32
        %t3 = arith.addi %t2, %e6 : i32
        scf.yield %t3 : i32
      }
      scf.yield %t4 : i32
    }
    scf.yield %t5 : i32
  }
  return %total : i32
}
