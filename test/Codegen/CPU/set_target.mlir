// RUN: xfmr-opt --xfmr-set-target=cpu=x86-64-v4 %s | FileCheck %s
// RUN: xfmr-opt --xfmr-set-target=cpu=x86-64-v4 --xfmr-set-target=cpu=x86-64-v3 %s | FileCheck %s --check-prefix=TWICE
// RUN: xfmr-opt --xfmr-set-target %s | FileCheck %s --check-prefix=HOST
// RUN: xfmr-opt --xfmr-set-target="cpu=x86-64-v3 emulate" %s | FileCheck %s --check-prefix=HOST
// RUN: not xfmr-opt --xfmr-set-target="cpu=i286 emulate" %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not xfmr-opt --xfmr-set-target=cpu=i286 %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: set_target.mlir:{{.*}}: error: {{.*}}i286

// CHECK: module attributes {llvm.data_layout = "e-{{.*}}", llvm.target_triple = "{{.*}}"}
// CHECK: func @f() attributes {passthrough = ["noinline", ["target-cpu", "x86-64-v4"], ["prefer-vector-width", "512"]]}
// TWICE: func @f() attributes {passthrough = ["noinline", ["target-cpu", "x86-64-v3"], ["prefer-vector-width", "256"]]}
// HOST: func @f() attributes {passthrough = ["noinline", ["target-cpu", "{{.+}}"], ["target-features", "{{.+}}"], ["prefer-vector-width", "{{[0-9]+}}"]]}
func.func @f() attributes {passthrough = ["noinline"]} {
  return
}

// CHECK: func private @declared(){{$}}
func.func private @declared()
