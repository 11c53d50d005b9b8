// RUN: xfmr-opt --xfmr-deallocate-buffers %s | FileCheck %s

// CHECK-NOT: manual_deallocation

// A returned argument stays one: no copy, and nobody frees it.
// CHECK-LABEL: func @returned_argument(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>) -> (memref<?xf32> {foo.bar}, memref<4xf32>)
func.func @returned_argument(%x: memref<?xf32>, %y: memref<?xf32>) -> (memref<?xf32> {foo.bar}, memref<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = memref.alloc()
  // CHECK-NEXT: return %[[Y]], %[[A]]
  %a = memref.alloc() : memref<4xf32>
  return %y, %a : memref<?xf32>, memref<4xf32>
}

// CHECK-LABEL: func @temporary(
func.func @temporary(%x: memref<4xf32>) {
  // CHECK: %[[A:.*]] = memref.alloc()
  // CHECK: memref.copy
  // CHECK: memref.dealloc %[[A]]
  %a = memref.alloc() : memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  return
}

// What is freed already is not freed twice.
// CHECK-LABEL: func @manual(
func.func @manual(%x: memref<4xf32, strided<[?], offset: ?>>) {
  // CHECK: %[[A:.*]] = memref.alloc()
  // CHECK: memref.copy
  // CHECK-NEXT: memref.dealloc %[[A]]
  // CHECK-NEXT: return
  %a = memref.alloc() : memref<4xf32>
  %c = memref.cast %a : memref<4xf32> to memref<4xf32, strided<[?], offset: ?>>
  memref.copy %c, %x : memref<4xf32, strided<[?], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
  memref.dealloc %a : memref<4xf32>
  return
}

// A private function loses the result, through a call too; a caller frees what is
// new and nothing else.
// CHECK-LABEL: func private @first(
// CHECK-SAME: %{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>) {
func.func private @first(%x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> {
  return %y : memref<4xf32>
}
// CHECK-LABEL: func private @second(
// CHECK-SAME: %{{.*}}: memref<4xf32>) {
func.func private @second(%x: memref<4xf32>) -> memref<4xf32> {
  // CHECK-NEXT: call @first(%{{.*}}) : (memref<4xf32>, memref<4xf32>) -> ()
  // CHECK-NEXT: return
  %0 = func.call @first(%x, %x) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  return %0 : memref<4xf32>
}
// CHECK-LABEL: func @caller(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>)
func.func @caller(%x: memref<4xf32>) -> memref<4xf32> {
  // CHECK-NEXT: call @second(%[[X]])
  // CHECK-NEXT: %[[R:.*]]:2 = call @returned_argument2(%[[X]])
  // CHECK-NEXT: memref.copy %[[R]]#1, %[[X]]
  // CHECK-NOT: memref.dealloc %[[R]]#0
  // CHECK: memref.dealloc
  // CHECK-NOT: memref.dealloc
  // CHECK: return %[[X]]
  %0 = func.call @second(%x) : (memref<4xf32>) -> memref<4xf32>
  %1:2 = func.call @returned_argument2(%0) : (memref<4xf32>) -> (memref<4xf32>, memref<4xf32>)
  memref.copy %1#1, %1#0 : memref<4xf32> to memref<4xf32>
  return %1#0 : memref<4xf32>
}
// CHECK-LABEL: func @returned_argument2(
func.func @returned_argument2(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  return %x, %a : memref<4xf32>, memref<4xf32>
}

// One of two arguments: not known which, so a copy.
// CHECK-LABEL: func @either(
func.func @either(%c: i1, %x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> {
  // CHECK: arith.select
  // CHECK: bufferization.clone
  %0 = arith.select %c, %x, %y : memref<4xf32>
  return %0 : memref<4xf32>
}
