// RUN: xfmr-opt --xfmr-expand-narrow-float --split-input-file %s | FileCheck %s
// RUN: xfmr-opt --xfmr-expand-narrow-float=native-bf16 --canonicalize --split-input-file %s | FileCheck %s --check-prefix=NATIVE
// RUN: xfmr-opt --pass-pipeline='builtin.module(func.func(xfmr-expand-narrow-float))' --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @extend(
// CHECK-SAME:    %[[A:.*]]: bf16, %[[B:.*]]: vector<8xbf16>)
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[A]] : bf16 to i16
// CHECK:         %[[WIDE:.*]] = arith.extui %[[BITS]] : i16 to i32
// CHECK:         %[[C16:.*]] = arith.constant 16 : i32
// CHECK:         %[[UPPER:.*]] = arith.shli %[[WIDE]], %[[C16]] : i32
// CHECK:         %[[A32:.*]] = arith.bitcast %[[UPPER]] : i32 to f32
// CHECK:         %[[B32:.*]] = arith.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK:         %[[B64:.*]] = arith.extf %[[B32]] : vector<8xf32> to vector<8xf64>
// CHECK:         return %[[A32]], %[[B64]]
func.func @extend(%a: bf16, %b: vector<8xbf16>) -> (f32, vector<8xf64>) {
  %0 = arith.extf %a : bf16 to f32
  %1 = arith.extf %b : vector<8xbf16> to vector<8xf64>
  return %0, %1 : f32, vector<8xf64>
}

// -----

// CHECK-LABEL: func @truncate(
// CHECK-SAME:    %[[X:.*]]: vector<2x8xf32>)
// CHECK-NOT:     arith.truncf
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]] : vector<2x8xf32> to vector<2x8xi32>
// CHECK:         %[[UPPER:.*]] = arith.shrui %[[BITS]], %{{.*}} : vector<2x8xi32>
// CHECK:         %[[ODD:.*]] = arith.andi %[[UPPER]], %{{.*}} : vector<2x8xi32>
// CHECK:         %[[HALF:.*]] = arith.constant dense<32767> : vector<2x8xi32>
// CHECK:         %[[SUM:.*]] = arith.addi %[[BITS]], %[[HALF]] : vector<2x8xi32>
// CHECK:         %[[EVEN:.*]] = arith.addi %[[SUM]], %[[ODD]] : vector<2x8xi32>
// CHECK:         %[[QUIET:.*]] = arith.ori %[[BITS]], %{{.*}} : vector<2x8xi32>
// CHECK:         %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]] : vector<2x8xf32>
// CHECK:         %[[SELECTED:.*]] = arith.select %[[NAN]], %[[QUIET]], %[[EVEN]]
// CHECK:         %[[ROUNDED:.*]] = arith.shrui %[[SELECTED]], %{{.*}} : vector<2x8xi32>
// CHECK:         %[[NARROW:.*]] = arith.trunci %[[ROUNDED]] : vector<2x8xi32> to vector<2x8xi16>
// CHECK:         arith.bitcast %[[NARROW]] : vector<2x8xi16> to vector<2x8xbf16>
func.func @truncate(%x: vector<2x8xf32>) -> vector<2x8xbf16> {
  %0 = arith.truncf %x : vector<2x8xf32> to vector<2x8xbf16>
  return %0 : vector<2x8xbf16>
}

// -----

// From f64: rounded to odd first; then to f16 by the target's instruction.

// CHECK-LABEL: func @truncate_f64(
// CHECK-SAME:    %[[X:.*]]: f64, %[[Y:.*]]: f64)
// CHECK:         %[[NEAREST:.*]] = arith.truncf %[[X]] : f64 to f32
// CHECK:         %[[BACK:.*]] = arith.extf %[[NEAREST]] : f32 to f64
// CHECK:         %[[AWAY:.*]] = arith.cmpf ogt,
// CHECK:         %[[INEXACT:.*]] = arith.cmpf one, %[[BACK]], %[[X]] : f64
// CHECK:         arith.select %[[AWAY]]
// CHECK:         %[[BITS:.*]] = arith.select %[[INEXACT]]
// CHECK:         %[[ODD:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK:         arith.truncf %[[ODD]] : f32 to f16
// CHECK:         arith.truncf %[[Y]] : f64 to f32
// CHECK-NOT:     arith.truncf
// CHECK:         arith.bitcast %{{.*}} : i16 to bf16
func.func @truncate_f64(%x: f64, %y: f64) -> (f16, bf16) {
  %0 = arith.truncf %x : f64 to f16
  %1 = arith.truncf %y : f64 to bf16
  return %0, %1 : f16, bf16
}

// -----

// What targets do well, other rounding modes and tensors are not touched.

// CHECK-LABEL: func @untouched(
// CHECK-NEXT:    arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT:    arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT:    arith.truncf %{{.*}} downward : f32 to bf16
// CHECK-NEXT:    arith.truncf %{{.*}} : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT:    return
func.func @untouched(%a: f16, %b: f32, %c: f64, %d: tensor<4xf32>) -> (f32, f16, f32, bf16, tensor<4xbf16>) {
  %0 = arith.extf %a : f16 to f32
  %1 = arith.truncf %b : f32 to f16
  %2 = arith.truncf %c : f64 to f32
  %3 = arith.truncf %b downward : f32 to bf16
  %4 = arith.truncf %d : tensor<4xf32> to tensor<4xbf16>
  return %0, %1, %2, %3, %4 : f32, f16, f32, bf16, tensor<4xbf16>
}

