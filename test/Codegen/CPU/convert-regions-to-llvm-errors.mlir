// RUN: xfmr-opt --xfmr-convert-regions-to-llvm --verify-diagnostics %s

// expected-error @below {{redefinition of function '__kmpc_fork_call' of different type}}
llvm.func @__kmpc_fork_call(i32)

llvm.func @region() {
  omp.parallel {
    omp.terminator
  }
  llvm.return
}
