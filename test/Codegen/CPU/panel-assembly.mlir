// RUN: xfmr-compile %s --cpu=znver4 -o %t.s
// RUN: FileCheck %s --input-file=%t.s
// RUN: FileCheck %s --check-prefix=PAIRS --input-file=%t.s

// The loop over inputs of the largest tile stays in registers: no access to the
// stack between its prefetch and its branch, one load of each vector of weights, and
// inputs that products broadcast from memory.

// CHECK:      xfmr_panel_tile_8x1_f32_f32_f32:
// CHECK:      prefetcht0
// CHECK-NOT:  {{rsp|call|vbroadcast}}
// CHECK-COUNT-16: vfmadd231ps {{[0-9]*}}({{.*}}){1to16}, %zmm
// CHECK-NOT:  {{rsp|call|vbroadcast|vfmadd}}
// CHECK:      {{[[:space:]]j[a-z]+[[:space:]]}}

// PAIRS:      xfmr_panel_tile_8x1_bf16_bf16_f32:
// PAIRS:      prefetcht0
// PAIRS-NOT:  {{zmm.*rsp|rsp.*zmm|call|vbroadcast}}
// PAIRS-COUNT-16: vdpbf16ps {{[0-9]*}}({{.*}}){1to16}, %zmm
// PAIRS-NOT:  {{zmm.*rsp|rsp.*zmm|call|vbroadcast|vdpbf16ps}}
// PAIRS:      {{[[:space:]]j[a-z]+[[:space:]]}}

func.func @f(%x: memref<?x600xf32>, %w: memref<600x256xf32> {xfmr.weight}, %y: memref<?x256xf32>) {
  linalg.matmul ins(%x, %w : memref<?x600xf32>, memref<600x256xf32>) outs(%y : memref<?x256xf32>)
  return
}

func.func @g(%x: memref<?x?xbf16>, %w: memref<?x?xbf16> {xfmr.weight}, %y: memref<?x?xbf16>, %z: memref<?x?xbf16>, %n: index) {
  xfmr.ffn ins(%x : memref<?x?xbf16>) up(%w : memref<?x?xbf16>) down(%w : memref<?x?xbf16>) outs(%y : memref<?x?xbf16>) activation(relu) layout(in_out)
  return
}
