// RUN: xfmr-opt %s --xfmr-lower-row-groups --canonicalize --cse \
// RUN:   --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:   --convert-math-to-llvm --finalize-memref-to-llvm --convert-arith-to-llvm \
// RUN:   --convert-func-to-llvm --convert-cf-to-llvm --convert-ub-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -O3 -e main -entry-point-result=i32 | FileCheck %s
// RUN: xfmr-opt %s --xfmr-lower-row-groups=vector-bytes=16 --canonicalize --cse \
// RUN:   --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:   --convert-math-to-llvm --finalize-memref-to-llvm --convert-arith-to-llvm \
// RUN:   --convert-func-to-llvm --convert-cf-to-llvm --convert-ub-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -O0 -e main -entry-point-result=i32 | FileCheck %s

// Small integers in f32, whose sums are exact in any order: every length up to 300,
// of 0 to 3 rows, contiguous and transposed, against scalar loops; elements around
// the rows' buffers keep their value. main returns the number of wrong elements.
// CHECK: {{^0$}}

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
!contiguous = memref<?x?xf32, strided<[?, 1], offset: ?>>
!strided = memref<?x?xf32, strided<[?, ?], offset: ?>>

// y = (x - max(x)) * sum(x * x) + g
func.func @contiguous(%x: !contiguous, %g: memref<?xf32>, %y: !contiguous) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %xt = bufferization.to_tensor %x restrict : !contiguous to tensor<?x?xf32>
  %gt = bufferization.to_tensor %g restrict : memref<?xf32> to tensor<?xf32>
  %yt = bufferization.to_tensor %y restrict writable : !contiguous to tensor<?x?xf32>
  %rows = tensor.dim %xt, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%rows) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %l = linalg.fill ins(%low : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%xt : tensor<?x?xf32>) outs(%l : tensor<?xf32>) dimensions = [1]
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = math.fma %v, %v, %acc : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %max, %sum, %gt : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%yt : tensor<?x?xf32>) {
  ^bb0(%v: f32, %m: f32, %s: f32, %w: f32, %o: f32):
    %t = arith.subf %v, %m : f32
    %u = math.fma %t, %s, %w : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<?x?xf32>, !contiguous) -> ()
  return
}

func.func @strided(%x: !strided, %g: memref<?xf32>, %y: !strided) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %xt = bufferization.to_tensor %x restrict : !strided to tensor<?x?xf32>
  %gt = bufferization.to_tensor %g restrict : memref<?xf32> to tensor<?xf32>
  %yt = bufferization.to_tensor %y restrict writable : !strided to tensor<?x?xf32>
  %rows = tensor.dim %xt, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%rows) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %l = linalg.fill ins(%low : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%xt : tensor<?x?xf32>) outs(%l : tensor<?xf32>) dimensions = [1]
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xt : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = math.fma %v, %v, %acc : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %max, %sum, %gt : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%yt : tensor<?x?xf32>) {
  ^bb0(%v: f32, %m: f32, %s: f32, %w: f32, %o: f32):
    %t = arith.subf %v, %m : f32
    %u = math.fma %t, %s, %w : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<?x?xf32>, !strided) -> ()
  return
}

// -3 to 3.
func.func private @element(%i: index) -> f32 {
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %c11 = arith.constant 11 : index
  %a = arith.muli %i, %c11 : index
  %b = arith.remui %a, %c7 : index
  %c = arith.subi %b, %c3 : index
  %d = arith.index_cast %c : index to i32
  %e = arith.sitofp %d : i32 to f32
  return %e : f32
}

