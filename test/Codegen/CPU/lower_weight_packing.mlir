// RUN: xfmr-opt %s --xfmr-lower-weight-packing --canonicalize --cse --remarks-filter="xfmr-lower-weight-packing" 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: xfmr-opt %s --xfmr-lower-weight-packing="non-temporal-from=0 parallel-from=0" --canonicalize --cse | FileCheck %s --check-prefix=LARGE
// RUN: xfmr-opt %s --xfmr-lower-weight-packing="vector-bytes=16" --canonicalize --cse | FileCheck %s --check-prefix=NARROW
// RUN: xfmr-opt %s --xfmr-lower-weight-packing --canonicalize --cse | FileCheck %s --check-prefix=OWN
// RUN: xfmr-opt %s --xfmr-lower-weight-packing="l2-bytes=16384" --canonicalize --cse | FileCheck %s --check-prefix=COPIED
// RUN: not xfmr-opt %s --xfmr-lower-weight-packing="vector-bytes=48" 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: xfmr-lower-weight-packing: expected vector-bytes 16, 32 or 64, got 48

// Outputs in one run: copied, some panels of a row of the weight side by side. A
// small weight is for one thread, and its packed elements stay in the caches.
// CHECK-LABEL: func.func @copy(
// CHECK-NOT: scf.forall
// CHECK-NOT: nontemporal
// CHECK: %[[W:.+]] = vector.load %{{.+}}[%{{.+}}, %{{.+}}] : memref<64x96xf32>, vector<32xf32>
// CHECK: vector.store {{.+}} vector<16xf32>
// CHECK: vector.store {{.+}} vector<16xf32>
// CHECK: return
// REMARK: Category:xfmr-lower-weight-packing | {{.*}}form=copy{{$}}
// LARGE-LABEL: func.func @copy(
// LARGE: memref.extract_aligned_pointer_as_index
// LARGE: scf.if
// LARGE: scf.forall
// LARGE-NOT: nontemporal
// LARGE: scf.forall
// LARGE-NOT: nontemporal
// LARGE: else
// LARGE: scf.if
// LARGE: vector.store {{.+}} {alignment = 64 : i64, nontemporal = true}
// LARGE: llvm.fence seq_cst
// LARGE: else
// LARGE-NOT: nontemporal
// LARGE: return
// NARROW-LABEL: func.func @copy(
// NARROW-COUNT-8: vector.store {{.+}} vector<4xf32>
// NARROW-NOT: vector.store
// NARROW: return
func.func @copy(%w: memref<64x96xf32>, %p: memref<3x64x32xf32>) {
  xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%p : memref<3x64x32xf32>) layout(in_out)
  return
}

// Pairs of inputs beside each other, zeros after an odd one, masks in the last
// panel alone.
// CHECK-LABEL: func.func @ragged_pairs(
// CHECK: vector.load {{.+}} vector<32xbf16>
// CHECK: vector.load {{.+}} vector<32xbf16>
// CHECK: vector.shuffle {{.+}} [0, 32, 1, 33, 2, 34,
// CHECK: vector.constant_mask {{\[26\]}} : vector<32xi1>
// CHECK: vector.maskedload
// CHECK: return
// REMARK: Category:xfmr-lower-weight-packing | {{.*}}form=copy{{$}}
func.func @ragged_pairs(%w: memref<63x90xbf16>, %p: memref<3x32x32x2xbf16>) {
  xfmr.pack_weight ins(%w : memref<63x90xbf16>) outs(%p : memref<3x32x32x2xbf16>) layout(in_out)
  return
}

// CHECK-LABEL: func.func @every_other(
// CHECK-COUNT-2: vector.load {{.+}} vector<32xf32>
// CHECK: vector.shuffle {{.+}} [0, 2, 4, 6,
// CHECK-NOT: maskedload
// CHECK: return
// REMARK: Category:xfmr-lower-weight-packing | {{.*}}form=copy-every-other{{$}}
func.func @every_other(%w: memref<64x96xf32, strided<[192, 2], offset: 1>>,
                       %p: memref<3x64x32xf32>) {
  xfmr.pack_weight ins(%w : memref<64x96xf32, strided<[192, 2], offset: 1>>)
      outs(%p : memref<3x64x32xf32>) layout(in_out)
  return
}

