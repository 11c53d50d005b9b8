// RUN: xfmr-opt %s --xfmr-emulate-target-ops --convert-vector-to-scf --expand-strided-metadata \
// RUN:   --lower-affine --convert-scf-to-cf --convert-vector-to-llvm --convert-math-to-llvm \
// RUN:   --finalize-memref-to-llvm --convert-arith-to-llvm --convert-index-to-llvm \
// RUN:   --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -O1 -e main -entry-point-result=void \
// RUN:     --shared-libs=%llvm_lib_dir/libmlir_c_runner_utils.so | FileCheck %s

func.func private @printF32(f32)
func.func private @printNewline()

// acc + odd * odd_w + even * even_w in a lane of the dot product.
func.func private @dot(%acc: f32, %even: bf16, %even_w: bf16, %odd: bf16, %odd_w: bf16) {
  %a0 = vector.broadcast %acc : f32 to vector<4xf32>
  %x0 = vector.broadcast %even : bf16 to vector<8xbf16>
  %x1 = vector.insert %odd, %x0[1] : bf16 into vector<8xbf16>
  %w0 = vector.broadcast %even_w : bf16 to vector<8xbf16>
  %w1 = vector.insert %odd_w, %w0[1] : bf16 into vector<8xbf16>
  %0 = x86vector.avx512.dot %a0, %x1, %w1 : vector<8xbf16> -> vector<4xf32>
  %1 = vector.extract %0[0] : f32 from vector<4xf32>
  call @printF32(%1) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}

// The same as the first pair of a product of tiles.
func.func private @tile(%acc: f32, %even: bf16, %even_w: bf16, %odd: bf16, %odd_w: bf16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<32xbf16>
  %x = memref.alloca() : memref<16x32xbf16>
  %w = memref.alloca() : memref<16x32xbf16>
  %s = memref.alloca() : memref<16x16xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    vector.store %zero, %x[%i, %c0] : memref<16x32xbf16>, vector<32xbf16>
    vector.store %zero, %w[%i, %c0] : memref<16x32xbf16>, vector<32xbf16>
    %row = vector.broadcast %acc : f32 to vector<16xf32>
    vector.store %row, %s[%i, %c0] : memref<16x16xf32>, vector<16xf32>
  }
  memref.store %even, %x[%c0, %c0] : memref<16x32xbf16>
  memref.store %odd, %x[%c0, %c1] : memref<16x32xbf16>
  memref.store %even_w, %w[%c0, %c0] : memref<16x32xbf16>
  memref.store %odd_w, %w[%c0, %c1] : memref<16x32xbf16>
  %0 = amx.tile_load %x[%c0, %c0] : memref<16x32xbf16> into !amx.tile<16x32xbf16>
  %1 = amx.tile_load %w[%c0, %c0] : memref<16x32xbf16> into !amx.tile<16x32xbf16>
  %2 = amx.tile_load %s[%c0, %c0] : memref<16x16xf32> into !amx.tile<16x16xf32>
  %3 = amx.tile_mulf %0, %1, %2 : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
  amx.tile_store %s[%c0, %c0], %3 : memref<16x16xf32>, !amx.tile<16x16xf32>
  %4 = memref.load %s[%c0, %c0] : memref<16x16xf32>
  call @printF32(%4) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @main() {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %small = arith.constant 1.0e-40 : f32
  %h0 = arith.constant 0.0 : bf16
  %h1 = arith.constant 1.0 : bf16
  %h4096 = arith.constant 4096.0 : bf16
  %hm4096 = arith.constant -4096.0 : bf16
  %tiny = arith.constant 1.0e-21 : bf16
  %subnormal = arith.constant 1.0e-39 : bf16
  %large = arith.constant 1.0e30 : bf16

  // 1 + 2^24 rounds to 2^24: the odd product comes first.
  // CHECK: {{^0$}}
  call @dot(%one, %hm4096, %h4096, %h4096, %h4096) : (f32, bf16, bf16, bf16, bf16) -> ()
  // Even and odd products meet before the accumulator does.
  // CHECK-NEXT: {{^1$}}
  call @tile(%one, %hm4096, %h4096, %h4096, %h4096) : (f32, bf16, bf16, bf16, bf16) -> ()

  // Subnormal inputs, accumulators and results are zeros.
  // CHECK-NEXT: {{^0$}}
  call @dot(%zero, %subnormal, %large, %h0, %h0) : (f32, bf16, bf16, bf16, bf16) -> ()
  // CHECK-NEXT: {{^0$}}
  call @tile(%zero, %h0, %h0, %large, %subnormal) : (f32, bf16, bf16, bf16, bf16) -> ()
  // CHECK-NEXT: {{^0$}}
  call @dot(%small, %h0, %h0, %h0, %h0) : (f32, bf16, bf16, bf16, bf16) -> ()
  // CHECK-NEXT: {{^0$}}
  call @tile(%small, %h0, %h0, %h0, %h0) : (f32, bf16, bf16, bf16, bf16) -> ()
  // CHECK-NEXT: {{^0$}}
  call @dot(%zero, %h0, %h0, %tiny, %tiny) : (f32, bf16, bf16, bf16, bf16) -> ()
  // CHECK-NEXT: {{^0$}}
  call @tile(%zero, %tiny, %tiny, %h0, %h0) : (f32, bf16, bf16, bf16, bf16) -> ()

  // CHECK-NEXT: {{^4097$}}
  call @dot(%zero, %h1, %h1, %h4096, %h1) : (f32, bf16, bf16, bf16, bf16) -> ()
  // CHECK-NEXT: {{^4098$}}
  call @tile(%one, %h1, %h1, %h4096, %h1) : (f32, bf16, bf16, bf16, bf16) -> ()
  return
}
