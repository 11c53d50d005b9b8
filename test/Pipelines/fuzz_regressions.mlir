// What the fuzzer (test/Fuzz) broke: everything here only has to be compiled.
// RUN: xfmr-opt --xfmr-lower-to-cpu=cpu=x86-64-v3 %s -o /dev/null

// The largest size is no key of LLVM's hash tables.
func.func @largest_size(%x: memref<?x9223372036854775807xf64>, %w: memref<9223372036854775807x4xf64>,
    %y: memref<?x9223372036854775807xf64>, %z: memref<?x4xf64>) {
  xfmr.rmsnorm ins(%x : memref<?x9223372036854775807xf64>)
      outs(%y : memref<?x9223372036854775807xf64>) eps(1.0e-05)
  linalg.matmul ins(%x, %w : memref<?x9223372036854775807xf64>, memref<9223372036854775807x4xf64>)
      outs(%z : memref<?x4xf64>)
  return
}

// Sizes whose product is no number of 64 bits: no short rows.
func.func @overflowing_size(%x: memref<32x4x4611686018427387904xf32>, %y: memref<32x4x4611686018427387904xf32>) {
  xfmr.layernorm ins(%x : memref<32x4x4611686018427387904xf32>)
      outs(%y : memref<32x4x4611686018427387904xf32>) eps(1.0e-05) normalized_dims(2)
  return
}

// LLVM has integer powers of numbers, not of vectors.
func.func @powers(%x: tensor<5x37xf32>, %y: tensor<5x37xf32>) -> tensor<5x37xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x37xf32>) outs(%y : tensor<5x37xf32>) {
  ^bb0(%v: f32, %o: f32):
    %three = arith.constant 3 : i32
    %p = math.fpowi %v, %three : f32, i32
    linalg.yield %p : f32
  } -> tensor<5x37xf32>
  return %0 : tensor<5x37xf32>
}