// -----

// An explicit rounding to nearest even is the default.

// CHECK-LABEL: func @to_nearest_even(
// CHECK-NOT:     arith.truncf
// CHECK:         return
func.func @to_nearest_even(%x: f32) -> bf16 {
  %0 = arith.truncf %x to_nearest_even : f32 to bf16
  return %0 : bf16
}

// -----

// The halves of a vector lie in the upper and in the lower half of each word.

// CHECK-LABEL: func @extend_halves(
// CHECK-SAME:    %[[X:.*]]: vector<32xbf16>)
// CHECK-NOT:     extui
// CHECK:         %[[WORDS:.*]] = vector.bitcast %[[X]] : vector<32xbf16> to vector<16xi32>
// CHECK:         arith.shli %[[WORDS]], %{{.*}} : vector<16xi32>
// CHECK:         %[[WORDS:.*]] = vector.bitcast %[[X]] : vector<32xbf16> to vector<16xi32>
// CHECK:         arith.andi %[[WORDS]], %{{.*}} : vector<16xi32>
// CHECK-NOT:     extf
func.func @extend_halves(%x: vector<32xbf16>) -> (vector<16xf32>, vector<16xf32>) {
  %even, %odd = vector.deinterleave %x : vector<32xbf16> -> vector<16xbf16>
  %0 = arith.extf %even : vector<16xbf16> to vector<16xf32>
  %1 = arith.extf %odd : vector<16xbf16> to vector<16xf32>
  return %0, %1 : vector<16xf32>, vector<16xf32>
}

// -----

// Rounded halves are put together by one more operation. The instructions take
// subnormal numbers for zero, which a branch mends.

// CHECK-LABEL: func @truncate_halves(
// CHECK-NOT:     trunci
// CHECK:         %[[EVEN:.*]] = arith.select
// CHECK:         %[[LOW:.*]] = arith.shrui %[[EVEN]]
// CHECK:         %[[ODD:.*]] = arith.select
// CHECK:         %[[HIGH:.*]] = arith.andi %[[ODD]]
// CHECK:         %[[WORDS:.*]] = arith.ori %[[LOW]], %[[HIGH]] : vector<32xi32>
// CHECK:         vector.bitcast %[[WORDS]] : vector<32xi32> to vector<64xbf16>
// CHECK-NOT:     vector.interleave

// NATIVE-LABEL: func @truncate_halves(
// NATIVE-NOT:     arith.truncf
// NATIVE-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
// NATIVE-COUNT-2: vector.bitcast %{{.*}} : vector<32xi1> to vector<1xi32>
// NATIVE:         %[[BOTH:.*]] = arith.ori %{{.*}} : i32
// NATIVE:         %[[ZERO:.*]] = arith.cmpi ne, %[[BOTH]]
// NATIVE:         %[[RARE:.*]] = llvm.intr.expect %[[ZERO]], %false
// NATIVE:         scf.if %[[RARE]] -> (vector<32xi16>, vector<32xi16>)
// NATIVE-COUNT-4:   llvm.call_intrinsic "llvm.x86.avx512.fpclass.ps.512"
// NATIVE:           %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<16xi1> into i1
// NATIVE:           %[[RARER:.*]] = llvm.intr.expect %[[ANY]], %false
// NATIVE:           scf.if %[[RARER]] -> (vector<32xi16>, vector<32xi16>)
// NATIVE:             arith.addf
// NATIVE:             arith.subf
// NATIVE:             scf.yield
// NATIVE-NOT:     vector.interleave
// NATIVE:         return
func.func @truncate_halves(%x: vector<32xf32>, %y: vector<32xf32>) -> vector<64xbf16> {
  %even = arith.truncf %x : vector<32xf32> to vector<32xbf16>
  %odd = arith.truncf %y : vector<32xf32> to vector<32xbf16>
  %0 = vector.interleave %even, %odd : vector<32xbf16> -> vector<64xbf16>
  return %0 : vector<64xbf16>
}

// -----

// 48 = 32 + 16 lanes; 8 are left to integers.

// NATIVE-LABEL: func @truncate_vectors(
// NATIVE:         cvtne2ps2bf16.512
// NATIVE:         cvtneps2bf16.512
// NATIVE-COUNT-3: fpclass
// NATIVE-NOT:     avx512
// NATIVE:         arith.trunci %{{.*}} : vector<8xi32> to vector<8xi16>
func.func @truncate_vectors(%x: vector<48xf32>, %y: vector<8xf32>) -> (vector<48xbf16>, vector<8xbf16>) {
  %0 = arith.truncf %x : vector<48xf32> to vector<48xbf16>
  %1 = arith.truncf %y : vector<8xf32> to vector<8xbf16>
  return %0, %1 : vector<48xbf16>, vector<8xbf16>
}
