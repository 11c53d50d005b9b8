//===- Outliner.cpp - Code of threads as functions ------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outliner.h"
#include "OpenMPRuntime.h"
#include "PrivateFunctions.h"
#include "TileSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::xfmr;

/// The loop over the range, and the body in it. `function`'s arguments are
/// the range.
void Outliner::emitLoop(scf::ForallOp loop, ArrayRef<affine::AffineMinOp> sizes,
                        ValueRange lowerBounds, ValueRange upperBounds,
                        ValueRange steps) {
  Location loc = loop.getLoc();
  Value from = function.getArgument(0), to = function.getArgument(1);
  Block *body;
  SmallVector<Value> positions;
  Value last;
  if (loop.getRank() == 1) {
    auto place = [&](Value iteration) {
      Value offset = iteration;
      if (sizes.empty())
        offset = arith::MulIOp::create(rewriter, loc, offset, steps[0]);
      return arith::AddIOp::create(rewriter, loc, lowerBounds[0], offset)
          .getResult();
    };
    last = place(to);
    if (sizes.empty())
      last = arith::MinSIOp::create(rewriter, loc, last, upperBounds[0]);
    chunk = scf::ForOp::create(rewriter, loc, place(from), last, steps[0]);
    body = chunk.getBody();
    positions = {chunk.getInductionVar()};
    rewriter.setInsertionPointToStart(body);
  } else {
    // The positions move on like the digits of a counter.
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> counts;
    for (auto [lower, upper, step] :
         llvm::zip_equal(lowerBounds, upperBounds, steps)) {
      Value last = arith::AddIOp::create(
          rewriter, loc, arith::SubIOp::create(rewriter, loc, upper, lower),
          arith::SubIOp::create(rewriter, loc, step, one));
      // Of an empty range no position is asked for.
      counts.push_back(arith::MaxSIOp::create(
          rewriter, loc, one,
          arith::DivSIOp::create(rewriter, loc, last, step)));
    }
    Value rest = from;
    SmallVector<Value> first(counts.size());
    for (int64_t dim = counts.size() - 1; dim >= 0; --dim) {
      Value digit = rest;
      if (dim > 0) {
        digit = arith::RemUIOp::create(rewriter, loc, rest, counts[dim]);
        rest = arith::DivUIOp::create(rewriter, loc, rest, counts[dim]);
      }
      first[dim] = arith::AddIOp::create(
          rewriter, loc, lowerBounds[dim],
          arith::MulIOp::create(rewriter, loc, digit, steps[dim]));
    }
    chunk = scf::ForOp::create(rewriter, loc, from, to, one, first);
    body = chunk.getBody();
    positions = llvm::to_vector_of<Value>(chunk.getRegionIterArgs());
    rewriter.setInsertionPointToEnd(body);
    SmallVector<Value> next(positions.size());
    Value carry =
        arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    for (int64_t dim = positions.size() - 1; dim >= 0; --dim) {
      Value moved =
          arith::AddIOp::create(rewriter, loc, positions[dim], steps[dim]);
      Value wraps = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::sge, moved, upperBounds[dim]);
      Value there = arith::SelectOp::create(rewriter, loc, wraps,
                                            lowerBounds[dim], moved);
      next[dim] =
          arith::SelectOp::create(rewriter, loc, carry, there, positions[dim]);
      carry = arith::AndIOp::create(rewriter, loc, carry, wraps);
    }
    scf::YieldOp::create(rewriter, loc, next);
    rewriter.setInsertionPointToStart(body);
  }
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), body, body->begin(), positions);
  if (!sizes.empty())
    endTilesAt(rewriter, sizes, *getConstantIntValue(steps[0]), positions[0],
               last);
}

void Outliner::outline(Operation *op, ArrayRef<Value> bounds, Value buffer,
                       function_ref<void(Map)> emitBody) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = op->getLoc();
  auto parent = op->getParentOfType<func::FuncOp>();
  llvm::SetVector<Value> used;
  used.insert(bounds.begin(), bounds.end());
  getUsedValuesDefinedAbove(op->getRegion(0), used);
  used.remove(buffer);

  SmallVector<Value> constants;
  for (Value value : used)
    (matchPattern(value, m_Constant()) ? constants : captures).push_back(value);
  SmallVector<Type> types = leading;
  llvm::append_range(types, ValueRange(captures).getTypes());

  function = createPrivateFunction(loc, parent, parent->getIterator(),
                                   (parent.getName() + "_loop").str(),
                                   rewriter.getFunctionType(types, {}));

  Block *entry = function.addEntryBlock();
  rewriter.setInsertionPointToStart(entry);
  IRMapping mapping;
  for (Value value : constants)
    rewriter.clone(*value.getDefiningOp(), mapping);
  mapping.map(captures, entry->getArguments().take_back(captures.size()));
  if (buffer) {
    mapping.map(buffer, entry->getArgument(leading.size() - 1));
    used.insert(buffer);
  }
  emitBody([&](ArrayRef<Value> values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookup(value); });
  });
  rewriter.setInsertionPointToEnd(entry);
  func::ReturnOp::create(rewriter, loc);
  for (Value value : used)
    rewriter.replaceUsesWithIf(value, mapping.lookup(value),
                               [&](OpOperand &operand) {
                                 return function.getBody().isAncestor(
                                     operand.getOwner()->getParentRegion());
                               });
}

void Outliner::outline(scf::ForallOp loop,
                       ArrayRef<affine::AffineMinOp> sizes) {
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> lower = loop.getLowerBound(rewriter),
                     upper = loop.getUpperBound(rewriter),
                     step = loop.getStep(rewriter), bounds;
  for (ArrayRef<Value> values : {lower, upper, step})
    llvm::append_range(bounds, values);
  outline(loop, bounds, /*buffer=*/Value(), [&](Map map) {
    emitLoop(loop, sizes, map(lower), map(upper), map(step));
  });
}

void xfmr::inlineRegion(RewriterBase &rewriter, omp::ParallelOp region,
                        Block *block, Block::iterator before, Value thread,
                        Value threads) {
  Block *body = &region.getRegion().front();
  for (auto call : llvm::make_early_inc_range(body->getOps<func::CallOp>())) {
    if (call.getCallee() == kThreadNumber)
      rewriter.replaceOp(call, thread);
    else if (call.getCallee() == kNumThreads)
      rewriter.replaceOp(call, threads);
  }
  rewriter.eraseOp(body->getTerminator());
  rewriter.inlineBlockBefore(body, block, before);
}

void Outliner::outline(omp::ParallelOp region, Value buffer) {
  outline(region, {}, buffer, [&](Map) {
    inlineRegion(rewriter, region, rewriter.getInsertionBlock(),
                 rewriter.getInsertionPoint(), function.getArgument(0),
                 function.getArgument(1));
  });
}

void Outliner::emitCall(Location loc, ArrayRef<Value> arguments) {
  SmallVector<Value> operands = llvm::to_vector(arguments);
  llvm::append_range(operands, captures);
  func::CallOp::create(rewriter, loc, function, operands);
}
