// RUN: xfmr-opt %s --xfmr-convert-branches-to-llvm | FileCheck %s

// CHECK-LABEL: func @tile
// CHECK: %[[Z:.*]] = llvm.call_intrinsic "llvm.x86.tilezero.internal"
// CHECK: llvm.br ^bb1(%{{.*}}, %[[Z]] : i64, !llvm.x86_amx)
// CHECK: ^bb1(%{{.*}}: i64, %[[T:.*]]: !llvm.x86_amx):
// CHECK: llvm.cond_br
// CHECK: llvm.br ^bb1(%{{.*}}, %[[T]] : i64, !llvm.x86_amx) {loop_annotation = #{{.*}}}
// CHECK: "llvm.x86.tilestored64.internal"(%{{.*}}, %[[T]])
func.func @tile(%c: memref<16x16xf32>, %from: index, %more: i1) {
  %c0 = arith.constant 0 : index
  %z = amx.tile_zero : !amx.tile<16x16xf32>
  cf.br ^loop(%from, %z : index, !amx.tile<16x16xf32>)
^loop(%i: index, %t: !amx.tile<16x16xf32>):
  cf.cond_br %more, ^body, ^end
^body:
  cf.br ^loop(%i, %t : index, !amx.tile<16x16xf32>) {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
^end:
  amx.tile_store %c[%c0, %c0], %t : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}

// One expectation serves all branches.
// CHECK-LABEL: func @unlikely(
// CHECK-SAME: %[[SHARED:.*]]: i1,
// CHECK: llvm.cond_br %[[SHARED]] weights([1, 2000])
// CHECK: llvm.cond_br %[[SHARED]] weights([1, 2000])
func.func @unlikely(%shared: i1, %x: memref<f32>, %v: f32) {
  %no = arith.constant false
  %expected = llvm.intr.expect %shared, %no : i1
  cf.cond_br %expected, ^store, ^next
^store:
  memref.store %v, %x[] : memref<f32>
  cf.br ^next
^next:
  cf.cond_br %expected, ^again, ^end
^again:
  memref.store %v, %x[] : memref<f32>
  cf.br ^end
^end:
  return
}
