// RUN: xfmr-opt --xfmr-expand-residual-blocks %s | FileCheck %s
// RUN: xfmr-opt --xfmr-expand-residual-blocks --remarks-filter=xfmr-expand-residual-blocks -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Passed] expanded | Category:xfmr-expand-residual-blocks | Remark="residual block expanded", topology=pre

// The norms' attributes all arrive: one norm builder serves every topology.
// CHECK-LABEL: func @pre(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xbf16>, %[[G:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<?x8xbf16>
func.func @pre(%x: tensor<?x8xbf16>, %g: tensor<8xf32>, %b: tensor<8xf32>, %y: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  // CHECK: %[[N:.*]] = tensor.dim %[[X]]
  // CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x8xbf16>
  // CHECK: %[[Z:.*]] = xfmr.rmsnorm ins(%[[X]] : tensor<?x8xbf16>) gamma(%[[G]] : tensor<8xf32>) beta(%[[B]] : tensor<8xf32>) outs(%[[E]] : tensor<?x8xbf16>) eps(1.0e-06) eps_position(outside) statistic(l2) weight_offset(1.0) rounding(scale_then_cast)
  // CHECK: %[[F:.*]] = call @f(%[[Z]])
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[F]] : tensor<?x8xbf16>, tensor<?x8xbf16>) outs(%[[Y]] : tensor<?x8xbf16>)
  // CHECK: %[[WX:.*]] = arith.extf {{.*}} : bf16 to f32
  // CHECK: %[[WF:.*]] = arith.extf {{.*}} : bf16 to f32
  // CHECK: arith.addf %[[WX]], %[[WF]] : f32
  // CHECK: arith.truncf
  // CHECK: return %[[R]]
  %0 = xfmr.residual_block pre ins(%x : tensor<?x8xbf16>)
      norm1(<rmsnorm, eps = 1.0e-06, eps_position = outside, statistic = l2, weight_offset = 1.0, rounding = scale_then_cast>
            gamma(%g : tensor<8xf32>) beta(%b : tensor<8xf32>))
      outs(%y : tensor<?x8xbf16>) {
  ^bb0(%z: tensor<?x8xbf16>):
    %f = func.call @f(%z) : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
    xfmr.yield %f : tensor<?x8xbf16>
  } -> tensor<?x8xbf16>
  return %0 : tensor<?x8xbf16>
}
func.func private @f(tensor<?x8xbf16>) -> tensor<?x8xbf16>

// The sum takes no memory of its own.
// CHECK-LABEL: func @post(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16>, %[[Y:.*]]: tensor<4x8xbf16>
func.func @post(%x: tensor<4x8xbf16>, %y: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  // CHECK-NEXT: %[[F:.*]] = call @f4(%[[X]])
  // CHECK-NEXT: %[[R:.*]] = xfmr.add_layernorm ins(%[[X]] : tensor<4x8xbf16>) residual(%[[F]] : tensor<4x8xbf16>) outs(%[[Y]] : tensor<4x8xbf16>) alpha(2.5) eps(1.0e-05) unbiased residual_rounding(norm_then_round) rounding(cast_then_scale)
  // CHECK-NEXT: return %[[R]]
  %0 = xfmr.residual_block post ins(%x : tensor<4x8xbf16>)
      norm1(<layernorm, eps = 1.0e-05, unbiased, rounding = cast_then_scale>)
      outs(%y : tensor<4x8xbf16>) alpha(2.5) residual_rounding(norm_then_round) {
  ^bb0(%z: tensor<4x8xbf16>):
    %f = func.call @f4(%z) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
    xfmr.yield %f : tensor<4x8xbf16>
  } -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}
func.func private @f4(tensor<4x8xbf16>) -> tensor<4x8xbf16>

