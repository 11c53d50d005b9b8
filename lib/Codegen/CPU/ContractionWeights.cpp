//===- ContractionWeights.cpp - Weights that are packed once --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionWeights.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <numeric>

using namespace mlir;
using namespace mlir::xfmr;

//===----------------------------------------------------------------------===//
// What divides an index
//===----------------------------------------------------------------------===//

static int64_t getDivisor(AffineExpr expr, ValueRange operands,
                          unsigned numDims) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return getKnownDivisor(OpFoldResult(IntegerAttr::get(
          IndexType::get(expr.getContext()), constant.getValue())));
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return getKnownDivisor(operands[dim.getPosition()]);
    auto symbol = cast<AffineSymbolExpr>(expr);
    return getKnownDivisor(operands[numDims + symbol.getPosition()]);
  }
  int64_t lhs = getDivisor(binary.getLHS(), operands, numDims);
  int64_t rhs = getDivisor(binary.getRHS(), operands, numDims);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod: // lhs minus a multiple of rhs.
    return std::gcd(lhs, rhs);
  case AffineExprKind::Mul: {
    int64_t product;
    return llvm::MulOverflow(lhs, rhs, product) ? std::max(lhs, rhs) : product;
  }
  default: { // A division, of which all is known if it leaves no rest.
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (divisor && divisor.getValue() > 0 && lhs % divisor.getValue() == 0)
      return lhs / divisor.getValue();
    return 1;
  }
  }
}

static int64_t getLoopDivisor(OpFoldResult begin, OpFoldResult step) {
  return std::gcd(getKnownDivisor(begin), getKnownDivisor(step));
}

static int64_t getArgumentDivisor(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  auto loop = dyn_cast_or_null<LoopLikeOpInterface>(parent);
  if (!loop)
    return 1;
  std::optional<SmallVector<Value>> ivs = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> begins = loop.getLoopLowerBounds(),
                                           steps = loop.getLoopSteps();
  if (!ivs || !begins || !steps)
    return 1;
  for (auto [iv, begin, step] : llvm::zip(*ivs, *begins, *steps))
    if (iv == argument)
      return getLoopDivisor(begin, step);
  return 1;
}

int64_t mlir::xfmr::getKnownDivisor(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant == std::numeric_limits<int64_t>::min()
               ? 1
               : std::abs(*constant);
  auto operand = cast<Value>(value);
  if (auto argument = dyn_cast<BlockArgument>(operand))
    return getArgumentDivisor(argument);
  Operation *op = operand.getDefiningOp();
  auto ofMap = [](AffineMap map, ValueRange operands) {
    int64_t divisor = 0;
    for (AffineExpr expr : map.getResults())
      divisor = std::gcd(divisor, getDivisor(expr, operands, map.getNumDims()));
    return divisor;
  };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return ofMap(apply.getAffineMap(), apply.getMapOperands());
  // One of its results.
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return ofMap(min.getAffineMap(), min.getMapOperands());
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return ofMap(max.getAffineMap(), max.getMapOperands());
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp,
          arith::MaxSIOp, arith::MaxUIOp>(op))
    return std::gcd(getKnownDivisor(op->getOperand(0)),
                    getKnownDivisor(op->getOperand(1)));
  if (auto mul = dyn_cast<arith::MulIOp>(op)) {
    int64_t lhs = getKnownDivisor(mul.getLhs());
    int64_t rhs = getKnownDivisor(mul.getRhs());
    int64_t product;
    return llvm::MulOverflow(lhs, rhs, product) ? std::max(lhs, rhs) : product;
  }
  return 1;
}

static bool isMultiple(OpFoldResult value, int64_t factor) {
  return getKnownDivisor(value) % factor == 0;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// The view that a view is of, for views that lose nothing of what is needed to
/// make them again.
static Value getViewed(Value view) {
  Operation *op = view.getDefiningOp();
  if (isa_and_nonnull<memref::SubViewOp, memref::CastOp,
                      memref::CollapseShapeOp, memref::ExpandShapeOp,
                      memref::TransposeOp>(op))
    return op->getOperand(0);
  return Value();
}

bool PackedWeights::isWeight(Value view) {
  while (Value viewed = getViewed(view))
    view = viewed;
  if (auto argument = dyn_cast<BlockArgument>(view)) {
    auto function = dyn_cast_or_null<FunctionOpInterface>(
        argument.getOwner()->getParentOp());
    return function && argument.getOwner()->isEntryBlock() &&
           function.getArgAttr(argument.getArgNumber(), kWeightAttrName);
  }
  auto get = view.getDefiningOp<memref::GetGlobalOp>();
  if (!get)
    return false;
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      get, get.getNameAttr());
  return global && global.getConstant() && !global.isUninitialized() &&
         !global.isDeclaration();
}

