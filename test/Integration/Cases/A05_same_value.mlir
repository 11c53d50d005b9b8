// A5 where aliasing is visible. On tensors a destination is a value: one that is
// used again keeps its contents, and one that is not is written in place. On
// memrefs what an op does not allow is an error (C12 of the norms, C9 of the
// networks and the gate; docs/Dialect.md).
// RUN: split-file %s %t
// RUN: xfmr-run %t/run.mlir --entry=both --check | FileCheck %s --check-prefix=THREE
// RUN: xfmr-run %t/run.mlir --entry=both --check --threads=2 --parallel-from=0 -O0 | FileCheck %s --check-prefix=THREE
// RUN: xfmr-run %t/run.mlir --entry=network --check | FileCheck %s --check-prefix=THREE
// RUN: xfmr-run %t/run.mlir --entry=one_destination --check | FileCheck %s --check-prefix=THREE
// THREE: check result 0: {{.*}}: ok
// THREE: check result 1: {{.*}}: ok
// THREE: check result 2: {{.*}}: ok
//
// RUN: xfmr-opt %t/run.mlir --xfmr-cpu-expand-stage --xfmr-cpu-tile-stage --xfmr-cpu-bufferize-stage | FileCheck %s --check-prefix=PLACE
// PLACE-LABEL: func @in_place(
// PLACE-SAME: %[[X:[a-z0-9]*]]: memref<4x130xf32>, %[[R:[a-z0-9]*]]: memref<4x130xf32>)
// PLACE-NOT: memref.alloc
// PLACE-NOT: memref.copy
// PLACE: return %[[X]], %[[R]]
//
// The caller shares memory between arguments: the bits are those without.
// RUN: xfmr-run %t/run.mlir --entry=destinations --dynamic-size=5 --check --output 0=%t/s.npy --output 1=%t/y.npy
// RUN: xfmr-run %t/run.mlir --entry=destinations --dynamic-size=5 --arg 2=@0 --arg 3=@1 --output 0=%t/s1.npy --output 1=%t/y1.npy
// RUN: cmp %t/s.npy %t/s1.npy
// RUN: cmp %t/y.npy %t/y1.npy
// RUN: xfmr-run %t/run.mlir --entry=destinations --dynamic-size=5 --arg 2=@1 --arg 3=@0 --threads=2 --parallel-from=0 --output 0=%t/s1.npy --output 1=%t/y1.npy
// RUN: cmp %t/s.npy %t/s1.npy
// RUN: cmp %t/y.npy %t/y1.npy
// RUN: xfmr-run %t/run.mlir --entry=memrefs --check --output arg2=%t/s.npy --output arg3=%t/y.npy
// RUN: xfmr-run %t/run.mlir --entry=memrefs --check --arg 2=@0 --arg 3=@1 --output arg2=%t/s1.npy --output arg3=%t/y1.npy
// RUN: cmp %t/s.npy %t/s1.npy
// RUN: cmp %t/y.npy %t/y1.npy
//
// RUN: xfmr-opt %t/rejected.mlir -split-input-file -verify-diagnostics

