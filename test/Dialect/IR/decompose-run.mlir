// Values of the decomposition, through a stock pipeline.
// RUN: xfmr-opt %s --xfmr-to-linalg -o %t.mlir
// RUN: not grep "xfmr\." %t.mlir
// RUN: mlir-opt %t.mlir \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --buffer-deallocation-pipeline --convert-bufferization-to-memref --convert-linalg-to-loops \
// RUN:   --expand-strided-metadata --lower-affine --convert-scf-to-cf --arith-expand="include-bf16=true" \
// RUN:   --convert-math-to-llvm --convert-math-to-libm --convert-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -e main --entry-point-result=void \
// RUN:     --shared-libs=%llvm_lib_dir/libmlir_runner_utils.so,%llvm_lib_dir/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefI32(tensor<*xi32>)

func.func private @print_f32(%x: tensor<?x?xf32>) {
  %u = tensor.cast %x : tensor<?x?xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

func.func private @print_bits(%x: tensor<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%d0, %d1) : tensor<?x?xi32>
  %bits = linalg.map ins(%x : tensor<?x?xbf16>) outs(%e : tensor<?x?xi32>) (%in: bf16, %out: i32) {
    %narrow = arith.bitcast %in : bf16 to i16
    %wide = arith.extui %narrow : i16 to i32
    linalg.yield %wide : i32
  }
  %u = tensor.cast %bits : tensor<?x?xi32> to tensor<*xi32>
  call @printMemrefI32(%u) : (tensor<*xi32>) -> ()
  return
}

// Case A13: the bits of both rounding orders, 0x3F5C.. and 0x3F5D.. .
func.func private @rounding_order() {
  %x = arith.constant dense<[[8.0, 8.0, 8.0, 1.0]]> : tensor<1x4xbf16>
  %g = arith.constant dense<[0.75, 1.375, 0.75, 1.5]> : tensor<4xbf16>
  %y = tensor.empty() : tensor<1x4xbf16>
  %a = xfmr.rmsnorm ins(%x : tensor<1x4xbf16>) gamma(%g : tensor<4xbf16>) outs(%y : tensor<1x4xbf16>) eps(1.0e-06)
      rounding(cast_then_scale) -> tensor<1x4xbf16>
  %b = xfmr.rmsnorm ins(%x : tensor<1x4xbf16>) gamma(%g : tensor<4xbf16>) outs(%y : tensor<1x4xbf16>) eps(1.0e-06)
      rounding(scale_then_cast) -> tensor<1x4xbf16>
  // CHECK: {{\[}}[16220,   16330,   16220,   15964]]
  // CHECK: {{\[}}[16221,   16331,   16221,   15965]]
  %a_d = tensor.cast %a : tensor<1x4xbf16> to tensor<?x?xbf16>
  call @print_bits(%a_d) : (tensor<?x?xbf16>) -> ()
  %b_d = tensor.cast %b : tensor<1x4xbf16> to tensor<?x?xbf16>
  call @print_bits(%b_d) : (tensor<?x?xbf16>) -> ()
  // The offset is added in f32: 16.8125, not 16.75.
  %ones = arith.constant dense<1.0> : tensor<1x4xf32>
  %g16 = arith.constant dense<15.8125> : tensor<4xbf16>
  %yf = tensor.empty() : tensor<1x4xf32>
  %c = xfmr.rmsnorm ins(%ones : tensor<1x4xf32>) gamma(%g16 : tensor<4xbf16>) outs(%yf : tensor<1x4xf32>) eps(1.0e-06)
      weight_offset(1.0) -> tensor<1x4xf32>
  // CHECK: {{\[}}[16.8125,   16.8125,   16.8125,   16.8125]]
  %c_d = tensor.cast %c : tensor<1x4xf32> to tensor<?x?xf32>
  call @print_f32(%c_d) : (tensor<?x?xf32>) -> ()
  return
}

