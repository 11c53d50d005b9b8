//===- RowTeamRegion.cpp - Where threads share rows -----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTeamRegion.h"
#include "RowTeam.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::xfmr;

RowTeamRegion::RowTeamRegion(omp::ParallelOp region) : region(region) {
  for (auto alloc : region->getBlock()->getOps<memref::AllocOp>()) {
    auto bytes = alloc->getAttrOfType<IntegerAttr>(rows::kBlockBytesAttrName);
    if (!bytes || llvm::none_of(alloc->getUsers(), [&](Operation *user) {
          return region->isProperAncestor(user);
        }))
      continue;
    buffer = alloc;
    blockBytes = bytes.getInt();
    for (Operation *user : alloc->getUsers())
      if (auto found = dyn_cast<memref::DeallocOp>(user))
        dealloc = found;
  }
}

std::optional<RowTeamRegion>
RowTeamRegion::getOfLoop(scf::ForallOp loop, ArrayRef<Operation *> nested) {
  auto region = nested.size() == 1 ? dyn_cast<omp::ParallelOp>(nested.front())
                                   : omp::ParallelOp();
  if (!region || region->getBlock() != loop.getBody())
    return std::nullopt;
  RowTeamRegion team(region);
  for (Operation &op : loop.getBody()->without_terminator())
    if (&op != region && &op != team.buffer && &op != team.dealloc &&
        !isMemoryEffectFree(&op))
      return std::nullopt;
  return team;
}

SmallVector<Value> RowTeamRegion::getAsked() {
  SmallVector<Value> asked = {region.getIfExpr()};
  if (buffer)
    llvm::append_range(asked, buffer.getDynamicSizes());
  return asked;
}

Value RowTeamRegion::emitParts(OpBuilder &builder, Location loc,
                               const LoopWork &work, Value most) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value parts = most;
  // One more than there are blocks.
  if (buffer) {
    MemRefType type = buffer.getType();
    Value bytes = type.hasStaticShape() ? constant(type.getDimSize(0))
                                        : work.first.back();
    parts = builder.createOrFold<arith::SubIOp>(
        loc,
        builder.createOrFold<arith::DivUIOp>(loc, bytes, constant(blockBytes)),
        constant(1));
  }
  return builder.createOrFold<arith::SelectOp>(loc, work.first.front(), parts,
                                               constant(0));
}

void RowTeamRegion::addTypes(SmallVector<Type> &types) {
  types.append(2, IntegerType::get(region.getContext(), 32));
  if (buffer)
    types.push_back(buffer.getType());
}

void RowTeamRegion::addOneThread(OpBuilder &builder, Location loc,
                                 SmallVector<Value> &arguments) {
  arguments.push_back(arith::ConstantIntOp::create(builder, loc, 0, 32));
  arguments.push_back(arith::ConstantIntOp::create(builder, loc, 1, 32));
  if (buffer)
    arguments.push_back(ub::PoisonOp::create(builder, loc, buffer.getType()));
}

void RowTeamRegion::addShare(OpBuilder &builder, Location loc, Value iterations,
                             Value thread, Value count, Value shares,
                             SmallVector<Value> &arguments) {
  auto choose = [&](Value shared, Value alone) {
    return builder.createOrFold<arith::SelectOp>(loc, shares, shared, alone);
  };
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  arguments[0] = choose(zero, arguments[0]);
  arguments[1] = choose(iterations, arguments[1]);
  arguments.push_back(
      choose(thread, arith::ConstantIntOp::create(builder, loc, 0, 32)));
  arguments.push_back(
      choose(count, arith::ConstantIntOp::create(builder, loc, 1, 32)));
}

Value RowTeamRegion::emitBuffer(OpBuilder &builder, Location loc,
                                const LoopWork &work, Value shares) {
  MemRefType type = buffer.getType();
  auto allocate = [&]() -> Value {
    return memref::AllocOp::create(builder, loc, type,
                                   ArrayRef<Value>(work.first).drop_front(),
                                   buffer.getAlignmentAttr());
  };
  if (matchPattern(shares, m_One()))
    return allocate();
  auto branch = scf::IfOp::create(builder, loc, type, shares,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, allocate());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc,
                       ub::PoisonOp::create(builder, loc, type).getResult());
  return branch.getResult(0);
}

/// Moves what is the same for all iterations of `loop` in front of it;
/// `threads` is never 0.
static void hoistFrom(scf::ForOp loop, Value threads) {
  auto isDivision = [&](Operation *op) {
    auto division = dyn_cast<arith::DivUIOp>(op);
    auto divisor = division
                       ? division.getRhs().getDefiningOp<arith::IndexCastOp>()
                       : arith::IndexCastOp();
    return divisor && divisor.getIn() == threads;
  };
  moveLoopInvariantCode(
      &loop.getRegion(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) {
        return isMemoryEffectFree(op) && (isSpeculatable(op) || isDivision(op));
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

void RowTeamRegion::moveInto(RewriterBase &rewriter, Outliner &outliner) {
  func::FuncOp function = outliner.function;
  Value threads = function.getArgument(3);
  inlineRegion(rewriter, region, region->getBlock(), region->getIterator(),
               function.getArgument(2), threads);
  rewriter.eraseOp(region);
  if (buffer)
    rewriter.replaceAllUsesWith(buffer.getResult(), function.getArgument(4));
  eraseBuffer(rewriter);
  hoistFrom(outliner.chunk, threads);
}

void RowTeamRegion::eraseBuffer(RewriterBase &rewriter) {
  if (!buffer)
    return;
  rewriter.eraseOp(dealloc);
  rewriter.eraseOp(buffer);
}
