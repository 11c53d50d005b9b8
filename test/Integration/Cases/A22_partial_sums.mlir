// Case A22: a row's sum is kept in several vectors, so that additions do not wait for
// each other: the loop's fused multiply-adds have registers of their own.
// RUN: xfmr-compile %s --cpu=x86-64-v4 --header=none -o %t.v4.s && FileCheck %s --check-prefix=V4 < %t.v4.s
// RUN: xfmr-compile %s --cpu=x86-64-v3 --header=none -o %t.v3.s && FileCheck %s --check-prefix=V3 < %t.v3.s

// V4-LABEL: {{^}}norm:
// V4: vfmadd{{[0-9]+}}ps %zmm{{[0-9]+}}, %zmm{{[0-9]+}}, %zmm{{[0-9]+}}
// V4-NEXT: vfmadd{{[0-9]+}}ps %zmm{{[0-9]+}}, %zmm{{[0-9]+}}, %zmm{{[0-9]+}}
// V4-NEXT: vfmadd{{[0-9]+}}ps %zmm{{[0-9]+}}, %zmm{{[0-9]+}}, %zmm{{[0-9]+}}
// V4-NEXT: vfmadd{{[0-9]+}}ps %zmm{{[0-9]+}}, %zmm{{[0-9]+}}, %zmm{{[0-9]+}}
// V4: {{j[a-z]+}} .LBB0_

// V3-LABEL: {{^}}norm:
// V3: vfmadd{{[0-9]+}}ps %ymm
// V3-NEXT: vfmadd{{[0-9]+}}ps %ymm
// V3-NEXT: vfmadd{{[0-9]+}}ps %ymm
// V3-NEXT: vfmadd{{[0-9]+}}ps %ymm
// V3: {{j[a-z]+}} .LBB0_

// And so written by us, not found by LLVM, which may not reorder sums: the loop over
// the row carries vectors of several registers.
// RUN: xfmr-opt --xfmr-cpu-expand-stage=cpu=x86-64-v4 --xfmr-cpu-tile-stage=cpu=x86-64-v4 --xfmr-cpu-bufferize-stage=cpu=x86-64-v4 --xfmr-cpu-decompose-stage=cpu=x86-64-v4 --xfmr-cpu-vectorize-stage=cpu=x86-64-v4 %s | FileCheck %s --check-prefix=LOOP
// LOOP: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<[[LANES:128|256|64]]xf32>)
// LOOP: math.fma %[[X:.*]], %[[X]], %[[SUM]] : vector<[[LANES]]xf32>
func.func @norm(%x: tensor<?x4096xf32>, %y: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %0 = xfmr.rmsnorm ins(%x : tensor<?x4096xf32>) outs(%y : tensor<?x4096xf32>) eps(1.0e-05)
      -> tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}
