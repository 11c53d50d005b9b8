// RUN: xfmr-opt --xfmr-export-entries %s | FileCheck %s

// CHECK: func @entry(%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32> {foo.kept}) attributes {llvm.emit_c_interface}
func.func @entry(%x: memref<?xf32> {xfmr.weight}, %y: memref<?xf32> {bufferization.writable = false, foo.kept}) {
  return
}
// CHECK: func private @inner(%{{.*}}: memref<?xf32>) {
func.func private @inner(%x: memref<?xf32> {xfmr.weight}) {
  return
}
// A declaration would become the name of another function.
// CHECK: func private @declared(memref<?xf32>){{$}}
func.func private @declared(memref<?xf32>)
