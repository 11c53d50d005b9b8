// Results that are written to memory and read again, beside values that are never
// in memory: what is read is the new content where the views are the same, where
// they overlap, and where ops between others have to wait with them.
//
// RUN: xfmr-run %s --entry=two_results --shape 0=7x133 --check --threads=1
// RUN: xfmr-run %s --entry=two_results --shape 0=1x4097 --check --threads=1
// RUN: xfmr-run %s --entry=sum_and_norm --shape 0=5x40 --check --threads=1
// RUN: xfmr-run %s --entry=between --shape 0=7x133 --check --threads=1
// RUN: xfmr-run %s --entry=overwritten --shape 0=7x133 --check --threads=1
// RUN: xfmr-run %s --entry=overlapping --check --threads=1
// RUN: xfmr-run %s --entry=overlapping_write --check --threads=1
// RUN: xfmr-run %s --entry=read_before_written --check --threads=1

#id = affine_map<(i, j) -> (i, j)>

// The first result of an op is a temporary, the second a result.
func.func @two_results(%x: tensor<?x?xf32>, %t: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %a:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%t, %y : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%b: f32, %o: f32, %p: f32):
    %s = arith.addf %b, %b : f32
    %q = arith.mulf %b, %b : f32
    linalg.yield %s, %q : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  %o = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a#0, %a#1 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%a0: f32, %b: f32, %z0: f32):
    %s = arith.subf %a0, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %o, %a#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// Of a residual and a norm, the sum is a result and read as well.
func.func @sum_and_norm(%x: tensor<?x40xf32>, %r: tensor<?x40xf32>, %s: tensor<?x40xf32>, %n: tensor<?x40xf32>,
    %z: tensor<?x40xf32>) -> (tensor<?x40xf32>, tensor<?x40xf32>) {
  %sum, %normed = xfmr.add_rmsnorm ins(%x : tensor<?x40xf32>) residual(%r : tensor<?x40xf32>)
      sum(%s : tensor<?x40xf32>) outs(%n : tensor<?x40xf32>) eps(1.0e-05)
      -> tensor<?x40xf32>, tensor<?x40xf32>
  %o = linalg.sub ins(%sum, %normed : tensor<?x40xf32>, tensor<?x40xf32>) outs(%z : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %o, %sum : tensor<?x40xf32>, tensor<?x40xf32>
}

// %x is read before it is written, %a and %b are written before they are read.
func.func @between(%x: memref<?x133xf32>, %a: memref<?x133xf32>, %b: memref<?x133xf32>, %c: memref<?x133xf32>) {
  %0 = arith.constant 0 : index
  %n = memref.dim %x, %0 : memref<?x133xf32>
  %t = memref.alloc(%n) : memref<?x133xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x133xf32>) outs(%t, %a : memref<?x133xf32>, memref<?x133xf32>) {
  ^bb0(%e: f32, %o: f32, %p: f32):
    %s = arith.addf %e, %e : f32
    %q = arith.mulf %e, %e : f32
    linalg.yield %s, %q : f32, f32
  }
  linalg.negf ins(%b : memref<?x133xf32>) outs(%x : memref<?x133xf32>)
  linalg.negf ins(%a : memref<?x133xf32>) outs(%b : memref<?x133xf32>)
  linalg.sub ins(%t, %b : memref<?x133xf32>, memref<?x133xf32>) outs(%c : memref<?x133xf32>)
  memref.dealloc %t : memref<?x133xf32>
  return
}

// The last of two ops has its way, and sees what the first left.
func.func @overwritten(%x: memref<?x133xf32>, %a: memref<?x133xf32>) {
  %0 = arith.constant 0 : index
  %n = memref.dim %x, %0 : memref<?x133xf32>
  %t = memref.alloc(%n) : memref<?x133xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x133xf32>) outs(%t, %a : memref<?x133xf32>, memref<?x133xf32>) {
  ^bb0(%e: f32, %o: f32, %p: f32):
    %s = arith.addf %e, %e : f32
    %q = arith.mulf %e, %e : f32
    linalg.yield %s, %q : f32, f32
  }
  linalg.sub ins(%t, %a : memref<?x133xf32>, memref<?x133xf32>) outs(%a : memref<?x133xf32>)
  memref.dealloc %t : memref<?x133xf32>
  return
}

