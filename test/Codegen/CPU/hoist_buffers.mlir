// RUN: not xfmr-opt --xfmr-hoist-buffers=stack-bytes=-1 %s 2>&1 | FileCheck %s --check-prefix=STACK
// STACK: error: expected stack-bytes of 0 or more, got -1

// RUN: xfmr-opt --xfmr-hoist-buffers %s | FileCheck %s
// RUN: xfmr-opt --xfmr-hoist-buffers=stack-bytes=0 %s | FileCheck %s --check-prefix=HEAP --implicit-check-not=alloca
// RUN: xfmr-opt --xfmr-hoist-buffers=separate %s | FileCheck %s --check-prefix=SEPARATE --implicit-check-not=alloca
// RUN: xfmr-opt --xfmr-hoist-buffers --remarks-filter=xfmr-hoist-buffers -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// The last tile has fewer rows than the others: its bound is what is allocated.

// REMARK-DAG: remark: [Passed] hoisted | Category:xfmr-hoist-buffers | Remark="a temporary is allocated once for all iterations of a loop"

// CHECK-LABEL: func @last_tile(
// CHECK-NEXT: %[[ALL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1024xi8>
// CHECK: scf.for
// CHECK: %[[ROWS:.*]] = affine.min
// CHECK: memref.view %[[ALL]][%{{.*}}][%[[ROWS]]] : memref<1024xi8> to memref<?x64xf32>
// CHECK-NOT: dealloc
// CHECK: return
// HEAP-LABEL: func @last_tile(
// HEAP: %[[ALL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
// HEAP: scf.for
// HEAP: memref.view %[[ALL]]
// HEAP-NOT: dealloc
// HEAP: }
// HEAP-NEXT: memref.dealloc %[[ALL]]
func.func @last_tile(%n: index, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    %rows = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n]
    %z = memref.alloc(%rows) : memref<?x64xf32>
    vector.store %v, %z[%c0, %c0] : memref<?x64xf32>, vector<16xf32>
    memref.dealloc %z : memref<?x64xf32>
  }
  return
}

// Other sizes are known only when the function is called.

// CHECK-LABEL: func @open(
// CHECK-SAME: %[[N:.*]]: index, %[[D:.*]]: index
// CHECK: %[[BYTES:.*]] = arith.muli %c8, %[[D]]
// CHECK: %[[ALL:.*]] = memref.alloc(%[[BYTES]]) {alignment = 128 : i64} : memref<?xi8>
// CHECK: scf.for
// CHECK: memref.view %[[ALL]][%{{.*}}][%{{.*}}, %[[D]]] : memref<?xi8> to memref<?x?xbf16>
// CHECK: }
// CHECK-NEXT: memref.dealloc %[[ALL]]
func.func @open(%n: index, %d: index, %v: vector<16xbf16>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    %rest = arith.subi %n, %i : index
    %rows = arith.minsi %rest, %c4 : index
    %z = memref.alloc(%rows, %d) {alignment = 128 : i64} : memref<?x?xbf16>
    vector.store %v, %z[%c0, %c0] : memref<?x?xbf16>, vector<16xbf16>
    memref.dealloc %z : memref<?x?xbf16>
  }
  return
}

// What does not change leaves all loops as it is; sizes that are computed in the
// loop leave it first.

// CHECK-LABEL: func @invariant(
// CHECK: %[[SIZE:.*]] = arith.addi
// CHECK: %[[Z:.*]] = memref.alloc(%[[SIZE]]) : memref<?xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: memref.dealloc %[[Z]]
// CHECK-NEXT: return
func.func @invariant(%n: index, %d: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %size = arith.addi %d, %c1 : index
      %z = memref.alloc(%size) : memref<?xf32>
      memref.store %v, %z[%c0] : memref<?xf32>
      memref.dealloc %z : memref<?xf32>
    }
  }
  return
}

// No more than 16 KiB of the stack.

