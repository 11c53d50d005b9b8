// Strides that a type leaves open are chosen so that elements do not overlap.
// RUN: xfmr-run %s --entry=rows --shape 0=2x3 --print --init=range:5 | FileCheck %s
// RUN: xfmr-run %s --entry=columns --shape 0=2x3 --print --init=range:5 | FileCheck %s
// RUN: xfmr-run %s --entry=gaps --shape 0=2x3 --print --init=range:5 | FileCheck %s
// RUN: not xfmr-run %s --entry=huge --shape 0=2x3 2>&1 | FileCheck %s --check-prefix=HUGE

// CHECK: argument 1: 2x3xf32
// CHECK-NEXT: {{^}}  5 3 1
// CHECK-NEXT: {{^}}  -1 -3 -5
// HUGE: error: argument 0 (x : memref<?x?xf32, strided<[4611686018427387904, ?]>>): the array is too large for memory
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  linalg.negf ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32, strided<[?, 1], offset: ?>>)
  return
}
func.func @columns(%x: memref<?x?xf32>, %y: memref<?x?xf32, strided<[1, ?]>>) {
  linalg.negf ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32, strided<[1, ?]>>)
  return
}
func.func @gaps(%x: memref<?x?xf32>, %y: memref<?x?xf32, strided<[2, ?], offset: 3>>) {
  linalg.negf ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32, strided<[2, ?], offset: 3>>)
  return
}
func.func @huge(%x: memref<?x?xf32, strided<[4611686018427387904, ?]>>) {
  return
}
