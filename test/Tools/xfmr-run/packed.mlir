// Weights are packed before the call, constant ones by the compiler.
// RUN: xfmr-run %s --entry=marked --shape 0=5x70 --dynamic-size=40 --check --time --repetitions=3 | FileCheck %s --check-prefixes=MARKED,PACKED
// RUN: xfmr-run %s --entry=marked --shape 0=5x70 --dynamic-size=40 --check --time --repetitions=3 --threads=2 | FileCheck %s --check-prefixes=MARKED,PACKED
// RUN: xfmr-run %s --entry=marked --shape 0=5x70 --dynamic-size=40 --check --time --repetitions=3 --pack-weights=false | FileCheck %s --check-prefixes=MARKED,UNPACKED
// RUN: xfmr-run %s --entry=marked --shape 0=5x70 --shape 1=70x40 --arg 2=@1 --dynamic-size=40 --check | FileCheck %s --check-prefix=MARKED
// RUN: xfmr-run %s --entry=square --check --arg 2=@1 | FileCheck %s --check-prefix=SQUARE
// RUN: xfmr-run %s --entry=constant --check --time --repetitions=3 | FileCheck %s --check-prefix=CONSTANT
// RUN: xfmr-compile %s --entry=constant -O0 -o %t.ll
// RUN: FileCheck %s --check-prefix=IR < %t.ll
// RUN: xfmr-run %s --entry=calls --check | FileCheck %s --check-prefix=CALLS
// RUN: xfmr-run %s --entry=placed --print --time --repetitions=3 > %t.placed
// RUN: FileCheck %s --check-prefix=PLACED < %t.placed
// RUN: xfmr-run %s --entry=placed --print --check > %t.apart
// RUN: FileCheck %s --check-prefix=APART < %t.apart
// RUN: xfmr-run %s --entry=placed --print --output=arg1=%t.npy > %t.written
// RUN: xfmr-run %s --entry=placed --print --arg 1=%t.npy > %t.read
// RUN: grep -Ev "^(time|check)" %t.placed | diff - %t.written
// RUN: grep -Ev "^(time|check)" %t.apart | diff - %t.written
// RUN: diff %t.read %t.written
// RUN: not xfmr-run %s --entry=marked --shape 0=5x70 --shape 1=70x40 --shape 2=70x41 --dynamic-size=40 2>&1 | FileCheck %s --check-prefix=SIZES

// Sizes that do not fit are found by the function, whatever was packed.
// SIZES: xfmr-run: error: {{.*}}packed.mlir:{{.*}}expected dim

// MARKED: check result 0: {{[0-9]+}} elements{{.*}}: ok
// PACKED: time: median
// PACKED: time: weights were packed once before, {{[0-9.]+}} MB in {{[0-9.]+}} ms
// UNPACKED: time: median
// UNPACKED-NOT: packed
func.func @marked(%x: tensor<?x70xf32>, %gate: tensor<70x?xf32> {xfmr.weight},
                  %up: tensor<70x?xf32> {xfmr.weight}, %down: tensor<?x33xf32> {xfmr.weight})
    -> tensor<?x33xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x70xf32>
  %y = tensor.empty(%m) : tensor<?x33xf32>
  %0 = xfmr.swiglu_ffn ins(%x : tensor<?x70xf32>) gate(%gate : tensor<70x?xf32>)
      up(%up : tensor<70x?xf32>) down(%down : tensor<?x33xf32>) outs(%y : tensor<?x33xf32>)
      layout(in_out) -> tensor<?x33xf32>
  return %0 : tensor<?x33xf32>
}

// In place, in the memory of the weights, where nothing else asks for what they hold.
// PLACED: result 0: 5x32xf32
// PLACED: time: weights were packed once before, 0.020 MB in {{[0-9.]+}} ms, 0.020 MB of them in place
// APART:  check result 0: 160 elements{{.*}}: ok
func.func @placed(%x: tensor<5x48xf32>, %up: tensor<64x48xf32> {xfmr.weight},
                  %down: tensor<32x64xf32> {xfmr.weight}) -> tensor<5x32xf32> {
  %y = tensor.empty() : tensor<5x32xf32>
  %0 = xfmr.ffn ins(%x : tensor<5x48xf32>) up(%up : tensor<64x48xf32>)
      down(%down : tensor<32x64xf32>) outs(%y : tensor<5x32xf32>) activation(relu) layout(out_in)
      -> tensor<5x32xf32>
  return %0 : tensor<5x32xf32>
}

// One weight in two layouts, and two arguments that are one array.
// SQUARE: check result 0: {{[0-9]+}} elements{{.*}}: ok
func.func @square(%x: tensor<3x48xbf16>, %w: tensor<48x48xbf16> {xfmr.weight},
                  %v: tensor<48x48xbf16> {xfmr.weight}) -> tensor<3x48xbf16> {
  %y = tensor.empty() : tensor<3x48xbf16>
  %0 = xfmr.glu_ffn ins(%x : tensor<3x48xbf16>) gate(%w : tensor<48x48xbf16>)
      up(%w : tensor<48x48xbf16>) down(%v : tensor<48x48xbf16>) outs(%y : tensor<3x48xbf16>)
      activation(sigmoid) layout(gate = in_out, up = out_in, down = out_in) -> tensor<3x48xbf16>
  return %0 : tensor<3x48xbf16>
}

// CONSTANT: check result 0: {{[0-9]+}} elements{{.*}}: ok
// CONSTANT: time: median
// CONSTANT-NOT: packed
// IR-DAG: @{{.*}}_packed{{.*}} = private constant {{.*}}, align 64
// IR-NOT: @constant_pack_weights
func.func @constant(%x: tensor<3x3xf32>) -> tensor<3x2xf32> {
  %up = arith.constant dense<[[1.0, 2.0, -1.5], [0.5, -2.0, 3.0]]> : tensor<2x3xf32>
  %down = arith.constant dense_resource<down> : tensor<2x2xf32>
  %y = tensor.empty() : tensor<3x2xf32>
  %0 = xfmr.ffn ins(%x : tensor<3x3xf32>) up(%up : tensor<2x3xf32>) down(%down : tensor<2x2xf32>)
      outs(%y : tensor<3x2xf32>) activation(relu) layout(up = out_in, down = in_out)
      -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// A function that is called packs in every call.
// CALLS: check result 0: {{[0-9]+}} elements{{.*}}: ok
func.func private @callee(%x: tensor<3x16xf32>, %w: tensor<16x16xf32> {xfmr.weight})
    -> tensor<3x16xf32> {
  %y = tensor.empty() : tensor<3x16xf32>
  %0 = xfmr.ffn ins(%x : tensor<3x16xf32>) up(%w : tensor<16x16xf32>) down(%w : tensor<16x16xf32>)
      outs(%y : tensor<3x16xf32>) activation(relu) layout(in_out) -> tensor<3x16xf32>
  return %0 : tensor<3x16xf32>
}
func.func @calls(%x: tensor<3x16xf32>, %w: tensor<16x16xf32> {xfmr.weight}) -> tensor<3x16xf32> {
  %0 = call @callee(%x, %w) : (tensor<3x16xf32>, tensor<16x16xf32>) -> tensor<3x16xf32>
  return %0 : tensor<3x16xf32>
}

{-#
  dialect_resources: {
    builtin: {
      down: "0x040000000000803F00000040000080BF0000003F"
    }
  }
#-}
