// RUN: xfmr-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: func.func @weights(%{{.+}}: tensor<8xf32> {xfmr.weight}, %{{.+}}: memref<?xf32> {test.other, xfmr.weight})
func.func @weights(%a: tensor<8xf32> {xfmr.weight}, %b: memref<?xf32> {xfmr.weight, test.other}) {
  return
}

// CHECK: func.func private @declaration(tensor<8x?xbf16> {xfmr.weight})
func.func private @declaration(tensor<8x?xbf16> {xfmr.weight})

// -----

// expected-error @below {{expected 'xfmr.weight' on a ranked tensor or memref, got 'f32'}}
func.func @scalar(%a: f32 {xfmr.weight}) {
  return
}

// -----

// expected-error @below {{expected 'xfmr.weight' on a ranked tensor or memref, got 'tensor<*xf32>'}}
func.func private @unranked(tensor<*xf32> {xfmr.weight})

// -----

// expected-error @below {{expected 'xfmr.weight' without a value, got false}}
func.func @value(%a: tensor<8xf32> {xfmr.weight = false}) {
  return
}

// -----

// expected-error @below {{expected no argument attribute 'xfmr.weights', the dialect has 'xfmr.weight' alone}}
func.func @misspelt(%a: tensor<8xf32> {xfmr.weights}) {
  return
}

// -----

// expected-error @below {{expected no result attribute 'xfmr.weight', the dialect has none}}
func.func @result(%a: tensor<8xf32>) -> (tensor<8xf32> {xfmr.weight}) {
  return %a : tensor<8xf32>
}

// -----

// expected-error @below {{expected no attribute 'xfmr.weight', the dialect does not know it}}
func.func @function() attributes {xfmr.weight} {
  return
}

// -----

// expected-error @below {{expected 'xfmr.status_messages' to be an array of strings on a function}}
func.func @messages() attributes {xfmr.status_messages = [1]} {
  return
}
