// RUN: xfmr-opt --xfmr-lower-row-groups=short-functions --split-input-file %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-row-groups --split-input-file %s | FileCheck %s --check-prefix=EXACT
// RUN: xfmr-opt --xfmr-lower-row-groups=short-functions --split-input-file --remarks-filter=xfmr-lower-row-groups -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// EXACT-NOT: xfmr.rounded_to
// REMARK: FunctionsShortened{{.*}}computes exponentials to the digits that a rounding leaves

// Exponentials whose values, and the sums of them, reach nothing but roundings to
// half types need no more digits than these leave.

#elements = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func @softmax(
// CHECK-COUNT-4: math.exp {{.*}} {xfmr.rounded_to = bf16}
// CHECK-NOT:     math.exp
func.func @softmax(%x: memref<8x1000xf32>, %y: memref<8x1000xbf16>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<8x1000xf32> to tensor<8x1000xf32>
  %e0 = tensor.empty() : tensor<8x1000xf32>
  %y0 = tensor.empty() : tensor<8x1000xbf16>
  %s0 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%s0 : tensor<8xf32>) -> tensor<8xf32>
  %e = linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%xt : tensor<8x1000xf32>) outs(%e0 : tensor<8x1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<8x1000xf32>
  %sum = linalg.generic {indexing_maps = [#elements, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<8x1000xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %q = linalg.generic {indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<8x1000xf32>, tensor<8xf32>) outs(%y0 : tensor<8x1000xbf16>) {
  ^bb0(%a: f32, %s: f32, %o: bf16):
    %v = arith.divf %a, %s : f32
    %w = arith.truncf %v : f32 to bf16
    linalg.yield %w : bf16
  } -> tensor<8x1000xbf16>
  bufferization.materialize_in_destination %q in restrict writable %y : (tensor<8x1000xbf16>, memref<8x1000xbf16>) -> ()
  return
}

// -----

#elements = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// The sum is a result as well, of all digits.

// CHECK-LABEL: func @sum_is_stored(
// CHECK:         math.exp
// CHECK-NOT:     xfmr.rounded_to
func.func @sum_is_stored(%x: memref<8x1000xf32>, %y: memref<8x1000xbf16>, %s: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<8x1000xf32> to tensor<8x1000xf32>
  %e0 = tensor.empty() : tensor<8x1000xf32>
  %y0 = tensor.empty() : tensor<8x1000xbf16>
  %s0 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%s0 : tensor<8xf32>) -> tensor<8xf32>
  %e = linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%xt : tensor<8x1000xf32>) outs(%e0 : tensor<8x1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<8x1000xf32>
  %sum = linalg.generic {indexing_maps = [#elements, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<8x1000xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %q = linalg.generic {indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<8x1000xf32>, tensor<8xf32>) outs(%y0 : tensor<8x1000xbf16>) {
  ^bb0(%a: f32, %t: f32, %o: bf16):
    %v = arith.divf %a, %t : f32
    %w = arith.truncf %v : f32 to bf16
    linalg.yield %w : bf16
  } -> tensor<8x1000xbf16>
  bufferization.materialize_in_destination %q in restrict writable %y : (tensor<8x1000xbf16>, memref<8x1000xbf16>) -> ()
  bufferization.materialize_in_destination %sum in restrict writable %s : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

#elements = affine_map<(i) -> (i)>

// Where values are f16, and nothing is summed.

// CHECK-LABEL: func @f16(
// CHECK:         math.exp {{.*}} {xfmr.rounded_to = f16}
func.func @f16(%x: memref<1000xf32>, %y: memref<1000xf16>) {
  linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel"]}
      ins(%x : memref<1000xf32>) outs(%y : memref<1000xf16>) {
  ^bb0(%a: f32, %o: f16):
    %v = math.exp %a : f32
    %w = arith.mulf %v, %a : f32
    %z = arith.truncf %w : f32 to f16
    linalg.yield %z : f16
  }
  return
}

// -----

#elements = affine_map<(i) -> (i)>

// The error of three together would be too large; a difference may have any.

// CHECK-LABEL: func @cube(
// CHECK:         math.exp
// CHECK-NOT:     xfmr.rounded_to
func.func @cube(%x: memref<1000xf32>, %y: memref<1000xbf16>) {
  linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel"]}
      ins(%x : memref<1000xf32>) outs(%y : memref<1000xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %v = math.exp %a : f32
    %w = arith.mulf %v, %v : f32
    %u = arith.mulf %w, %v : f32
    %z = arith.truncf %u : f32 to bf16
    linalg.yield %z : bf16
  }
  return
}

// -----

#elements = affine_map<(i) -> (i)>

// CHECK-LABEL: func @difference(
// CHECK:         math.exp
// CHECK-NOT:     xfmr.rounded_to
func.func @difference(%x: memref<1000xf32>, %y: memref<1000xbf16>) {
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#elements, #elements], iterator_types = ["parallel"]}
      ins(%x : memref<1000xf32>) outs(%y : memref<1000xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %v = math.exp %a : f32
    %w = arith.subf %v, %one : f32
    %z = arith.truncf %w : f32 to bf16
    linalg.yield %z : bf16
  }
  return
}
