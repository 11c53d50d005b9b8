// RUN: xfmr-opt --xfmr-lower-row-loops -verify-diagnostics %s
// RUN: xfmr-opt --xfmr-lower-row-loops=threads=2 -verify-diagnostics %s

func.func @tensors(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected a loop on memrefs, got one with results: bufferize first}}
  %0 = scf.forall (%i) in (2) shared_outs(%o = %y) -> tensor<8xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}
