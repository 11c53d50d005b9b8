//===- TileSizes.cpp - How many rows the tiles of a loop have -------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileSizes.h"
#include "xfmr/Dialect/IR/RowLoops.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::xfmr;

/// What `map` calls one of its operands.
static AffineExpr getOperand(AffineMap map, ValueRange operands, Value value) {
  auto found = llvm::find(operands, value);
  unsigned position = found - operands.begin();
  if (found == operands.end())
    return AffineExpr();
  return position < map.getNumDims()
             ? getAffineDimExpr(position, map.getContext())
             : getAffineSymbolExpr(position - map.getNumDims(),
                                   map.getContext());
}

/// Whether it is the smaller of `step` and the rows from `row` to `bound`.
static bool isTileSize(affine::AffineMinOp op, Value row, OpFoldResult bound,
                       int64_t step) {
  AffineMap map = op.getAffineMap();
  AffineExpr start = getOperand(map, op.getOperands(), row), end;
  if (std::optional<int64_t> known = getConstantIntValue(bound))
    end = getAffineConstantExpr(*known, map.getContext());
  else
    end = getOperand(map, op.getOperands(), cast<Value>(bound));
  if (map.getNumResults() != 2 || !start || !end)
    return false;
  auto isConstant = [&](AffineExpr expr, int64_t value) {
    return simplifyAffineExpr(expr, map.getNumDims(), map.getNumSymbols()) ==
           getAffineConstantExpr(value, map.getContext());
  };
  AffineExpr first = map.getResult(0), second = map.getResult(1);
  AffineExpr rest = end - start;
  return (isConstant(first, step) && isConstant(second - rest, 0)) ||
         (isConstant(second, step) && isConstant(first - rest, 0));
}

SmallVector<affine::AffineMinOp> xfmr::getTileSizes(scf::ForallOp loop) {
  if (!loop->hasAttr(kAnyRowsAttrName) || loop.getRank() != 1)
    return {};
  std::optional<int64_t> step = getConstantIntValue(loop.getMixedStep()[0]);
  Value row = loop.getInductionVar(0);
  SmallVector<affine::AffineMinOp> sizes;
  for (Operation *user : row.getUsers()) {
    auto size = dyn_cast<affine::AffineMinOp>(user);
    if (!size)
      continue;
    if (!step || !isTileSize(size, row, loop.getMixedUpperBound()[0], *step))
      return {};
    sizes.push_back(size);
  }
  return sizes;
}

void xfmr::endTilesAt(RewriterBase &rewriter,
                      ArrayRef<affine::AffineMinOp> sizes, int64_t step,
                      Value row, Value end) {
  AffineExpr d0 = rewriter.getAffineDimExpr(0),
             s0 = rewriter.getAffineSymbolExpr(0);
  AffineMap map =
      AffineMap::get(1, 1, {rewriter.getAffineConstantExpr(step), s0 - d0},
                     rewriter.getContext());
  for (affine::AffineMinOp size : sizes) {
    rewriter.setInsertionPoint(size);
    rewriter.replaceOpWithNewOp<affine::AffineMinOp>(size, map,
                                                     ValueRange{row, end});
  }
}
