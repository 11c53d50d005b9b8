// RUN: xfmr-opt --xfmr-expand-math --split-input-file %s | FileCheck %s
// RUN: xfmr-opt --xfmr-expand-math=native-scale --split-input-file %s | FileCheck %s --check-prefix=NATIVE
// RUN: xfmr-opt --xfmr-expand-math=native-max --split-input-file %s | FileCheck %s --check-prefix=ORDERED
// RUN: xfmr-opt --pass-pipeline='builtin.module(func.func(xfmr-expand-math))' --split-input-file %s | FileCheck %s

// The whole of exp: the clamp, the reduction, the polynomial, and the power of two
// in two factors.

// CHECK-LABEL: func @exp(
// CHECK-SAME:    %[[X:.*]]: f32) -> f32
// CHECK-NOT:     math.exp
// CHECK:         %[[LOW:.*]] = arith.constant -1.050000e+02 : f32
// CHECK:         %[[MAX:.*]] = arith.maximumf %[[X]], %[[LOW]] : f32
// CHECK:         %[[HIGH:.*]] = arith.constant 8.900000e+01 : f32
// CHECK:         %[[Y:.*]] = arith.minimumf %[[MAX]], %[[HIGH]] : f32
// CHECK:         %[[SHIFTED:.*]] = math.fma %[[Y]], %{{.*}}, %{{.*}} : f32
// CHECK:         %[[N:.*]] = arith.subf %[[SHIFTED]], %{{.*}} : f32
// CHECK:         %[[R0:.*]] = math.fma %[[N]], %{{.*}}, %[[Y]] : f32
// CHECK:         %[[R:.*]] = math.fma %[[N]], %{{.*}}, %[[R0]] : f32
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[SHIFTED]] : f32 to i32
// CHECK-COUNT-6: math.fma %{{.*}}, %[[R]], %{{.*}} : f32
// CHECK:         %[[LOWER:.*]] = arith.andi %{{.*}}, %{{.*}} : i32
// CHECK:         arith.addi %[[BITS]], %{{.*}} : i32
// CHECK:         %[[UPPER:.*]] = arith.andi %{{.*}}, %{{.*}} : i32
// CHECK:         %[[SCALE1:.*]] = arith.bitcast %[[LOWER]] : i32 to f32
// CHECK:         %[[SCALE2:.*]] = arith.bitcast %[[UPPER]] : i32 to f32
// CHECK:         %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[SCALE1]] : f32
// CHECK:         %[[RESULT:.*]] = arith.mulf %[[SCALED]], %[[SCALE2]] : f32
// CHECK:         return %[[RESULT]] : f32

// NATIVE-LABEL: func @exp(
// NATIVE-NOT:     llvm.call_intrinsic
// NATIVE:         return
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

// Vectors of any shape, without branches, tables and calls.

// CHECK-LABEL: func @vectors(
// CHECK-NOT:     math.{{exp|tanh|erf|copysign}}
// CHECK-NOT:     scf.
// CHECK:         arith.divf {{.*}} : vector<2x5xf32>
// CHECK:         arith.divf {{.*}} : vector<[4]xf32>
// CHECK:         return

// NATIVE-LABEL: func @vectors(
// NATIVE:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}) : (vector<16xf32>, vector<16xf32>, vector<16xf32>, i16, i32) -> vector<16xf32>
// NATIVE-NOT:     llvm.call_intrinsic
// NATIVE:         return
func.func @vectors(%a: vector<16xf32>, %b: vector<2x5xf32>, %c: vector<f32>, %d: vector<[4]xf32>)
    -> (vector<16xf32>, vector<2x5xf32>, vector<f32>, vector<[4]xf32>) {
  %0 = math.exp %a : vector<16xf32>
  %1 = math.tanh %b : vector<2x5xf32>
  %2 = math.erf %c : vector<f32>
  %3 = math.erfc %d : vector<[4]xf32>
  return %0, %1, %2, %3 : vector<16xf32>, vector<2x5xf32>, vector<f32>, vector<[4]xf32>
}

// -----

// f16 and bf16 are computed in f32.

// CHECK-LABEL: func @narrow(
// CHECK-SAME:    %[[A:.*]]: f16, %[[B:.*]]: vector<8xbf16>)
// CHECK:         %[[A32:.*]] = arith.extf %[[A]] : f16 to f32
// CHECK:         arith.maximumf %[[A32]], %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// CHECK:         arith.extf %[[B]] : vector<8xbf16> to vector<8xf32>
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
func.func @narrow(%a: f16, %b: vector<8xbf16>) -> (f16, vector<8xbf16>) {
  %0 = math.exp %a : f16
  %1 = math.tanh %b : vector<8xbf16>
  return %0, %1 : f16, vector<8xbf16>
}

