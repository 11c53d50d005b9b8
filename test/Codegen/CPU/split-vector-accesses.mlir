// RUN: xfmr-opt --xfmr-split-vector-accesses %s | FileCheck %s

// In ascending order, 64 bytes each, put together in pairs.

// CHECK-LABEL: llvm.func @wide(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr, %[[Q:.*]]: !llvm.ptr)
// CHECK:         %[[A:.*]] = llvm.load %[[P]] {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:    %[[P1:.*]] = llvm.getelementptr %[[P]][16]
// CHECK-NEXT:    %[[B:.*]] = llvm.load %[[P1]]
// CHECK-NEXT:    %[[P2:.*]] = llvm.getelementptr %[[P]][32]
// CHECK-NEXT:    %[[C:.*]] = llvm.load %[[P2]]
// CHECK-NEXT:    %[[P3:.*]] = llvm.getelementptr %[[P]][48]
// CHECK-NEXT:    %[[D:.*]] = llvm.load %[[P3]]
// CHECK-NEXT:    %[[AB:.*]] = llvm.shufflevector %[[A]], %[[B]]
// CHECK-NEXT:    %[[CD:.*]] = llvm.shufflevector %[[C]], %[[D]]
// CHECK-NEXT:    %[[V:.*]] = llvm.shufflevector %[[AB]], %[[CD]] {{.*}} : vector<32xf32>
// CHECK:         %[[L:.*]] = llvm.shufflevector %[[V]], %[[V]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<64xf32>
// CHECK-NEXT:    llvm.store %[[L]], %[[Q]] {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
// CHECK-COUNT-3: llvm.store {{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
// CHECK-NOT:     llvm.store
llvm.func @wide(%p: !llvm.ptr, %q: !llvm.ptr) {
  %0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<64xf32>
  llvm.store %0, %q {alignment = 64 : i64, nontemporal} : vector<64xf32>, !llvm.ptr
  llvm.return
}

// A line or less, what does not fill lines, and what must not be split.

// CHECK-LABEL: llvm.func @kept(
// CHECK-NEXT:    llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:    llvm.load %{{.*}} : !llvm.ptr -> vector<40xbf16>
// CHECK-NEXT:    llvm.load volatile %{{.*}} : !llvm.ptr -> vector<32xf32>
// CHECK-NEXT:    llvm.return
llvm.func @kept(%p: !llvm.ptr) {
  %0 = llvm.load %p : !llvm.ptr -> vector<16xf32>
  %1 = llvm.load %p : !llvm.ptr -> vector<40xbf16>
  %2 = llvm.load volatile %p : !llvm.ptr -> vector<32xf32>
  llvm.return
}
