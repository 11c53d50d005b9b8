// Which way a product of bf16 takes for a processor with tiles.

// RUN: xfmr-opt %s --xfmr-lower-to-cpu=cpu=sapphirerapids | FileCheck %s --check-prefixes=TILES,OWN
// RUN: xfmr-opt %s --xfmr-lower-to-cpu="cpu=sapphirerapids batch-invariant" | FileCheck %s --check-prefixes=VECTORS,OWN
// RUN: xfmr-opt %s --xfmr-lower-to-cpu="cpu=sapphirerapids emulate" | FileCheck %s --check-prefixes=EMULATED
// RUN: xfmr-opt %s --xfmr-lower-to-cpu=cpu=sapphirerapids --remarks-filter=xfmr-lower-contractions -o /dev/null 2>&1 \
// RUN: | FileCheck %s --check-prefix=REMARKS
// RUN: xfmr-opt %s --xfmr-lower-to-cpu="cpu=sapphirerapids batch-invariant" --remarks-filter=xfmr-lower-contractions -o /dev/null 2>&1 \
// RUN: | FileCheck %s --check-prefix=INVARIANT

// REMARKS-DAG: tiles.mlir:[[#@LINE+17]]:{{.*}} remark: [Passed] OnTiles | Category:xfmr-lower-contractions | Remark="multiplies on AMX tiles"
// REMARKS-DAG: tiles.mlir:[[#@LINE+21]]:{{.*}} remark: [Missed] NotOnTiles | Category:xfmr-lower-contractions | Reason="vector code is faster for so few rows", Remark="multiplies without AMX tiles"
// INVARIANT: [Missed] NotOnTiles | Category:xfmr-lower-contractions | Reason=batch-invariant, Remark="multiplies without AMX tiles"

// TILES: llvm.mlir.global internal @xfmr_amx_permission(-1 : i64)
// VECTORS-NOT: xfmr_amx
// OWN: "target-cpu", "sapphirerapids"
// TILES: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
// VECTORS-NOT: llvm.x86.t

// Emulated tiles need no permission.
// EMULATED: llvm.mlir.global internal @xfmr_amx_permission(0 : i64)
// EMULATED-NOT: llvm.mlir.global_ctors
// EMULATED-NOT: "target-cpu", "sapphirerapids"
// EMULATED: llvm.call @xfmr_amx_panel_product
// EMULATED-NOT: llvm.x86.t
func.func @rows(%x: tensor<?x64xbf16>, %w: tensor<64x64xbf16> {xfmr.weight}, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x64xbf16>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

func.func @row(%x: tensor<1x64xbf16>, %w: tensor<64x64xbf16> {xfmr.weight}, %y: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<1x64xbf16>, tensor<64x64xbf16>) outs(%y : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
