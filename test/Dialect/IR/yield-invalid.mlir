// RUN: xfmr-opt %s -split-input-file -verify-diagnostics
// RUN: %python %S/Inputs/generic_diagnostics.py %s

func.func @yield_c1_outside(%x: memref<2x8xf32>) {
  // expected-error @below {{'xfmr.yield' op expects parent op 'xfmr.residual_block'}}
  xfmr.yield %x : memref<2x8xf32>
}

// -----

func.func @yield_c1_in_another_region(%x: tensor<2x8xf32>, %c: i1) {
  %0 = scf.if %c -> tensor<2x8xf32> {
    // expected-error @below {{'xfmr.yield' op expects parent op 'xfmr.residual_block'}}
    xfmr.yield %x : tensor<2x8xf32>
  } else {
    scf.yield %x : tensor<2x8xf32>
  }
  return
}

// -----

func.func @yield_c1_other_shape(%x: tensor<2x8xf32>, %f: tensor<2x9xf32>, %y: tensor<2x8xf32>) {
  // expected-error @below {{'xfmr.residual_block' op expected the region to yield type 'tensor<2x8xf32>', got 'tensor<2x9xf32>'}}
  %0 = xfmr.residual_block none ins(%x : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32>):
    xfmr.yield %f : tensor<2x9xf32>
  } -> tensor<2x8xf32>
  return
}

// -----

func.func @yield_c1_unranked(%x: tensor<2x8xf32>, %f: tensor<*xf32>, %y: tensor<2x8xf32>) {
  %0 = xfmr.residual_block none ins(%x : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32>):
    // expected-error @below {{'xfmr.yield' op operand #0 must be ranked tensor or strided memref, but got 'tensor<*xf32>'}}
    xfmr.yield %f : tensor<*xf32>
  } -> tensor<2x8xf32>
  return
}

// -----

func.func @yield_c1_no_terminator(%x: tensor<2x8xf32>, %f: tensor<2x8xf32>, %y: tensor<2x8xf32>) {
  %0 = xfmr.residual_block none ins(%x : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32>):
    // expected-error @below {{block with no terminator, has %1 = "arith.addf"(%arg3, %arg1) <{fastmath = #arith.fastmath<none>}> : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>}}
    %1 = arith.addf %z, %f : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return
}

// -----

func.func @yield_c1_not_last(%x: tensor<2x8xf32>, %f: tensor<2x8xf32>, %y: tensor<2x8xf32>) {
  %0 = xfmr.residual_block none ins(%x : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>) {
  ^bb0(%z: tensor<2x8xf32>):
    // expected-error @below {{'xfmr.yield' op must be the last operation in the parent block}}
    xfmr.yield %f : tensor<2x8xf32>
    xfmr.yield %z : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return
}