// The number of elements of y that differ from what scalar loops compute.
func.func private @check(%x: !strided, %g: memref<?xf32>, %y: !strided) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %rows = memref.dim %x, %c0 : !strided
  %d = memref.dim %x, %c1 : !strided
  %total = scf.for %i = %c0 to %rows step %c1 iter_args(%n = %none) -> (i32) {
    %max, %sum = scf.for %j = %c0 to %d step %c1 iter_args(%m = %low, %s = %zero) -> (f32, f32) {
      %v = memref.load %x[%i, %j] : !strided
      %m1 = arith.maximumf %m, %v : f32
      %p = arith.mulf %v, %v : f32
      %s1 = arith.addf %s, %p : f32
      scf.yield %m1, %s1 : f32, f32
    }
    %wrong = scf.for %j = %c0 to %d step %c1 iter_args(%w = %n) -> (i32) {
      %v = memref.load %x[%i, %j] : !strided
      %gv = memref.load %g[%j] : memref<?xf32>
      %t = arith.subf %v, %max : f32
      %u = arith.mulf %t, %sum : f32
      %e = arith.addf %u, %gv : f32
      %got = memref.load %y[%i, %j] : !strided
      %differs = arith.cmpf une, %e, %got : f32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    scf.yield %wrong : i32
  }
  return %total : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %c301 = arith.constant 301 : index
  %none = arith.constant 0 : i32
  %guard = arith.constant -77.0 : f32
  %total = scf.for %d = %c0 to %c301 step %c1 iter_args(%n0 = %none) -> (i32) {
    %outer = scf.for %rows = %c0 to %c4 step %c1 iter_args(%n1 = %n0) -> (i32) {
      %size = arith.muli %rows, %d : index
      %space = arith.addi %size, %c10 : index
      %end = arith.addi %size, %c5 : index
      %xs = memref.alloc(%space) : memref<?xf32>
      %ys = memref.alloc(%space) : memref<?xf32>
      %g = memref.alloc(%d) : memref<?xf32>
      scf.for %i = %c0 to %space step %c1 {
        %e = func.call @element(%i) : (index) -> f32
        memref.store %e, %xs[%i] : memref<?xf32>
      }
      scf.for %i = %c0 to %d step %c1 {
        %e = func.call @element(%i) : (index) -> f32
        memref.store %e, %g[%i] : memref<?xf32>
      }
      %inner = scf.for %form = %c0 to %c4 step %c1 iter_args(%n2 = %n1) -> (i32) {
        scf.for %i = %c0 to %space step %c1 {
          memref.store %guard, %ys[%i] : memref<?xf32>
        }
        // 0: rows contiguous; 1: columns contiguous; 2: x by rows, y by columns; 3: the reverse.
        %bit0 = arith.andi %form, %c1 : index
        %bit1 = arith.shrui %form, %c1 : index
        %flip = arith.xori %bit0, %bit1 : index
        %isX = arith.cmpi eq, %bit0, %c1 : index
        %isY = arith.cmpi eq, %flip, %c1 : index
        %xr = arith.select %isX, %c1, %d : index
        %xc = arith.select %isX, %rows, %c1 : index
        %yr = arith.select %isY, %c1, %d : index
        %yc = arith.select %isY, %rows, %c1 : index
        %x = memref.reinterpret_cast %xs to offset: [%c5], sizes: [%rows, %d], strides: [%xr, %xc] : memref<?xf32> to !strided
        %y = memref.reinterpret_cast %ys to offset: [%c5], sizes: [%rows, %d], strides: [%yr, %yc] : memref<?xf32> to !strided
        %isContiguous = arith.cmpi eq, %form, %c0 : index
        scf.if %isContiguous {
          %xd = memref.reinterpret_cast %xs to offset: [%c5], sizes: [%rows, %d], strides: [%d, 1] : memref<?xf32> to !contiguous
          %yd = memref.reinterpret_cast %ys to offset: [%c5], sizes: [%rows, %d], strides: [%d, 1] : memref<?xf32> to !contiguous
          func.call @contiguous(%xd, %g, %yd) : (!contiguous, memref<?xf32>, !contiguous) -> ()
        } else {
          func.call @strided(%x, %g, %y) : (!strided, memref<?xf32>, !strided) -> ()
        }
        %wrong = func.call @check(%x, %g, %y) : (!strided, memref<?xf32>, !strided) -> i32
        %n3 = arith.addi %n2, %wrong : i32
        %touched = scf.for %i = %c0 to %c5 step %c1 iter_args(%n4 = %n3) -> (i32) {
          %after = arith.addi %end, %i : index
          %a = memref.load %ys[%i] : memref<?xf32>
          %b = memref.load %ys[%after] : memref<?xf32>
          %p = arith.cmpf une, %a, %guard : f32
          %q = arith.cmpf une, %b, %guard : f32
          %r = arith.ori %p, %q : i1
          %one = arith.extui %r : i1 to i32
          %n5 = arith.addi %n4, %one : i32
          scf.yield %n5 : i32
        }
        scf.yield %touched : i32
      }
      memref.dealloc %xs : memref<?xf32>
      memref.dealloc %ys : memref<?xf32>
      memref.dealloc %g : memref<?xf32>
      scf.yield %inner : i32
    }
    scf.yield %outer : i32
  }
  return %total : i32
}