// -----

// Tensors, and functions other than the four, are not touched.

// CHECK-LABEL: func @others(
// CHECK-NEXT:    math.exp %{{.*}} : tensor<4xf32>
// CHECK-NEXT:    math.log %{{.*}} : f32
// CHECK-NEXT:    return
func.func @others(%a: tensor<4xf32>, %b: f32) -> (tensor<4xf32>, f32) {
  %0 = math.exp %a : tensor<4xf32>
  %1 = math.log %b : f32
  return %0, %1 : tensor<4xf32>, f32
}

// -----

// The maximum that a loop carries is never NaN: a comparison and a selection.

// CHECK-LABEL: func @maxima(
// CHECK:         arith.maxnumf
// CHECK:         arith.minnumf
// CHECK:         arith.maxnumf

// ORDERED-LABEL: func @maxima(
// ORDERED:         scf.for {{.*}} iter_args(%[[MOST:.*]] = %{{.*}}, %[[LEAST:.*]] = %{{.*}}) -> (vector<4xf32>, vector<4xf32>) {
// ORDERED:           %[[X:.*]] = vector.load
// ORDERED:           %[[IS_MORE:.*]] = arith.cmpf ogt, %[[X]], %[[MOST]] : vector<4xf32>
// ORDERED:           %[[MORE:.*]] = arith.select %[[IS_MORE]], %[[X]], %[[MOST]]
// ORDERED:           %[[IS_LESS:.*]] = arith.cmpf olt, %[[X]], %[[LEAST]] : vector<4xf32>
// ORDERED:           %[[LESS:.*]] = arith.select %[[IS_LESS]], %[[X]], %[[LEAST]]
// ORDERED:           %[[KEPT:.*]] = arith.select %{{.*}}, %[[LESS]], %[[LEAST]]
// ORDERED:           scf.yield %[[MORE]], %[[KEPT]]
// What is in memory may be.
// ORDERED:         arith.maxnumf
func.func @maxima(%m: memref<64xf32>, %mask: vector<4xi1>) -> (vector<4xf32>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %low = arith.constant dense<0xff800000> : vector<4xf32>
  %high = arith.constant dense<0x7f800000> : vector<4xf32>
  %0:2 = scf.for %i = %c0 to %c64 step %c4 iter_args(%a = %low, %b = %high) -> (vector<4xf32>, vector<4xf32>) {
    %x = vector.load %m[%i] : memref<64xf32>, vector<4xf32>
    %more = arith.maxnumf %a, %x : vector<4xf32>
    %less = arith.minnumf %x, %b : vector<4xf32>
    %kept = arith.select %mask, %less, %b : vector<4xi1>, vector<4xf32>
    scf.yield %more, %kept : vector<4xf32>, vector<4xf32>
  }
  %y = vector.load %m[%c0] : memref<64xf32>, vector<4xf32>
  %z = vector.load %m[%c4] : memref<64xf32>, vector<4xf32>
  %1 = arith.maxnumf %y, %z : vector<4xf32>
  return %0#0, %1 : vector<4xf32>, vector<4xf32>
}

// -----

// Of what is rounded to a half type next: a shorter polynomial, and with AVX-512
// an instruction for each of the two parts.

// CHECK-LABEL: func @rounded_exp(
// CHECK-COUNT-6: math.fma
// CHECK-NOT:     math.fma
// CHECK-COUNT-2: arith.mulf
// CHECK:         return

