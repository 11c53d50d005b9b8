// RUN: xfmr-opt --xfmr-expand-math --remarks-filter=xfmr-expand-math -o /dev/null %s 2>&1 | FileCheck %s
// RUN: xfmr-opt --xfmr-expand-math %s | FileCheck %s --check-prefix=IR

// f64 is the math library's, and the pass says so; once an op, and not of f32.

// CHECK: expand-math-remarks.mlir:[[#@LINE+6]]:8: remark: [Missed] MathLeftToLibm | Category:xfmr-expand-math | Remark="math.exp of f64 is left to the math library"
// CHECK: expand-math-remarks.mlir:[[#@LINE+6]]:8: remark: [Missed] MathLeftToLibm | Category:xfmr-expand-math | Remark="math.erf of f64 is left to the math library"
// CHECK-NOT: remark
// IR: math.exp %{{.*}} : f64
// IR: math.erf %{{.*}} : vector<4xf64>
func.func @f64(%a: f64, %b: vector<4xf64>, %c: f32) -> (f64, vector<4xf64>, f32) {
  %0 = math.exp %a : f64
  %1 = math.erf %b : vector<4xf64>
  %2 = math.exp %c : f32
  return %0, %1, %2 : f64, vector<4xf64>, f32
}
