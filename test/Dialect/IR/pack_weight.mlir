// RUN: xfmr-opt %s | FileCheck %s
// RUN: xfmr-opt %s -mlir-print-op-generic | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s -emit-bytecode | xfmr-opt | FileCheck %s
// RUN: xfmr-opt %s --xfmr-insert-runtime-checks --canonicalize | FileCheck %s --check-prefix=CHECKS

// CHECK-LABEL: func.func @example(
// CHECK: xfmr.pack_weight ins(%{{.+}} : memref<1536x576xbf16>) outs(%{{.+}} : memref<48x288x32x2xbf16>) layout(out_in){{$}}
// CHECKS-LABEL: func.func @example(
// CHECKS-NOT: cf.assert
func.func @example(%w: memref<1536x576xbf16>, %p: memref<48x288x32x2xbf16>) {
  xfmr.pack_weight ins(%w : memref<1536x576xbf16>)
      outs(%p : memref<48x288x32x2xbf16>) layout(out_in)
  return
}

// Any strides of the weight, any distance of panels, sizes that are not known.
// CHECK-LABEL: func.func @views(
// CHECK: xfmr.pack_weight ins(%{{.+}} : memref<?x?xf32, strided<[?, 2], offset: ?>>) outs(%{{.+}} : memref<?x?x32xf32, strided<[?, 32, 1], offset: ?>>) layout(in_out) {test.mark}
// CHECK: xfmr.pack_weight ins(%{{.+}} : memref<0x7xf64>) outs(%{{.+}} : memref<1x0x16xf64>) layout(in_out)
// CHECKS-LABEL: func.func @views(
// CHECKS: cf.assert %{{.+}}, "{{.*}}expected as many panels of 32 as ins has outputs for, in dim 0 of outs
// CHECKS: cf.assert %{{.+}}, "{{.*}}expected as many steps of 1 as ins has inputs for, in dim 1 of outs
// CHECKS-NOT: cf.assert
func.func @views(%w: memref<?x?xf32, strided<[?, 2], offset: ?>>,
                 %p: memref<?x?x32xf32, strided<[?, 32, 1], offset: ?>>,
                 %e: memref<0x7xf64>, %q: memref<1x0x16xf64>) {
  xfmr.pack_weight ins(%w : memref<?x?xf32, strided<[?, 2], offset: ?>>)
      outs(%p : memref<?x?x32xf32, strided<[?, 32, 1], offset: ?>>) layout(in_out) {test.mark}
  xfmr.pack_weight ins(%e : memref<0x7xf64>) outs(%q : memref<1x0x16xf64>) layout(in_out)
  return
}
