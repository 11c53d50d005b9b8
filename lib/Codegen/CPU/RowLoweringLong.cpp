//===- RowLoweringLong.cpp - Long rows in blocks ----------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringLong.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

static Value getBlockEnd(OpBuilder &builder, Location loc, StripLoops &loops,
                         Value from, Value end) {
  Value next = builder.createOrFold<arith::AddIOp>(
      loc, from, loops.getConstant(kRowBlock));
  return builder.createOrFold<arith::MinUIOp>(loc, next, end);
}

/// One block after the other. The first block's sums are the first totals: rows
/// of one block have nothing more to do.
static SmallVector<Value> emitOneByOne(OpBuilder &builder, Location loc,
                                       StripLoops &loops, Value end,
                                       ValueRange neutral, EmitRange emitRange,
                                       CombineBlocks combine) {
  Value zero = loops.getConstant(0);
  return loops.emitFor(
      zero, end, kRowBlock, neutral, [&](Value from, ValueRange args) {
        SmallVector<Value> block = emitRange(
            from, getBlockEnd(builder, loc, loops, from, end), neutral);
        Value isFirst = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, from, zero);
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

/// A loop over the blocks that threads share.
static void emitForall(OpBuilder &builder, Location loc, StripLoops &loops,
                       Value end,
                       function_ref<void(Value from, Value to)> body) {
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForallOp::create(
      builder, loc, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{end},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(kRowBlock)}, ValueRange(),
      /*mapping=*/std::nullopt);
  loop->setAttr(kSharedRowAttrName, builder.getUnitAttr());
  builder.setInsertionPoint(loop.getTerminator());
  Value from = loop.getInductionVar(0);
  body(from, getBlockEnd(builder, loc, loops, from, end));
}

/// Every block leaves its sums in memory, where they are combined in order.
static SmallVector<Value> emitShared(OpBuilder &builder, Location loc,
                                     StripLoops &loops, Value end,
                                     ValueRange neutral, EmitRange emitRange,
                                     CombineBlocks combine) {
  Value zero = loops.getConstant(0), one = loops.getConstant(1);
  Value size = loops.getConstant(kRowBlock);
  Value count = builder.createOrFold<arith::DivUIOp>(
      loc,
      builder.createOrFold<arith::AddIOp>(loc, end,
                                          loops.getConstant(kRowBlock - 1)),
      size);
  SmallVector<Value> buffers;
  for (Value value : neutral) {
    auto type = cast<VectorType>(value.getType());
    buffers.push_back(memref::AllocOp::create(
        builder, loc,
        MemRefType::get({ShapedType::kDynamic, type.getNumElements()},
                        type.getElementType()),
        count, builder.getI64IntegerAttr(64)));
  }
  emitForall(builder, loc, loops, end, [&](Value from, Value to) {
    SmallVector<Value> sums = emitRange(from, to, neutral);
    Value block = arith::DivUIOp::create(builder, loc, from, size);
    for (auto [sum, buffer] : llvm::zip_equal(sums, buffers))
      vector::StoreOp::create(builder, loc, sum, buffer,
                              ValueRange{block, zero});
  });
  auto load = [&](size_t index, Value block) {
    return vector::LoadOp::create(builder, loc,
                                  cast<VectorType>(neutral[index].getType()),
                                  buffers[index], ValueRange{block, zero})
        .getResult();
  };
  SmallVector<Value> totals;
  for (size_t index = 0; index < buffers.size(); ++index)
    totals.push_back(load(index, zero));
  totals =
      loops.emitFor(one, count, 1, totals, [&](Value block, ValueRange args) {
        SmallVector<Value> next;
        for (size_t index = 0; index < args.size(); ++index)
          next.push_back(combine(index, args[index], load(index, block)));
        return next;
      });
  for (Value buffer : buffers)
    memref::DeallocOp::create(builder, loc, buffer);
  return totals;
}

static Value emitIsShared(OpBuilder &builder, Location loc, StripLoops &loops,
                          Value end, int64_t shareFrom) {
  return builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::uge, end,
      loops.getConstant(std::max(shareFrom, kRowBlock + 1)));
}

SmallVector<Value> rows::emitBlockSums(OpBuilder &builder, Location loc,
                                       StripLoops &loops, Value end,
                                       ValueRange neutral, EmitRange emitRange,
                                       CombineBlocks combine,
                                       int64_t shareFrom) {
  // Booleans have no vectors in memory.
  if (shareFrom == 0 || llvm::any_of(neutral.getTypes(), [](Type type) {
        return getElementTypeOrSelf(type).isInteger(1);
      }))
    return emitOneByOne(builder, loc, loops, end, neutral, emitRange, combine);
  Value isShared = emitIsShared(builder, loc, loops, end, shareFrom);
  if (matchPattern(isShared, m_One()))
    return emitShared(builder, loc, loops, end, neutral, emitRange, combine);
  if (matchPattern(isShared, m_Zero()))
    return emitOneByOne(builder, loc, loops, end, neutral, emitRange, combine);
  auto branch = scf::IfOp::create(builder, loc, neutral.getTypes(), isShared,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(
      builder, loc,
      emitShared(builder, loc, loops, end, neutral, emitRange, combine));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(
      builder, loc,
      emitOneByOne(builder, loc, loops, end, neutral, emitRange, combine));
  return SmallVector<Value>(branch.getResults());
}

void rows::emitSharedBlocks(OpBuilder &builder, Location loc, StripLoops &loops,
                            Value end, EmitRange emitRange, int64_t shareFrom) {
  auto emitBlocks = [&] {
    emitForall(builder, loc, loops, end, [&](Value from, Value to) {
      (void)emitRange(from, to, ValueRange());
    });
  };
  auto emitWhole = [&] {
    (void)emitRange(loops.getConstant(0), end, ValueRange());
  };
  Value isShared = emitIsShared(builder, loc, loops, end, shareFrom);
  if (matchPattern(isShared, m_One()))
    return emitBlocks();
  if (matchPattern(isShared, m_Zero()))
    return emitWhole();
  auto branch = scf::IfOp::create(builder, loc, isShared,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitBlocks();
  builder.setInsertionPointToStart(branch.elseBlock());
  emitWhole();
}
