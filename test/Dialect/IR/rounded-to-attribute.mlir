// RUN: xfmr-opt --split-input-file --verify-diagnostics %s | xfmr-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func @rounded(
// CHECK:         math.exp %{{.*}} {xfmr.rounded_to = f16} : f32
// CHECK:         math.exp2 %{{.*}} {xfmr.rounded_to = bf16} : f32
func.func @rounded(%a: f32) -> (f32, f32) {
  %0 = math.exp %a {xfmr.rounded_to = f16} : f32
  %1 = math.exp2 %a {xfmr.rounded_to = bf16} : f32
  return %0, %1 : f32, f32
}

// -----

func.func @other_op(%a: f32) -> f32 {
  // expected-error @below {{expected 'xfmr.rounded_to' to be f16 or bf16 on an exponential, or bf16 on a power of two}}
  %0 = math.tanh %a {xfmr.rounded_to = bf16} : f32
  return %0 : f32
}

// -----

func.func @other_type(%a: f32) -> f32 {
  // expected-error @below {{expected 'xfmr.rounded_to' to be f16 or bf16}}
  %0 = math.exp %a {xfmr.rounded_to = f32} : f32
  return %0 : f32
}

// -----

func.func @power_for_f16(%a: f32) -> f32 {
  // expected-error @below {{expected 'xfmr.rounded_to' to be f16 or bf16}}
  %0 = math.exp2 %a {xfmr.rounded_to = f16} : f32
  return %0 : f32
}