// Inputs in one run: squares of 16 x 16 are transposed by 4 x 16 shuffles.
// CHECK-LABEL: func.func @transpose(
// CHECK-COUNT-16: vector.load {{.+}} vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store {{.+}} vector<16xf32>
// CHECK-COUNT-16: vector.load {{.+}} vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK-COUNT-16: vector.store {{.+}} vector<16xf32>
// CHECK-NOT: gather
// CHECK: return
// REMARK: Category:xfmr-lower-weight-packing | {{.*}}form=transpose{{$}}
func.func @transpose(%w: memref<96x64xf32>, %p: memref<3x64x32xf32>) {
  xfmr.pack_weight ins(%w : memref<96x64xf32>) outs(%p : memref<3x64x32xf32>) layout(out_in)
  return
}

// Strides are compared where they are not known.
// CHECK-LABEL: func.func @any(
// CHECK: arith.cmpi eq
// CHECK: scf.if
// CHECK: vector.load {{.+}} vector<32xf32>
// CHECK: else
// CHECK: scf.if
// CHECK: vector.load {{.+}} vector<16xf32>
// CHECK: else
// CHECK: vector.gather {{.+}} vector<16xf32>
// CHECK: return
// REMARK: Category:xfmr-lower-weight-packing | {{.*}}form=copy{{$}}
func.func @any(%w: memref<?x?xf32, strided<[?, ?], offset: ?>>, %p: memref<?x?x32xf32>) {
  xfmr.pack_weight ins(%w : memref<?x?xf32, strided<[?, ?], offset: ?>>)
      outs(%p : memref<?x?x32xf32>) layout(in_out)
  return
}

// Any columns are right, whatever the vectors.
// CHECK-LABEL: func.func @few_columns(
// CHECK: vector.store {{.+}} vector<2xf32>
// REMARK: Category:xfmr-lower-weight-packing | {{.*}}form=copy{{$}}
func.func @few_columns(%w: memref<8x12xf32>, %p: memref<2x8x6xf32>) {
  xfmr.pack_weight ins(%w : memref<8x12xf32>) outs(%p : memref<2x8x6xf32>) layout(in_out)
  return
}

// Memory that is known to be aligned needs no second way, apart from the one in place.
// LARGE-LABEL: func.func @aligned(
// LARGE: scf.forall
// LARGE-COUNT-33: vector.store
// LARGE-NOT: vector.store
// LARGE: scf.forall
// LARGE-COUNT-32: vector.store {{.+}} {alignment = 64 : i64, nontemporal = true}
// LARGE-NOT: vector.store
// LARGE: return
func.func @aligned(%w: memref<96x64xf32>, %p: memref<3x64x32xf32>) {
  %q = memref.assume_alignment %p, 64 : memref<3x64x32xf32>
  xfmr.pack_weight ins(%w : memref<96x64xf32>) outs(%q : memref<3x64x32xf32>) layout(out_in)
  return
}

// What is packed for a call is read at once: from the caches, where they hold it.
// Runs are as fast through the caches.
// OWN-LABEL: func.func @own_memory(
// OWN-NOT: nontemporal
// OWN: return
// OWN-LABEL: func.func @of_a_caller(
// OWN: nontemporal
// OWN: return
// OWN-LABEL: func.func @runs_of_a_caller(
// OWN-NOT: nontemporal
// OWN: return
func.func private @read(%p: memref<32x512x32xf32>)
func.func @own_memory(%w: memref<1024x512xf32>) {
  %p = memref.alloc() {alignment = 64 : i64} : memref<32x512x32xf32>
  xfmr.pack_weight ins(%w : memref<1024x512xf32>) outs(%p : memref<32x512x32xf32>) layout(out_in)
  call @read(%p) : (memref<32x512x32xf32>) -> ()
  memref.dealloc %p : memref<32x512x32xf32>
  return
}
func.func @of_a_caller(%w: memref<1024x512xf32>, %p: memref<32x512x32xf32>) {
  xfmr.pack_weight ins(%w : memref<1024x512xf32>) outs(%p : memref<32x512x32xf32>) layout(out_in)
  return
}
func.func @runs_of_a_caller(%w: memref<512x1024xf32>, %p: memref<32x512x32xf32>) {
  xfmr.pack_weight ins(%w : memref<512x1024xf32>) outs(%p : memref<32x512x32xf32>) layout(in_out)
  return
}