// Cases A2 and A3: a large mean, and no lane beyond the row in the variance.
func.func private @large_mean() {
  %m = arith.constant dense<[0.0, 100.0, 1000.0, 10000.0, 1000000.0]> : tensor<5xf32>
  %step = arith.constant 0.001 : f32
  %e = tensor.empty() : tensor<5x16xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%m : tensor<5xf32>) outs(%e : tensor<5x16xf32>) {
  ^bb0(%mean: f32, %out: f32):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i32
    %jf = arith.sitofp %ji : i32 to f32
    %d = arith.mulf %jf, %step : f32
    %s = arith.addf %mean, %d : f32
    linalg.yield %s : f32
  } -> tensor<5x16xf32>
  %y = xfmr.layernorm ins(%x : tensor<5x16xf32>) outs(%e : tensor<5x16xf32>) eps(1.0e-05) -> tensor<5x16xf32>
  %first = tensor.extract_slice %y[0, 0] [5, 1] [1, 1] : tensor<5x16xf32> to tensor<5x1xf32>
  // CHECK: {{\[}}[-1.3416{{[0-9]*}}],
  // CHECK-NEXT: [-1.3415{{[0-9]*}}],
  // CHECK-NEXT: [-1.3415{{[0-9]*}}],
  // CHECK-NEXT: [-1.3313{{[0-9]*}}],
  // CHECK-NEXT: [0]]
  %first_d = tensor.cast %first : tensor<5x1xf32> to tensor<?x?xf32>
  call @print_f32(%first_d) : (tensor<?x?xf32>) -> ()
  %x5 = arith.constant dense<[[100.0, 101.0, 102.0, 103.0, 104.0]]> : tensor<1x5xf32>
  %e5 = tensor.empty() : tensor<1x5xf32>
  %y5 = xfmr.layernorm ins(%x5 : tensor<1x5xf32>) outs(%e5 : tensor<1x5xf32>) eps(1.0e-12) -> tensor<1x5xf32>
  // CHECK: {{\[}}[-1.41421,   -0.707107,   0,   0.707107,   1.41421]]
  %y5_d = tensor.cast %y5 : tensor<1x5xf32> to tensor<?x?xf32>
  call @print_f32(%y5_d) : (tensor<?x?xf32>) -> ()
  return
}

// Case A11: eps inside of the root of the mean; beta and NaN of zeros.
func.func private @eps() {
  %x = arith.constant dense<1.0e-3> : tensor<1x128xf32>
  %e = tensor.empty() : tensor<1x128xf32>
  %y = xfmr.rmsnorm ins(%x : tensor<1x128xf32>) outs(%e : tensor<1x128xf32>) eps(1.0e-06) -> tensor<1x128xf32>
  %y1 = tensor.extract_slice %y[0, 126] [1, 2] [1, 1] : tensor<1x128xf32> to tensor<1x2xf32>
  // CHECK: {{\[}}[0.707107,   0.707107]]
  %y1_d = tensor.cast %y1 : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%y1_d) : (tensor<?x?xf32>) -> ()
  %zeros = arith.constant dense<0.0> : tensor<1x3xf16>
  %zeros32 = arith.constant dense<0.0> : tensor<1x3xf32>
  %beta = arith.constant dense<[1.0, -2.0, 0.5]> : tensor<3xf32>
  %e3 = tensor.empty() : tensor<1x3xf32>
  %b = xfmr.layernorm ins(%zeros : tensor<1x3xf16>) beta(%beta : tensor<3xf32>) outs(%e3 : tensor<1x3xf32>) eps(1.0e-12)
      -> tensor<1x3xf32>
  %n = xfmr.rmsnorm ins(%zeros32 : tensor<1x3xf32>) outs(%e3 : tensor<1x3xf32>) eps(0.0) -> tensor<1x3xf32>
  // CHECK: {{\[}}[1,   -2,   0.5]]
  // CHECK: {{\[}}[{{-?nan,   -?nan,   -?nan}}]]
  %b_d = tensor.cast %b : tensor<1x3xf32> to tensor<?x?xf32>
  call @print_f32(%b_d) : (tensor<?x?xf32>) -> ()
  %n_d = tensor.cast %n : tensor<1x3xf32> to tensor<?x?xf32>
  call @print_f32(%n_d) : (tensor<?x?xf32>) -> ()
  // Outside, the L2 norm: 3 / (5 + 5), 4 / (5 + 5).
  %x2 = arith.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %e2 = tensor.empty() : tensor<1x2xf32>
  %o = xfmr.rmsnorm ins(%x2 : tensor<1x2xf32>) outs(%e2 : tensor<1x2xf32>) eps(5.0) eps_position(outside) statistic(l2)
      -> tensor<1x2xf32>
  // CHECK: {{\[}}[0.3,   0.4]]
  %o_d = tensor.cast %o : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%o_d) : (tensor<?x?xf32>) -> ()
  return
}

