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
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

/// The blocks from `begin` on, of which there is one at least. Most rows have
/// no more: those go through one loop and past two branches, and nothing is
/// carried into that loop. The first block's sums are the first totals.
static SmallVector<Value> emitBlocks(OpBuilder &builder, Location loc,
                                     StripLoops &loops, Value begin, Value end,
                                     ValueRange neutral, TypeRange types,
                                     EmitRange emitRange,
                                     const BlockSums &blockSums) {
  size_t count = types.size();
  auto isRarely = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return emitUnlikely(builder, loc,
                        arith::CmpIOp::create(builder, loc, predicate, a, b));
  };
  /// Of where a block starts, the totals before it, and what it has itself.
  auto add = [&](ValueRange results) {
    ValueRange totals = results.slice(1, count);
    ValueRange block = results.drop_front(1 + count);
    auto branch = scf::IfOp::create(
        builder, loc, types,
        isRarely(arith::CmpIPredicate::ne, results.front(), begin),
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> sums;
    for (size_t index = 0; index < count; ++index)
      sums.push_back(blockSums.combine(index, totals[index], block[index]));
    scf::YieldOp::create(builder, loc, sums);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, block);
    return SmallVector<Value>(branch.getResults());
  };
  SmallVector<Value> inits = {begin};
  for (Type type : types)
    inits.push_back(ub::PoisonOp::create(builder, loc, type));
  SmallVector<Type> resultTypes = llvm::to_vector(ValueRange(inits).getTypes());
  llvm::append_range(resultTypes, types);
  auto loop = scf::WhileOp::create(
      builder, loc, resultTypes, inits,
      [&](OpBuilder &, Location, ValueRange args) {
        Value from = args.front();
        Value next = builder.createOrFold<arith::AddIOp>(
            loc, from, loops.getConstant(kRowBlock));
        Value to = builder.createOrFold<arith::MinUIOp>(loc, next, end);
        SmallVector<Value> results = llvm::to_vector(args);
        SmallVector<Value> block = blockSums.fold(emitRange(from, to, neutral));
        blockSums.leave(from, block);
        llvm::append_range(results, block);
        scf::ConditionOp::create(builder, loc,
                                 isRarely(arith::CmpIPredicate::ult, to, end),
                                 results);
      },
      [&](OpBuilder &, Location, ValueRange args) {
        SmallVector<Value> next = {arith::AddIOp::create(
            builder, loc, args.front(), loops.getConstant(kRowBlock))};
        llvm::append_range(next, add(args));
        scf::YieldOp::create(builder, loc, next);
      });
  return add(loop.getResults());
}

SmallVector<Value> rows::emitBlockSums(OpBuilder &builder, Location loc,
                                       StripLoops &loops, Value begin,
                                       Value end, ValueRange neutral,
                                       ValueRange none, EmitRange emitRange,
                                       const BlockSums &sums) {
  auto emit = [&] {
    return emitBlocks(builder, loc, loops, begin, end, neutral, none.getTypes(),
                      emitRange, sums);
  };
  // A row that is not shared starts at 0: what is no block adds nothing.
  if (getConstantIntValue(begin))
    return emit();
  Value isAny = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                      begin, end);
  auto branch = scf::IfOp::create(builder, loc, none.getTypes(), isAny,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, emit());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, none);
  return SmallVector<Value>(branch.getResults());
}
