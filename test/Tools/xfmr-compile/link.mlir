// What is called of the C library has its version; where that is not enough, a
// compiler links, which has more.

// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: xfmr-compile %t/norm.mlir -o %t/norm.so
// RUN: llvm-nm -D %t/norm.so | FileCheck %s --check-prefix=NORM
// RUN: xfmr-compile %t/division.mlir -o %t/division.so
// RUN: llvm-nm -D %t/division.so | FileCheck %s --check-prefix=DIVISION

// NORM: U malloc@
// NORM: T norm

// DIVISION-NOT: U __divti3{{$}}
// DIVISION: T divide

//--- norm.mlir
func.func @norm(%x: memref<?x?xbf16>, %g: memref<?xbf16>,
                %y: memref<?x?xbf16>, %s: memref<?x?xbf16>) {
  xfmr.add_rmsnorm ins(%x : memref<?x?xbf16>) residual(%y : memref<?x?xbf16>)
      gamma(%g : memref<?xbf16>) sum(%s : memref<?x?xbf16>)
      outs(%y : memref<?x?xbf16>) eps(1.0e-05)
      residual_rounding(round_then_norm) rounding(scale_then_cast)
  return
}

//--- division.mlir
func.func @divide(%x: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.load %x[%c0] : memref<2xi64>
  %b = memref.load %x[%c1] : memref<2xi64>
  %wide = arith.extsi %a : i64 to i128
  %square = arith.muli %wide, %wide : i128
  %divisor = arith.extsi %b : i64 to i128
  %quotient = arith.divsi %square, %divisor : i128
  %low = arith.trunci %quotient : i128 to i64
  memref.store %low, %x[%c0] : memref<2xi64>
  return
}
