// RUN: xfmr-opt --xfmr-lower-row-loops="threads=2 parallel-from=1000" --split-input-file %s | FileCheck %s

// How much there is to do: 12000 operations are worth threads. A load and a store
// of a vector count three times its elements each.

// Of two branches, the one that is expected counts, of which there is not enough.

// CHECK-LABEL: func @expected(
// CHECK-NOT: omp.parallel
// CHECK: return
func.func @expected(%b: i1, %y: memref<100x256xf32>) {
  %c0 = arith.constant 0 : index
  %false = arith.constant false
  %unlikely = llvm.intr.expect %b, %false : i1
  scf.forall (%i) in (100) {
    scf.if %unlikely {
      %v = vector.load %y[%i, %c0] : memref<100x256xf32>, vector<256xf32>
      vector.store %v, %y[%i, %c0] : memref<100x256xf32>, vector<256xf32>
    } else {
      %v = vector.load %y[%i, %c0] : memref<100x256xf32>, vector<4xf32>
      vector.store %v, %y[%i, %c0] : memref<100x256xf32>, vector<4xf32>
    }
  }
  return
}

// -----

// Or the longer one: a later iteration may take it.

// CHECK-LABEL: func @first(
// CHECK: omp.parallel
func.func @first(%y: memref<100x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.forall (%i) in (100) {
    scf.for %j = %c0 to %c2 step %c1 {
      %later = arith.cmpi ne, %j, %c0 : index
      scf.if %later {
        %v = vector.load %y[%i, %c0] : memref<100x256xf32>, vector<256xf32>
        vector.store %v, %y[%i, %c0] : memref<100x256xf32>, vector<256xf32>
      }
    }
  }
  return
}

// -----

// Of those of which nothing is known, the longer one.

// CHECK-LABEL: func @unknown(
// CHECK: omp.parallel
func.func @unknown(%y: memref<100x256xf32>, %b: memref<100xi1>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (100) {
    %taken = memref.load %b[%i] : memref<100xi1>
    scf.if %taken {
      %v = vector.load %y[%i, %c0] : memref<100x256xf32>, vector<256xf32>
      vector.store %v, %y[%i, %c0] : memref<100x256xf32>, vector<256xf32>
    }
  }
  return
}

// -----

// Also where the condition is the same for all iterations.

// CHECK-LABEL: func @before(
// CHECK: omp.parallel
func.func @before(%b: i1, %y: memref<100x256xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (100) {
    scf.if %b {
      %v = vector.load %y[%i, %c0] : memref<100x256xf32>, vector<256xf32>
      vector.store %v, %y[%i, %c0] : memref<100x256xf32>, vector<256xf32>
    }
  }
  return
}

// -----

// To name a part of a vector is no work.

// CHECK-LABEL: func @parts(
// CHECK-NOT: omp.parallel
// CHECK: return
func.func @parts(%v: vector<1024xf32>, %y: memref<10x256xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (10) {
    %0 = vector.extract_strided_slice %v {offsets = [0], sizes = [512], strides = [1]} : vector<1024xf32> to vector<512xf32>
    %1 = vector.insert_strided_slice %0, %v {offsets = [512], strides = [1]} : vector<512xf32> into vector<1024xf32>
    %2 = vector.extract_strided_slice %1 {offsets = [512], sizes = [16], strides = [1]} : vector<1024xf32> to vector<16xf32>
    %3 = vector.shape_cast %2 : vector<16xf32> to vector<1x16xf32>
    %4 = vector.shape_cast %3 : vector<1x16xf32> to vector<16xf32>
    vector.store %4, %y[%i, %c0] : memref<10x256xf32>, vector<16xf32>
  }
  return
}

// -----

// The last of two tiles has one row.

// CHECK-LABEL: func @short_tile(
// CHECK-NOT: omp.parallel
// CHECK: return
func.func @short_tile(%y: memref<5x320xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) = (0) to (5) step (4) {
    %rows = affine.min affine_map<(d0) -> (4, -d0 + 5)>(%i)
    scf.for %j = %c0 to %rows step %c1 {
      %k = arith.addi %i, %j : index
      %v = vector.load %y[%k, %c0] : memref<5x320xf32>, vector<320xf32>
      vector.store %v, %y[%k, %c0] : memref<5x320xf32>, vector<320xf32>
    }
  } {xfmr.any_rows}
  return
}
