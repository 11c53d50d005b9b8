// What a caller's own ops do in bf16 is done in f32 and rounded, each op by
// itself, and in integer arithmetic: the native conversion of AVX-512 loses
// subnormals, and without it LLVM calls a function that no library has.

// RUN: xfmr-run %s --shape 0=3x67 --check
// RUN: xfmr-run %s --shape 0=3x67 --init=const:-5.0 --check | FileCheck %s --check-prefix=SUBNORMAL
// RUN: xfmr-compile %s --cpu=znver4 -o %t.s
// RUN: FileCheck %s --check-prefix=NATIVE < %t.s
// RUN: xfmr-compile %s --cpu=x86-64-v3 -o %t.v3.s
// RUN: FileCheck %s --check-prefix=NATIVE < %t.v3.s

// SUBNORMAL: minimum 9.18355e-41, maximum 9.18355e-41
// NATIVE-NOT: vcvtneps2bf16
// NATIVE-NOT: call{{.*}}truncsfbf2

#map = affine_map<(i, j) -> (i, j)>
func.func @half_types(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = linalg.add ins(%x, %x : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%y : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x?xbf16>) outs(%y : tensor<?x?xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    %e = math.exp %a : bf16
    %s = math.sqrt %e : bf16
    %c0 = arith.constant 1.0e-38 : bf16
    %m = arith.mulf %s, %c0 : bf16
    %c = arith.cmpf ogt, %m, %a : bf16
    %r = arith.select %c, %m, %s : bf16
    linalg.yield %r : bf16
  } -> tensor<?x?xbf16>
  return %1 : tensor<?x?xbf16>
}