// A panel of whole rows may be packed into its own memory. What of its rows would be
// written over before it is read is copied, to rows an odd number of lines apart: of
// 64 inputs, from (64 * row - 512) / 31 on. All else is read where it is, and the
// same of the next panel is fetched.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %[[W:[^:]+]]: memref<96x64xf32>, %[[P:[^:]+]]: memref<3x64x32xf32>)
// CHECK-DAG: %[[FROM:.+]] = memref.extract_aligned_pointer_as_index {{.+}} : memref<f32> -> index
// CHECK-DAG: %[[TO:.+]] = memref.extract_aligned_pointer_as_index {{.+}} : memref<f32> -> index
// CHECK: %[[SAME:.+]] = arith.cmpi eq, %[[FROM]], %[[TO]]
// CHECK: scf.if %[[SAME]]
// CHECK: scf.for %[[N:.+]] =
// CHECK: memref.reinterpret_cast {{.+}} sizes: [32, 64], strides: [64, 1]
// CHECK: %[[SCRATCH:.+]] = memref.alloc() {{.*}} : memref<2560xf32>
// CHECK: %[[COPY:.+]] = memref.reinterpret_cast %[[SCRATCH]] {{.+}} sizes: [32, 64], strides: [80, 1]
// CHECK: vector.load
// CHECK: vector.store {{.+}}, %[[COPY]]
// CHECK: llvm.intr.prefetch
// CHECK: %[[OVERWRITTEN:.+]] = arith.cmpi ult
// CHECK: memref.extract_aligned_pointer_as_index %[[SCRATCH]]
// CHECK: arith.select %[[OVERWRITTEN]], {{.+}} : !llvm.ptr
// CHECK-COUNT-31: llvm.intr.prefetch
// CHECK-NOT: vector.load
// CHECK: memref.dealloc %[[SCRATCH]]
// CHECK: else
// CHECK-NOT: memref.alloc
// CHECK-COUNT-32: llvm.intr.prefetch
// CHECK: return
// Of a panel that fills more than a quarter of the L2 cache, everything is copied.
// COPIED-LABEL: func.func @in_place(
// COPIED: memref.alloc
// COPIED: vector.store
// COPIED-NOT: llvm.intr.prefetch
// COPIED-NOT: arith.select {{.+}} : !llvm.ptr
// COPIED-COUNT-32: llvm.load {{.+}} -> vector<16xf32>
// COPIED-NOT: llvm.load
// COPIED: memref.dealloc
func.func @in_place(%w: memref<96x64xf32>, %p: memref<3x64x32xf32>) {
  xfmr.pack_weight ins(%w : memref<96x64xf32>) outs(%p : memref<3x64x32xf32>) layout(out_in)
  return
}