// REMARK-DAG: remark: [Passed] on-stack | {{.*}}bytes=16384
// CHECK-LABEL: func @stack(
// CHECK-NEXT: %[[A:.*]] = memref.alloca() : memref<64x64xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<1xf32>
// CHECK: memref.dealloc %[[B]]
func.func @stack(%v: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64x64xf32>
  %b = memref.alloc() : memref<1xf32>
  memref.store %v, %a[%c0, %c0] : memref<64x64xf32>
  memref.store %v, %b[%c0] : memref<1xf32>
  memref.dealloc %a : memref<64x64xf32>
  memref.dealloc %b : memref<1xf32>
  return
}

// What lives at the same time is one allocation, each buffer at a multiple of its
// alignment; it lives as long as any of them. What begins later is another.

// Each for itself where memory beside a temporary is to be checked.

// SEPARATE-LABEL: func @together(
// SEPARATE-DAG:     memref.alloc() : memref<3xf32>
// SEPARATE-DAG:     memref.alloc() {alignment = 128 : i64} : memref<2x10xbf16>
// SEPARATE-DAG:     memref.alloc() : memref<19xf32>
// SEPARATE-NOT:     memref.view

// HEAP-LABEL: func @together(
// HEAP:         %[[ALL:.*]] = memref.alloc() {alignment = 128 : i64} : memref<268xi8>
// HEAP:         %[[A:.*]] = memref.view %[[ALL]][%c0{{.*}}][] : memref<268xi8> to memref<3xf32>
// HEAP:         %[[B:.*]] = memref.view %[[ALL]][%c128{{.*}}][] : memref<268xi8> to memref<2x10xbf16>
// HEAP:         %[[C:.*]] = memref.view %[[ALL]][%c192{{.*}}][] : memref<268xi8> to memref<19xf32>
// HEAP:         memref.store %{{.*}}, %[[A]]
// HEAP:         memref.store %{{.*}}, %[[C]]
// HEAP-NEXT:    memref.dealloc %[[ALL]] : memref<268xi8>
// HEAP-NEXT:    %[[LATE:.*]] = memref.alloc() : memref<8xf32>
// HEAP:         memref.dealloc %[[LATE]]
// HEAP-NOT:     memref.dealloc
// HEAP:         return
func.func @together(%v: f32, %w: bf16) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<3xf32>
  %b = memref.alloc() {alignment = 128 : i64} : memref<2x10xbf16>
  %c = memref.alloc() : memref<19xf32>
  memref.store %v, %a[%c0] : memref<3xf32>
  memref.store %w, %b[%c0, %c0] : memref<2x10xbf16>
  memref.dealloc %a : memref<3xf32>
  memref.store %v, %c[%c0] : memref<19xf32>
  memref.dealloc %c : memref<19xf32>
  memref.dealloc %b : memref<2x10xbf16>
  %late = memref.alloc() : memref<8xf32>
  memref.store %v, %late[%c0] : memref<8xf32>
  memref.dealloc %late : memref<8xf32>
  return
}

// Nothing bounds the size, or the buffer's life is not the iteration's.

// CHECK-LABEL: func @stays(
// CHECK: scf.for
// CHECK: memref.alloc
// CHECK: memref.alloc
// CHECK: memref.dealloc
// CHECK: scf.if
// CHECK: memref.dealloc
func.func @stays(%n: index, %v: f32, %late: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%i) : memref<?xf32>
    %b = memref.alloc() : memref<8xf32>
    memref.store %v, %a[%c0] : memref<?xf32>
    memref.store %v, %b[%c0] : memref<8xf32>
    memref.dealloc %a : memref<?xf32>
    scf.if %late {
      memref.dealloc %b : memref<8xf32>
    }
  }
  return
}

// REMARK-DAG: remark: [Missed] in-loop | {{.*}}Reason="a size changes from one iteration to the next, without a known bound"
