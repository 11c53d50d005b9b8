//===- RowLoweringChecks.cpp - Which ops may be part of a row group -------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringDetail.h"
#include "xfmr/Codegen/CPU/ContractionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

//===----------------------------------------------------------------------===//
// Types, maps, views
//===----------------------------------------------------------------------===//

static bool isElementType(Type type) {
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
      type.isIndex())
    return true;
  auto intType = dyn_cast<IntegerType>(type);
  return intType && intType.isSignless() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u}, intType.getWidth());
}

/// Whether every result of `map` is a dim, none of them twice.
static bool isDimSelection(AffineMap map) {
  return map.isProjectedPermutation();
}

std::optional<SmallVector<int64_t>> rows::getSteps(AffineMap map,
                                                   unsigned dim) {
  MLIRContext *context = map.getContext();
  AffineExpr here = getAffineDimExpr(dim, context);
  SmallVector<int64_t> steps;
  for (AffineExpr expr : map.getResults()) {
    AffineExpr next = expr.replace(here, here + 1);
    AffineExpr difference =
        simplifyAffineExpr(next - expr, map.getNumDims(), map.getNumSymbols());
    auto constant = dyn_cast<AffineConstantExpr>(difference);
    if (!constant)
      return std::nullopt;
    steps.push_back(constant.getValue());
  }
  return steps;
}

bool rows::isSameView(Value a, Value b) {
  if (a == b)
    return true;
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  if (!opA || !opB || !isa<ViewLikeOpInterface>(opA))
    return false;
  // Dims of one buffer, or equal sums of them, are not always one SSA value;
  // only what is written alike counts as the same.
  auto sameOperand = [](Value x, Value y) -> LogicalResult {
    if (x == y)
      return success();
    if (isa<MemRefType>(x.getType()))
      return success(isSameView(x, y));
    Operation *xOp = x.getDefiningOp(), *yOp = y.getDefiningOp();
    return success(xOp && yOp && isPure(xOp) &&
                   OperationEquivalence::isEquivalentTo(
                       xOp, yOp, OperationEquivalence::exactValueMatch,
                       /*markEquivalent=*/nullptr,
                       OperationEquivalence::Flags::IgnoreLocations));
  };
  return OperationEquivalence::isEquivalentTo(
      opA, opB, sameOperand, /*markEquivalent=*/nullptr,
      OperationEquivalence::Flags::IgnoreLocations);
}

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

/// The op that combines block argument `accumulator` into `yielded`, if the
/// argument has no other use and the op is one whose order may be chosen.
static Operation *matchCombiner(BlockArgument accumulator, Value yielded) {
  Operation *op = yielded.getDefiningOp();
  if (!op || op->getBlock() != accumulator.getOwner() ||
      !accumulator.hasOneUse() || *accumulator.user_begin() != op)
    return nullptr;
  if (!yielded.hasOneUse())
    return nullptr;
  if (auto fma = dyn_cast<math::FmaOp>(op))
    return fma.getC() == accumulator ? op : nullptr;
  if (isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::MaxNumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
          arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp,
          arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return op;
  return nullptr;
}

TypedAttr rows::getNeutralValue(Operation *combiner, Type type) {
  Builder builder(type.getContext());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    if (isa<arith::MulFOp>(combiner))
      return builder.getFloatAttr(floatType, 1.0);
    // The farthest value that the op says to see.
    auto flags = dyn_cast<arith::ArithFastMathInterface>(combiner);
    bool isFinite =
        flags && bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                                    arith::FastMathFlags::ninf);
    auto getFarthest = [&](bool negative) {
      return builder.getFloatAttr(
          floatType, isFinite ? APFloat::getLargest(semantics, negative)
                              : APFloat::getInf(semantics, negative));
    };
    if (isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner))
      return getFarthest(/*negative=*/true);
    if (isa<arith::MinimumFOp, arith::MinNumFOp>(combiner))
      return getFarthest(/*negative=*/false);
    return builder.getFloatAttr(floatType, 0.0);
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto get = [&](const APInt &value) {
    return builder.getIntegerAttr(type, value);
  };
  if (isa<arith::MulIOp>(combiner))
    return get(APInt(width, 1));
  if (isa<arith::MaxSIOp>(combiner))
    return get(APInt::getSignedMinValue(width));
  if (isa<arith::MinSIOp>(combiner))
    return get(APInt::getSignedMaxValue(width));
  if (isa<arith::MinUIOp, arith::AndIOp>(combiner))
    return get(APInt::getAllOnes(width));
  return get(APInt::getZero(width));
}