// Case A7: d_model 2, d_ff 3, gates 2, ups 3, in every layout and order:
// silu(2) * 3 = 5.284782, silu(3) * 2 = 5.715445 when they are swapped.
func.func private @gate_and_up() {
  %x = arith.constant dense<[[1.0, 0.0]]> : tensor<1x2xf32>
  %g = arith.constant dense<[[2.0, 2.0, 2.0], [7.0, 8.0, 9.0]]> : tensor<2x3xf32>
  %u = arith.constant dense<[[3.0, 7.0], [3.0, 8.0], [3.0, 9.0]]> : tensor<3x2xf32>
  %d = arith.constant dense<[[1.0, 0.0], [0.0, 0.5], [0.0, 0.5]]> : tensor<3x2xf32>
  %e = tensor.empty() : tensor<1x2xf32>
  %two = xfmr.swiglu_ffn ins(%x : tensor<1x2xf32>) gate(%g : tensor<2x3xf32>) up(%u : tensor<3x2xf32>)
      down(%d : tensor<3x2xf32>) outs(%e : tensor<1x2xf32>) layout(gate = in_out, up = out_in, down = in_out)
      -> tensor<1x2xf32>
  // CHECK: {{\[}}[5.28478,   5.28478]]
  %two_d = tensor.cast %two : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%two_d) : (tensor<?x?xf32>) -> ()
  %p0 = arith.constant dense<[[2.0, 2.0, 2.0, 3.0, 3.0, 3.0], [7.0, 7.0, 7.0, 7.0, 7.0, 7.0]]> : tensor<2x6xf32>
  %packed0 = xfmr.glu_ffn ins(%x : tensor<1x2xf32>) gate_up(%p0 : tensor<2x6xf32>) down(%d : tensor<3x2xf32>)
      outs(%e : tensor<1x2xf32>) activation(silu) layout(gate_up = in_out, down = in_out) order(gate_up) -> tensor<1x2xf32>
  // CHECK: {{\[}}[5.28478,   5.28478]]
  %packed0_d = tensor.cast %packed0 : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%packed0_d) : (tensor<?x?xf32>) -> ()
  %p1 = arith.constant dense<[[2.0, 2.0, 2.0, 3.0, 3.0, 3.0], [7.0, 7.0, 7.0, 7.0, 7.0, 7.0]]> : tensor<2x6xf32>
  %packed1 = xfmr.glu_ffn ins(%x : tensor<1x2xf32>) gate_up(%p1 : tensor<2x6xf32>) down(%d : tensor<3x2xf32>)
      outs(%e : tensor<1x2xf32>) activation(silu) layout(gate_up = in_out, down = in_out) order(up_gate) -> tensor<1x2xf32>
  // CHECK: {{\[}}[5.71545,   5.71545]]
  %packed1_d = tensor.cast %packed1 : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%packed1_d) : (tensor<?x?xf32>) -> ()
  %p2 = arith.constant dense<[[2.0, 7.0], [3.0, 7.0], [2.0, 7.0], [3.0, 7.0], [2.0, 7.0], [3.0, 7.0]]> : tensor<6x2xf32>
  %packed2 = xfmr.glu_ffn ins(%x : tensor<1x2xf32>) gate_up(%p2 : tensor<6x2xf32>) down(%d : tensor<3x2xf32>)
      outs(%e : tensor<1x2xf32>) activation(silu) layout(gate_up = out_in, down = in_out) order(interleaved) -> tensor<1x2xf32>
  // CHECK: {{\[}}[5.28478,   5.28478]]
  %packed2_d = tensor.cast %packed2 : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%packed2_d) : (tensor<?x?xf32>) -> ()
  // Biases: gate 1 + 1, up 2 + 1; the down product 5.284782 and -1.
  %g1 = arith.constant dense<1.0> : tensor<2x3xf32>
  %u2 = arith.constant dense<2.0> : tensor<2x3xf32>
  %hb = arith.constant dense<1.0> : tensor<3xf32>
  %db = arith.constant dense<-1.0> : tensor<2xf32>
  %biased = xfmr.swiglu_ffn ins(%x : tensor<1x2xf32>) gate(%g1 : tensor<2x3xf32>) up(%u2 : tensor<2x3xf32>)
      down(%d : tensor<3x2xf32>) gate_bias(%hb : tensor<3xf32>) up_bias(%hb : tensor<3xf32>) down_bias(%db : tensor<2xf32>)
      outs(%e : tensor<1x2xf32>) layout(in_out) -> tensor<1x2xf32>
  // CHECK: {{\[}}[4.28478,   4.28478]]
  %biased_d = tensor.cast %biased : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%biased_d) : (tensor<?x?xf32>) -> ()
  // gpt-oss: the gate 9 is limited to 7, the up -8 to -7; 7 * s(1.702 * 7) * (-7 + 1).
  %gate = arith.constant dense<[[9.0, 1.0]]> : tensor<1x2xf32>
  %up = arith.constant dense<[[-8.0, 0.0]]> : tensor<1x2xf32>
  %clamped = xfmr.gated_act gate(%gate : tensor<1x2xf32>) up(%up : tensor<1x2xf32>) outs(%e : tensor<1x2xf32>)
      activation(clamped_swish, limit = 7.0, beta = 1.702, up_offset = 1.0) -> tensor<1x2xf32>
  // CHECK: {{\[}}[-41.9997,   0.845796]]
  %clamped_d = tensor.cast %clamped : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%clamped_d) : (tensor<?x?xf32>) -> ()
  // Case A9: no hidden element gives the down bias.
  %wu0 = arith.constant dense<> : tensor<2x0xf32>
  %wd0 = arith.constant dense<> : tensor<0x2xf32>
  %none = xfmr.ffn ins(%x : tensor<1x2xf32>) up(%wu0 : tensor<2x0xf32>) down(%wd0 : tensor<0x2xf32>)
      down_bias(%db : tensor<2xf32>) outs(%e : tensor<1x2xf32>) activation(relu) layout(in_out) -> tensor<1x2xf32>
  // CHECK: {{\[}}[-1,   -1]]
  %none_d = tensor.cast %none : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%none_d) : (tensor<?x?xf32>) -> ()
  return
}