// Where inputs are rows, bands of them are packed into each other's places, the
// first from a copy; then their pieces are moved along the cycles of the
// permutation, in an order that is written down before.
// CHECK-LABEL: func.func @rows_in_place(
// CHECK-SAME: %[[W:[^:]+]]: memref<96x96xbf16>, %[[P:[^:]+]]: memref<3x48x32x2xbf16>)
// CHECK: scf.if
// CHECK: %[[PLACES:.+]] = memref.alloc() {{.*}} : memref<3xindex>
// CHECK: %[[SCRATCH:.+]] = memref.alloc() {{.*}} : memref<3072xbf16>
// CHECK: scf.for %[[BAND:.+]] = %c1 to %c3
// CHECK: %[[PLACE:.+]] = arith.subi %[[BAND]], %c1
// CHECK: %[[TO:.+]] = memref.reinterpret_cast {{.+}} sizes: [3, 1024], strides: [1024, 1]
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK: vector.shuffle {{.+}} [0, 32, 1, 33, 2, 34,
// CHECK: vector.store {{.+}}, %[[TO]]
// CHECK: memref.store %[[PLACE]], %[[PLACES]][%[[BAND]]]
// CHECK: memref.reinterpret_cast %[[SCRATCH]] {{.+}} sizes: [32, 96]
// CHECK: memref.store %c2, %[[PLACES]][%c0]
// CHECK: %[[ORDER:.+]] = memref.alloc() {{.*}} : memref<9xi32>
// CHECK: %[[DONE:.+]] = memref.alloc() {{.*}} : memref<2xi8>
// CHECK: scf.for %[[START:.+]] = %c0 to %c9
// CHECK: scf.while (%[[AT:.+]] = %[[START]],
// CHECK: memref.store {{.+}}, %[[DONE]]
// CHECK: %{{.+}}, %[[PANEL:.+]] = arith.mului_extended
// CHECK: memref.load %[[PLACES]]
// CHECK: memref.store {{.+}}, %[[ORDER]]
// CHECK: scf.condition
// CHECK: memref.alloc() {{.*}} : memref<1024xbf16>
// CHECK: scf.for %[[N:.+]] = %c0 to %c9
// CHECK: memref.load %[[ORDER]][%[[N]]]
// CHECK: scf.for %{{.+}} = %c0 to %c1024 step %c32
// CHECK: scf.for %{{.+}} = %c0 to %c1024 step %c32
// CHECK: llvm.intr.prefetch
// CHECK: llvm.load {{.+}} {alignment = 2 : i64} : !llvm.ptr -> vector<32xi16>
// CHECK: llvm.store
// CHECK: memref.dealloc %[[ORDER]]
// CHECK: memref.dealloc %[[PLACES]]
// CHECK: else
// CHECK-NOT: memref.alloc
// CHECK: vector.shuffle {{.+}} [0, 32, 1, 33, 2, 34,
// CHECK: return
func.func @rows_in_place(%w: memref<96x96xbf16>, %p: memref<3x48x32x2xbf16>) {
  xfmr.pack_weight ins(%w : memref<96x96xbf16>) outs(%p : memref<3x48x32x2xbf16>) layout(in_out)
  return
}

// Runs of whole lines of a small weight are moved as they are.
// CHECK-LABEL: func.func @runs_in_place(
// CHECK: scf.if
// CHECK: %[[KEPT:.+]] = memref.alloc() {{.*}} : memref<32xf32>
// CHECK: memref.alloc() {{.*}} : memref<24xi8>
// CHECK: scf.for %{{.+}} = %c0 to %c192
// CHECK: scf.while
// CHECK: %[[CLOSES:.+]] = arith.cmpi eq
// CHECK: arith.select %[[CLOSES]], %{{.+}}, %{{.+}} : !llvm.ptr
// CHECK: scf.condition
// CHECK: memref.dealloc %[[KEPT]]
// CHECK: else
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @runs_in_place(%w: memref<64x96xf32>, %p: memref<3x64x32xf32>) {
  xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%p : memref<3x64x32xf32>) layout(in_out)
  return
}

// Not a last panel that is wider than its rows, rows that do not fill groups, rows
// with gaps, of outputs and of inputs, memory that is new.
// CHECK-LABEL: func.func @not_in_place(
// CHECK-NOT: arith.cmpi eq
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @not_in_place(%w0: memref<95x64xf32>, %p0: memref<3x64x32xf32>,
                        %w1: memref<96x63xbf16>, %p1: memref<3x32x32x2xbf16>,
                        %w2: memref<96x64xf32, strided<[65, 1]>>, %w3: memref<64x96xf32, strided<[97, 1]>>,
                        %w4: memref<96x64xf32>) -> memref<3x64x32xf32> {
  xfmr.pack_weight ins(%w0 : memref<95x64xf32>) outs(%p0 : memref<3x64x32xf32>) layout(out_in)
  xfmr.pack_weight ins(%w1 : memref<96x63xbf16>) outs(%p1 : memref<3x32x32x2xbf16>) layout(out_in)
  xfmr.pack_weight ins(%w2 : memref<96x64xf32, strided<[65, 1]>>)
      outs(%p0 : memref<3x64x32xf32>) layout(out_in)
  xfmr.pack_weight ins(%w3 : memref<64x96xf32, strided<[97, 1]>>)
      outs(%p0 : memref<3x64x32xf32>) layout(in_out)
  %p4 = memref.alloc() : memref<3x64x32xf32>
  xfmr.pack_weight ins(%w4 : memref<96x64xf32>) outs(%p4 : memref<3x64x32xf32>) layout(out_in)
  return %p4 : memref<3x64x32xf32>
}

