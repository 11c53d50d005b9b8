// RUN: xfmr-opt --xfmr-convert-regions-to-llvm --split-input-file %s | FileCheck %s --implicit-check-not=__kmpc

// Regions that need more of OpenMP than threads, and those that read what no
// register holds, are translation's.

// CHECK-LABEL: llvm.func @condition(
// CHECK: omp.parallel if(
llvm.func @condition(%b: i1) {
  omp.parallel if(%b) {
    omp.terminator
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @bound(
// CHECK: omp.parallel proc_bind(
llvm.func @bound() {
  omp.parallel proc_bind(spread) {
    omp.terminator
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @loop(
// CHECK: omp.parallel
// CHECK: omp.wsloop
llvm.func @loop(%n: i64, %p: !llvm.ptr) {
  %0 = llvm.mlir.constant(0 : i64) : i64
  %1 = llvm.mlir.constant(1 : i64) : i64
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : i64 = (%0) to (%n) step (%1) {
        llvm.store %i, %p : i64, !llvm.ptr
        omp.yield
      }
    }
    omp.terminator
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @vector(
// CHECK: omp.parallel
// CHECK: llvm.store %{{.*}} : vector<16xf32>
llvm.func @vector(%v: vector<16xf32>, %p: !llvm.ptr) {
  omp.parallel {
    llvm.store %v, %p : vector<16xf32>, !llvm.ptr
    omp.terminator
  }
  llvm.return
}
