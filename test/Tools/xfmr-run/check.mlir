// --check says for every result how far it is from the reference, and fails when
// one is beyond its bound: here a transform changes eps, which the reference,
// working on the description, does not see.
// RUN: xfmr-run %s --check | FileCheck %s --check-prefix=RIGHT
// RUN: not xfmr-run %s --check --passes='builtin.module(transform-interpreter)' 2> %t | FileCheck %s --check-prefix=WRONG
// RUN: FileCheck %s --check-prefix=ERROR < %t
// RUN: xfmr-run %s --passes='builtin.module(transform-interpreter)'

// RIGHT: check result 0: 320 elements, largest error {{[0-9.e+-]+}} ulp, {{[0-9.e+-]+}} relative, {{[0-9.e+-]+}} of the bound at [{{[0-9]}}, {{[0-9]+}}] ({{[-0-9.e]+}}, expected {{[-0-9.e]+}} +- {{[-0-9.e]+}}): ok
// RIGHT: check result 1: 5 elements, {{.*}}: ok
// WRONG: check result 0: 320 elements, {{.*}}: {{[0-9]+}} WRONG
// WRONG: check result 1: 5 elements, {{.*}}: 5 WRONG
// ERROR: xfmr-run: error: 2 of 2 results are beyond their bounds
module attributes {transform.with_named_sequence} {
  func.func @norm(%x: tensor<5x64xbf16>, %y: tensor<5x64xbf16>, %s: tensor<5xf32>)
      -> (tensor<5x64xbf16>, tensor<5xf32>) {
    %0, %1 = xfmr.rmsnorm ins(%x : tensor<5x64xbf16>) outs(%y : tensor<5x64xbf16>)
        rstd(%s : tensor<5xf32>) eps(1.0e-05) rounding(scale_then_cast)
        -> tensor<5x64xbf16>, tensor<5xf32>
    return %0, %1 : tensor<5x64xbf16>, tensor<5xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %norm = transform.structured.match ops{["xfmr.rmsnorm"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %eps = transform.param.constant 0.5 : f64 -> !transform.any_param
    transform.annotate %norm "eps" = %eps : !transform.any_op, !transform.any_param
    transform.yield
  }
}