// Residual and norm: sum 2 x + r, then its norm; rounded to bf16 first or not.
func.func private @residual() {
  %x = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %r = arith.constant dense<[[1.0, 0.0]]> : tensor<1x2xf32>
  %e = tensor.empty() : tensor<1x2xf32>
  %e2 = tensor.empty() : tensor<1x2xf32>
  %v = tensor.empty() : tensor<1xf32>
  %0:3 = xfmr.add_rmsnorm ins(%x : tensor<1x2xf32>) residual(%r : tensor<1x2xf32>) sum(%e : tensor<1x2xf32>)
      outs(%e2 : tensor<1x2xf32>) rstd(%v : tensor<1xf32>) alpha(2.0) eps(0.0) statistic(l2)
      -> tensor<1x2xf32>, tensor<1x2xf32>, tensor<1xf32>
  %rstd = tensor.expand_shape %0#2 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  // CHECK: {{\[}}[3,   4]]
  // CHECK: {{\[}}[0.6,   0.8]]
  // CHECK: {{\[}}[0.2]]
  %s = tensor.cast %0#0 : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%s) : (tensor<?x?xf32>) -> ()
  %n = tensor.cast %0#1 : tensor<1x2xf32> to tensor<?x?xf32>
  call @print_f32(%n) : (tensor<?x?xf32>) -> ()
  %q = tensor.cast %rstd : tensor<1x1xf32> to tensor<?x?xf32>
  call @print_f32(%q) : (tensor<?x?xf32>) -> ()
  // 256 + 1 is 256 as a bf16. Of the stored sums the mean is 128, else 128.5.
  %xb = arith.constant dense<[[256.0, 0.0]]> : tensor<1x2xbf16>
  %rb = arith.constant dense<[[1.0, 0.0]]> : tensor<1x2xbf16>
  %m = tensor.empty() : tensor<1xf32>
  %1:2 = xfmr.add_layernorm ins(%xb : tensor<1x2xbf16>) residual(%rb : tensor<1x2xbf16>) outs(%e : tensor<1x2xf32>)
      mean(%m : tensor<1xf32>) eps(0.0) residual_rounding(round_then_norm) -> tensor<1x2xf32>, tensor<1xf32>
  %2:2 = xfmr.add_layernorm ins(%xb : tensor<1x2xbf16>) residual(%rb : tensor<1x2xbf16>) outs(%e : tensor<1x2xf32>)
      mean(%m : tensor<1xf32>) eps(0.0) residual_rounding(norm_then_round) -> tensor<1x2xf32>, tensor<1xf32>
  // CHECK: {{\[}}[128]]
  // CHECK: {{\[}}[128.5]]
  %m1 = tensor.expand_shape %1#1 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  %m1d = tensor.cast %m1 : tensor<1x1xf32> to tensor<?x?xf32>
  call @print_f32(%m1d) : (tensor<?x?xf32>) -> ()
  %m2 = tensor.expand_shape %2#1 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  %m2d = tensor.cast %m2 : tensor<1x1xf32> to tensor<?x?xf32>
  call @print_f32(%m2d) : (tensor<?x?xf32>) -> ()
  return
}

func.func @main() {
  call @rounding_order() : () -> ()
  call @large_mean() : () -> ()
  call @eps() : () -> ()
  call @gate_and_up() : () -> ()
  call @residual() : () -> ()
  return
}
