// RUN: xfmr-opt --xfmr-expand-narrow-float=shuffle-words --split-input-file %s | FileCheck %s

// Whole vectors are spread by one shuffle; others take a shift.

// CHECK-LABEL: func @vectors(
// CHECK-SAME:    %[[X:.*]]: vector<32xbf16>, %[[Y:.*]]: vector<8xbf16>
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]] : vector<32xbf16> to vector<32xi16>
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0> : vector<32xi16>
// CHECK:         %[[SPREAD:.*]] = vector.interleave %[[ZERO]], %[[BITS]] : vector<32xi16> -> vector<64xi16>
// CHECK:         vector.bitcast %[[SPREAD]] : vector<64xi16> to vector<32xf32>
// CHECK:         arith.shli %{{.*}} : vector<8xi32>
func.func @vectors(%x: vector<32xbf16>, %y: vector<8xbf16>) -> (vector<32xf32>, vector<8xf32>) {
  %0 = arith.extf %x : vector<32xbf16> to vector<32xf32>
  %1 = arith.extf %y : vector<8xbf16> to vector<8xf32>
  return %0, %1 : vector<32xf32>, vector<8xf32>
}

// -----

// Halves of pairs are widened where they lie.

// CHECK-LABEL: func @halves(
// CHECK-NOT:     vector.interleave
// CHECK:         arith.shli
// CHECK:         arith.andi
func.func @halves(%x: vector<32xbf16>) -> (vector<16xf32>, vector<16xf32>) {
  %even, %odd = vector.deinterleave %x : vector<32xbf16> -> vector<16xbf16>
  %0 = arith.extf %even : vector<16xbf16> to vector<16xf32>
  %1 = arith.extf %odd : vector<16xbf16> to vector<16xf32>
  return %0, %1 : vector<16xf32>, vector<16xf32>
}
