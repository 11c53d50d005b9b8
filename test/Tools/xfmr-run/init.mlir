// Initial contents: the same for the same seed, on every machine.
// RUN: xfmr-run %s --print | FileCheck %s --check-prefix=NORMAL
// RUN: xfmr-run %s --print --seed=0 --init=normal:1 | FileCheck %s --check-prefix=NORMAL
// RUN: xfmr-run %s --print --seed=1 | FileCheck %s --check-prefix=SEED
// RUN: xfmr-run %s --print --init=range --init 1=const:-2.5 --init 2=uniform:100 | FileCheck %s --check-prefix=OTHERS
// RUN: xfmr-run %s --print --init=const:3 | FileCheck %s --check-prefix=CONST

// NORMAL: result 0: 1x4xf32
// NORMAL-NEXT: {{^}}  1.45062697 0.412763596 1.60987222 -0.314175457
// NORMAL-NEXT: result 1: 2xbf16
// NORMAL-NEXT: {{^}}  1.8359375 1.1640625
// NORMAL-NEXT: result 2: 4xi8
// NORMAL-NEXT: {{^}}  8 -5 -8 2
// SEED: result 0: 1x4xf32
// SEED-NOT: 1.45062697 0.412763596 1.60987222 -0.314175457
// OTHERS: {{^}}  -1 -0.333333343 0.333333343 1
// OTHERS: {{^}}  -2.5 -2.5
// OTHERS: result 2: 4xi8
// CONST: {{^}}  3 3 3 3
// CONST: {{^}}  3 3
// CONST: {{^}}  3 3 3 3
func.func @f(%x: tensor<1x4xf32>, %h: tensor<2xbf16>, %i: tensor<4xi8>)
    -> (tensor<1x4xf32>, tensor<2xbf16>, tensor<4xi8>) {
  return %x, %h, %i : tensor<1x4xf32>, tensor<2xbf16>, tensor<4xi8>
}