// Gates and ups that follow each other: both are packed by one loop, and each of
// their lines is read once.
// CHECK-LABEL: func.func @pair(
// CHECK-SAME: %{{[^:]+}}: memref<64x192xf32>, %[[P:[^:]+]]: memref<3x64x32xf32>, %[[Q:[^:]+]]: memref<3x64x32xf32>)
// CHECK-DAG: %[[EVEN:.+]] = memref.reinterpret_cast %[[P]]
// CHECK-DAG: %[[ODD:.+]] = memref.reinterpret_cast %[[Q]]
// CHECK-COUNT-2: vector.load {{.+}} vector<32xf32>
// CHECK-DAG: vector.shuffle {{.+}} [0, 2, 4, 6,
// CHECK-DAG: vector.shuffle {{.+}} [1, 3, 5, 7,
// CHECK-COUNT-2: vector.store {{.+}}, %[[EVEN]]
// CHECK-COUNT-2: vector.store {{.+}}, %[[ODD]]
// CHECK-NOT: vector.load
// CHECK: return
// REMARK-COUNT-2: Category:xfmr-lower-weight-packing | {{.*}}form=copy-every-other{{$}}
func.func @pair(%w: memref<64x192xf32>, %p: memref<3x64x32xf32>, %q: memref<3x64x32xf32>) {
  %gate = memref.subview %w[0, 0] [64, 96] [1, 2] : memref<64x192xf32> to memref<64x96xf32, strided<[192, 2]>>
  %up = memref.subview %w[0, 1] [64, 96] [1, 2] : memref<64x192xf32> to memref<64x96xf32, strided<[192, 2], offset: 1>>
  xfmr.pack_weight ins(%gate : memref<64x96xf32, strided<[192, 2]>>)
      outs(%p : memref<3x64x32xf32>) layout(in_out)
  xfmr.pack_weight ins(%up : memref<64x96xf32, strided<[192, 2], offset: 1>>)
      outs(%q : memref<3x64x32xf32>) layout(in_out)
  return
}

// Not with something in between that may write the weight.
// CHECK-LABEL: func.func @not_a_pair(
// CHECK: vector.shuffle {{.+}} [0, 2, 4, 6,
// CHECK-NOT: vector.shuffle {{.+}} [1, 3, 5, 7,
// CHECK: memref.store
// CHECK: vector.shuffle {{.+}} [0, 2, 4, 6,
// CHECK-NOT: vector.shuffle {{.+}} [1, 3, 5, 7,
// CHECK: return
func.func @not_a_pair(%w: memref<64x192xf32>, %p: memref<3x64x32xf32>, %q: memref<3x64x32xf32>,
                      %s: f32) {
  %c0 = arith.constant 0 : index
  %gate = memref.subview %w[0, 0] [64, 96] [1, 2] : memref<64x192xf32> to memref<64x96xf32, strided<[192, 2]>>
  %up = memref.subview %w[0, 1] [64, 96] [1, 2] : memref<64x192xf32> to memref<64x96xf32, strided<[192, 2], offset: 1>>
  xfmr.pack_weight ins(%gate : memref<64x96xf32, strided<[192, 2]>>)
      outs(%p : memref<3x64x32xf32>) layout(in_out)
  memref.store %s, %w[%c0, %c0] : memref<64x192xf32>
  xfmr.pack_weight ins(%up : memref<64x96xf32, strided<[192, 2], offset: 1>>)
      outs(%q : memref<3x64x32xf32>) layout(in_out)
  return
}
