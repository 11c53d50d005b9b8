// RUN: xfmr-opt %s -split-input-file -verify-diagnostics
// RUN: %python %S/Inputs/generic_diagnostics.py %s

func.func @my_copy_c1_rank(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{expected ins of rank 1 or more, got rank 0}}
  %0 = xfmr.my_copy ins(%x : tensor<f32>) outs(%y : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @my_copy_c2_element_type(%x: tensor<4xi32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected ins of element type f16, bf16, f32 or f64, got 'i32'}}
  %0 = xfmr.my_copy ins(%x : tensor<4xi32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @my_copy_c2_kind(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{expected outs to be a tensor as ins is, got 'memref<4xf32>'}}
  xfmr.my_copy ins(%x : tensor<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

func.func @my_copy_c3_rank(%x: tensor<4xf32>, %y: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-error @below {{expected outs of rank 1, got rank 2}}
  %0 = xfmr.my_copy ins(%x : tensor<4xf32>) outs(%y : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

func.func @my_copy_c3_dim(%x: tensor<?x4xf32>, %y: tensor<?x5xf32>) -> tensor<?x5xf32> {
  // expected-error @below {{expected dim 1 of outs to be dim 1 of ins, which is 4, got 5}}
  %0 = xfmr.my_copy ins(%x : tensor<?x4xf32>) outs(%y : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----

func.func @my_copy_c4_results(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  xfmr.my_copy ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>)
  return
}

// -----

func.func @my_copy_c5_attribute(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected no attribute 'scale'}}
  %0 = xfmr.my_copy ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {scale = 2.0} -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
