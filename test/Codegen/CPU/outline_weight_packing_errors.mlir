// RUN: xfmr-opt %s --xfmr-outline-weight-packing -split-input-file -verify-diagnostics

func.func private @product(%p: memref<3x64x32xf32>)

// expected-error @below {{'func.func' op needs the name 'f_pack_weights' for the packing of its weights}}
func.func @f(%w: memref<64x96xf32> {xfmr.weight}) {
  %p = memref.alloc() : memref<3x64x32xf32>
  xfmr.pack_weight ins(%w : memref<64x96xf32>) outs(%p : memref<3x64x32xf32>) layout(in_out)
  call @product(%p) : (memref<3x64x32xf32>) -> ()
  memref.dealloc %p : memref<3x64x32xf32>
  return
}
// expected-note @below {{which something else has}}
func.func @f_pack_weights() {
  return
}

// -----

// expected-error @below {{expected 'xfmr.packed_weights' to be an array of what the arguments of a function are, such as {argument = 0}}}
func.func @g() attributes {xfmr.packed_weights = [1]} {
  return
}

// -----

// expected-error @below {{expected 'xfmr.packed_weights' to be an array of what the arguments of a function are}}
func.func @g() attributes {xfmr.packed_weights = [{argument = 0, packed = f32}]} {
  return
}
