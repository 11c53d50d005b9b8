// Every stage of the CPU pipeline, one after the other, on a block of each form.
//
// RUN: xfmr-opt --xfmr-cpu-expand-stage=cpu=x86-64-v4 %s -o %t.expand
// RUN: FileCheck %s --check-prefix=EXPAND < %t.expand
// RUN: xfmr-opt --xfmr-cpu-tile-stage %t.expand -o %t.tile
// RUN: FileCheck %s --check-prefix=TILE < %t.tile
// RUN: xfmr-opt --xfmr-cpu-bufferize-stage %t.tile -o %t.bufferize
// RUN: FileCheck %s --check-prefix=BUFFERIZE < %t.bufferize
// RUN: xfmr-opt --xfmr-cpu-decompose-stage=hidden-block=64 %t.bufferize -o %t.decompose
// RUN: FileCheck %s --check-prefix=DECOMPOSE < %t.decompose
// RUN: xfmr-opt --xfmr-cpu-vectorize-stage=cpu=x86-64-v4 %t.decompose -o %t.vectorize
// RUN: FileCheck %s --check-prefix=VECTORIZE < %t.vectorize
// RUN: xfmr-opt --xfmr-cpu-parallelize-stage=cpu=x86-64-v4 %t.vectorize -o %t.sequential
// RUN: FileCheck %s --check-prefix=SEQUENTIAL < %t.sequential
// RUN: xfmr-opt --xfmr-cpu-tile-stage=threads=2 --xfmr-cpu-bufferize-stage --xfmr-cpu-decompose-stage=hidden-block=64 \
// RUN:   --xfmr-cpu-vectorize-stage="cpu=x86-64-v4 threads=2" %t.expand -o %t.shared
// RUN: xfmr-opt --xfmr-cpu-parallelize-stage="cpu=x86-64-v4 threads=2" %t.shared -o %t.parallel
// RUN: FileCheck %s --check-prefix=PARALLEL < %t.parallel
// RUN: xfmr-opt --xfmr-cpu-llvm-stage=cpu=x86-64-v4 %t.sequential -o %t.llvm
// RUN: FileCheck %s --check-prefix=LLVM < %t.llvm
// RUN: xfmr-opt --xfmr-cpu-llvm-stage=cpu=x86-64-v4 %t.parallel -o %t.omp
// RUN: FileCheck %s --check-prefix=OMP < %t.omp
//
// The whole is the sum of its parts.
// RUN: xfmr-opt --xfmr-lower-to-cpu="cpu=x86-64-v4 hidden-block=64" %s -o %t.whole
// RUN: diff %t.llvm %t.whole
// RUN: xfmr-opt --xfmr-lower-to-cpu="cpu=x86-64-v4 hidden-block=64 threads=2" %s -o %t.whole
// RUN: diff %t.omp %t.whole

// EXPAND: module attributes {llvm.data_layout
// EXPAND-LABEL: func @block(
// EXPAND-SAME: ["target-cpu", "x86-64-v4"]
// EXPAND-NOT: residual_block
// EXPAND: xfmr.rmsnorm
// EXPAND: xfmr.swiglu_ffn
// EXPAND: linalg.generic

// TILE-LABEL: func @block(
// TILE: scf.forall {{.*}} step (128) shared_outs
// TILE: xfmr.rmsnorm
// TILE: xfmr.swiglu_ffn
// TILE: linalg.generic
// TILE: scf.forall.in_parallel
// TILE-NOT: scf.forall (
// TILE-LABEL: func @memrefs(
// TILE: bufferization.to_tensor
// TILE: scf.forall
// TILE: xfmr.add_layernorm
// TILE: bufferization.materialize_in_destination

// Two tiles of temporaries, freed in the loop; no copy; the result is y.
// BUFFERIZE-LABEL: func @block(
// BUFFERIZE-SAME: %[[Y:[a-z0-9]*]]: memref<?x128xf32>) -> memref<?x128xf32>
// BUFFERIZE-NOT: memref.copy
// BUFFERIZE: scf.forall
// BUFFERIZE-COUNT-2: memref.alloc(
// BUFFERIZE-NOT: memref.alloc
// BUFFERIZE-NOT: memref.copy
// BUFFERIZE-COUNT-2: memref.dealloc
// BUFFERIZE-NOT: memref.copy
// BUFFERIZE: return %[[Y]]
// BUFFERIZE-LABEL: func @memrefs(
// BUFFERIZE-NOT: memref.alloc
// BUFFERIZE-NOT: memref.copy
// BUFFERIZE: xfmr.add_layernorm
// BUFFERIZE-NOT: memref.copy
// BUFFERIZE: return

// DECOMPOSE-LABEL: func @block(
// Rows one tile after another, columns of hidden values in parallel.
// DECOMPOSE-NOT: {{^ *}}xfmr.
// DECOMPOSE: scf.for
// DECOMPOSE: bufferization.materialize_in_destination
// DECOMPOSE: scf.for
// DECOMPOSE: scf.forall

// VECTORIZE-LABEL: func @block(
// VECTORIZE-NOT: linalg.
// VECTORIZE-NOT: tensor<
// VECTORIZE: scf.forall
// VECTORIZE: math.fma {{.*}} : vector<
// VECTORIZE-NOT: linalg.

// SEQUENTIAL-LABEL: func @block(
// SEQUENTIAL-NOT: scf.forall
// SEQUENTIAL: scf.for

// PARALLEL-LABEL: func @block(
// PARALLEL: omp.parallel num_threads(%{{.*}} : i32)
// PARALLEL: func.call @omp_get_thread_num
// PARALLEL: func.call @block_loop

// LLVM-NOT: omp.
// LLVM-LABEL: llvm.func @block(
// LLVM: llvm.intr.fma{{.*}} vector<
// LLVM: llvm.func @_mlir_ciface_block(
// LLVM-NOT: memrefCopy

// OMP-LABEL: llvm.func @block(
// OMP: llvm.call @__kmpc_push_num_threads
// OMP: llvm.call @__kmpc_fork_call

func.func @block(%x: tensor<?x128xf32>, %g: tensor<128xf32> {xfmr.weight}, %wg: tensor<?x128xf32> {xfmr.weight},
    %wu: tensor<?x128xf32> {xfmr.weight}, %wd: tensor<128x?xf32> {xfmr.weight}, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %0 = xfmr.residual_block pre ins(%x : tensor<?x128xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%g : tensor<128xf32>)) outs(%y : tensor<?x128xf32>) {
  ^bb0(%z: tensor<?x128xf32>):
    %f = xfmr.swiglu_ffn ins(%z : tensor<?x128xf32>) gate(%wg : tensor<?x128xf32>) up(%wu : tensor<?x128xf32>)
        down(%wd : tensor<128x?xf32>) outs(%y : tensor<?x128xf32>) layout(out_in) -> tensor<?x128xf32>
    xfmr.yield %f : tensor<?x128xf32>
  } -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

func.func @memrefs(%x: memref<?x?xbf16, strided<[?, ?], offset: ?>>, %r: memref<?x?xbf16>, %y: memref<?x?xbf16>) {
  xfmr.residual_block post ins(%r : memref<?x?xbf16>)
      norm1(<layernorm, eps = 1.0e-05, rounding = cast_then_scale>) outs(%y : memref<?x?xbf16>)
      residual_rounding(round_then_norm) {
  ^bb0(%z: memref<?x?xbf16>):
    xfmr.yield %z : memref<?x?xbf16>
  }
  return
}
