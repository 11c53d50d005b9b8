// RUN: xfmr-opt %s --xfmr-lower-row-groups="prefetch-from-bytes=1 non-temporal-from-bytes=1" --canonicalize --cse \
// RUN:   --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:   --convert-math-to-llvm --finalize-memref-to-llvm --convert-arith-to-llvm \
// RUN:   --convert-func-to-llvm --convert-cf-to-llvm --convert-ub-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s

// A value that the first pass keeps, where results are streamed (rows of whole cache
// lines) and where they are not, against scalar loops on small integers. main returns
// the number of wrong elements.
// CHECK: {{^0$}}

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// s = 2 (x + r) - 3 and y = s * (sum of s).
func.func @kept(%x: memref<?x?xf32>, %r: memref<?x?xf32>, %s: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %xt = bufferization.to_tensor %x restrict : memref<?x?xf32> to tensor<?x?xf32>
  %rt = bufferization.to_tensor %r restrict : memref<?x?xf32> to tensor<?x?xf32>
  %yt = bufferization.to_tensor %y restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  %rows = tensor.dim %xt, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%rows) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %kept = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %rt : tensor<?x?xf32>, tensor<?x?xf32>) outs(%yt : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %two : f32
    %2 = arith.subf %1, %three : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  %sums = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%kept : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %result = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%kept, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%yt : tensor<?x?xf32>) {
  ^bb0(%v: f32, %q: f32, %o: f32):
    %0 = arith.mulf %v, %q : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  bufferization.materialize_in_destination %kept in restrict writable %s : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  bufferization.materialize_in_destination %result in restrict writable %y : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return
}

func.func private @element(%i: index, %by: index) -> f32 {
  %c7 = arith.constant 7 : index
  %0 = arith.muli %i, %by : index
  %1 = arith.remui %0, %c7 : index
  %2 = arith.index_cast %1 : index to i32
  %3 = arith.sitofp %2 : i32 to f32
  return %3 : f32
}

func.func private @check(%rows: index, %d: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %x = memref.alloc(%rows, %d) {alignment = 64 : i64} : memref<?x?xf32>
  %r = memref.alloc(%rows, %d) {alignment = 64 : i64} : memref<?x?xf32>
  %s = memref.alloc(%rows, %d) {alignment = 64 : i64} : memref<?x?xf32>
  %y = memref.alloc(%rows, %d) {alignment = 64 : i64} : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %d step %c1 {
      %k = arith.addi %i, %j : index
      %a = func.call @element(%k, %c3) : (index, index) -> f32
      %b = func.call @element(%k, %c5) : (index, index) -> f32
      memref.store %a, %x[%i, %j] : memref<?x?xf32>
      memref.store %b, %r[%i, %j] : memref<?x?xf32>
    }
  }
  func.call @kept(%x, %r, %s, %y) : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
  %wrong = scf.for %i = %c0 to %rows step %c1 iter_args(%before = %none) -> (i32) {
    %sum = scf.for %j = %c0 to %d step %c1 iter_args(%acc = %zero) -> (f32) {
      %a = memref.load %x[%i, %j] : memref<?x?xf32>
      %b = memref.load %r[%i, %j] : memref<?x?xf32>
      %0 = arith.addf %a, %b : f32
      %1 = arith.mulf %0, %two : f32
      %2 = arith.subf %1, %three : f32
      %next = arith.addf %acc, %2 : f32
      scf.yield %next : f32
    }
    %count = scf.for %j = %c0 to %d step %c1 iter_args(%acc = %before) -> (i32) {
      %a = memref.load %x[%i, %j] : memref<?x?xf32>
      %b = memref.load %r[%i, %j] : memref<?x?xf32>
      %0 = arith.addf %a, %b : f32
      %1 = arith.mulf %0, %two : f32
      %2 = arith.subf %1, %three : f32
      %3 = arith.mulf %2, %sum : f32
      %ours = memref.load %s[%i, %j] : memref<?x?xf32>
      %result = memref.load %y[%i, %j] : memref<?x?xf32>
      %4 = arith.cmpf une, %ours, %2 : f32
      %5 = arith.cmpf une, %result, %3 : f32
      %6 = arith.ori %4, %5 : i1
      %7 = arith.select %6, %one, %none : i32
      %next = arith.addi %acc, %7 : i32
      scf.yield %next : i32
    }
    scf.yield %count : i32
  }
  memref.dealloc %x : memref<?x?xf32>
  memref.dealloc %r : memref<?x?xf32>
  memref.dealloc %s : memref<?x?xf32>
  memref.dealloc %y : memref<?x?xf32>
  return %wrong : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c40 = arith.constant 40 : index
  %none = arith.constant 0 : i32
  // Few rows are never streamed: 40, of 0 to 20 whole cache lines and of one more
  // element.
  %end = arith.constant 336 : index
  %wrong = scf.for %d = %c0 to %end step %c16 iter_args(%before = %none) -> (i32) {
    %ragged = arith.addi %d, %c1 : index
    %a = func.call @check(%c40, %d) : (index, index) -> i32
    %b = func.call @check(%c40, %ragged) : (index, index) -> i32
    %0 = arith.addi %before, %a : i32
    %1 = arith.addi %0, %b : i32
    scf.yield %1 : i32
  }
  return %wrong : i32
}
