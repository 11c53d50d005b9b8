//===- FoldedIndex.h - Index arithmetic that folds --------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_FOLDEDINDEX_H
#define XFMR_LIB_CODEGEN_CPU_FOLDEDINDEX_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

namespace mlir::xfmr {

/// Emits index arithmetic; what is known becomes a constant.
class FoldedIndex {
public:
  FoldedIndex(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value toValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  template <typename Op> Value fold(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  template <typename Op> Value fold(Value a, int64_t b) {
    return fold<Op>(a, constant(b));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  /// Where part `part` of `count` things begins and ends, of which each of
  /// `parts` has as many that follow each other, or one more.
  std::pair<Value, Value> getPart(Value count, Value part, Value parts) {
    auto getBegin = [&](Value part) {
      return fold<arith::DivUIOp>(fold<arith::MulIOp>(count, part), parts);
    };
    return {getBegin(part), getBegin(fold<arith::AddIOp>(part, 1))};
  }

protected:
  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_FOLDEDINDEX_H
