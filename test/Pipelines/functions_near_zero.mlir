// Functions whose usual forms have no digits left near 0, and one that MLIR makes
// two roundings of in the type that it has.
//
// RUN: sed 's/TYPE/f32/g' %s > %t.f32.mlir
// RUN: sed 's/TYPE/f64/g' %s > %t.f64.mlir
// RUN: sed 's/TYPE/f16/g' %s > %t.f16.mlir
// RUN: sed 's/TYPE/bf16/g' %s > %t.bf16.mlir
// RUN: xfmr-run %t.f32.mlir --check --init 0=uniform:1.0e-07
// RUN: xfmr-run %t.f32.mlir --check --init 0=uniform:0.9
// RUN: xfmr-run %t.f64.mlir --check --init 0=uniform:1.0e-12
// RUN: xfmr-run %t.f64.mlir --check --init 0=uniform:0.9
// RUN: xfmr-run %t.f16.mlir --check --init 0=uniform:1.0e-03
// RUN: xfmr-run %t.f16.mlir --check --init 0=uniform:0.9
// RUN: xfmr-run %t.bf16.mlir --check --init 0=uniform:1.0e-03
// RUN: xfmr-run %t.bf16.mlir --check --init 0=uniform:0.9

#row = affine_map<(i) -> (i)>

func.func @f(%x: tensor<1000xTYPE>, %a: tensor<1000xTYPE>, %b: tensor<1000xTYPE>, %c: tensor<1000xTYPE>)
    -> (tensor<1000xTYPE>, tensor<1000xTYPE>, tensor<1000xTYPE>) {
  %0:3 = linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]}
      ins(%x : tensor<1000xTYPE>) outs(%a, %b, %c : tensor<1000xTYPE>, tensor<1000xTYPE>, tensor<1000xTYPE>) {
  ^bb0(%e: TYPE, %o0: TYPE, %o1: TYPE, %o2: TYPE):
    %m = math.expm1 %e : TYPE
    %p = math.log1p %e : TYPE
    %abs = math.absf %e : TYPE
    %r = math.rsqrt %abs : TYPE
    linalg.yield %m, %p, %r : TYPE, TYPE, TYPE
  } -> (tensor<1000xTYPE>, tensor<1000xTYPE>, tensor<1000xTYPE>)
  return %0#0, %0#1, %0#2 : tensor<1000xTYPE>, tensor<1000xTYPE>, tensor<1000xTYPE>
}
