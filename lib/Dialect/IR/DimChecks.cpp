//===- DimChecks.cpp - Run-time checks of what the verifier could not see -*-
//C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimChecks.h"
#include "ShapeUtils.h"
#include "VerifierUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::xfmr;

Value DimChecks::createSize(const Dim &dim) {
  return getValueOrCreateConstantIndexOp(
      builder, loc, getSize(builder, loc, dim.value, dim.dim));
}

void DimChecks::expectEqual(const Dim &a, const Dim &b, int64_t factor) {
  if (!a.value || !b.value ||
      (!ShapedType::isDynamic(shapedType(a.value).getDimSize(a.dim)) &&
       !ShapedType::isDynamic(shapedType(b.value).getDimSize(b.dim))))
    return;
  Value left = createSize(a), right = createSize(b);
  if (factor != 1)
    right = arith::MulIOp::create(
        builder, loc, right,
        arith::ConstantIndexOp::create(builder, loc, factor));
  Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      left, right);
  std::string text = "expected dim " + std::to_string(a.dim) + " of " +
                     a.name.str() + " to equal " +
                     (factor == 1 ? "" : std::to_string(factor) + " times ") +
                     "dim " + std::to_string(b.dim) + " of " + b.name.str();
  cf::AssertOp::create(builder, loc, equal, message(op, text));
}

void DimChecks::expectLeadingEqual(StringRef nameA, Value a, StringRef nameB,
                                   Value b, int64_t count) {
  if (!a || !b)
    return;
  for (int64_t dim = 0; dim < count; ++dim)
    expectEqual({nameA, a, dim}, {nameB, b, dim});
}

void DimChecks::expectSameShape(StringRef nameA, Value a, StringRef nameB,
                                Value b) {
  if (a)
    expectLeadingEqual(nameA, a, nameB, b, shapedType(a).getRank());
}
