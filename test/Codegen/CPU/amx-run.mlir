// Products on emulated AMX tiles against the reference: every way through the kernel
// (one row up to several blocks of rows and an odd number of panels; inputs and columns
// that are not whole steps and tiles; several blocks of inputs), rows that have to be
// copied, one row of vector code that reads eight panels at a time, outputs that are
// overwritten, and values whose sums round in one direction.

// RUN: xfmr-run %s --entry=ragged --shape=0=3x70 --check --cpu=sapphirerapids --emulate -O1
// RUN: xfmr-run %s --entry=ragged --shape=0=31x70 --check --cpu=sapphirerapids --emulate -O1
// RUN: xfmr-run %s --entry=ragged --shape=0=165x70 --check --cpu=sapphirerapids --emulate -O1 --threads=2
// RUN: xfmr-run %s --entry=dynamic --shape=0=5x70 --shape=1=70x75 --check --cpu=sapphirerapids --emulate -O1
// RUN: xfmr-run %s --entry=dynamic --shape=0=165x70 --shape=1=70x75 --check --cpu=sapphirerapids --emulate -O1
// RUN: xfmr-run %s --entry=dynamic --shape=0=1x70 --shape=1=70x810 --check --cpu=sapphirerapids --emulate -O1
// RUN: xfmr-run %s --entry=long --check --cpu=sapphirerapids --emulate -O1
// RUN: xfmr-run %s --entry=long --init=const:0.1 --check --cpu=sapphirerapids --emulate -O1
// RUN: xfmr-run %s --entry=network --shape=0=33x48 --check --cpu=sapphirerapids --emulate -O1
// RUN: xfmr-run %s --entry=deep --shape=0=33x2100 --shape=4=33x2100 --check --cpu=sapphirerapids --emulate -O1

// Products are done by tiles here, not by vectors: code for the processor itself has
// one configuration of the tiles, and no call or store of one in a loop over inputs.
// RUN: xfmr-compile %s --cpu=sapphirerapids -o %t.s
// RUN: FileCheck %s --check-prefix=ASM --input-file=%t.s
// ASM-NOT: tdpbf16ps
// ASM: xfmr_amx_panel_product:
// ASM: ldtilecfg
// ASM-NOT: ldtilecfg
// ASM: tilezero
// ASM-NOT: {{call|tilestored|ldtilecfg}}
// ASM-COUNT-4: tdpbf16ps
// ASM-NOT: {{call|tilestored|ldtilecfg}}
// ASM-COUNT-4: tdpbf16ps
// ASM: tilestored
// ASM-NOT: {{call|ldtilecfg}}
// ASM: tilerelease

func.func @ragged(%x: tensor<?x70xbf16>, %w: tensor<70x75xbf16> {xfmr.weight}, %y: tensor<?x75xf32>) -> tensor<?x75xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<?x70xbf16>, tensor<70x75xbf16>) outs(%y : tensor<?x75xf32>) -> tensor<?x75xf32>
  return %0 : tensor<?x75xf32>
}

// Weights that may be large are prefetched.
func.func @dynamic(%x: tensor<?x?xbf16>, %w: tensor<?x?xbf16> {xfmr.weight}, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @long(%x: tensor<32x6144xbf16>, %w: tensor<6144x32xbf16> {xfmr.weight}, %y: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<32x6144xbf16>, tensor<6144x32xbf16>) outs(%y : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

func.func @network(%x: tensor<?x48xbf16>, %g: tensor<100x48xbf16> {xfmr.weight}, %u: tensor<100x48xbf16> {xfmr.weight}, %d: tensor<48x100xbf16> {xfmr.weight}, %y: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %0 = xfmr.swiglu_ffn ins(%x : tensor<?x48xbf16>) gate(%g : tensor<100x48xbf16>) up(%u : tensor<100x48xbf16>) down(%d : tensor<48x100xbf16>) outs(%y : tensor<?x48xf32>) layout(out_in) -> tensor<?x48xf32>
  return %0 : tensor<?x48xf32>
}

// Gate and up overwrite what lies in their memory, and add a second block of inputs.
func.func @deep(%x: tensor<?x2100xbf16>, %g: tensor<40x2100xbf16> {xfmr.weight}, %u: tensor<40x2100xbf16> {xfmr.weight}, %d: tensor<2100x40xbf16> {xfmr.weight}, %y: tensor<?x2100xf32>) -> tensor<?x2100xf32> {
  %0 = xfmr.swiglu_ffn ins(%x : tensor<?x2100xbf16>) gate(%g : tensor<40x2100xbf16>) up(%u : tensor<40x2100xbf16>) down(%d : tensor<2100x40xbf16>) outs(%y : tensor<?x2100xf32>) layout(out_in) -> tensor<?x2100xf32>
  return %0 : tensor<?x2100xf32>
}