/// Whether `value` can be computed where the function begins.
bool PackedWeights::isKnownAtEntry(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &function.getFunctionBody().front();
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  // The index is in range: the op is in the function.
  auto dim = dyn_cast<memref::DimOp>(op);
  if (!isSpeculatable(op) && !(dim && dim.getConstantIndex()))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isKnownAtEntry(operand); });
}

/// Clones what computes `value` to the function's entry; what is there already
/// is used again.
Value PackedWeights::cloneAtEntry(RewriterBase &rewriter, Value value) {
  if (isa<BlockArgument>(value))
    return value;
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, cloneAtEntry(rewriter, operand));
  if (last)
    rewriter.setInsertionPointAfter(last);
  else
    rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
  Operation *clone = rewriter.clone(*op, mapping);
  unsigned number = cast<OpResult>(value).getResultNumber();
  for (Operation *known : clones)
    if (OperationEquivalence::isEquivalentTo(
            known, clone, OperationEquivalence::IgnoreLocations)) {
      rewriter.eraseOp(clone);
      return known->getResult(number);
    }
  clones.push_back(clone);
  last = clone;
  return clone->getResult(number);
}

FailureOr<PackedPart> PackedWeights::pack(RewriterBase &rewriter, Location loc,
                                          Value view, WeightLayout order,
                                          const PanelLayout &layout) {
  if (!isWeight(view))
    return failure();
  unsigned inputDim = order == WeightLayout::InOut ? 0 : 1;
  // The largest weight that the view is a part of, in whole panels and steps.
  AffineExpr a, b;
  bindSymbols(rewriter.getContext(), a, b);
  OpFoldResult begin[2] = {rewriter.getIndexAttr(0), rewriter.getIndexAttr(0)};
  while (true) {
    if (auto cast = view.getDefiningOp<memref::CastOp>()) {
      if (!isa<MemRefType>(cast.getSource().getType()))
        break;
      view = cast.getSource();
      continue;
    }
    auto part = view.getDefiningOp<memref::SubViewOp>();
    if (!part || part.getSourceType().getRank() != 2 ||
        part.getType().getRank() != 2 ||
        !llvm::all_of(part.getMixedStrides(), isOneInteger))
      break;
    SmallVector<OpFoldResult> offsets = part.getMixedOffsets();
    if (!isMultiple(offsets[inputDim], layout.group) ||
        !isMultiple(offsets[1 - inputDim], layout.columns))
      break;
    for (auto [sum, offset] : llvm::zip_equal(begin, offsets))
      sum = affine::makeComposedFoldedAffineApply(rewriter, loc, a + b,
                                                  {sum, offset});
    view = part.getSource();
  }
  if (!isKnownAtEntry(view))
    return failure();

  PackedPart result;
  result.firstInput = begin[inputDim];
  result.firstPanel = affine::makeComposedFoldedAffineApply(
      rewriter, loc, a.floorDiv(layout.columns), begin[1 - inputDim]);
  OpBuilder::InsertionGuard guard(rewriter);
  Value source = cloneAtEntry(rewriter, view);
  for (const Packed &known : packed)
    if (known.view == source && known.order == order &&
        known.layout == layout) {
      result.packed = known.packed;
      return result;
    }
  if (last)
    rewriter.setInsertionPointAfter(last);
  else
    rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
  result.packed = createPackedWeight(rewriter, loc, source, order, layout);
  for (Operation *user : result.packed.getUsers())
    last = user;
  packed.push_back({source, order, layout, result.packed});
  function->walk([&](func::ReturnOp exit) {
    rewriter.setInsertionPoint(exit);
    memref::DeallocOp::create(rewriter, loc, result.packed);
  });
  return result;
}
