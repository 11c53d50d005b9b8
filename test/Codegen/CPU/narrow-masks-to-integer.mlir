// RUN: xfmr-opt --xfmr-narrow-masks-to-integer %s | FileCheck %s

// CHECK-LABEL: llvm.func @accesses(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr, %[[PS:.*]]: vector<8x!llvm.ptr>, %[[M:.*]]: vector<8xi1>, %[[Z:.*]]: vector<8xbf16>)
// CHECK-NEXT:    %[[ZI:.*]] = llvm.bitcast %[[Z]] : vector<8xbf16> to vector<8xi16>
// CHECK-NEXT:    %[[LI:.*]] = llvm.intr.masked.load %[[P]], %[[M]], %[[ZI]] {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xi16>) -> vector<8xi16>
// CHECK-NEXT:    %[[L:.*]] = llvm.bitcast %[[LI]] : vector<8xi16> to vector<8xbf16>
// CHECK-NEXT:    %[[SI:.*]] = llvm.bitcast %[[L]] : vector<8xbf16> to vector<8xi16>
// CHECK-NEXT:    llvm.intr.masked.store %[[SI]], %[[P]], %[[M]] {alignment = 2 : i32} : vector<8xi16>, vector<8xi1> into !llvm.ptr
// CHECK-NEXT:    %[[GZ:.*]] = llvm.bitcast %[[L]] : vector<8xbf16> to vector<8xi16>
// CHECK-NEXT:    %[[GI:.*]] = llvm.intr.masked.gather %[[PS]], %[[M]], %[[GZ]] {{.*}} -> vector<8xi16>
// CHECK-NEXT:    %[[G:.*]] = llvm.bitcast %[[GI]] : vector<8xi16> to vector<8xbf16>
// CHECK-NEXT:    %[[CI:.*]] = llvm.bitcast %[[G]] : vector<8xbf16> to vector<8xi16>
// CHECK-NEXT:    llvm.intr.masked.scatter %[[CI]], %[[PS]], %[[M]]
llvm.func @accesses(%p: !llvm.ptr, %ps: vector<8x!llvm.ptr>, %m: vector<8xi1>, %z: vector<8xbf16>) {
  %0 = llvm.intr.masked.load %p, %m, %z {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  llvm.intr.masked.store %0, %p, %m {alignment = 2 : i32} : vector<8xbf16>, vector<8xi1> into !llvm.ptr
  %1 = llvm.intr.masked.gather %ps, %m, %0 {alignment = 2 : i32} : (vector<8x!llvm.ptr>, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  llvm.intr.masked.scatter %1, %ps, %m {alignment = 2 : i32} : vector<8xbf16>, vector<8xi1> into vector<8x!llvm.ptr>
  llvm.return
}

// Other types stay.

// CHECK-LABEL: llvm.func @wide(
// CHECK-NOT:     bitcast
// CHECK:         llvm.return
llvm.func @wide(%p: !llvm.ptr, %m: vector<8xi1>, %z: vector<8xf32>) -> vector<8xf32> {
  %0 = llvm.intr.masked.load %p, %m, %z {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  llvm.return %0 : vector<8xf32>
}

// One lane is one element.

// CHECK-LABEL: llvm.func @one_lane(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr, %[[V:.*]]: vector<4xbf16>)
// CHECK-NOT:     masked
// CHECK:         %[[I:.*]] = llvm.mlir.constant(2 : i64)
// CHECK-NEXT:    %[[E:.*]] = llvm.extractelement %[[V]][%[[I]] : i64]
// CHECK-NEXT:    %[[A:.*]] = llvm.getelementptr %[[P]][%[[I]]] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
// CHECK-NEXT:    llvm.store %[[E]], %[[A]] {alignment = 2 : i64} : bf16, !llvm.ptr
// CHECK-NEXT:    llvm.return
llvm.func @one_lane(%p: !llvm.ptr, %v: vector<4xbf16>) {
  %m = llvm.mlir.constant(dense<[false, false, true, false]> : vector<4xi1>) : vector<4xi1>
  llvm.intr.masked.store %v, %p, %m {alignment = 2 : i32} : vector<4xbf16>, vector<4xi1> into !llvm.ptr
  llvm.return
}