// NATIVE-LABEL: func @rounded_exp(
// NATIVE-NEXT:    %[[LOG2E:.*]] = arith.constant dense<1.44269502>
// NATIVE:         %[[T:.*]] = arith.mulf %{{.*}}, %[[LOG2E]]
// NATIVE:         %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"(%[[T]],
// NATIVE-COUNT-4: math.fma %{{.*}}, %[[R]],
// NATIVE-NOT:     math.fma
// NATIVE:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %[[T]],
// NATIVE-NEXT:    return
func.func @rounded_exp(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x {xfmr.rounded_to = bf16} : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// A power of two is a product of integers' parts, or takes the same instructions.
// What moves its argument is one operation with the product that it comes from.

// CHECK-LABEL: func @rounded_exp2(
// CHECK-SAME:    %[[X:.*]]: vector<16xf32>, %[[Y:.*]]: vector<16xf32>
// CHECK:         %[[FIXED:.*]] = math.fma %[[X]], %[[Y]], %{{.*}}
// CHECK:         arith.bitcast %[[FIXED]]
// CHECK:         arith.maxsi
// CHECK:         arith.shli
// CHECK:         arith.addf
// CHECK-COUNT-3: math.fma
// CHECK-NEXT:    %[[POWER:.*]] = arith.mulf
// CHECK-NEXT:    return %[[POWER]]

// NATIVE-LABEL: func @rounded_exp2(
// NATIVE-SAME:    %[[X:.*]]: vector<16xf32>, %[[Y:.*]]: vector<16xf32>
// NATIVE:         %[[T:.*]] = math.fma %[[X]], %[[Y]], %{{.*}}
// NATIVE:         %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"(%[[T]],
// NATIVE:         arith.addf %[[R]]
// NATIVE-COUNT-3: math.fma %{{.*}}, %[[R]],
// NATIVE-NOT:     math.fma
// NATIVE:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %[[T]],
// NATIVE-NEXT:    return
func.func @rounded_exp2(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %t = arith.mulf %x, %y : vector<16xf32>
  %0 = math.exp2 %t {xfmr.rounded_to = bf16} : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// Maxima that loops carry stay numbers from step to step and behind them.

// ORDERED-LABEL: func @behind_loops(
// ORDERED-NOT:     arith.maxnumf
// ORDERED-COUNT-3: arith.cmpf ogt
// ORDERED-NOT:     arith.cmpf
func.func @behind_loops(%m: memref<64xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %least = arith.constant dense<0xFF800000> : vector<8xf32>
  %0 = scf.for %i = %c0 to %c64 step %c8 iter_args(%a = %least) -> (vector<8xf32>) {
    %x = vector.load %m[%i] : memref<64xf32>, vector<8xf32>
    %n = arith.negf %x : vector<8xf32>
    %1 = arith.maxnumf %x, %a : vector<8xf32>
    %2 = arith.maxnumf %n, %1 : vector<8xf32>
    scf.yield %2 : vector<8xf32>
  }
  %low = vector.extract_strided_slice %0 {offsets = [0], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
  %high = vector.extract_strided_slice %0 {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
  %3 = arith.maxnumf %low, %high : vector<4xf32>
  return %3 : vector<4xf32>
}

// -----

// Near 0, exp(x) - 1 has no digits left: half of 2^n expm1(r) + (2^n - 1), doubled.
// Of f64 the library's log knows what its exp was rounded by.

// ORDERED-LABEL: func @expm1(
// NATIVE-LABEL: func @expm1(
// CHECK-LABEL: func @expm1(
// CHECK-NOT:     math.{{exp|expm1}}
// CHECK:         %[[SCALE:.*]] = arith.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK:         %[[LESS:.*]] = arith.subf %[[SCALE]], %{{.*}} : vector<16xf32>
// CHECK:         %[[HALF:.*]] = math.fma %{{.*}}, %[[SCALE]], %[[LESS]] : vector<16xf32>
// CHECK:         %[[RESULT:.*]] = arith.addf %[[HALF]], %[[HALF]] : vector<16xf32>
// CHECK:         %[[U:.*]] = math.exp %[[Y:.*]] : f64
// CHECK:         %[[D:.*]] = arith.subf %[[U]], %{{.*}} : f64
// CHECK:         %[[LOG:.*]] = math.log %[[U]] : f64
// CHECK:         %[[Q:.*]] = arith.divf %[[Y]], %[[LOG]] : f64
// CHECK:         arith.mulf %[[D]], %[[Q]] : f64
// CHECK:         return %[[RESULT]]
func.func @expm1(%x: vector<16xf32>, %y: f64) -> (vector<16xf32>, f64) {
  %0 = math.expm1 %x : vector<16xf32>
  %1 = math.expm1 %y : f64
  return %0, %1 : vector<16xf32>, f64
}

// -----

// CHECK-LABEL: func @rsqrt(
// CHECK-SAME:    %[[X:.*]]: vector<4xf16>, %[[Y:.*]]: f32
// CHECK:         %[[WIDE:.*]] = arith.extf %[[X]] : vector<4xf16> to vector<4xf32>
// CHECK:         %[[R:.*]] = math.rsqrt %[[WIDE]] : vector<4xf32>
// CHECK:         arith.truncf %[[R]] : vector<4xf32> to vector<4xf16>
// CHECK:         math.rsqrt %[[Y]] : f32
func.func @rsqrt(%x: vector<4xf16>, %y: f32) -> (vector<4xf16>, f32) {
  %0 = math.rsqrt %x : vector<4xf16>
  %1 = math.rsqrt %y : f32
  return %0, %1 : vector<4xf16>, f32
}