//--- run.mlir
func.func @in_place(%x: tensor<4x130xf32>, %r: tensor<4x130xf32>) -> (tensor<4x130xf32>, tensor<4x130xf32>) {
  %0:2 = xfmr.add_rmsnorm ins(%x : tensor<4x130xf32>) residual(%r : tensor<4x130xf32>) sum(%x : tensor<4x130xf32>)
      outs(%r : tensor<4x130xf32>) eps(1.0e-05) -> tensor<4x130xf32>, tensor<4x130xf32>
  return %0#0, %0#1 : tensor<4x130xf32>, tensor<4x130xf32>
}
// x is the sum's destination, and used again.
func.func @both(%x: tensor<4x130xf32>, %r: tensor<4x130xf32>)
    -> (tensor<4x130xf32>, tensor<4x130xf32>, tensor<4x130xf32>) {
  %0:2 = xfmr.add_layernorm ins(%x : tensor<4x130xf32>) residual(%r : tensor<4x130xf32>) sum(%x : tensor<4x130xf32>)
      outs(%r : tensor<4x130xf32>) eps(1.0e-05) -> tensor<4x130xf32>, tensor<4x130xf32>
  %y = tensor.empty() : tensor<4x130xf32>
  %1 = linalg.sub ins(%r, %x : tensor<4x130xf32>, tensor<4x130xf32>) outs(%y : tensor<4x130xf32>) -> tensor<4x130xf32>
  return %0#0, %0#1, %1 : tensor<4x130xf32>, tensor<4x130xf32>, tensor<4x130xf32>
}
// A network's rows are read after its first results are written.
func.func @network(%x: tensor<7x33xbf16>, %w: tensor<33x33xbf16>) -> (tensor<7x33xbf16>, tensor<33x33xbf16>, tensor<33x33xbf16>) {
  %0 = xfmr.ffn ins(%x : tensor<7x33xbf16>) up(%w : tensor<33x33xbf16>) down(%w : tensor<33x33xbf16>)
      outs(%x : tensor<7x33xbf16>) activation(relu) layout(in_out) -> tensor<7x33xbf16>
  %1 = xfmr.ffn ins(%w : tensor<33x33xbf16>) up(%w : tensor<33x33xbf16>) down(%w : tensor<33x33xbf16>)
      outs(%w : tensor<33x33xbf16>) activation(relu) layout(in_out) -> tensor<33x33xbf16>
  %2 = xfmr.swiglu_ffn ins(%1 : tensor<33x33xbf16>) gate(%1 : tensor<33x33xbf16>) up(%w : tensor<33x33xbf16>) down(%1 : tensor<33x33xbf16>)
      outs(%1 : tensor<33x33xbf16>) layout(in_out) -> tensor<33x33xbf16>
  return %0, %1, %2 : tensor<7x33xbf16>, tensor<33x33xbf16>, tensor<33x33xbf16>
}
// One destination is two, and a statistic's is gamma.
func.func @one_destination(%x: tensor<8x8xf32>, %g: tensor<8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %0:3 = xfmr.add_layernorm ins(%x : tensor<8x8xf32>) residual(%y : tensor<8x8xf32>) gamma(%g : tensor<8xf32>) sum(%y : tensor<8x8xf32>)
      outs(%y : tensor<8x8xf32>) rstd(%g : tensor<8xf32>) eps(1.0e-05) -> tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
  return %0#0, %0#1, %0#2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}
func.func @destinations(%x: tensor<?x130xf16>, %r: tensor<?x130xf16>, %s: tensor<?x130xf16>, %y: tensor<?x130xf16>)
    -> (tensor<?x130xf16>, tensor<?x130xf16>) {
  %0:2 = xfmr.add_rmsnorm ins(%x : tensor<?x130xf16>) residual(%r : tensor<?x130xf16>) sum(%s : tensor<?x130xf16>)
      outs(%y : tensor<?x130xf16>) eps(1.0e-05) residual_rounding(norm_then_round) rounding(scale_then_cast)
      -> tensor<?x130xf16>, tensor<?x130xf16>
  return %0#0, %0#1 : tensor<?x130xf16>, tensor<?x130xf16>
}
func.func @memrefs(%x: memref<4x130xf32>, %r: memref<4x130xf32>, %s: memref<4x130xf32>, %y: memref<4x130xf32>) {
  xfmr.add_rmsnorm ins(%x : memref<4x130xf32>) residual(%r : memref<4x130xf32>) sum(%s : memref<4x130xf32>)
      outs(%y : memref<4x130xf32>) eps(1.0e-05)
  return
}

//--- rejected.mlir
func.func @one_destination(%x: memref<4x130xf32>, %r: memref<4x130xf32>, %y: memref<4x130xf32>) {
  // expected-error @below {{'xfmr.add_rmsnorm' op expected sum to be another memref than outs}}
  xfmr.add_rmsnorm ins(%x : memref<4x130xf32>) residual(%r : memref<4x130xf32>) sum(%y : memref<4x130xf32>)
      outs(%y : memref<4x130xf32>) eps(1.0e-05)
  return
}

// -----

func.func @gamma(%x: memref<130x130xf32>, %g: memref<130xf32>, %y: memref<130x130xf32>) {
  // expected-error @below {{'xfmr.layernorm' op expected rstd to be another memref than gamma}}
  xfmr.layernorm ins(%x : memref<130x130xf32>) gamma(%g : memref<130xf32>) outs(%y : memref<130x130xf32>)
      rstd(%g : memref<130xf32>) eps(1.0e-05)
  return
}

// -----

func.func @row(%x: memref<130xf32>) {
  // All that has one shape is one array.
  xfmr.add_layernorm ins(%x : memref<130xf32>) residual(%x : memref<130xf32>) outs(%x : memref<130xf32>) eps(1.0e-05)
  return
}

// -----

func.func @network(%x: memref<8x8xf32>, %w: memref<8x8xf32>) {
  // expected-error @below {{'xfmr.ffn' op expected outs to be another memref than ins}}
  xfmr.ffn ins(%x : memref<8x8xf32>) up(%w : memref<8x8xf32>) down(%w : memref<8x8xf32>) outs(%x : memref<8x8xf32>)
      activation(relu) layout(in_out)
  return
}

// -----

func.func @weights(%x: memref<8x8xf32>, %w: memref<8x8xf32>) {
  // expected-error @below {{'xfmr.swiglu_ffn' op expected outs to be another memref than gate}}
  xfmr.swiglu_ffn ins(%x : memref<8x8xf32>) gate(%w : memref<8x8xf32>) up(%x : memref<8x8xf32>) down(%x : memref<8x8xf32>)
      outs(%w : memref<8x8xf32>) layout(in_out)
  return
}
