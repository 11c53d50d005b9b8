// --time: median, minimum and spread, and the rates of memory and arithmetic.
// RUN: xfmr-run %s --entry=network --time --repetitions=20 | FileCheck %s --check-prefix=NETWORK
// RUN: xfmr-run %s --entry=in_place --time --check | FileCheck %s --check-prefix=PLACE
// RUN: xfmr-run %s --entry=loop --arg 1=2 --time --repetitions=5 | FileCheck %s --check-prefix=LOOP

// NETWORK: time: median {{[0-9.]+}} us, minimum {{[0-9.]+}} us, spread {{[0-9.]+}} %, 20 repetitions; {{[0-9.]+}} GB/s, {{[0-9.]+}} GFLOP/s{{$}}
// NETWORK-NOT: restored
func.func @network(%x: tensor<8x64xf32>, %w1: tensor<64x96xf32>, %w2: tensor<96x64xf32>)
    -> tensor<8x64xf32> {
  %y = tensor.empty() : tensor<8x64xf32>
  %0 = xfmr.ffn ins(%x : tensor<8x64xf32>) up(%w1 : tensor<64x96xf32>)
      down(%w2 : tensor<96x64xf32>) outs(%y : tensor<8x64xf32>) activation(relu)
      layout(in_out) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// Normalising again and again in place would not be the same work.
// PLACE: check argument 0: 512 elements{{.*}}: ok
// PLACE: time: median
// PLACE: time: the arguments that a call changes and reads were restored before each repetition
func.func @in_place(%x: memref<8x64xf32>) {
  xfmr.rmsnorm ins(%x : memref<8x64xf32>) outs(%x : memref<8x64xf32>) eps(1.0e-05)
  return
}

// What is not known is not printed.
// LOOP: time: median {{.*}} GB/s{{$}}
func.func @loop(%x: tensor<8x64xf32>, %n: index, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%z = %y) -> tensor<8x64xf32> {
    %1 = xfmr.rmsnorm ins(%x : tensor<8x64xf32>) outs(%z : tensor<8x64xf32>) eps(1.0e-05)
        -> tensor<8x64xf32>
    scf.yield %1 : tensor<8x64xf32>
  }
  return %0 : tensor<8x64xf32>
}
