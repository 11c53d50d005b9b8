// The public decomposition needs nothing of this project below it: stock tools
// bufferize it, lower it and run it. (Case A7: silu(2) * 3 = 5.284782.)
//
// RUN: xfmr-opt --xfmr-to-linalg %s -o %t.mlir
// RUN: not grep "xfmr\." %t.mlir
// RUN: mlir-opt %t.mlir \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --buffer-deallocation-pipeline --convert-bufferization-to-memref --convert-linalg-to-loops \
// RUN:   --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-math-to-llvm \
// RUN:   --convert-math-to-libm --convert-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -e main --entry-point-result=void \
// RUN:     --shared-libs=%llvm_lib_dir/libmlir_runner_utils.so,%llvm_lib_dir/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>)

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

func.func @main() {
  // Rows of one magnitude have the norm 1 or -1.
  %x = arith.constant dense<[[10.0, 10.0], [-3.0, -3.0]]> : tensor<2x2xf32>
  %xd = tensor.cast %x : tensor<2x2xf32> to tensor<?x2xf32>
  %wg = arith.constant dense<1.0> : tensor<3x2xf32>
  %wu = arith.constant dense<1.5> : tensor<3x2xf32>
  %wd = arith.constant dense<[[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]> : tensor<2x3xf32>
  %c2 = arith.constant 2 : index
  %y = tensor.empty(%c2) : tensor<?x2xf32>
  %0 = call @block(%xd, %wg, %wu, %wd, %y)
      : (tensor<?x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  // silu(-2) * -3 = 0.715218.
  // CHECK: {{\[}}[15.2848, 20.5696],
  // CHECK-NEXT: [-2.28478, -1.56956]]
  %u = tensor.cast %0 : tensor<?x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
