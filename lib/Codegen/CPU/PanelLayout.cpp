//===- PanelLayout.cpp - Where packed weights lie -------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/PanelLayout.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::xfmr;

PanelLayout PanelLayout::get(Type elementType, Type accumulator,
                             unsigned vectorBytes) {
  int64_t bytes = std::max<int64_t>(2 * vectorBytes, 64);
  return {elementType, bytes * 8 / accumulator.getIntOrFloatBitWidth(),
          elementType.isBF16() ? 2 : 1};
}

PanelLayout PanelLayout::get(MemRefType packed) {
  return {packed.getElementType(), packed.getDimSize(2),
          packed.getRank() == 4 ? packed.getDimSize(3) : 1};
}

MemRefType PanelLayout::getType(int64_t inputs, int64_t outputs) const {
  auto divide = [](int64_t size, int64_t by) -> int64_t {
    return ShapedType::isDynamic(size) ? size : llvm::divideCeil(size, by);
  };
  SmallVector<int64_t> shape{divide(outputs, columns), divide(inputs, group),
                             columns};
  if (group > 1)
    shape.push_back(group);
  return MemRefType::get(shape, elementType);
}

SmallVector<OpFoldResult> PanelLayout::getSizes(OpBuilder &builder,
                                                Location loc,
                                                OpFoldResult inputs,
                                                OpFoldResult outputs) const {
  AffineExpr size = builder.getAffineSymbolExpr(0);
  auto divide = [&](OpFoldResult value, int64_t by) {
    return affine::makeComposedFoldedAffineApply(builder, loc, size.ceilDiv(by),
                                                 value);
  };
  SmallVector<OpFoldResult> sizes{divide(outputs, columns),
                                  divide(inputs, group),
                                  builder.getIndexAttr(columns)};
  if (group > 1)
    sizes.push_back(builder.getIndexAttr(group));
  return sizes;
}

Value mlir::xfmr::createPackedWeight(OpBuilder &builder, Location loc,
                                     Value weight, WeightLayout order,
                                     const PanelLayout &layout) {
  unsigned inputDim = order == WeightLayout::InOut ? 0 : 1;
  SmallVector<OpFoldResult> sizes = layout.getSizes(
      builder, loc, memref::getMixedSize(builder, loc, weight, inputDim),
      memref::getMixedSize(builder, loc, weight, 1 - inputDim));
  SmallVector<Value> dynamicSizes;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  auto packed = memref::AllocOp::create(
      builder, loc, MemRefType::get(shape, layout.elementType), dynamicSizes,
      builder.getI64IntegerAttr(kPackedAlignment));
  PackWeightOp::create(builder, loc, weight, packed,
                       WeightLayoutAttr::get(builder.getContext(), order));
  return packed;
}