//===----------------------------------------------------------------------===//
// checkRowOp
//===----------------------------------------------------------------------===//

static LogicalResult checkBody(linalg::LinalgOp op, std::string &reason) {
  Block *body = op.getBlock();
  for (BlockArgument arg : body->getArguments())
    if (!isElementType(arg.getType())) {
      llvm::raw_string_ostream(reason)
          << "elements of type " << arg.getType() << " are not supported";
      return failure();
    }
  for (Operation &inner : body->without_terminator()) {
    if (isa<arith::ConstantOp, linalg::IndexOp>(inner))
      continue;
    // Lanes behind the row's end are computed too, so nothing may trap. LLVM
    // has integer powers of numbers alone.
    bool fits = OpTrait::hasElementwiseMappableTraits(&inner) &&
                !isa<math::FPowIOp, math::IPowIOp>(inner) && isPure(&inner) &&
                inner.getNumRegions() == 0 &&
                llvm::all_of(inner.getOperandTypes(), isElementType) &&
                llvm::all_of(inner.getResultTypes(), isElementType);
    if (fits)
      continue;
    reason = (Twine("the body's '") + inner.getName().getStringRef() +
              "' cannot be computed on vectors")
                 .str();
    return failure();
  }
  return success();
}

/// A product over one matrix whose rows are contiguous reads like a reduction
/// over rows; all others want register tiles.
static bool isTiledContraction(linalg::LinalgOp op) {
  FailureOr<ContractionInfo> info = matchContraction(op);
  if (failed(info) || (info->m.empty() && info->n.empty()))
    return false;
  return !info->m.empty() || !info->isDotForm();
}

LogicalResult mlir::xfmr::checkRowOp(linalg::LinalgOp op, std::string *reason) {
  std::string scratch;
  std::string &why = reason ? *reason : scratch;
  auto fail = [&](const Twine &text) {
    why = text.str();
    return failure();
  };
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return fail("it mixes tensors and memrefs");
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  unsigned numParallel = op.getNumParallelLoops();
  if (numParallel + op.getNumReductionLoops() != op.getNumLoops())
    return fail("its loops are neither parallel nor reductions");
  if (numParallel != op.getNumLoops()) {
    for (unsigned loop = 0; loop < numParallel; ++loop)
      if (iterators[loop] != utils::IteratorType::parallel)
        return fail("it reduces a dim that is not among the last");
    if (isTiledContraction(op))
      return fail("it is a contraction");
  }
  if (failed(checkBody(op, why)))
    return failure();

  for (auto [output, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    // As many as there are and all different: exactly the parallel ones.
    bool coversParallel =
        isDimSelection(map) && map.getNumResults() == numParallel &&
        llvm::all_of(map.getResults(), [&](AffineExpr expr) {
          return iterators[cast<AffineDimExpr>(expr).getPosition()] ==
                 utils::IteratorType::parallel;
        });
    if (!coversParallel)
      return fail("an output is not indexed by exactly the parallel dims");
    if (numParallel == op.getNumLoops())
      continue;
    OpOperand *yielded = op.getMatchingYieldValue(&init);
    if (!matchCombiner(op.getMatchingBlockArgument(&init), yielded->get()))
      return fail("output " + Twine(output) +
                  " is not reduced by one operation whose order is free");
  }
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (type && !type.isStrided())
      return fail("a memref's layout is not strided");
  }
  return success();
}

Operation *rows::getCombiner(linalg::LinalgOp op, unsigned output) {
  if (op.getNumReductionLoops() == 0)
    return nullptr;
  OpOperand *init = op.getDpsInitOperand(output);
  return matchCombiner(op.getMatchingBlockArgument(init),
                       op.getMatchingYieldValue(init)->get());
}
