// LLVM makes vector code of scalar loops that a module has.

// RUN: xfmr-compile %s --cpu=x86-64-v3 -o %t.ll --header=none
// RUN: FileCheck %s --input-file=%t.ll

// CHECK: add <8 x i32>
func.func @scale(%x: memref<1024xi32>, %by: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %factor = memref.load %by[%c0] : memref<1xi32>
  scf.for %i = %c0 to %c1024 step %c1 {
    %v = memref.load %x[%i] : memref<1024xi32>
    %s = arith.addi %v, %factor : i32
    memref.store %s, %x[%i] : memref<1024xi32>
  }
  return
}
