// A block is compiled and run, for one thread and for two: several rows, more than
// a tile of them, and none. (Case A7: silu(2) * 3 = 5.284782.)
//
// RUN: xfmr-opt --xfmr-lower-to-cpu %s | mlir-runner -e main --entry-point-result=void \
// RUN:     --shared-libs=%llvm_lib_dir/libmlir_runner_utils.so,%llvm_lib_dir/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-to-cpu="threads=2 tile-rows=1" %s | mlir-runner -e main --entry-point-result=void \
// RUN:     --shared-libs=%llvm_lib_dir/libmlir_runner_utils.so,%llvm_lib_dir/libmlir_c_runner_utils.so,%llvm_lib_dir/libomp.so \
// RUN: | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-to-cpu="cpu=x86-64 hidden-block=2 runtime-checks=false" %s | mlir-runner -e main --entry-point-result=void \
// RUN:     --shared-libs=%llvm_lib_dir/libmlir_runner_utils.so,%llvm_lib_dir/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s

func.func private @printMemrefF32(memref<*xf32>)

func.func @block(%x: tensor<?x2xf32>, %wg: tensor<3x2xf32>, %wu: tensor<3x2xf32>, %wd: tensor<2x3xf32>,
    %y: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = xfmr.residual_block pre ins(%x : tensor<?x2xf32>) norm1(<rmsnorm, eps = 0.0>)
      outs(%y : tensor<?x2xf32>) {
  ^bb0(%z: tensor<?x2xf32>):
    %f = xfmr.swiglu_ffn ins(%z : tensor<?x2xf32>) gate(%wg : tensor<3x2xf32>) up(%wu : tensor<3x2xf32>)
        down(%wd : tensor<2x3xf32>) outs(%y : tensor<?x2xf32>) layout(out_in) -> tensor<?x2xf32>
    xfmr.yield %f : tensor<?x2xf32>
  } -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

func.func private @show(%t: tensor<?x2xf32>) {
  %m = bufferization.to_buffer %t read_only : tensor<?x2xf32> to memref<?x2xf32>
  %u = memref.cast %m : memref<?x2xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

func.func @main() {
  %x = arith.constant dense<[[10.0, 10.0], [-3.0, -3.0], [0.5, 0.5]]> : tensor<3x2xf32>
  %xd = tensor.cast %x : tensor<3x2xf32> to tensor<?x2xf32>
  %wg = arith.constant dense<1.0> : tensor<3x2xf32>
  %wu = arith.constant dense<1.5> : tensor<3x2xf32>
  %wd = arith.constant dense<[[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]> : tensor<2x3xf32>
  %c3 = arith.constant 3 : index
  %y = tensor.empty(%c3) : tensor<?x2xf32>
  %0 = call @block(%xd, %wg, %wu, %wd, %y)
      : (tensor<?x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  // CHECK: sizes = [3, 2]
  // CHECK-NEXT: {{\[}}[15.2848, 20.5696],
  // CHECK-NEXT: [-2.28478, -1.56956],
  // CHECK-NEXT: [5.78478, 11.0696]]
  call @show(%0) : (tensor<?x2xf32>) -> ()

  %c0 = arith.constant 0 : index
  %none = tensor.empty(%c0) : tensor<?x2xf32>
  %1 = call @block(%none, %wg, %wu, %wd, %none)
      : (tensor<?x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  // CHECK: sizes = [0, 2]
  call @show(%1) : (tensor<?x2xf32>) -> ()
  return
}
