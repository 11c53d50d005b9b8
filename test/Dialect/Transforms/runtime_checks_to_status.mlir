// RUN: xfmr-opt %s --xfmr-runtime-checks-to-status --split-input-file --verify-diagnostics --remarks-filter=xfmr.* | FileCheck %s

// A failed check returns its number, and no other result.
// CHECK-LABEL: func.func @checks(
// CHECK-SAME: %[[A:.*]]: i1, %[[B:.*]]: i1, %[[X:.*]]: memref<4xf32>) -> (memref<4xf32>, i32)
// CHECK-SAME: attributes {xfmr.status_messages = ["first", "second"]}
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: cf.cond_br %[[A]], ^[[NEXT:.*]], ^[[FAIL:.*]](%[[ONE]] : i32)
// CHECK: ^[[NEXT]]:
// CHECK: memref.store
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: cf.cond_br %[[B]], ^[[LAST:.*]], ^[[FAIL]](%[[TWO]] : i32)
// CHECK: ^[[LAST]]:
// CHECK: cf.cond_br %[[A]], ^[[DONE:.*]], ^[[FAIL]](%{{.*}} : i32)
// CHECK: ^[[DONE]]:
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: return %[[X]], %[[ZERO]] : memref<4xf32>, i32
// CHECK: ^[[FAIL]](%[[STATUS:.*]]: i32):
// CHECK: %[[NONE:.*]] = ub.poison : memref<4xf32>
// CHECK: return %[[NONE]], %[[STATUS]] : memref<4xf32>, i32
func.func @checks(%a: i1, %b: i1, %x: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  cf.assert %a, "first"
  memref.store %v, %x[%c0] : memref<4xf32>
  cf.assert %b, "second"
  cf.assert %a, "first"
  return %x : memref<4xf32>
}

// -----

// Every public function has a status; a private one without checks has none.
// CHECK: func.func @public() -> i32 attributes {xfmr.status_messages = []}
// CHECK: return %{{.*}} : i32
func.func @public() {
  return
}
// CHECK: func.func private @private() {
func.func private @private() {
  return
}

// -----

// The numbers are those of the messages listed before, in all functions.
// CHECK: func.func @f(%{{.*}}: i1) -> i32 attributes {xfmr.status_messages = ["unused", "b", "a"]}
// CHECK: arith.constant 3 : i32
func.func @f(%x: i1) attributes {xfmr.status_messages = ["unused"]} {
  cf.assert %x, "a"
  return
}
// CHECK: func.func @g(%{{.*}}: i1) -> i32 attributes {xfmr.status_messages = ["unused", "b", "a"]}
// CHECK: arith.constant 2 : i32
func.func @g(%x: i1) attributes {xfmr.status_messages = ["b"]} {
  cf.assert %x, "b"
  return
}

// -----

// A caller hands the status of what it calls on.
// CHECK: func.func private @callee(%{{.*}}: i1) -> (f32, i32)
func.func private @callee(%x: i1) -> f32 {
  %v = arith.constant 1.0 : f32
  cf.assert %x, "in the callee"
  return %v : f32
}
// CHECK: func.func private @between(%{{.*}}: i1) -> (f32, i32)
func.func private @between(%x: i1) -> f32 {
  %v = call @callee(%x) : (i1) -> f32
  return %v : f32
}
// CHECK: func.func @caller(%{{.*}}: i1) -> (f32, i32)
// CHECK: %[[CALL:.*]]:2 = call @between
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[CALL]]#1
// CHECK: cf.cond_br %[[OK]], ^[[DONE:.*]], ^[[FAIL:.*]](%[[CALL]]#1 : i32)
// CHECK: ^[[DONE]]:
// CHECK: return %[[CALL]]#0, %{{.*}} : f32, i32
func.func @caller(%x: i1) -> f32 {
  %v = call @between(%x) : (i1) -> f32
  return %v : f32
}

// -----

func.func private @callee(%x: i1) {
  cf.assert %x, "in the callee"
  return
}
// Inside a region there is no return: the program ends, and a remark says so.
// CHECK: func.func @nested(%[[X:.*]]: i1) -> i32
// CHECK: scf.if
// CHECK: %[[STATUS:.*]] = func.call @callee
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[STATUS]]
// CHECK: cf.assert %[[OK]], "a runtime check of 'callee' failed"
// CHECK: cf.assert %[[X]], "nested"
func.func @nested(%x: i1) {
  scf.if %x {
    func.call @callee(%x) : (i1) -> ()
    // expected-remark @below {{[Missed] check-aborts | Category:xfmr-runtime-checks-to-status | Function=nested | Remark="a check inside a region cannot return a status: it aborts when it fails"}}
    cf.assert %x, "nested"
  }
  return
}

// -----

func.func @value(%x: i1) {
  return
}
func.func private @user() -> ((i1) -> ()) {
  // expected-error @below {{'func.constant' op expected only direct calls of 'value', which is to return a status}}
  %f = constant @value : (i1) -> ()
  return %f : (i1) -> ()
}
