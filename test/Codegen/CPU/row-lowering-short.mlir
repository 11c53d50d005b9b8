// RUN: xfmr-opt --xfmr-lower-row-groups=short-rows=4 --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: xfmr-opt --xfmr-lower-row-groups="short-rows=4 bf16-dot" --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefix=DOT
// RUN: xfmr-opt --xfmr-lower-row-groups="short-rows=4 prefetch-from-bytes=32768" --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefix=CACHE

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

// Rows of four vectors: four rows a step, and the ninth alone. What is summed
// stays in registers; gamma is loaded once a step. The horizontal sums of the
// rows share registers from the first halving on.

// CHECK-LABEL: func @rmsnorm(
// CHECK-SAME:    %[[X:.*]]: memref<9x64xf32>, %[[G:.*]]: memref<64xf32>, %[[Y:.*]]: memref<9x64xf32>)
// CHECK:         scf.for %[[I:.*]] = %c0 to %c8 step %c4
// CHECK:           %[[I1:.*]] = arith.addi %[[I]], %c1
// CHECK:           %[[X0:.*]] = vector.load %[[X]][%[[I]], %c0] : memref<9x64xf32>, vector<16xf32>
// CHECK-NEXT:      %[[S0:.*]] = math.fma %[[X0]], %[[X0]], %{{.*}} : vector<16xf32>
// CHECK-NEXT:      %[[X1:.*]] = vector.load %[[X]][%[[I]], %c16]
// CHECK-NEXT:      %[[S1:.*]] = math.fma %[[X1]], %[[X1]], %[[S0]] : vector<16xf32>
// CHECK-COUNT-14:  vector.load %[[X]]
// CHECK-NOT:       vector.load %[[X]]
// CHECK-NOT:       scf.for
// CHECK:           vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]
// CHECK-NEXT:      vector.shuffle {{.*}} [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]
// CHECK-NEXT:      arith.addf %{{.*}} : vector<16xf32>
// CHECK-NEXT:      vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 16,
// CHECK-NEXT:      vector.shuffle {{.*}} [8, 9, 10, 11, 12, 13, 14, 15, 24,
// CHECK-NEXT:      arith.addf %{{.*}} : vector<16xf32>
// CHECK-NEXT:      vector.shuffle {{.*}} [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]
// CHECK-NEXT:      vector.shuffle {{.*}} [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31]
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      vector.shuffle {{.*}} [2, 3, 0, 1,
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      vector.shuffle {{.*}} [1, 0, 3, 2,
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      %[[SUMS:.*]] = vector.shuffle {{.*}} [0, 4, 8, 12] : vector<16xf32>
// CHECK-NEXT:      arith.divf %[[SUMS]], %{{.*}} : vector<4xf32>
// CHECK:           %[[RSTD:.*]] = math.rsqrt %{{.*}} : vector<4xf32>
// CHECK:           %[[R0:.*]] = vector.extract %[[RSTD]][0] : f32
// CHECK:           %[[V0:.*]] = vector.broadcast %[[R0]] : f32 to vector<16xf32>
// CHECK:           %[[M0:.*]] = arith.mulf %[[X0]], %[[V0]]
// CHECK-NEXT:      %[[G0:.*]] = vector.load %[[G]][%c0]
// CHECK-NEXT:      %[[Y0:.*]] = arith.mulf %[[M0]], %[[G0]]
// CHECK-NOT:       vector.load %[[G]][%c0]
// CHECK:           vector.store %[[Y0]], %[[Y]][%[[I]], %c0]
// CHECK-NEXT:      vector.store %{{.*}}, %[[Y]][%[[I1]], %c0]
// CHECK-COUNT-14:  vector.store %{{.*}}, %[[Y]]
// CHECK:         vector.load %[[X]][%c8, %c0]
// CHECK:         math.rsqrt %{{.*}} : f32
// CHECK-COUNT-4: vector.store %{{.*}}, %[[Y]][%c8,
// CHECK-NOT:     scf.for
func.func @rmsnorm(%x: memref<9x64xf32>, %g: memref<64xf32>, %y: memref<9x64xf32>) {
  %eps = arith.constant 1.0e-05 : f32
  %count = arith.constant 64.0 : f32
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<9x64xf32> to tensor<9x64xf32>
  %gt = bufferization.to_tensor %g restrict : memref<64xf32> to tensor<64xf32>
  %yt = bufferization.to_tensor %y restrict writable : memref<9x64xf32> to tensor<9x64xf32>
  %e = tensor.empty() : tensor<9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<9x64xf32>) outs(%f : tensor<9xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = math.fma %v, %v, %acc : f32
    linalg.yield %s : f32
  } -> tensor<9xf32>
  %rstd = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%squares : tensor<9xf32>) outs(%e : tensor<9xf32>) {
  ^bb0(%v: f32, %o: f32):
    %mean = arith.divf %v, %count : f32
    %sum = arith.addf %mean, %eps : f32
    %r = math.rsqrt %sum : f32
    linalg.yield %r : f32
  } -> tensor<9xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %rstd, %gt : tensor<9x64xf32>, tensor<9xf32>, tensor<64xf32>) outs(%yt : tensor<9x64xf32>) {
  ^bb0(%v: f32, %r: f32, %w: f32, %o: f32):
    %t = arith.mulf %v, %r : f32
    %u = arith.mulf %t, %w : f32
    linalg.yield %u : f32
  } -> tensor<9x64xf32>
  bufferization.materialize_in_destination %scaled in restrict writable %y : (tensor<9x64xf32>, memref<9x64xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Of bf16, a row of 32 is one vector of pairs. The total of each row decides
// whether it is computed again, whatever its neighbours are; all rows of a place
// are rounded in one vector.

// DOT-LABEL: func @squares(
// DOT-SAME:    %[[X:.*]]: memref<4x32xbf16>
// DOT-COUNT-4: x86vector.avx512.dot
// DOT:         %[[SUMS:.*]] = vector.shuffle {{.*}} [0, 4, 8, 12]
// DOT:         %[[TINY:.*]] = arith.cmpf olt, %{{.*}} : vector<4xf32>
// DOT-NEXT:    %[[ANY:.*]] = vector.reduction <or>, %[[TINY]] : vector<4xi1> into i1
// DOT:         %[[EXPECTED:.*]] = llvm.intr.expect %[[ANY]]
// DOT:         scf.if %[[EXPECTED]] -> (vector<4xf32>)
// DOT-COUNT-8:   math.fma
// DOT:           %[[EXACT:.*]] = arith.select %[[TINY]], %{{.*}}, %[[SUMS]] : vector<4xi1>, vector<4xf32>
// DOT-NEXT:      scf.yield %[[EXACT]]
// DOT:         } else {
// DOT-NEXT:      scf.yield %[[SUMS]]
// DOT-NOT:     vector.load
// DOT:         %[[EVEN:.*]] = arith.truncf %{{.*}} : vector<64xf32> to vector<64xbf16>
// DOT:         arith.truncf %{{.*}} : vector<64xf32> to vector<64xbf16>
// DOT-NEXT:    %[[ALL:.*]] = vector.interleave %[[EVEN]], %{{.*}} : vector<64xbf16>
// DOT-COUNT-4: vector.store %{{.*}} : memref<4x32xbf16>, vector<32xbf16>
func.func @squares(%x: memref<4x32xbf16>, %y: memref<4x32xbf16>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<4x32xbf16> to tensor<4x32xbf16>
  %yt = bufferization.to_tensor %y restrict writable : memref<4x32xbf16> to tensor<4x32xbf16>
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<4x32xbf16>) outs(%f : tensor<4xf32>) {
  ^bb0(%v: bf16, %acc: f32):
    %w = arith.extf %v : bf16 to f32
    %s = math.fma %w, %w, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %squares : tensor<4x32xbf16>, tensor<4xf32>) outs(%yt : tensor<4x32xbf16>) {
  ^bb0(%v: bf16, %r: f32, %o: bf16):
    %w = arith.extf %v : bf16 to f32
    %t = arith.mulf %w, %r : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<4x32xbf16>
  bufferization.materialize_in_destination %scaled in restrict writable %y : (tensor<4x32xbf16>, memref<4x32xbf16>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A value of 16 bits that is one a row: no vector has a lane for each row.

// CHECK-LABEL: func @narrow(
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c1
func.func @narrow(%x: memref<8x32xf32>, %s: memref<8xbf16>, %y: memref<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<8x32xf32> to tensor<8x32xf32>
  %st = bufferization.to_tensor %s restrict : memref<8xbf16> to tensor<8xbf16>
  %yt = bufferization.to_tensor %y restrict writable : memref<8x32xf32> to tensor<8x32xf32>
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sums = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<8x32xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %a = arith.addf %acc, %v : f32
    linalg.yield %a : f32
  } -> tensor<8xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %sums, %st : tensor<8x32xf32>, tensor<8xf32>, tensor<8xbf16>) outs(%yt : tensor<8x32xf32>) {
  ^bb0(%v: f32, %r: f32, %n: bf16, %o: f32):
    %w = arith.extf %n : bf16 to f32
    %t = arith.mulf %w, %r : f32
    %u = arith.mulf %v, %t : f32
    linalg.yield %u : f32
  } -> tensor<8x32xf32>
  bufferization.materialize_in_destination %scaled in restrict writable %y : (tensor<8x32xf32>, memref<8x32xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Of 256 elements, no second row fits: loops, as for any length. So where
// nothing is reduced.

// CHECK-LABEL: func @long(
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c1
// CHECK:           scf.for %{{.*}} = %c0 to %c256 step %c128
// CHECK-LABEL: func @elementwise(
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c1
func.func @long(%x: memref<8x256xf32>, %y: memref<8xf32>, %z: memref<8x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<8x256xf32> to tensor<8x256xf32>
  %zt = bufferization.to_tensor %z restrict writable : memref<8x256xf32> to tensor<8x256xf32>
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sums = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<8x256xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %a = arith.addf %acc, %v : f32
    linalg.yield %a : f32
  } -> tensor<8xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %sums : tensor<8x256xf32>, tensor<8xf32>) outs(%zt : tensor<8x256xf32>) {
  ^bb0(%v: f32, %r: f32, %o: f32):
    %u = arith.mulf %v, %r : f32
    linalg.yield %u : f32
  } -> tensor<8x256xf32>
  bufferization.materialize_in_destination %scaled in restrict writable %z : (tensor<8x256xf32>, memref<8x256xf32>) -> ()
  return
}
func.func @elementwise(%x: memref<8x32xf32>, %y: memref<8x32xf32>) {
  linalg.add ins(%x, %x : memref<8x32xf32>, memref<8x32xf32>) outs(%y : memref<8x32xf32>)
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Rows of any length share the pass that stores where it widens what is the same
// in all: two rows are summed one after the other, in a loop that hands on both
// sums, and scaled together.

// CHECK-LABEL: func @shared(
// CHECK-SAME:    %[[X:.*]]: memref<4x1024xbf16>, %[[G:.*]]: memref<1024xbf16>, %[[Y:.*]]: memref<4x1024xbf16>)
// CHECK:         scf.for %[[I:.*]] = %c0 to %c4 step %c2
// CHECK:           %[[END:.*]] = arith.addi %[[I]], %c2
// CHECK:           %[[SUMS:[0-9]+]]:2 = scf.for %[[K:.*]] = %[[I]] to %[[END]] step %c1 iter_args(%{{.*}} = %{{.*}}, %[[LAST:.*]] = %{{.*}})
// CHECK:             %[[NUMBER:.*]] = arith.index_cast %[[K]]
// CHECK:             %[[HIDDEN:.*]] = llvm.inline_asm "", "=r,0" %[[NUMBER]]
// CHECK:             %[[ROW:.*]] = arith.index_cast %[[HIDDEN]]
// CHECK:             scf.for %[[J:.*]] = %c0 to %c1024
// CHECK-NEXT:          vector.load %[[X]][%[[ROW]], %[[J]]]
// CHECK:             %[[SUM:.*]] = vector.extract %{{.*}}[0] : f32
// CHECK-NEXT:        scf.yield %[[LAST]], %[[SUM]]
// CHECK:           vector.broadcast %[[SUMS]]#0
// CHECK:           vector.broadcast %[[SUMS]]#1
// CHECK:           scf.for %[[J:.*]] = %c0 to %c1024
// CHECK:             vector.load %[[X]][%[[A:[0-9]+]], %[[J]]]
// CHECK:             vector.load %[[G]][%[[J]]]
// CHECK-NOT:         vector.load %[[G]]
// CHECK:             vector.store %{{.*}}, %[[Y]][%[[A]], %[[J]]]
// CHECK-NEXT:        vector.store %{{.*}}, %[[Y]][%[[B:[0-9]+]], %[[J]]]
// CHECK-NOT:       scf.for
// CHECK:         return
// CACHE-LABEL: func @shared(
// CACHE:         scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args(
// CACHE:         scf.for %{{.*}} = %c0 to %c4 step %c2 iter_args(
func.func @shared(%x: memref<4x1024xbf16>, %g: memref<1024xbf16>, %y: memref<4x1024xbf16>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<4x1024xbf16> to tensor<4x1024xbf16>
  %gt = bufferization.to_tensor %g restrict : memref<1024xbf16> to tensor<1024xbf16>
  %yt = bufferization.to_tensor %y restrict writable : memref<4x1024xbf16> to tensor<4x1024xbf16>
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %sums = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<4x1024xbf16>) outs(%f : tensor<4xf32>) {
  ^bb0(%v: bf16, %acc: f32):
    %w = arith.extf %v : bf16 to f32
    %s = arith.addf %acc, %w : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %sums, %gt : tensor<4x1024xbf16>, tensor<4xf32>, tensor<1024xbf16>) outs(%yt : tensor<4x1024xbf16>) {
  ^bb0(%v: bf16, %r: f32, %c: bf16, %o: bf16):
    %w = arith.extf %v : bf16 to f32
    %cw = arith.extf %c : bf16 to f32
    %t = arith.mulf %w, %r : f32
    %u = arith.mulf %t, %cw : f32
    %n = arith.truncf %u : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<4x1024xbf16>
  bufferization.materialize_in_destination %scaled in restrict writable %y : (tensor<4x1024xbf16>, memref<4x1024xbf16>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// The last of an odd number of rows is stored in that loop.

// CHECK-LABEL: func @shared_dynamic(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xbf16>, %[[G:.*]]: memref<?xbf16>, %[[Y:.*]]: memref<?x?xbf16>)
// CHECK:         %[[ROWS:.*]] = memref.dim %[[Y]], %c0
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[ROWS]] step %c2
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %c2
// CHECK:           %[[END:.*]] = arith.minui %[[NEXT]], %[[ROWS]]
// CHECK:           %[[ALONE:.*]] = arith.cmpi ne, %[[NEXT]], %[[END]]
// CHECK:           %[[SUMS:[0-9]+]]:2 = scf.for %{{.*}} = %[[I]] to %[[END]] step %c1
// CHECK:             %[[SUM:.*]] = vector.extract %{{.*}}[0] : f32
// CHECK:             scf.if %[[ALONE]] {
// CHECK:               vector.broadcast %[[SUM]]
// CHECK:               vector.store %{{.*}}, %[[Y]]
// CHECK:             }
// CHECK:             scf.yield %{{.*}}, %[[SUM]]
// CHECK:           scf.if %[[ALONE]] {
// CHECK-NEXT:      } else {
// CHECK:             vector.broadcast %[[SUMS]]#0
// CHECK:             vector.broadcast %[[SUMS]]#1
// CHECK:             vector.load %[[G]]
// CHECK-NOT:         vector.load %[[G]]
// CHECK:             vector.store %{{.*}}, %[[Y]]
// CHECK-NEXT:        vector.store %{{.*}}, %[[Y]]

// Where eight rows, of x and of y, have room in the nearest cache, what is
// reduced of four comes before two pairs are stored, the first one first. Of a
// step of two, the last two sums are theirs.

// CACHE-LABEL: func @shared_dynamic(
// CACHE-SAME:    %[[X:.*]]: memref<?x?xbf16>, %[[G:.*]]: memref<?xbf16>, %[[Y:.*]]: memref<?x?xbf16>)
// CACHE-DAG:     %[[COLUMNS:.*]] = memref.dim %[[Y]], %c1
// CACHE-DAG:     %[[ROWS:.*]] = memref.dim %[[Y]], %c0
// CACHE:         %[[EIGHT:.*]] = arith.muli %[[COLUMNS]], %c32
// CACHE:         %[[FIT:.*]] = arith.cmpi ule, %[[EIGHT]], %c32768
// CACHE:         %[[ENOUGH:.*]] = arith.cmpi uge, %[[ROWS]], %c4
// CACHE:         %[[BOTH:.*]] = arith.andi %[[FIT]], %[[ENOUGH]]
// CACHE:         %[[STEP:.*]] = arith.select %[[BOTH]], %c4, %c2
// CACHE:         scf.for %[[I:.*]] = %c0 to %[[ROWS]] step %[[STEP]]
// CACHE:           %[[LAST:.*]] = arith.addi %[[I]], %[[STEP]]
// CACHE:           %[[END:.*]] = arith.minui %[[LAST]], %[[ROWS]]
// CACHE:           %[[ALONE:.*]] = arith.cmpi ne, %[[LAST]], %[[END]]
// CACHE:           %[[SUMS:[0-9]+]]:4 = scf.for %{{.*}} = %[[I]] to %[[END]] step %c1
// CACHE-SAME:          iter_args(%{{.*}} = %{{.*}}, %[[S1:.*]] = %{{.*}}, %[[S2:.*]] = %{{.*}}, %[[S3:.*]] = %{{.*}})
// CACHE:             %[[SUM:.*]] = vector.extract %{{.*}}[0] : f32
// CACHE:             scf.yield %[[S1]], %[[S2]], %[[S3]], %[[SUM]]
// CACHE:           scf.if %[[ALONE]] {
// CACHE-NEXT:      } else {
// CACHE:             %[[FROM:.*]] = arith.subi %[[LAST]], %c4
// CACHE:             scf.for %[[PAIR:.*]] = %[[FROM]] to %[[LAST]] step %c2
// CACHE-SAME:            iter_args(%[[A:.*]] = %[[SUMS]]#0, %[[B:.*]] = %[[SUMS]]#1, %[[C:.*]] = %[[SUMS]]#2, %[[D:[^ ]*]] = %[[SUMS]]#3)
// CACHE:               %[[IS:.*]] = arith.cmpi sge, %[[PAIR]], %[[I]]
// CACHE:               scf.if %[[IS]] {
// CACHE:                 vector.broadcast %[[A]]
// CACHE:                 vector.broadcast %[[B]]
// CACHE:                 vector.load %[[G]]
// CACHE-NOT:             vector.load %[[G]]
// CACHE:                 vector.store %{{.*}}, %[[Y]]
// CACHE-NEXT:            vector.store %{{.*}}, %[[Y]]
// CACHE:               scf.yield %[[C]], %[[D]], %[[A]], %[[B]]
func.func @shared_dynamic(%x: memref<?x?xbf16>, %g: memref<?xbf16>, %y: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x?xbf16>
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<?x?xbf16> to tensor<?x?xbf16>
  %gt = bufferization.to_tensor %g restrict : memref<?xbf16> to tensor<?xbf16>
  %yt = bufferization.to_tensor %y restrict writable : memref<?x?xbf16> to tensor<?x?xbf16>
  %e = tensor.empty(%rows) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<?x?xbf16>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: bf16, %acc: f32):
    %w = arith.extf %v : bf16 to f32
    %s = arith.addf %acc, %w : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %sums, %gt : tensor<?x?xbf16>, tensor<?xf32>, tensor<?xbf16>) outs(%yt : tensor<?x?xbf16>) {
  ^bb0(%v: bf16, %r: f32, %c: bf16, %o: bf16):
    %w = arith.extf %v : bf16 to f32
    %cw = arith.extf %c : bf16 to f32
    %t = arith.mulf %w, %r : f32
    %u = arith.mulf %t, %cw : f32
    %n = arith.truncf %u : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<?x?xbf16>
  bufferization.materialize_in_destination %scaled in restrict writable %y : (tensor<?x?xbf16>, memref<?x?xbf16>) -> ()
  return
}

// -----

#id = affine_map<(i, j, k) -> (i, j, k)>
#row = affine_map<(i, j, k) -> (i)>

// More elements than there are numbers are not a short row.

// CHECK-LABEL: func @endless(
// CHECK:         scf.for
// CHECK:           scf.for %{{.*}} = %c0 to %c4 step %c1
func.func @endless(%x: memref<32x4x4611686018427387904xf32>, %y: memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<32xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : memref<32x4x4611686018427387904xf32>) outs(%y : memref<32xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Many bytes are few vectors, but how many is not known here.

// CHECK-LABEL: func @bytes(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xi8>
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             vector.load %[[X]]{{.*}} vector<64xi8>
func.func @bytes(%x: memref<?x?xi8>, %y: memref<?xi8>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xi8>) outs(%y : memref<?xi8>) {
  ^bb0(%v: i8, %acc: i8):
    %s = arith.maxsi %acc, %v : i8
    linalg.yield %s : i8
  }
  return
}
