// RUN: xfmr-opt %s -split-input-file -verify-diagnostics
// RUN: %python %S/Inputs/generic_diagnostics.py %s

func.func @pack_weight_c1_weight_rank(%w: memref<2x16x8xf32>, %p: memref<1x8x16xf32>) {
  // expected-error @below {{'xfmr.pack_weight' op expected ins of rank 2, got rank 3}}
  xfmr.pack_weight ins(%w : memref<2x16x8xf32>) outs(%p : memref<1x8x16xf32>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c1_packed_rank(%w: memref<16x8xf32>, %p: memref<8x16xf32>) {
  // expected-error @below {{'xfmr.pack_weight' op expected outs of rank 3 or 4, got rank 2}}
  xfmr.pack_weight ins(%w : memref<16x8xf32>) outs(%p : memref<8x16xf32>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c1_packed_rank_5(%w: memref<16x8xf32>, %p: memref<1x4x16x2x1xf32>) {
  // expected-error @below {{'xfmr.pack_weight' op expected outs of rank 3 or 4, got rank 5}}
  xfmr.pack_weight ins(%w : memref<16x8xf32>) outs(%p : memref<1x4x16x2x1xf32>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c2_integers(%w: memref<16x8xi8>, %p: memref<1x8x16xi8>) {
  // expected-error @below {{'xfmr.pack_weight' op expected ins of element type f16, bf16, f32 or f64, got 'i8'}}
  xfmr.pack_weight ins(%w : memref<16x8xi8>) outs(%p : memref<1x8x16xi8>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c2_other_type(%w: memref<16x8xf32>, %p: memref<1x8x16xbf16>) {
  // expected-error @below {{'xfmr.pack_weight' op expected outs of element type 'f32' as ins is, got 'bf16'}}
  xfmr.pack_weight ins(%w : memref<16x8xf32>) outs(%p : memref<1x8x16xbf16>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c3_dynamic_columns(%w: memref<16x8xf32>, %p: memref<1x8x?xf32>) {
  // expected-error @below {{'xfmr.pack_weight' op expected dim 2 of outs to be static and positive, got ?}}
  xfmr.pack_weight ins(%w : memref<16x8xf32>) outs(%p : memref<1x8x?xf32>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c3_no_group(%w: memref<16x8xbf16>, %p: memref<1x8x16x0xbf16>) {
  // expected-error @below {{'xfmr.pack_weight' op expected dim 3 of outs to be static and positive, got 0}}
  xfmr.pack_weight ins(%w : memref<16x8xbf16>) outs(%p : memref<1x8x16x0xbf16>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c4_panels(%w: memref<17x8xf32>, %p: memref<1x8x16xf32>) {
  // expected-error @below {{'xfmr.pack_weight' op expected 2 panels of 16 for 17 outputs, got 1}}
  xfmr.pack_weight ins(%w : memref<17x8xf32>) outs(%p : memref<1x8x16xf32>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c4_other_layout(%w: memref<17x8xf32>, %p: memref<2x8x16xf32>) {
  // expected-error @below {{'xfmr.pack_weight' op expected 1 panels of 16 for 8 outputs, got 2}}
  xfmr.pack_weight ins(%w : memref<17x8xf32>) outs(%p : memref<2x8x16xf32>) layout(in_out)
  return
}

// -----

func.func @pack_weight_c4_steps(%w: memref<?x9xbf16>, %p: memref<?x4x16x2xbf16>) {
  // expected-error @below {{'xfmr.pack_weight' op expected 5 steps of 2 for 9 inputs, got 4}}
  xfmr.pack_weight ins(%w : memref<?x9xbf16>) outs(%p : memref<?x4x16x2xbf16>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c5_gaps(%w: memref<16x8xf32>, %p: memref<1x8x16xf32, strided<[?, 17, 1]>>) {
  // expected-error @below {{'xfmr.pack_weight' op expected panels of outs without gaps: stride 16 in dim 1, got 'memref<1x8x16xf32, strided<[?, 17, 1]>>'}}
  xfmr.pack_weight ins(%w : memref<16x8xf32>) outs(%p : memref<1x8x16xf32, strided<[?, 17, 1]>>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c5_dynamic_stride(%w: memref<16x8xf32>, %p: memref<1x8x16xf32, strided<[?, 16, ?]>>) {
  // expected-error @below {{'xfmr.pack_weight' op expected panels of outs without gaps: stride 1 in dim 2, got 'memref<1x8x16xf32, strided<[?, 16, ?]>>'}}
  xfmr.pack_weight ins(%w : memref<16x8xf32>) outs(%p : memref<1x8x16xf32, strided<[?, 16, ?]>>) layout(out_in)
  return
}

// -----

func.func @pack_weight_c6_unknown(%w: memref<16x8xf32>, %p: memref<1x8x16xf32>) {
  // expected-error @below {{'xfmr.pack_weight' op expected no attribute 'columns': it is neither the op's nor prefixed by a dialect}}
  xfmr.pack_weight ins(%w : memref<16x8xf32>) outs(%p : memref<1x8x16xf32>) layout(out_in) {columns = 16}
  return
}
