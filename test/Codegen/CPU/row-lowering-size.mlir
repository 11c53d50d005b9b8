// A17: the size of what the lowerings emit depends on neither rows nor columns.
// RUN: sed -e 's/ROWS/8/g; s/COLUMNS/256/g' %s > %t.small.mlir
// RUN: sed -e 's/ROWS/512/g; s/COLUMNS/16384/g' %s > %t.large.mlir
// RUN: xfmr-opt --xfmr-lower-row-groups --xfmr-lower-contractions --canonicalize --cse %t.small.mlir | grep -c " = " > %t.small
// RUN: xfmr-opt --xfmr-lower-row-groups --xfmr-lower-contractions --canonicalize --cse %t.large.mlir | grep -c " = " > %t.large
// RUN: %python -c "small, large = (int(open('%t.' + name).read()) for name in ('small', 'large')); assert 50 < large <= 1.2 * small, (small, large)"

func.func @lowered(%x: memref<ROWSxCOLUMNSxf32>, %w: memref<COLUMNSxCOLUMNSxf32>, %y: memref<ROWSxCOLUMNSxf32>, %s: memref<ROWSxf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<ROWSxCOLUMNSxf32>) outs(%s : memref<ROWSxf32>) dimensions = [1]
  linalg.exp ins(%x : memref<ROWSxCOLUMNSxf32>) outs(%x : memref<ROWSxCOLUMNSxf32>)
  linalg.matmul ins(%x, %w : memref<ROWSxCOLUMNSxf32>, memref<COLUMNSxCOLUMNSxf32>) outs(%y : memref<ROWSxCOLUMNSxf32>)
  return
}
