// RUN: xfmr-opt %s --pass-pipeline="builtin.module(xfmr-cpu-vectorize-stage{pack-weights=false},xfmr-cpu-parallelize-stage,xfmr-cpu-llvm-stage)" \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s
// RUN: xfmr-opt %s --pass-pipeline="builtin.module(xfmr-cpu-vectorize-stage{pack-weights=false cpu=znver4 emulate},xfmr-cpu-parallelize-stage,xfmr-cpu-llvm-stage{cpu=znver4 emulate})" \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s
// RUN: xfmr-opt %s --pass-pipeline="builtin.module(xfmr-cpu-vectorize-stage{pack-weights=false cpu=sapphirerapids emulate},xfmr-cpu-parallelize-stage,xfmr-cpu-llvm-stage{cpu=sapphirerapids emulate})" \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s

// Sums are subnormal numbers, for which dot products and tiles give zero, or less
// than 2^-60 beside them; some inputs are subnormal numbers as well.
// Sums of these powers of two are the same in any order. main returns the number
// of elements that differ from scalar sums, of 1 to 40 rows.
// CHECK: {{^0$}}

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
!rows = memref<?x71xbf16, strided<[71, 1]>>
!out = memref<?x50xf32, strided<[50, 1]>>

func.func private @product(%x: !rows, %w: memref<71x50xbf16> {xfmr.weight}, %y: !out) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : !rows, memref<71x50xbf16>) outs(%y : !out) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %p = arith.extf %a : bf16 to f32
    %q = arith.extf %b : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  }
  return
}

// Element (i, k) is 2^-70 to 2^-72, or 2^-130 where 3k + i divides by 5.
func.func private @input(%i: index, %j: index) -> bf16 {
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %none = arith.constant 0 : index
  %exponent = arith.constant 57 : i32
  %seven = arith.constant 7 : i32
  %subnormal = arith.constant 8 : i32
  %0 = arith.muli %j, %c3 : index
  %1 = arith.addi %0, %i : index
  %2 = arith.remui %1, %c5 : index
  %is = arith.cmpi eq, %2, %none : index
  %3 = arith.remui %1, %c3 : index
  %4 = arith.index_cast %3 : index to i32
  %5 = arith.subi %exponent, %4 : i32
  %6 = arith.shli %5, %seven : i32
  %7 = arith.select %is, %subnormal, %6 : i32
  %8 = arith.trunci %7 : i32 to i16
  %9 = arith.bitcast %8 : i16 to bf16
  return %9 : bf16
}

// By columns: 2^-60; the same with 2^-3 every seventh time; 8 every fifth time and
// zero otherwise, which every fifth row's 2^-130 meet.
func.func private @weight(%k: index, %j: index) -> bf16 {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %none = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %small = arith.constant 0x2180 : bf16
  %large = arith.constant 0x3E00 : bf16
  %eight = arith.constant 8.0 : bf16
  %kind = arith.remui %j, %c3 : index
  %isFirst = arith.cmpi eq, %kind, %none : index
  %isSecond = arith.cmpi eq, %kind, %c1 : index
  %0 = arith.remui %k, %c7 : index
  %1 = arith.cmpi eq, %0, %none : index
  %2 = arith.select %1, %large, %small : bf16
  %3 = arith.remui %k, %c5 : index
  %4 = arith.cmpi eq, %3, %none : index
  %5 = arith.select %4, %eight, %zero : bf16
  %6 = arith.select %isSecond, %2, %5 : bf16
  %7 = arith.select %isFirst, %small, %6 : bf16
  return %7 : bf16
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %c50 = arith.constant 50 : index
  %c71 = arith.constant 71 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %xs = memref.alloc() : memref<40x71xbf16>
  %ws = memref.alloc() : memref<71x50xbf16>
  %ys = memref.alloc() : memref<40x50xf32>
  scf.for %k = %c0 to %c71 step %c1 {
    scf.for %i = %c0 to %c40 step %c1 {
      %v = func.call @input(%i, %k) : (index, index) -> bf16
      memref.store %v, %xs[%i, %k] : memref<40x71xbf16>
    }
    scf.for %j = %c0 to %c50 step %c1 {
      %v = func.call @weight(%k, %j) : (index, index) -> bf16
      memref.store %v, %ws[%k, %j] : memref<71x50xbf16>
    }
  }
  %x = memref.cast %xs : memref<40x71xbf16> to !rows
  %more = arith.constant 41 : index
  %wrong = scf.for %m = %c1 to %more step %c1 iter_args(%t0 = %none) -> (i32) {
    %xm0 = memref.subview %xs[0, 0] [%m, 71] [1, 1] : memref<40x71xbf16> to memref<?x71xbf16, strided<[71, 1]>>
    %ym = memref.subview %ys[0, 0] [%m, 50] [1, 1] : memref<40x50xf32> to memref<?x50xf32, strided<[50, 1]>>
    linalg.fill ins(%zero : f32) outs(%ym : !out)
    func.call @product(%xm0, %ws, %ym) : (!rows, memref<71x50xbf16>, !out) -> ()
    %rows = scf.for %i = %c0 to %m step %c1 iter_args(%t1 = %t0) -> (i32) {
      %columns = scf.for %j = %c0 to %c50 step %c1 iter_args(%t2 = %t1) -> (i32) {
        %sum = scf.for %k = %c0 to %c71 step %c1 iter_args(%s = %zero) -> (f32) {
          %a = memref.load %xs[%i, %k] : memref<40x71xbf16>
          %b = memref.load %ws[%k, %j] : memref<71x50xbf16>
          %af = arith.extf %a : bf16 to f32
          %bf = arith.extf %b : bf16 to f32
          %p = arith.mulf %af, %bf : f32
          %n = arith.addf %s, %p : f32
          scf.yield %n : f32
        }
        %got = memref.load %ym[%i, %j] : !out
        %p = arith.bitcast %sum : f32 to i32
        %q = arith.bitcast %got : f32 to i32
        %differs = arith.cmpi ne, %p, %q : i32
        %one = arith.extui %differs : i1 to i32
        %t3 = arith.addi %t2, %one : i32
        scf.yield %t3 : i32
      }
      scf.yield %columns : i32
    }
    scf.yield %rows : i32
  }
  memref.dealloc %xs : memref<40x71xbf16>
  memref.dealloc %ws : memref<71x50xbf16>
  memref.dealloc %ys : memref<40x50xf32>
  return %wrong : i32
}
