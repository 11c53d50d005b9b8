// Code for older processors, which lack instructions for the half types, runs in
// this process and gives right results. It takes what the process has: no
// library of the compiler's.
// RUN: xfmr-run %s --entry=bf16 --cpu=x86-64 --shape 0=5x33 --check | FileCheck %s
// RUN: xfmr-run %s --entry=bf16 --cpu=x86-64-v2 --shape 0=5x33 --check -O0 | FileCheck %s
// RUN: xfmr-run %s --entry=bf16 --cpu=x86-64-v3 --shape 0=5x33 --check | FileCheck %s
// RUN: xfmr-run %s --entry=f16 --cpu=x86-64 --shape 0=5x33 --check | FileCheck %s
// RUN: xfmr-run %s --entry=f16 --cpu=x86-64-v3 --shape 0=5x33 --check | FileCheck %s

// CHECK: check argument 1: 165 elements{{.*}}: ok
func.func @bf16(%x: memref<?x?xbf16, strided<[?, 3], offset: 1>>,
                %y: memref<?x?xbf16, strided<[1, ?]>>) {
  xfmr.layernorm ins(%x : memref<?x?xbf16, strided<[?, 3], offset: 1>>)
      outs(%y : memref<?x?xbf16, strided<[1, ?]>>) eps(1.0e-05) rounding(scale_then_cast)
  return
}
func.func @f16(%x: memref<?x?xf16, strided<[?, 3], offset: 1>>, %y: memref<?x?xf16>) {
  xfmr.rmsnorm ins(%x : memref<?x?xf16, strided<[?, 3], offset: 1>>)
      outs(%y : memref<?x?xf16>) eps(1.0e-05) rounding(cast_then_scale)
  return
}
