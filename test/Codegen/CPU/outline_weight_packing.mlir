// RUN: xfmr-opt %s --xfmr-outline-weight-packing --canonicalize --cse -split-input-file --remarks-filter="xfmr-outline-weight-packing" 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: xfmr-opt %s --xfmr-outline-weight-packing=runtime-checks=true --canonicalize --cse -split-input-file | FileCheck %s --check-prefix=CHECKS

func.func private @product(%x: memref<?x64xf32>, %p: memref<3x64x32xf32>)

// The weight becomes its packed form; in another function, its packing.
// CHECK-LABEL: func.func @one(
// CHECK-SAME: %[[X:.+]]: memref<?x64xf32>, %[[P:.+]]: memref<3x64x32xf32> {xfmr.weight}, %{{.+}}: f32)
// CHECK-SAME: passthrough = ["test"]
// CHECK-SAME: xfmr.packed_weights = [{argument = 0 : i64}, {argument = 1 : i64, packed = memref<3x64x32xf32>}, {argument = 2 : i64}]
// CHECK-NEXT: call @product(%[[X]], %[[P]])
// CHECK-NEXT: return
// CHECK-LABEL: func.func @one_pack_weights(
// CHECK-SAME: %[[W:.+]]: memref<64x96xf32> {xfmr.weight}, %[[P:.+]]: memref<3x64x32xf32>)
// CHECK-SAME: passthrough = ["test"], xfmr.packed_weights = [{argument = 1 : i64}, {argument = 1 : i64, in_place, packed = memref<3x64x32xf32>}]
// CHECK-NEXT: %[[A:.+]] = memref.assume_alignment %[[P]], 64
// CHECK-NEXT: xfmr.pack_weight ins(%[[W]] : memref<64x96xf32>) outs(%[[A]] : memref<3x64x32xf32>) layout(in_out)
// CHECK-NEXT: return
// CHECK-LABEL: func.func @one_packed_sizes(
// CHECK-SAME: memref<64x96xf32>) -> memref<3x64x32xf32>
// CHECK: llvm.mlir.zero : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
// CHECK-DAG: llvm.insertvalue %{{.+}}, %{{.+}}[3, 2]
// CHECK-DAG: llvm.insertvalue %{{.+}}, %{{.+}}[4, 0]
// CHECK: builtin.unrealized_conversion_cast
// CHECK: return
// REMARK: [Passed] Outlined | Category:xfmr-outline-weight-packing | Function=one | Remark="weights are packed by a function of their own", weights=1
func.func @one(%x: memref<?x64xf32>, %w: memref<64x96xf32> {xfmr.weight}, %s: f32)
    attributes {passthrough = ["test"]} {
  %p = memref.alloc() {alignment = 64 : i64} : memref<3x64x32xf32>
  xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%p : memref<3x64x32xf32>) layout(in_out)
  call @product(%x, %p) : (memref<?x64xf32>, memref<3x64x32xf32>) -> ()
  memref.dealloc %p : memref<3x64x32xf32>
  return
}

// -----

func.func private @use(%p: memref<?x?x32xf32>, %q: memref<?x?x32xf32>, %n: index)

