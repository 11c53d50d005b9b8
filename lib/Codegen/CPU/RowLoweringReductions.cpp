//===- RowLoweringReductions.cpp - Partial results to totals --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringReductions.h"
#include "RowLoweringStrips.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

SmallVector<SmallVector<Reduction>>
rows::getReductionPasses(const RowPlan &plan, const RowLoweringOptions &options,
                         unsigned level) {
  SmallVector<SmallVector<Reduction>> passes;
  for (unsigned index = 0, e = plan.nodes.size(); index < e; ++index) {
    const RowNode &node = plan.nodes[index];
    if (!node.isReduction() || node.level != level)
      continue;
    auto *pass = llvm::find_if(passes, [&](ArrayRef<Reduction> others) {
      const RowNode &other = plan.nodes[others.front().node];
      return other.columns == node.columns && other.isPaired == node.isPaired;
    });
    if (pass == passes.end())
      pass = &passes.emplace_back();
    for (unsigned output = 0; output < node.combiners.size(); ++output)
      pass->push_back(
          {index, output, node.combiners[output],
           node.combiners[output]->getResult(0).getType(),
           options.useBF16Dot && !getDotFactors(node, output).empty()});
  }
  return passes;
}

Value rows::combinePartials(OpBuilder &builder, Location loc,
                            const Reduction &reduction, Value a, Value b) {
  if (auto fma = dyn_cast<math::FmaOp>(reduction.combiner))
    return arith::AddFOp::create(builder, loc, a, b, fma.getFastmath());
  return mlir::clone(builder, reduction.combiner, a.getType(), {a, b})
      ->getResult(0);
}

Value rows::foldChunks(OpBuilder &builder, Location loc,
                       const Reduction &reduction, ArrayRef<Value> chunks,
                       int64_t lanes) {
  auto combine = [&](Value a, Value b) {
    return combinePartials(builder, loc, reduction, a, b);
  };
  SmallVector<Value> folded = llvm::to_vector(chunks);
  while (folded.size() > 1) {
    size_t half = folded.size() / 2;
    for (size_t i = 0; i < half; ++i)
      folded[i] = combine(folded[i], folded[i + half]);
    folded.resize(half);
  }
  return foldLanes(builder, loc, folded.front(), lanes, combine);
}

bool rows::balancesUnits(ArrayRef<Reduction> reductions) {
  auto isAny = [&](auto predicate) {
    return llvm::any_of(reductions, [&](const Reduction &reduction) {
      return reduction.type.isF32() && !reduction.isDot && predicate(reduction);
    });
  };
  return isAny([](const Reduction &reduction) {
           return isa<arith::AddFOp>(reduction.combiner);
         }) &&
         isAny([](const Reduction &reduction) {
           return isa<math::FmaOp>(reduction.combiner);
         });
}

/// Less than 2^-126 was lost for each product and each sum.
Value rows::emitIsTiny(OpBuilder &builder, Location loc,
                       ArrayRef<Reduction> reductions, ArrayRef<Value> totals) {
  Value isTiny;
  for (auto [reduction, total] : llvm::zip_equal(reductions, totals)) {
    if (!reduction.isDot)
      continue;
    auto scalar = builder.getF32FloatAttr(std::ldexp(1.0f, -60));
    TypedAttr attr = scalar;
    if (auto type = dyn_cast<VectorType>(total.getType()))
      attr = DenseElementsAttr::get(type, Attribute(scalar));
    Value limit = arith::ConstantOp::create(builder, loc, attr);
    Value magnitude = math::AbsFOp::create(builder, loc, total);
    Value isSmall = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLT, magnitude, limit);
    isTiny = isTiny ? builder.createOrFold<arith::OrIOp>(loc, isTiny, isSmall)
                    : isSmall;
  }
  return isTiny;
}
