// RUN: xfmr-opt --xfmr-lower-row-groups --canonicalize --cse --split-input-file %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

// One pass of 128 elements a step sums squares, one of 64 a step scales; each is
// followed by single vectors and by one masked vector. Nothing is allocated.

// CHECK-LABEL: func @rmsnorm(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[G:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?x?xf32>)
// CHECK-NOT:     alloc
// CHECK-NOT:     tensor<
// CHECK-DAG:     %[[ZERO16:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-DAG:     %[[ZERO128:.*]] = arith.constant dense<0.000000e+00> : vector<128xf32>
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK:         %[[D:.*]] = memref.dim %[[Y]], %c1
// CHECK:         %[[R128:.*]] = arith.remui %[[D]], %[[C128]]
// CHECK:         %[[MAIN:.*]] = arith.subi %[[D]], %[[R128]]
// CHECK:         %[[R16:.*]] = arith.remui %[[D]], %[[C16]]
// CHECK:         %[[WHOLE:.*]] = arith.subi %[[D]], %[[R16]]
// CHECK:         %[[REST:.*]] = arith.subi %[[D]], %[[WHOLE]]
// CHECK:         %[[MASK:.*]] = vector.create_mask %[[REST]] : vector<16xi1>
// CHECK:         scf.for %[[I:.*]] = %c0 to
// A row beyond 16384 elements adds up its blocks.
// CHECK:           %[[ALL:.*]]:3 = scf.while (%[[FROM:.*]] = %c0, %[[TOTAL:.*]] = %{{.*}})
// CHECK:             %[[TO:.*]] = arith.minui %{{.*}}, %[[MAIN]]
// CHECK:             %[[BLOCK:.*]] = scf.for %[[J:.*]] = %[[FROM]] to %[[TO]] step %[[C128]] iter_args(%[[A:.*]] = %[[ZERO128]])
// CHECK-NEXT:          %[[V:.*]] = vector.load %[[X]][%[[I]], %[[J]]] : memref<?x?xf32>, vector<128xf32>
// CHECK-NEXT:          %[[F:.*]] = math.fma %[[V]], %[[V]], %[[A]] : vector<128xf32>
// CHECK-NEXT:          scf.yield %[[F]]
// CHECK:             %[[LOW:.*]] = vector.extract_strided_slice %[[BLOCK]] {offsets = [0], sizes = [64]
// CHECK-NEXT:        %[[HIGH:.*]] = vector.extract_strided_slice %[[BLOCK]] {offsets = [64], sizes = [64]
// CHECK-NEXT:        arith.addf %[[LOW]], %[[HIGH]] : vector<64xf32>
// CHECK:             %[[FOLDED:.*]] = arith.addf %{{.*}} : vector<16xf32>
// CHECK:             scf.condition(%{{.*}}) %[[FROM]], %[[TOTAL]], %[[FOLDED]]
// CHECK:           arith.cmpi ne, %[[ALL]]#0, %c0
// CHECK:           %[[SUMS:.*]] = scf.if
// CHECK-NEXT:        %[[BOTH:.*]] = arith.addf %[[ALL]]#1, %[[ALL]]#2
// CHECK-NEXT:        scf.yield %[[BOTH]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[ALL]]#2
// CHECK:           %[[SINGLE:.*]] = scf.for %[[J:.*]] = %[[MAIN]] to %[[WHOLE]] step %[[C16]] iter_args(%[[A:.*]] = %[[ZERO16]])
// CHECK-NEXT:        %[[V:.*]] = vector.load %[[X]][%[[I]], %[[J]]] : memref<?x?xf32>, vector<16xf32>
// CHECK-NEXT:        %[[F:.*]] = math.fma %[[V]], %[[V]], %[[A]] : vector<16xf32>
// CHECK-NEXT:        scf.yield %[[F]]
// CHECK:           %[[RAGGED:.*]] = arith.cmpi ult, %[[WHOLE]], %[[D]]
// CHECK-NEXT:      %[[TAIL:.*]] = scf.if %[[RAGGED]]
// CHECK-NEXT:        %[[V:.*]] = vector.maskedload %[[X]][%[[I]], %[[WHOLE]]], %[[MASK]], %[[ZERO16]]
// CHECK-NEXT:        %[[F:.*]] = math.fma %[[V]], %[[V]], %[[SINGLE]] : vector<16xf32>
// CHECK-NEXT:        %[[S:.*]] = arith.select %[[MASK]], %[[F]], %[[SINGLE]]
// CHECK-NEXT:        scf.yield %[[S]]
// CHECK:           arith.addf %[[SUMS]], %[[TAIL]] : vector<16xf32>
// CHECK:           arith.addf %{{.*}} : vector<1xf32>
// CHECK-NEXT:      %[[SUM:.*]] = vector.extract
// CHECK-NEXT:      arith.divf %[[SUM]]
// CHECK:           %[[RSTD:.*]] = math.rsqrt
// CHECK-NEXT:      %[[RSTD64:.*]] = vector.broadcast %[[RSTD]] : f32 to vector<64xf32>
// CHECK-NEXT:      %[[RSTD16:.*]] = vector.broadcast %[[RSTD]] : f32 to vector<16xf32>
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to %{{.*}} step %[[C64]] {
// CHECK-NEXT:        %[[V:.*]] = vector.load %[[X]][%[[I]], %[[J]]] : memref<?x?xf32>, vector<64xf32>
// CHECK-NEXT:        %[[M:.*]] = arith.mulf %[[V]], %[[RSTD64]]
// CHECK-NEXT:        %[[GV:.*]] = vector.load %[[G]][%[[J]]] : memref<?xf32>, vector<64xf32>
// CHECK-NEXT:        %[[R:.*]] = arith.mulf %[[M]], %[[GV]]
// CHECK-NEXT:        vector.store %[[R]], %[[Y]][%[[I]], %[[J]]]
// CHECK:           scf.for %{{.*}} to %[[WHOLE]] step %[[C16]] {
// CHECK:             vector.store
// CHECK:           scf.if %[[RAGGED]] {
// CHECK:             vector.maskedstore %[[Y]][%[[I]], %[[WHOLE]]], %[[MASK]]
// CHECK-NOT:     scf.for
func.func @rmsnorm(%x: memref<?x?xf32>, %g: memref<?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %eps = arith.constant 1.0e-05 : f32
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<?x?xf32> to tensor<?x?xf32>
  %gt = bufferization.to_tensor %g restrict : memref<?xf32> to tensor<?xf32>
  %yt = bufferization.to_tensor %y restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  %rows = tensor.dim %xt, %c0 : tensor<?x?xf32>
  %d = tensor.dim %xt, %c1 : tensor<?x?xf32>
  %di = arith.index_cast %d : index to i64
  %count = arith.sitofp %di : i64 to f32
  %e = tensor.empty(%rows) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = math.fma %v, %v, %acc : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %rstd = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%squares : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %mean = arith.divf %v, %count : f32
    %sum = arith.addf %mean, %eps : f32
    %r = math.rsqrt %sum : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %rstd, %gt : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%yt : tensor<?x?xf32>) {
  ^bb0(%v: f32, %r: f32, %w: f32, %o: f32):
    %t = arith.mulf %v, %r : f32
    %u = arith.mulf %t, %w : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  bufferization.materialize_in_destination %scaled in restrict writable %y : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A static row that the main loop covers: nothing for the rest. The element type
// in memory is widened a strip at a time; lanes are those of the accumulator.

// CHECK-LABEL: func @static(
// CHECK:         scf.for %{{.*}} = %c0 to %c7 step %c1
// CHECK:           scf.for %{{.*}} = %c0 to %c256 step %c128 iter_args
// CHECK-NEXT:        vector.load %{{.*}} : memref<7x256xf16>, vector<128xf16>
// CHECK-NEXT:        arith.extf %{{.*}} : vector<128xf16> to vector<128xf32>
// CHECK-NEXT:        arith.addf
// CHECK-NEXT:        scf.yield
// CHECK-NOT:       scf.for
// CHECK-NOT:       scf.if
// CHECK-NOT:       mask
// CHECK:           memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<7xf32>
func.func @static(%x: memref<7x256xf16>, %y: memref<7xf32>) {
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<7x256xf16> to tensor<7x256xf16>
  %yt = bufferization.to_tensor %y restrict writable : memref<7xf32> to tensor<7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%yt : tensor<7xf32>) -> tensor<7xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<7x256xf16>) outs(%f : tensor<7xf32>) {
  ^bb0(%v: f16, %acc: f32):
    %w = arith.extf %v : f16 to f32
    %s = arith.addf %acc, %w : f32
    linalg.yield %s : f32
  } -> tensor<7xf32>
  bufferization.materialize_in_destination %sum in restrict writable %y : (tensor<7xf32>, memref<7xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The tail of a static row: 41 = 2 * 16 + 9, under a constant mask, without branch.

// CHECK-LABEL: func @static_tail(
// CHECK:         %[[MASK:.*]] = vector.constant_mask [9] : vector<16xi1>
// CHECK:         scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to %c32 step %c16 {
// CHECK-NEXT:        vector.load
// CHECK-NEXT:        arith.negf
// CHECK-NEXT:        vector.store
// CHECK-NEXT:      }
// CHECK-NEXT:      vector.maskedload %{{.*}}[%{{.*}}, %c32], %[[MASK]]
// CHECK-NEXT:      arith.negf
// CHECK-NEXT:      vector.maskedstore %{{.*}}[%{{.*}}, %c32], %[[MASK]]
// CHECK-NEXT:    }
func.func @static_tail(%x: memref<3x41xf32>, %y: memref<3x41xf32>) {
  linalg.negf ins(%x : memref<3x41xf32>) outs(%y : memref<3x41xf32>)
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Both results come from one loop over the rows. The first pass stores the sum,
// which is x's own buffer, strip by strip; the last reads nothing else.

// CHECK:       #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK:       #loop_annotation = #llvm.loop_annotation<unroll = #[[UNROLL]]>
// CHECK-LABEL: func @add_norm(
// CHECK-SAME:    %[[X:.*]]: memref<?x512xf32>, %[[R:.*]]: memref<?x512xf32>, %[[Y:.*]]: memref<?x512xf32>)
// CHECK-NOT:     alloc
// CHECK:         scf.for %[[I:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK:           %[[SUMS:.*]]:2 = scf.for %{{.*}} = %c0 to %c512 step %c128 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<64xf32>, vector<64xf32>)
// CHECK-NEXT:        %[[XV:.*]] = vector.load %[[X]]
// CHECK-NEXT:        %[[RV:.*]] = vector.load %[[R]]
// CHECK-NEXT:        %[[S:.*]] = arith.addf %[[XV]], %[[RV]]
// CHECK-NEXT:        math.fma %[[S]], %[[S]]
// CHECK-NEXT:        vector.store %[[S]], %[[X]]
// CHECK:             vector.load %[[X]]
// CHECK:             vector.store %{{.*}}, %[[X]]
// CHECK-NEXT:        scf.yield
// CHECK:           arith.addf %[[SUMS]]#0, %[[SUMS]]#1 : vector<64xf32>
// CHECK-NOT:       store
// CHECK:           scf.for %[[J:.*]] = %c0 to %c512 step %c64 {
// CHECK-NEXT:        %[[V:.*]] = vector.load %[[X]]
// CHECK-NEXT:        %[[N:.*]] = arith.mulf %[[V]]
// CHECK-NEXT:        vector.store %[[N]], %[[Y]]
// CHECK-NEXT:      } {llvm.loop_annotation = #loop_annotation}
// CHECK-NEXT:    } {llvm.loop_annotation = #loop_annotation}
// CHECK-NEXT:    return
func.func @add_norm(%x: memref<?x512xf32>, %r: memref<?x512xf32>, %y: memref<?x512xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %xt = bufferization.to_tensor %x restrict writable : memref<?x512xf32> to tensor<?x512xf32>
  %rt = bufferization.to_tensor %r restrict : memref<?x512xf32> to tensor<?x512xf32>
  %yt = bufferization.to_tensor %y restrict writable : memref<?x512xf32> to tensor<?x512xf32>
  %rows = tensor.dim %xt, %c0 : tensor<?x512xf32>
  %e = tensor.empty(%rows) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.add ins(%xt, %rt : tensor<?x512xf32>, tensor<?x512xf32>) outs(%xt : tensor<?x512xf32>) -> tensor<?x512xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%sum : tensor<?x512xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = math.fma %v, %v, %acc : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %squares : tensor<?x512xf32>, tensor<?xf32>) outs(%yt : tensor<?x512xf32>) {
  ^bb0(%v: f32, %q: f32, %o: f32):
    %rstd = math.rsqrt %q : f32
    %n = arith.mulf %v, %rstd : f32
    linalg.yield %n : f32
  } -> tensor<?x512xf32>
  bufferization.materialize_in_destination %sum in restrict writable %x : (tensor<?x512xf32>, memref<?x512xf32>) -> ()
  bufferization.materialize_in_destination %norm in restrict writable %y : (tensor<?x512xf32>, memref<?x512xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Reductions of one level share a pass and its accumulators: four vectors each.
// The one of the next level has a pass of its own.

// CHECK-LABEL: func @levels(
// CHECK:         scf.for %{{.*}} = %c0 to %c5 step %c1 {
// CHECK:           scf.for %{{.*}} step %c64 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<64xf32>, vector<64xf32>)
// CHECK-NEXT:        vector.load
// CHECK-NEXT:        arith.addf
// CHECK-NEXT:        arith.maximumf
// CHECK-NEXT:        scf.yield
// CHECK:           scf.for %{{.*}} step %c128 iter_args(%{{.*}} = %{{.*}}) -> (vector<128xf32>)
// CHECK:             arith.subf
// CHECK:             arith.mulf
// CHECK:           memref.store
// CHECK-NEXT:    }
func.func @levels(%x: memref<5x?xf32>, %y: memref<5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %xt = bufferization.to_tensor %x restrict : memref<5x?xf32> to tensor<5x?xf32>
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %g = linalg.fill ins(%low : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %first:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<5x?xf32>) outs(%f, %g : tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%v: f32, %a: f32, %b: f32):
    %s = arith.addf %v, %a : f32
    %m = arith.maximumf %v, %b : f32
    linalg.yield %s, %m : f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>)
  %second = linalg.generic {indexing_maps = [#id, #row, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt, %first#0, %first#1 : tensor<5x?xf32>, tensor<5xf32>, tensor<5xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%v: f32, %sum: f32, %max: f32, %a: f32):
    %t = arith.subf %v, %max : f32
    %u = arith.mulf %t, %sum : f32
    %s = arith.addf %a, %u : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  bufferization.materialize_in_destination %second in restrict writable %y : (tensor<5xf32>, memref<5xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// What an op says to see no infinity of starts from the largest finite number.

// CHECK-LABEL: func @no_infinity(
// CHECK:         %[[LOW:.*]] = arith.constant dense<-3.40282347E+38> : vector<{{.*}}xf32>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[LOW]]
// CHECK:           arith.maximumf %{{.*}}, %{{.*}} fastmath<ninf>
func.func @no_infinity(%x: memref<5x512xf32>, %y: memref<5xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<5x512xf32>) outs(%y : memref<5xf32>) {
  ^bb0(%v: f32, %a: f32):
    %m = arith.maximumf %v, %a fastmath<ninf> : f32
    linalg.yield %m : f32
  }
  return
}
