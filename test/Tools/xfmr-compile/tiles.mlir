// Code for AMX tiles: LLVM cannot make it at level 0.

// RUN: xfmr-compile %s --cpu=sapphirerapids -O0 -o %t.s 2>&1 | FileCheck %s --check-prefix=RAISED
// RUN: FileCheck %s --check-prefix=TILES --input-file=%t.s
// RAISED: tiles.mlir:{{.*}}: remark: code is generated at level 1, not 0: AMX tiles need it
// RAISED-NOT: module
// TILES: tdpbf16ps

// Without tiles there is nothing to raise.
// RUN: xfmr-compile %s --cpu=sapphirerapids -O0 --batch-invariant -o %t.s 2>&1 | count 0
// RUN: xfmr-compile %s --cpu=sapphirerapids -O0 --emulate -o %t.s 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=NONE --input-file=%t.s
// NONE-NOT: tdpbf16ps
// NONE-NOT: syscall

// An object asks for the permission itself; the code of another level does not need it.
// RUN: xfmr-compile %s --cpu=x86-64-v3,sapphirerapids -o %t.so
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s --check-prefix=BOTH
// RUN: llvm-readelf -S %t.so | FileCheck %s --check-prefix=CONSTRUCTOR
// BOTH: movl $0x9e, %eax
// BOTH-NEXT: movl $0x1023, %edi
// BOTH-NEXT: movl $0x12, %esi
// BOTH-NEXT: syscall
// BOTH: tdpbf16ps
// CONSTRUCTOR: .init_array

// One CPU is emulated on the host.
// RUN: not xfmr-compile %s --cpu=x86-64-v3,sapphirerapids --emulate -o %t.so 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: code that emulates a CPU is for the host alone: name one CPU

func.func @f(%x: tensor<?x64xbf16>, %w: tensor<64x64xbf16> {xfmr.weight}, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x64xbf16>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
