// RUN: xfmr-opt %s --xfmr-emulate-target-ops --split-input-file -verify-diagnostics

func.func @rsqrt(%a: vector<8xf32>) -> vector<8xf32> {
  // expected-error @below {{'x86vector.avx.rsqrt' op cannot be emulated: it has no emulation}}
  %0 = x86vector.avx.rsqrt %a : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

func.func @integers(%a: memref<16x64xi8>, %c: memref<16x16xi32>) {
  %c0 = arith.constant 0 : index
  %x = amx.tile_load %a[%c0, %c0] : memref<16x64xi8> into !amx.tile<16x64xi8>
  %s = amx.tile_load %c[%c0, %c0] : memref<16x16xi32> into !amx.tile<16x16xi32>
  // expected-error @below {{'amx.tile_muli' op cannot be emulated: it has no emulation}}
  %0 = amx.tile_muli %x, %x, %s : !amx.tile<16x64xi8>, !amx.tile<16x64xi8>, !amx.tile<16x16xi32>
  amx.tile_store %c[%c0, %c0], %0 : memref<16x16xi32>, !amx.tile<16x16xi32>
  return
}

// -----

func.func @halves(%a: memref<16x32xf16>, %c: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %x = amx.tile_load %a[%c0, %c0] : memref<16x32xf16> into !amx.tile<16x32xf16>
  %s = amx.tile_zero : !amx.tile<16x16xf32>
  // expected-error @below {{'amx.tile_mulf' op expected bf16 tiles for emulation, got '!amx.tile<16x32xf16>'}}
  %0 = amx.tile_mulf %x, %x, %s : !amx.tile<16x32xf16>, !amx.tile<16x32xf16>, !amx.tile<16x16xf32>
  amx.tile_store %c[%c0, %c0], %0 : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}

// -----

func.func @blocks(%c: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %s = amx.tile_zero : !amx.tile<16x16xf32>
  // expected-error @below {{'cf.br' op cannot be emulated: it passes on an AMX tile}}
  cf.br ^next(%s : !amx.tile<16x16xf32>)
^next(%t: !amx.tile<16x16xf32>):
  amx.tile_store %c[%c0, %c0], %t : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}