// CHECK-LABEL: func @post_masked(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[M:.*]]: tensor<4xi1>, %[[Y:.*]]: tensor<4x8xf32>
func.func @post_masked(%x: tensor<4x8xf32>, %m: tensor<4xi1>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4x8xf32>
  // CHECK: %[[N:.*]] = xfmr.add_rmsnorm ins(%[[X]] : {{.*}}) residual(%[[X]] : {{.*}}) outs(%[[E]] : tensor<4x8xf32>) eps
  // CHECK: linalg.generic {{.*}} ins(%[[M]], %[[X]], %[[N]] : tensor<4xi1>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%[[Y]] : tensor<4x8xf32>) {
  // CHECK-NEXT: ^bb0(%[[C:.*]]: i1, %[[SKIP:.*]]: f32, %[[NORM:.*]]: f32, %{{.*}}: f32):
  // CHECK-NEXT: arith.select %[[C]], %[[NORM]], %[[SKIP]]
  %0 = xfmr.residual_block post ins(%x : tensor<4x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      mask(%m : tensor<4xi1>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    xfmr.yield %z : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @sandwich(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[G1:.*]]: tensor<8xf32>, %[[G2:.*]]: tensor<8xf32>, %[[M:.*]]: tensor<4xi1>, %[[Y:.*]]: tensor<4x8xf32>
func.func @sandwich(%x: tensor<4x8xf32>, %g1: tensor<8xf32>, %g2: tensor<8xf32>, %m: tensor<4xi1>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[Z:.*]] = xfmr.rmsnorm ins(%[[X]] : {{.*}}) gamma(%[[G1]] : {{.*}}) outs(%{{.*}} : tensor<4x8xf32>) eps(1.0e-05)
  // CHECK: %[[F:.*]] = math.exp %[[Z]]
  // CHECK: %[[N:.*]] = xfmr.layernorm ins(%[[F]] : {{.*}}) gamma(%[[G2]] : {{.*}}) outs(%{{.*}} : tensor<4x8xf32>) eps(1.0e-04)
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %[[N]], %[[M]] : {{.*}}) outs(%[[Y]] : tensor<4x8xf32>)
  // CHECK: %[[ALPHA:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK: %[[S:.*]] = math.fma %[[ALPHA]], %{{.*}}, %{{.*}} : f32
  // CHECK: arith.select %{{.*}}, %[[S]]
  %0 = xfmr.residual_block sandwich ins(%x : tensor<4x8xf32>)
      norm1(<rmsnorm, eps = 1.0e-05> gamma(%g1 : tensor<8xf32>))
      norm2(<layernorm, eps = 1.0e-04> gamma(%g2 : tensor<8xf32>))
      mask(%m : tensor<4xi1>) outs(%y : tensor<4x8xf32>) alpha(0.5) {
  ^bb0(%z: tensor<4x8xf32>):
    %f = math.exp %z : tensor<4x8xf32>
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @branch_post(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xf32>
func.func @branch_post(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[F:.*]] = math.exp %[[X]]
  // CHECK: %[[N:.*]] = xfmr.rmsnorm ins(%[[F]]
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %[[N]] : {{.*}}) outs(%[[Y]] :
  %0 = xfmr.residual_block branch_post ins(%x : tensor<4x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    %f = math.exp %z : tensor<4x8xf32>
    xfmr.yield %f : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A block in a block.
// CHECK-LABEL: func @nested(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xf32>
func.func @nested(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NOT: residual_block
  // CHECK: %[[F:.*]] = math.exp %[[X]]
  // CHECK: %[[INNER:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[F]] :
  // CHECK: %[[OUTER:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[INNER]] :
  // CHECK: return %[[OUTER]]
  %0 = xfmr.residual_block none ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%z: tensor<4x8xf32>):
    %1 = xfmr.residual_block none ins(%z : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {
    ^bb0(%z1: tensor<4x8xf32>):
      %f = math.exp %z1 : tensor<4x8xf32>
      xfmr.yield %f : tensor<4x8xf32>
    } -> tensor<4x8xf32>
    xfmr.yield %1 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//===----------------------------------------------------------------------===//
// Memrefs: temporaries are freed, and take any layout of x.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @pre_memref(
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32, strided<[16, 2], offset: 1>>, %[[W:.*]]: memref<8x8xf32>, %[[F:.*]]: memref<?x8xf32, strided<[16, 2], offset: 1>>, %[[Y:.*]]: memref<?x8xf32>
func.func @pre_memref(%x: memref<?x8xf32, strided<[16, 2], offset: 1>>, %w: memref<8x8xf32>,
    %f: memref<?x8xf32, strided<[16, 2], offset: 1>>, %y: memref<?x8xf32>) {
  // CHECK: %[[N:.*]] = memref.dim %[[X]]
  // CHECK: %[[Z:.*]] = memref.alloc(%[[N]]) {alignment = 64 : i64} : memref<?x8xf32>
  // CHECK: xfmr.rmsnorm ins(%[[X]] : {{.*}}) outs(%[[Z]] : memref<?x8xf32>) eps(1.0e-05)
  // CHECK: xfmr.ffn ins(%[[Z]] : memref<?x8xf32>) {{.*}} outs(%[[F]] :
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %[[F]] : {{.*}}) outs(%[[Y]] : memref<?x8xf32>)
  // CHECK: memref.dealloc %[[Z]]
  // CHECK-NEXT: return
  xfmr.residual_block pre ins(%x : memref<?x8xf32, strided<[16, 2], offset: 1>>)
      norm1(<rmsnorm, eps = 1.0e-05>) outs(%y : memref<?x8xf32>) {
  ^bb0(%z: memref<?x8xf32, strided<[16, 2], offset: 1>>):
    xfmr.ffn ins(%z : memref<?x8xf32, strided<[16, 2], offset: 1>>) up(%w : memref<8x8xf32>)
        down(%w : memref<8x8xf32>) outs(%f : memref<?x8xf32, strided<[16, 2], offset: 1>>)
        activation(relu) layout(in_out)
    xfmr.yield %f : memref<?x8xf32, strided<[16, 2], offset: 1>>
  }
  return
}

// CHECK-LABEL: func @cast_memref(
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32, strided<[?, ?], offset: ?>>, %[[Y:.*]]: memref<4x8xf32>
func.func @cast_memref(%x: memref<4x8xf32, strided<[?, ?], offset: ?>>, %y: memref<4x8xf32>) {
  // CHECK: %[[Z:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
  // CHECK: xfmr.rmsnorm {{.*}} outs(%[[Z]] :
  // CHECK: %[[C:.*]] = memref.cast %[[Z]] : memref<4x8xf32> to memref<4x8xf32, strided<[?, ?], offset: ?>>
  // CHECK: call @g(%[[C]])
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %[[C]] :
  // CHECK: memref.dealloc %[[Z]]
  xfmr.residual_block pre ins(%x : memref<4x8xf32, strided<[?, ?], offset: ?>>)
      norm1(<rmsnorm, eps = 1.0e-05>) outs(%y : memref<4x8xf32>) {
  ^bb0(%z: memref<4x8xf32, strided<[?, ?], offset: ?>>):
    func.call @g(%z) : (memref<4x8xf32, strided<[?, ?], offset: ?>>) -> ()
    xfmr.yield %z : memref<4x8xf32, strided<[?, ?], offset: ?>>
  }
  return
}
func.func private @g(memref<4x8xf32, strided<[?, ?], offset: ?>>)

// y may be x: the norm goes to a temporary, since the mask still chooses x.
// CHECK-LABEL: func @post_masked_memref(
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32>, %[[M:.*]]: memref<4xi1>
func.func @post_masked_memref(%x: memref<4x8xf32>, %m: memref<4xi1>) {
  // CHECK: %[[T:.*]] = memref.alloc()
  // CHECK: xfmr.add_rmsnorm ins(%[[X]] : {{.*}}) residual(%[[X]] : {{.*}}) outs(%[[T]] : memref<4x8xf32>)
  // CHECK: linalg.generic {{.*}} ins(%[[M]], %[[X]], %[[T]] : {{.*}}) outs(%[[X]] : memref<4x8xf32>)
  // CHECK: memref.dealloc %[[T]]
  xfmr.residual_block post ins(%x : memref<4x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      mask(%m : memref<4xi1>) outs(%x : memref<4x8xf32>) {
  ^bb0(%z: memref<4x8xf32>):
    xfmr.yield %z : memref<4x8xf32>
  }
  return
}

// CHECK-LABEL: func @sandwich_memref(
func.func @sandwich_memref(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // CHECK: %[[Z:.*]] = memref.alloc()
  // CHECK: xfmr.rmsnorm {{.*}} outs(%[[Z]] :
  // CHECK: %[[N:.*]] = memref.alloc()
  // CHECK: xfmr.rmsnorm ins(%[[Z]] : {{.*}}) outs(%[[N]] :
  // CHECK: linalg.generic
  // CHECK: memref.dealloc %[[N]]
  // CHECK: memref.dealloc %[[Z]]
  xfmr.residual_block sandwich ins(%x : memref<4x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      norm2(<rmsnorm, eps = 1.0e-05>) outs(%y : memref<4x8xf32>) {
  ^bb0(%z: memref<4x8xf32>):
    xfmr.yield %z : memref<4x8xf32>
  }
  return
}

// CHECK-LABEL: func @branch_post_memref(
func.func @branch_post_memref(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // CHECK: %[[N:.*]] = memref.alloc()
  // CHECK: xfmr.rmsnorm {{.*}} outs(%[[N]] :
  // CHECK: linalg.generic
  // CHECK: memref.dealloc %[[N]]
  xfmr.residual_block branch_post ins(%x : memref<4x8xf32>) norm1(<rmsnorm, eps = 1.0e-05>)
      outs(%y : memref<4x8xf32>) {
  ^bb0(%z: memref<4x8xf32>):
    xfmr.yield %z : memref<4x8xf32>
  }
  return
}