// Two halves of one weight, of sizes that are not known: it stays, for its sizes.
// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[W:.+]]: memref<?x?xf32> {xfmr.weight}, %[[P:[^:]+]]: memref<?x?x32xf32> {xfmr.weight}, %[[Q:[^:]+]]: memref<?x?x32xf32> {xfmr.weight})
// CHECK-SAME: [{argument = 0 : i64, sizes_only}, {argument = 0 : i64, packed = memref<?x?x32xf32>}, {argument = 0 : i64, packed = memref<?x?x32xf32>}]
// CHECK-NOT: subview
// CHECK: %[[N:.+]] = memref.dim %[[W]], %c1
// CHECK: call @use(%[[P]], %[[Q]], %[[N]])
// CHECK-NEXT: return
// CHECK-LABEL: func.func @halves_pack_weights(
// CHECK: memref.dim
// CHECK-DAG: %[[GATE:.+]] = memref.subview %{{.+}}[0, 0] [%{{.+}}, %{{.+}}] [1, 1]
// CHECK-DAG: xfmr.pack_weight ins(%[[GATE]] :
// CHECK-DAG: %[[UP:.+]] = memref.subview %{{.+}}[0, %{{.+}}] [%{{.+}}, %{{.+}}] [1, 1]
// CHECK-DAG: xfmr.pack_weight ins(%[[UP]] :
// CHECK: return
// The sizes are checked where they are not known.
// CHECKS-LABEL: func.func @halves(
// CHECKS-COUNT-4: cf.assert %{{.+}}, "expected dim {{[01]}} of a packed weight as 'halves_packed_sizes' gives it"
// CHECKS-NOT: cf.assert
// CHECKS-LABEL: func.func @halves_pack_weights(
// CHECKS-COUNT-4: cf.assert %{{.+}}, "expected dim {{[01]}} of a packed weight as 'halves_packed_sizes' gives it"
// Before anything is packed, and that no memory overlaps.
// CHECKS-NOT: xfmr.pack_weight
// CHECKS-COUNT-2: cf.assert %{{.+}}, "expected memory of a packed weight that overlaps no weight and no other packed one, or a weight's own that may be packed in place"
// CHECKS-NOT: cf.assert
// CHECKS-COUNT-2: xfmr.pack_weight
// CHECKS-NEXT: return
// CHECK-LABEL: func.func @halves_packed_sizes(
// CHECK-SAME: memref<?x?xf32>) -> (memref<?x?x32xf32>, memref<?x?x32xf32>)
// CHECK: memref.dim
// CHECK: affine.apply
func.func @halves(%w: memref<?x?xf32> {xfmr.weight}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = memref.dim %w, %c0 : memref<?x?xf32>
  %n = memref.dim %w, %c1 : memref<?x?xf32>
  %h = arith.divui %n, %c2 : index
  %gate = memref.subview %w[0, 0] [%k, %h] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  %up = memref.subview %w[0, %h] [%k, %h] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %panels = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%h]
  %p = memref.alloc(%panels, %k) : memref<?x?x32xf32>
  xfmr.pack_weight ins(%gate : memref<?x?xf32, strided<[?, 1]>>) outs(%p : memref<?x?x32xf32>) layout(in_out)
  %q = memref.alloc(%panels, %k) : memref<?x?x32xf32>
  xfmr.pack_weight ins(%up : memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%q : memref<?x?x32xf32>) layout(in_out)
  %m = memref.dim %w, %c1 : memref<?x?xf32>
  call @use(%p, %q, %m) : (memref<?x?x32xf32>, memref<?x?x32xf32>, index) -> ()
  memref.dealloc %p : memref<?x?x32xf32>
  memref.dealloc %q : memref<?x?x32xf32>
  return
}

// -----

func.func private @read(%w: memref<64x96xf32>, %p: memref<3x64x32xf32>)

// A weight that is also read as it is stays what it was.
// CHECK-LABEL: func.func @also_read(
// CHECK-SAME: memref<64x96xf32> {xfmr.weight}, %{{.+}}: memref<3x64x32xf32> {xfmr.weight})
// CHECK-SAME: [{argument = 0 : i64}, {argument = 0 : i64, packed = memref<3x64x32xf32>}]
func.func @also_read(%w: memref<64x96xf32> {xfmr.weight}) {
  %p = memref.alloc() : memref<3x64x32xf32>
  xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%p : memref<3x64x32xf32>) layout(in_out)
  call @read(%w, %p) : (memref<64x96xf32>, memref<3x64x32xf32>) -> ()
  memref.dealloc %p : memref<3x64x32xf32>
  return
}

// -----

// Not moved: arguments without the mark, sizes that another argument gives,
// memory that is written again, functions that are called here.
// CHECK-LABEL: func.func @unmarked(
// CHECK-NOT: packed_weights
// CHECK: xfmr.pack_weight
// CHECK-NOT: @unmarked_pack_weights
func.func @unmarked(%w: memref<64x96xf32>, %p: memref<3x64x32xf32>) {
  %q = memref.alloc() : memref<3x64x32xf32>
  xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%q : memref<3x64x32xf32>) layout(in_out)
  memref.copy %q, %p : memref<3x64x32xf32> to memref<3x64x32xf32>
  memref.dealloc %q : memref<3x64x32xf32>
  return
}

// CHECK-LABEL: func.func @depends(
// CHECK-NOT: packed_weights
// CHECK: xfmr.pack_weight
// CHECK-NOT: @depends_pack_weights
// REMARK: [Missed] PackedInCall | Category:xfmr-outline-weight-packing | Function=depends | Reason="it depends on an argument that is not marked 'xfmr.weight'", Remark="a weight is packed in every call"
func.func @depends(%w: memref<64x?xf32> {xfmr.weight}, %n: index, %p: memref<?x64x32xf32>) {
  %v = memref.subview %w[0, 0] [64, %n] [1, 1] : memref<64x?xf32> to memref<64x?xf32, strided<[?, 1]>>
  %panels = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%n]
  %q = memref.alloc(%panels) : memref<?x64x32xf32>
  xfmr.pack_weight ins(%v : memref<64x?xf32, strided<[?, 1]>>) outs(%q : memref<?x64x32xf32>) layout(in_out)
  memref.copy %q, %p : memref<?x64x32xf32> to memref<?x64x32xf32>
  memref.dealloc %q : memref<?x64x32xf32>
  return
}

