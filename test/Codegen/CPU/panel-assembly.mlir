// RUN: xfmr-compile %s --cpu=znver4 -o %t.s
// RUN: FileCheck %s --input-file=%t.s
// RUN: FileCheck %s --check-prefix=PAIRS --input-file=%t.s
// RUN: FileCheck %s --check-prefix=REST --input-file=%t.s
// RUN: xfmr-compile %s --cpu=sapphirerapids -o %t.s
// RUN: FileCheck %s --check-prefix=STREAMS --input-file=%t.s

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

// So does that of the largest tile of what whole tiles leave.

// REST:      xfmr_panel_tile_7x1_masked_few_bf16_bf16_f32:
// REST:      prefetcht1
// REST-NOT:  {{zmm.*rsp|rsp.*zmm|call}}
// REST-COUNT-14: vdpbf16ps
// REST-NOT:  {{zmm.*rsp|rsp.*zmm|call|vdpbf16ps}}
// REST:      {{[[:space:]]j[a-z]+[[:space:]]}}

// And that of one row of eight panels, whose weights are more than there are registers.

// STREAMS:      xfmr_panel_tile_1x8_f32_bf16_f32:
// STREAMS-NOT:  {{zmm.*rsp|rsp.*zmm|call}}
// STREAMS-COUNT-32: vfmadd{{[0-9]+}}ps
// STREAMS-NOT:  {{zmm.*rsp|rsp.*zmm|call|vfmadd[0-9]+ps}}
// STREAMS:      {{[[:space:]]j[a-z]+[[:space:]]}}

func.func @f(%x: memref<?x600xf32>, %w: memref<600x256xf32> {xfmr.weight}, %y: memref<?x256xf32>) {
  linalg.matmul ins(%x, %w : memref<?x600xf32>, memref<600x256xf32>) outs(%y : memref<?x256xf32>)
  return
}

func.func @g(%x: memref<?x?xbf16>, %w: memref<?x?xbf16> {xfmr.weight}, %y: memref<?x?xbf16>, %z: memref<?x?xbf16>, %n: index) {
  xfmr.ffn ins(%x : memref<?x?xbf16>) up(%w : memref<?x?xbf16>) down(%w : memref<?x?xbf16>) outs(%y : memref<?x?xbf16>) activation(relu) layout(in_out)
  return
}
