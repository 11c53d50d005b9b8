//===- RowLoweringLong.cpp - Long rows in blocks ----------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringLong.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

/// The first block's sums are the first totals: rows of one block have nothing
/// more to do.
SmallVector<Value> rows::emitBlockSums(OpBuilder &builder, Location loc,
                                       StripLoops &loops, Value begin,
                                       Value end, ValueRange neutral,
                                       ValueRange none, EmitRange emitRange,
                                       FoldBlock fold, CombineBlocks combine,
                                       LeaveBlock leave) {
  return loops.emitFor(
      begin, end, kRowBlock, none, [&](Value from, ValueRange args) {
        Value next = builder.createOrFold<arith::AddIOp>(
            loc, from, loops.getConstant(kRowBlock));
        Value to = builder.createOrFold<arith::MinUIOp>(loc, next, end);
        SmallVector<Value> block = fold(emitRange(from, to, neutral));
        leave(from, block);
        Value isFirst = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, from, begin);
        auto branch =
            scf::IfOp::create(builder, loc, ValueRange(block).getTypes(),
                              isFirst, /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(branch.thenBlock());
        scf::YieldOp::create(builder, loc, block);
        builder.setInsertionPointToStart(branch.elseBlock());
        SmallVector<Value> totals;
        for (size_t index = 0; index < block.size(); ++index)
          totals.push_back(combine(index, args[index], block[index]));
        scf::YieldOp::create(builder, loc, totals);
        return SmallVector<Value>(branch.getResults());
      });
}
