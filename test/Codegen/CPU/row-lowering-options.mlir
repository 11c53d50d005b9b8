// RUN: xfmr-opt --xfmr-lower-row-groups="vector-bytes=32 vector-registers=16" --canonicalize %s | FileCheck %s --check-prefixes=CHECK,HALF
// RUN: xfmr-opt --xfmr-lower-row-groups="accumulators=4 unroll=1" --canonicalize %s | FileCheck %s --check-prefixes=CHECK,FEW

// CHECK-LABEL: func @sum(
// HALF:          scf.for {{.*}} step %c64 {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// HALF:          scf.for {{.*}} step %c8 {{.*}} -> (vector<8xf32>)
// FEW:           scf.for {{.*}} step %c64 {{.*}} -> (vector<64xf32>)
// FEW:           scf.for {{.*}} step %c16 {{.*}} -> (vector<16xf32>)
func.func @sum(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [1]
  return
}

// CHECK-LABEL: func @copy(
// HALF:          vector.load {{.*}} vector<32xf32>
// HALF:          vector.load {{.*}} vector<8xf32>
// FEW:           vector.load {{.*}} vector<16xf32>
// FEW:           vector.maskedload
func.func @copy(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.copy ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}
