// RUN: xfmr-opt --xfmr-lower-row-groups --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: xfmr-opt --xfmr-lower-row-groups=bf16-dot --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefixes=CHECK,DOT
// RUN: xfmr-opt --xfmr-lower-row-groups --xfmr-expand-narrow-float --canonicalize --split-input-file %s | FileCheck %s --check-prefix=SHUFFLE

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Even and odd elements are two vectors, and no lane moves on the way. A lane of
// the sums takes the odd element of its pair first, then the even one; so does the
// dot product. A total that is tiny is summed again without that. The tail has one
// mask for what is in memory and one for each of the two vectors.

// CHECK-LABEL: func @squares(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xbf16>
// CHECK-DAG:     vector.create_mask %{{.*}} : vector<32xi1>
// CHECK-DAG:     vector.create_mask %{{.*}} : vector<16xi1>
// CHECK-DAG:     vector.create_mask %{{.*}} : vector<16xi1>
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} step %c256 iter_args(%[[A:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<64xf32>, vector<64xf32>)
// CHECK-NEXT:        %[[V:.*]] = vector.load %[[X]]{{.*}} vector<128xbf16>
// FMA-NEXT:          %[[E:.*]], %[[O:.*]] = vector.deinterleave %[[V]]
// FMA-NEXT:          %[[OW:.*]] = arith.extf %[[O]]
// FMA-NEXT:          %[[S:.*]] = math.fma %[[OW]], %[[OW]], %[[A]]
// FMA-NEXT:          %[[EW:.*]] = arith.extf %[[E]]
// FMA-NEXT:          %[[T:.*]] = math.fma %[[EW]], %[[EW]], %[[S]]
// FMA:               vector.load %[[X]]{{.*}} vector<128xbf16>
// FMA:               scf.yield %[[T]], %{{.*}}
// DOT-COUNT-8:       x86vector.avx512.dot
// DOT:               scf.yield
// CHECK:           scf.for {{.*}} step %c32 iter_args({{.*}}) -> (vector<16xf32>)
// DOT:               x86vector.avx512.dot
// CHECK:           scf.if {{.*}} -> (vector<16xf32>)
// CHECK:             vector.maskedload {{.*}} vector<32xbf16>
// DOT:           %[[TINY:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// DOT-NEXT:      %[[RARE:.*]] = llvm.intr.expect %[[TINY]], %false
// DOT-NEXT:      scf.if %[[RARE]] -> (f32)
// DOT:             math.fma
// DOT-NOT:       x86vector.avx512.dot
// CHECK:         memref.store

// SHUFFLE-LABEL: func @squares(
// SHUFFLE-NOT:     interleave
// SHUFFLE-NOT:     shuffle
func.func @squares(%x: memref<?x?xbf16>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xbf16>) outs(%y : memref<?xf32>) {
  ^bb0(%v: bf16, %acc: f32):
    %w = arith.extf %v : bf16 to f32
    %s = math.fma %w, %w, %acc : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// What is rounded is packed at once, and widened from there, and stored.

// CHECK-LABEL: func @round_twice(
// CHECK-SAME:    %[[X:.*]]: memref<?x64xbf16>, %[[S:.*]]: memref<?x64xbf16>, %[[Y:.*]]: memref<?x64xbf16>)
// CHECK:           %[[V:.*]] = vector.load %[[X]]{{.*}} vector<64xbf16>
// CHECK-NEXT:      %[[E:.*]], %[[O:.*]] = vector.deinterleave %[[V]]
// CHECK:           %[[P:.*]] = vector.interleave
// CHECK-NEXT:      %[[PE:.*]], %[[PO:.*]] = vector.deinterleave %[[P]]
// CHECK:           %[[Q:.*]] = vector.interleave
// CHECK:           vector.store %[[P]], %[[S]]
// CHECK-NEXT:      vector.store %[[Q]], %[[Y]]

// SHUFFLE-LABEL: func @round_twice(
// SHUFFLE-NOT:     interleave
// SHUFFLE-NOT:     shuffle
// SHUFFLE:         return
func.func @round_twice(%x: memref<?x64xbf16>, %s: memref<?x64xbf16>, %y: memref<?x64xbf16>) {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x64xbf16>) outs(%s, %y : memref<?x64xbf16>, memref<?x64xbf16>) {
  ^bb0(%v: bf16, %o: bf16, %p: bf16):
    %w = arith.extf %v : bf16 to f32
    %a = arith.addf %w, %w : f32
    %r = arith.truncf %a : f32 to bf16
    %q = arith.extf %r : bf16 to f32
    %m = arith.mulf %q, %q : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %r, %t : bf16, bf16
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Where the CPU rounds by an instruction, after which there is a test, one test
// serves four vectors of results.

// CHECK-LABEL: func @sum_of_rounded(
// CHECK:         scf.for {{.*}} step %c256 iter_args
// DOT-COUNT-2:     vector.load %{{.*}} vector<128xbf16>
// DOT-COUNT-2:     arith.truncf %{{.*}} : vector<64xf32> to vector<64xbf16>
// DOT-COUNT-4:     x86vector.avx512.dot
// DOT-COUNT-2:     vector.load %{{.*}} vector<128xbf16>
// FMA-COUNT-8:     vector.load %{{.*}} vector<64xbf16>
// CHECK:           scf.yield
func.func @sum_of_rounded(%x: memref<?x4096xbf16>, %r: memref<?x4096xbf16>, %t: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %r : memref<?x4096xbf16>, memref<?x4096xbf16>) outs(%t : memref<?xf32>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %v = arith.extf %a : bf16 to f32
    %w = arith.extf %b : bf16 to f32
    %s = arith.addf %v, %w : f32
    %n = arith.truncf %s : f32 to bf16
    %e = arith.extf %n : bf16 to f32
    %f = math.fma %e, %e, %sum : f32
    linalg.yield %f : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Beside f32, elements stay in order.

// CHECK-LABEL: func @mixed(
// CHECK-NOT:     interleave
// CHECK:         return
func.func @mixed(%x: memref<?x64xbf16>, %y: memref<?x64xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x64xbf16>) outs(%y : memref<?x64xf32>) {
  ^bb0(%v: bf16, %o: f32):
    %w = arith.extf %v : bf16 to f32
    linalg.yield %w : f32
  }
  return
}