// Rows of what was just written, one row further down.
func.func @overlapping(%x: memref<6x33xf32>, %a: memref<7x33xf32>, %c: memref<6x33xf32>) {
  %upper = memref.subview %a[0, 0] [6, 33] [1, 1] : memref<7x33xf32> to memref<6x33xf32, strided<[33, 1]>>
  %lower = memref.subview %a[1, 0] [6, 33] [1, 1] : memref<7x33xf32> to memref<6x33xf32, strided<[33, 1], offset: 33>>
  %t = memref.alloc() : memref<6x33xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<6x33xf32>) outs(%t, %upper : memref<6x33xf32>, memref<6x33xf32, strided<[33, 1]>>) {
  ^bb0(%e: f32, %o: f32, %p: f32):
    %s = arith.addf %e, %e : f32
    %q = arith.mulf %e, %e : f32
    linalg.yield %s, %q : f32, f32
  }
  linalg.sub ins(%t, %lower : memref<6x33xf32>, memref<6x33xf32, strided<[33, 1], offset: 33>>)
      outs(%c : memref<6x33xf32>)
  memref.dealloc %t : memref<6x33xf32>
  return
}

func.func @overlapping_write(%x: memref<6x33xf32>, %a: memref<7x33xf32>) {
  %upper = memref.subview %a[0, 0] [6, 33] [1, 1] : memref<7x33xf32> to memref<6x33xf32, strided<[33, 1]>>
  %lower = memref.subview %a[1, 0] [6, 33] [1, 1] : memref<7x33xf32> to memref<6x33xf32, strided<[33, 1], offset: 33>>
  %t = memref.alloc() : memref<6x33xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<6x33xf32>) outs(%t, %upper : memref<6x33xf32>, memref<6x33xf32, strided<[33, 1]>>) {
  ^bb0(%e: f32, %o: f32, %p: f32):
    %s = arith.addf %e, %e : f32
    %q = arith.mulf %e, %e : f32
    linalg.yield %s, %q : f32, f32
  }
  linalg.negf ins(%t : memref<6x33xf32>) outs(%lower : memref<6x33xf32, strided<[33, 1], offset: 33>>)
  memref.dealloc %t : memref<6x33xf32>
  return
}

// What one group reads, another one that begins before it writes at its end.
func.func @read_before_written(%a: memref<2x64xf32>, %b: memref<2x64xf32>, %c: memref<2x64xf32>, %d: memref<2x64xf32>) {
  %half = arith.constant 0.5 : f32
  %t = memref.alloc() : memref<2x64xf32>
  %u = memref.alloc() : memref<2x64xf32>
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %b : memref<2x64xf32>, memref<2x64xf32>) outs(%t, %c : memref<2x64xf32>, memref<2x64xf32>) {
  ^bb0(%e: f32, %f: f32, %o: f32, %p: f32):
    %s = arith.addf %e, %e : f32
    %q = arith.mulf %e, %f : f32
    linalg.yield %s, %q : f32, f32
  }
  linalg.negf ins(%d : memref<2x64xf32>) outs(%a : memref<2x64xf32>)
  linalg.fill ins(%half : f32) outs(%u : memref<2x64xf32>)
  linalg.exp ins(%u : memref<2x64xf32>) outs(%b : memref<2x64xf32>)
  linalg.negf ins(%t : memref<2x64xf32>) outs(%d : memref<2x64xf32>)
  memref.dealloc %t : memref<2x64xf32>
  memref.dealloc %u : memref<2x64xf32>
  return
}
