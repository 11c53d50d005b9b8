// RUN: xfmr-opt --xfmr-lower-row-groups --canonicalize --cse --split-input-file %s | FileCheck %s

// A8: lanes of any inner stride, by gather and scatter on a flat view, with the
// lanes' offsets computed once.

// CHECK-LABEL: func @strided(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[Y:.*]]: memref<?x?xf32, strided<[?, 2], offset: 1>>)
// CHECK:         %[[IOTA:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xindex>
// CHECK:         %{{.*}}, %[[XOFF:.*]], %{{.*}}:2, %[[XSTR:.*]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK:         %[[XFLAT:.*]] = memref.reinterpret_cast %[[X]] to offset: [%[[XOFF]]], sizes: [%{{.*}}], strides: [1]
// CHECK:         %[[STRIDE:.*]] = vector.broadcast %[[XSTR]]#1 : index to vector<16xindex>
// CHECK:         %[[LANES:.*]] = arith.muli %[[STRIDE]], %[[IOTA]]
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to %{{.*}} step %c16 {
// CHECK:             %[[V:.*]] = vector.gather %[[XFLAT]][%{{.*}}] [%[[LANES]]]
// CHECK:             vector.scatter %{{.*}}[%{{.*}}] [%{{.*}}], %{{.*}}, %{{.*}} : memref<?xf32, strided<[1], offset: ?>>
// CHECK:           scf.if
// CHECK:             vector.gather {{.*}} %[[MASK:.*]], %{{.*}} :
func.func @strided(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, 2], offset: 1>>) {
  linalg.exp ins(%x : memref<?x?xf32, strided<[?, ?], offset: ?>>) outs(%y : memref<?x?xf32, strided<[?, 2], offset: 1>>)
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A mask of a row is one boolean; a mask of elements is read one byte a lane, since
// booleans are bits in a vector but bytes in memory.

// CHECK-LABEL: func @masks(
// CHECK-SAME:    %{{.*}}: memref<?x?xf32>, %[[ROWS:.*]]: memref<?xi1>, %[[ELEMENTS:.*]]: memref<?x?xi1>, %{{.*}}: memref<?x?xf32>)
// CHECK:         scf.for %[[I:.*]] = %c0
// CHECK-NEXT:      %[[ROW:.*]] = memref.load %[[ROWS]][%[[I]]]
// CHECK:           scf.for %[[J:.*]] = %c0
// CHECK:             %[[BITS:.*]] = scf.for %[[LANE:.*]] = %c0 to %c16 step %c1 iter_args
// CHECK-NEXT:          %[[AT:.*]] = arith.addi %[[J]], %[[LANE]]
// CHECK-NEXT:          %[[BIT:.*]] = memref.load %[[ELEMENTS]][%[[I]], %[[AT]]]
// CHECK-NEXT:          vector.insert %[[BIT]], %{{.*}} [%[[LANE]]] : i1 into vector<16xi1>
// CHECK:             arith.select %[[BITS]], %{{.*}}, %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK:             arith.select %[[ROW]], %{{.*}}, %{{.*}} : vector<16xf32>
func.func @masks(%x: memref<?x?xf32>, %rows: memref<?xi1>, %elements: memref<?x?xi1>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %rows, %elements : memref<?x?xf32>, memref<?xi1>, memref<?x?xi1>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %row: i1, %element: i1, %o: f32):
    %zero = arith.constant 0.0 : f32
    %a = arith.select %element, %v, %zero : f32
    %b = arith.select %row, %a, %v : f32
    linalg.yield %b : f32
  }
  return
}

// -----

// The last two dims are one row: the sums are carried through the outer one.

// CHECK-LABEL: func @two_dims(
// CHECK:         scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK:           %[[SUMS:.*]]:2 = scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (vector<64xf64>, vector<8xf64>)
// CHECK:             %[[MAIN:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[A]]) -> (vector<64xf64>)
// CHECK:             %[[REST:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[B]]) -> (vector<8xf64>)
// CHECK:             %[[TAIL:.*]] = scf.if
// CHECK:             scf.yield %[[MAIN]], %[[TAIL]]
func.func @two_dims(%x: memref<4x3x?xf64>, %y: memref<4xf64>) {
  linalg.reduce { arith.addf } ins(%x : memref<4x3x?xf64>) outs(%y : memref<4xf64>) dimensions = [1, 2]
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Interleaved pairs, and positions themselves.

// CHECK-LABEL: func @positions(
// CHECK:         scf.for %[[I:.*]] = %c0
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to %{{.*}} step %c8
// CHECK:             vector.gather
// CHECK:             %[[FIRST:.*]] = vector.broadcast %[[J]] : index to vector<8xindex>
// CHECK-NEXT:        %[[POSITIONS:.*]] = arith.addi %[[FIRST]], %{{.*}} : vector<8xindex>
// CHECK-NEXT:        arith.index_cast %[[POSITIONS]] : vector<8xindex> to vector<8xi64>
func.func @positions(%x: memref<?x?xi64>, %y: memref<?x?xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 2 * j + 1)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xi64>) outs(%y : memref<?x?xi64>) {
  ^bb0(%v: i64, %o: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %s = arith.addi %v, %k : i64
    linalg.yield %s : i64
  }
  return
}

// -----

// A9: no elements, static.

// CHECK-LABEL: func @empty_rows(
// CHECK-NOT:     scf.for
// CHECK-NOT:     vector.store
// CHECK:         return
func.func @empty_rows(%x: memref<4x0xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%x : memref<4x0xf32>)
  return
}

// -----

// Copies that are one block of memory stay; others would be calls.

// CHECK-LABEL: func @copies(
// CHECK:         memref.copy
// CHECK-NOT:     memref.copy
// CHECK:         scf.for
// CHECK:           vector.store
func.func @copies(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %z: memref<8x64xf32, strided<[128, 1]>>) {
  memref.copy %x, %y : memref<8x64xf32> to memref<8x64xf32>
  memref.copy %x, %z : memref<8x64xf32> to memref<8x64xf32, strided<[128, 1]>>
  return
}

// -----

// A sum without rows, onto what its result held.

// CHECK-LABEL: func @scalar(
// CHECK-SAME:    %{{.*}}: memref<?xf32>, %[[Y:.*]]: memref<f32>)
// CHECK:         %[[BEFORE:.*]] = memref.load %[[Y]][]
// CHECK:         %[[AFTER:.*]] = arith.addf %[[BEFORE]], %{{.*}} : f32
// CHECK-NEXT:    memref.store %[[AFTER]], %[[Y]][]
func.func @scalar(%x: memref<?xf32>, %y: memref<f32>) {
  linalg.reduce { arith.addf } ins(%x : memref<?xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}