// CHECK-LABEL: func.func @written(
// CHECK-NOT: packed_weights
// CHECK: xfmr.pack_weight
// CHECK-NOT: @written_pack_weights
func.func @written(%w: memref<64x96xf32> {xfmr.weight}, %p: memref<3x64x32xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %q = memref.alloc() : memref<3x64x32xf32>
  xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%q : memref<3x64x32xf32>) layout(in_out)
  %v = memref.subview %q[0, 0, 0] [1, 64, 32] [1, 1, 1] : memref<3x64x32xf32> to memref<1x64x32xf32, strided<[2048, 32, 1]>>
  memref.store %z, %v[%c0, %c0, %c0] : memref<1x64x32xf32, strided<[2048, 32, 1]>>
  memref.copy %q, %p : memref<3x64x32xf32> to memref<3x64x32xf32>
  memref.dealloc %q : memref<3x64x32xf32>
  return
}

// CHECK-LABEL: func.func @called(
// CHECK-NOT: packed_weights
// CHECK: xfmr.pack_weight
// CHECK-NOT: @called_pack_weights
// REMARK: [Missed] PackedInCall | Category:xfmr-outline-weight-packing | Function=called | Reason="the function is called in this module"
func.func @called(%w: memref<64x96xf32> {xfmr.weight}, %p: memref<3x64x32xf32>) {
  %q = memref.alloc() : memref<3x64x32xf32>
  xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%q : memref<3x64x32xf32>) layout(in_out)
  memref.copy %q, %p : memref<3x64x32xf32> to memref<3x64x32xf32>
  memref.dealloc %q : memref<3x64x32xf32>
  return
}
func.func @caller(%w: memref<64x96xf32>, %p: memref<3x64x32xf32>) {
  call @called(%w, %p) : (memref<64x96xf32>, memref<3x64x32xf32>) -> ()
  return
}

// -----

// Constants are packed here: one global for both uses, none for what is not read
// any more; a view of a constant; elements that lie in a resource.
// CHECK-NOT: @weight :
// CHECK: memref.global "private" constant @weight_packed : memref<1x2x4x2xbf16> = dense<{{\[\[\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00], [0.000000e+00, 0.000000e+00]], {{\[\[}}7.000000e+00, 0.000000e+00], [8.000000e+00, 0.000000e+00], [9.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00]]]]> {alignment = 64 : i64}
// CHECK-NOT: @weight_packed_
// CHECK: memref.global "private" constant @odd_packed : memref<1x1x2xf32> = dense<{{\[\[\[}}2.000000e+00, 4.000000e+00]]]>
// CHECK: memref.global "private" constant @splat_packed : memref<1x8x4xf32> = dense<3.000000e+00>
// CHECK: memref.global "private" constant @blob_packed : memref<1x1x4xf32> = dense_resource<packed_weight>
memref.global "private" constant @weight : memref<3x3xbf16> = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]>
memref.global "private" constant @odd : memref<1x4xf32> = dense<[[1.0, 2.0, 3.0, 4.0]]>
memref.global "private" constant @splat : memref<4x8xf32> = dense<3.0>
memref.global "private" constant @blob : memref<1x3xf32> = dense_resource<weights>
memref.global "private" @variable : memref<1x4xf32> = dense<1.0>
func.func private @use4(%a: memref<1x2x4x2xbf16>)
func.func private @use2(%a: memref<1x1x2xf32>)
func.func private @use8(%a: memref<1x8x4xf32>)
func.func private @use3(%a: memref<1x1x4xf32>)

