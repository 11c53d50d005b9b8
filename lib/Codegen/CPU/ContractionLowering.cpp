//===- ContractionLowering.cpp - Recognising contractions -----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/ContractionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::xfmr;

AffineMap ContractionInfo::getLhsMap() const {
  return linalg::LinalgOp(op).getIndexingMapsArray()[lhs];
}

AffineMap ContractionInfo::getRhsMap() const {
  return linalg::LinalgOp(op).getIndexingMapsArray()[rhs];
}

AffineMap ContractionInfo::getOutMap() const {
  return linalg::LinalgOp(op).getIndexingMapsArray()[2];
}

bool ContractionInfo::isDotForm() const {
  AffineMap map = getRhsMap();
  return llvm::is_contained(k, map.getDimPosition(map.getNumResults() - 1));
}

/// The input that `value` is, maybe widened; null for anything else.
static BlockArgument getWidenedInput(Value value) {
  while (auto extend = value.getDefiningOp<arith::ExtFOp>())
    value = extend.getIn();
  return dyn_cast<BlockArgument>(value);
}

/// Whether the body adds the product of both inputs to the output.
static bool isMultiplyAccumulate(Block *body) {
  if (body->getNumArguments() != 3)
    return false;
  BlockArgument accumulator = body->getArgument(2);
  Operation *sum = body->getTerminator()->getOperand(0).getDefiningOp();
  Value a, b;
  if (auto fma = dyn_cast_or_null<math::FmaOp>(sum)) {
    if (fma.getC() != accumulator)
      return false;
    a = fma.getA();
    b = fma.getB();
  } else if (auto add = dyn_cast_or_null<arith::AddFOp>(sum)) {
    Value other;
    if (add.getLhs() == accumulator)
      other = add.getRhs();
    else if (add.getRhs() == accumulator)
      other = add.getLhs();
    else
      return false;
    auto product = other.getDefiningOp<arith::MulFOp>();
    if (!product)
      return false;
    a = product.getLhs();
    b = product.getRhs();
  } else {
    return false;
  }
  BlockArgument left = getWidenedInput(a), right = getWidenedInput(b);
  auto isInput = [&](BlockArgument arg) {
    return arg && arg.getOwner() == body && arg != accumulator;
  };
  return isInput(left) && isInput(right) && left != right;
}

FailureOr<ContractionInfo> mlir::xfmr::matchContraction(linalg::LinalgOp op,
                                                        std::string *reason) {
  auto fail = [&](const Twine &text) {
    if (reason)
      *reason = text.str();
    return failure();
  };
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 ||
      op.getNumParallelLoops() + op.getNumReductionLoops() != op.getNumLoops())
    return fail("it is no contraction");
  if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>))
    return fail("an operand is a scalar");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return fail("an operand is not indexed by single dims");
  if (!isMultiplyAccumulate(op.getBlock()))
    return fail("its body is not a multiply-accumulate of the inputs");
  Type type = op.getBlock()->getArgument(2).getType();
  if (!type.isF32() && !type.isF64())
    return fail("it accumulates in neither f32 nor f64");

  ContractionInfo info;
  info.op = op;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool inLhs = maps[0].isFunctionOfDim(loop);
    bool inRhs = maps[1].isFunctionOfDim(loop);
    bool inOut = maps[2].isFunctionOfDim(loop);
    if (iterator == utils::IteratorType::reduction) {
      if (!inLhs || !inRhs || inOut)
        return fail("a reduced dim is not in both inputs alone");
      info.k.push_back(loop);
    } else if (!inOut || (!inLhs && !inRhs)) {
      return fail("a parallel dim is not in the output and an input");
    } else {
      (inLhs && inRhs ? info.batch : inLhs ? info.m : info.n).push_back(loop);
    }
  }
  if (info.n.empty()) {
    std::swap(info.lhs, info.rhs);
    std::swap(info.m, info.n);
  }
  // Vectors lie along the right side's innermost dim.
  AffineMap rhsMap = info.getRhsMap();
  unsigned innermost = rhsMap.getDimPosition(rhsMap.getNumResults() - 1);
  for (SmallVector<unsigned> *loops : {&info.n, &info.k})
    if (auto *it = llvm::find(*loops, innermost); it != loops->end())
      std::rotate(it, it + 1, loops->end());
  return info;
}

bool mlir::xfmr::isPanelProduct(linalg::LinalgOp op) {
  FailureOr<ContractionInfo> info = matchContraction(op);
  return succeeded(info) && info->batch.empty() && !info->m.empty() &&
         info->n.size() == 1 && info->k.size() == 1;
}

/// Whether memory is after `op` what it was before.
static bool keepsMemory(Operation *op) {
  return isMemoryEffectFree(op) || isa<memref::AllocOp>(op);
}

linalg::FillOp mlir::xfmr::getZeros(linalg::LinalgOp op) {
  Operation *before = op->getPrevNode();
  while (before && keepsMemory(before))
    before = before->getPrevNode();
  auto fill = dyn_cast_or_null<linalg::FillOp>(before);
  if (!fill || !fill.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      fill.output() != op.getDpsInits()[0] ||
      !matchPattern(fill.value(), m_PosZeroFloat()))
    return {};
  return fill;
}

bool mlir::xfmr::makesZerosForProduct(linalg::FillOp fill) {
  Operation *after = fill->getNextNode();
  while (after && keepsMemory(after))
    after = after->getNextNode();
  auto product = dyn_cast_or_null<linalg::LinalgOp>(after);
  return product && getZeros(product) == fill && isPanelProduct(product);
}