// CHECK-LABEL: func.func @constants(
// CHECK-NEXT: %[[A:.+]] = memref.get_global @weight_packed
// CHECK-NEXT: call @use4(%[[A]])
// CHECK-NEXT: %[[B:.+]] = memref.get_global @odd_packed
// CHECK-NEXT: call @use2(%[[B]])
// CHECK-NEXT: %[[C:.+]] = memref.get_global @splat_packed
// CHECK-NEXT: call @use8(%[[C]])
// CHECK-NEXT: %[[D:.+]] = memref.get_global @blob_packed
// CHECK-NEXT: call @use3(%[[D]])
// CHECK: return
// REMARK: [Passed] Constant | Category:xfmr-outline-weight-packing | Function=constants | Remark="packed a constant weight when compiling", bytes=32
func.func @constants() {
  %w = memref.get_global @weight : memref<3x3xbf16>
  %a = memref.alloc() : memref<1x2x4x2xbf16>
  xfmr.pack_weight ins(%w : memref<3x3xbf16>) outs(%a : memref<1x2x4x2xbf16>) layout(in_out)
  call @use4(%a) : (memref<1x2x4x2xbf16>) -> ()
  memref.dealloc %a : memref<1x2x4x2xbf16>
  %all = memref.get_global @odd : memref<1x4xf32>
  %odd = memref.subview %all[0, 1] [1, 2] [1, 2] : memref<1x4xf32> to memref<1x2xf32, strided<[4, 2], offset: 1>>
  %b = memref.alloc() : memref<1x1x2xf32>
  xfmr.pack_weight ins(%odd : memref<1x2xf32, strided<[4, 2], offset: 1>>) outs(%b : memref<1x1x2xf32>) layout(in_out)
  call @use2(%b) : (memref<1x1x2xf32>) -> ()
  memref.dealloc %b : memref<1x1x2xf32>
  %s = memref.get_global @splat : memref<4x8xf32>
  %c = memref.alloc() : memref<1x8x4xf32>
  xfmr.pack_weight ins(%s : memref<4x8xf32>) outs(%c : memref<1x8x4xf32>) layout(out_in)
  call @use8(%c) : (memref<1x8x4xf32>) -> ()
  memref.dealloc %c : memref<1x8x4xf32>
  %r = memref.get_global @blob : memref<1x3xf32>
  %d = memref.alloc() : memref<1x1x4xf32>
  xfmr.pack_weight ins(%r : memref<1x3xf32>) outs(%d : memref<1x1x4xf32>) layout(in_out)
  call @use3(%d) : (memref<1x1x4xf32>) -> ()
  memref.dealloc %d : memref<1x1x4xf32>
  return
}

// CHECK-LABEL: func.func private @again(
// CHECK-NEXT: memref.get_global @weight_packed
// CHECK-LABEL: func.func @not_constant(
// CHECK: xfmr.pack_weight
func.func private @again() {
  %w = memref.get_global @weight : memref<3x3xbf16>
  %a = memref.alloc() : memref<1x2x4x2xbf16>
  xfmr.pack_weight ins(%w : memref<3x3xbf16>) outs(%a : memref<1x2x4x2xbf16>) layout(in_out)
  call @use4(%a) : (memref<1x2x4x2xbf16>) -> ()
  memref.dealloc %a : memref<1x2x4x2xbf16>
  return
}
func.func @not_constant() {
  func.call @again() : () -> ()
  %w = memref.get_global @variable : memref<1x4xf32>
  %a = memref.alloc() : memref<1x1x4xf32>
  xfmr.pack_weight ins(%w : memref<1x4xf32>) outs(%a : memref<1x1x4xf32>) layout(in_out)
  call @use3(%a) : (memref<1x1x4xf32>) -> ()
  memref.dealloc %a : memref<1x1x4xf32>
  return
}

// CHECK: packed_weight: "0x40000000000000400000803F0000803F00000000"
{-#
  dialect_resources: {
    builtin: {
      weights: "0x04000000000000400000803F0000803F"
    }
  }
#-}

// -----

func.func private @product(%p: memref<3x64x32xf32>)

// It may be packed in place, which is no overlap that matters.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: xfmr.packed_weights = [{argument = 0 : i64, packed = memref<3x64x32xf32>}]
// CHECK-LABEL: func.func @rows_pack_weights(
// CHECK-SAME: xfmr.packed_weights = [{argument = 0 : i64}, {argument = 0 : i64, in_place, packed = memref<3x64x32xf32>}]
// CHECKS-LABEL: func.func @rows_pack_weights(
// CHECKS: %[[SAME:.+]] = arith.cmpi eq
// CHECKS: arith.select %[[SAME]], %false, %{{.+}} : i1
// CHECKS: cf.assert
func.func @rows(%w: memref<96x64xf32> {xfmr.weight}) {
  %p = memref.alloc() {alignment = 64 : i64} : memref<3x64x32xf32>
  xfmr.pack_weight ins(%w : memref<96x64xf32>) outs(%p : memref<3x64x32xf32>) layout(out_in)
  call @product(%p) : (memref<3x64x32xf32>) -> ()
  memref.dealloc %p : memref<3x64x32xf32>
  return
}
