//===- LoopWork.cpp - How much a loop computes ------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopWork.h"
#include "OpenMPRuntime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::xfmr;

/// How many elements an op computes, loads or stores at once.
static int64_t getElements(Operation *op) {
  int64_t elements = 0;
  auto count = [&](Type type) {
    if (type.isIndex() || isa<BaseMemRefType>(type))
      return;
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped)
      elements = std::max<int64_t>(elements, 1);
    else if (shaped.hasStaticShape())
      elements = std::max(elements, shaped.getNumElements());
  };
  llvm::for_each(op->getOperandTypes(), count);
  llvm::for_each(op->getResultTypes(), count);
  return elements;
}

/// About how many simple operations take as long as this one.
static int64_t getWeight(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      op->hasTrait<OpTrait::IsTerminator>())
    return 0;
  // Names for a part of a value.
  if (isa<vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
          vector::ShapeCastOp, vector::BitCastOp, arith::BitcastOp>(op))
    return 0;
  // From a cache that holds what is worth threads.
  if (isa<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
          vector::MaskedStoreOp, vector::TransferReadOp,
          vector::TransferWriteOp, memref::LoadOp, memref::StoreOp>(op))
    return 3;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return 8;
  if (isa<math::MathDialect>(op->getDialect()) &&
      !isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::CopySignOp>(op))
    return 24;
  return 1;
}

namespace {
class WorkEmitter {
public:
  /// `region` is what may not be used in front of the loop.
  WorkEmitter(OpBuilder &builder, Location loc, Region &region,
              unsigned depth = 0)
      : builder(builder), loc(loc), region(region), depth(depth) {}

  LoopWork emit(scf::ForallOp loop, ValueRange asked) {
    Value iterations = getIterations(loop);
    nested = constant(0);
    Value once = getBlockWork(loop.getBody());
    Value operations = multiply(iterations, once);
    SmallVector<Value> first;
    for (Value value : asked)
      first.push_back(getOutside(value));
    return {iterations, once, operations, nested, first};
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value getValue(OpFoldResult bound) {
    return getValueOrCreateConstantIndexOp(builder, loc, bound);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value multiply(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }

  Value getOutside(Value value);
  Value getTripCount(Value from, Value to, Value step);
  Value getIterations(scf::ForallOp loop);
  Value getBlockWork(Block *block);
  Value getOpWork(Operation *op);
  Value getCallWork(func::CallOp call);

  OpBuilder &builder;
  Location loc;
  Region &region;
  /// Calls that lead here.
  unsigned depth;
  DenseMap<Value, Value> known;
  /// Of the loops in the one asked for; null in a function that it calls.
  Value nested;
};
} // namespace

/// The value in the first iteration, computed in front of the loop; null where
/// that needs more than its bounds.
Value WorkEmitter::getOutside(Value value) {
  if (!region.isAncestor(value.getParentRegion()))
    return value;
  if (Value found = known.lookup(value))
    return found;
  Value outside;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent);
        loop && loop.getInductionVar() == value) {
      outside = getOutside(loop.getLowerBound());
    } else if (auto loop = dyn_cast<scf::ForallOp>(parent);
               loop && argument.getArgNumber() < loop.getRank()) {
      outside = getOutside(
          getValue(loop.getMixedLowerBound()[argument.getArgNumber()]));
    }
  } else if (auto call = value.getDefiningOp<func::CallOp>()) {
    // One thread.
    if (call.getCallee() != kThreadNumber && call.getCallee() != kNumThreads)
      return Value();
    outside = arith::ConstantOp::create(
        builder, loc,
        builder.getI32IntegerAttr(call.getCallee() == kNumThreads));
  } else {
    Operation *op = value.getDefiningOp();
    if (op->getNumRegions() || !isMemoryEffectFree(op))
      return Value();
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      Value mapped = getOutside(operand);
      if (!mapped)
        return Value();
      mapping.map(operand, mapped);
    }
    Operation *copy = builder.clone(*op, mapping);
    // By a number of threads, too, which is known now.
    SmallVector<Value> folded;
    if (succeeded(builder.tryFold(copy, folded)) && !folded.empty()) {
      copy->erase();
      outside = folded[cast<OpResult>(value).getResultNumber()];
    } else if (!isSpeculatable(copy)) {
      copy->erase();
      return Value();
    } else {
      outside = copy->getResult(cast<OpResult>(value).getResultNumber());
    }
  }
  if (outside)
    known[value] = outside;
  return outside;
}

Value WorkEmitter::getTripCount(Value from, Value to, Value step) {
  from = getOutside(from), to = getOutside(to), step = getOutside(step);
  if (!from || !to || !step)
    return constant(1);
  Value distance = builder.createOrFold<arith::SubIOp>(loc, to, from);
  Value last = builder.createOrFold<arith::SubIOp>(loc, step, constant(1));
  return builder.createOrFold<arith::DivSIOp>(loc, add(distance, last), step);
}

Value WorkEmitter::getIterations(scf::ForallOp loop) {
  Value iterations = constant(1);
  for (auto [from, to, step] :
       llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                       loop.getMixedStep()))
    iterations = multiply(
        iterations, getTripCount(getValue(from), getValue(to), getValue(step)));
  return iterations;
}

/// The region that a branch is expected to take; null where none is.
static Region *getExpectedRegion(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  auto expect = branch ? branch.getCondition().getDefiningOp<LLVM::ExpectOp>()
                       : LLVM::ExpectOp();
  IntegerAttr expected;
  if (!expect || !matchPattern(expect.getExpected(), m_Constant(&expected)))
    return nullptr;
  return expected.getValue().isZero() ? &branch.getElseRegion()
                                      : &branch.getThenRegion();
}

Value WorkEmitter::getOpWork(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return multiply(getTripCount(loop.getLowerBound(), loop.getUpperBound(),
                                 loop.getStep()),
                    getBlockWork(loop.getBody()));
  if (auto loop = dyn_cast<scf::ForallOp>(op)) {
    Value iterations = getIterations(loop);
    if (nested)
      nested = builder.createOrFold<arith::MaxSIOp>(loc, nested, iterations);
    return multiply(iterations, getBlockWork(loop.getBody()));
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return getCallWork(call);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    Value elements = constant(1);
    auto type = dyn_cast<MemRefType>(copy.getSource().getType());
    Value source = type ? getOutside(copy.getSource()) : Value();
    if (source)
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        elements = multiply(
            elements, builder.createOrFold<memref::DimOp>(loc, source, dim));
    return elements;
  }
  // One of the regions: the longest, as iterations after the first may take it,
  // unless one is expected.
  Region *expected = getExpectedRegion(op);
  Value work = constant(0);
  for (Region &region : op->getRegions()) {
    if (expected && &region != expected)
      continue;
    Value inRegion = constant(0);
    for (Block &block : region)
      inRegion = add(inRegion, getBlockWork(&block));
    work = builder.createOrFold<arith::MaxSIOp>(loc, work, inRegion);
  }
  return work;
}

Value WorkEmitter::getCallWork(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  // Functions may call themselves.
  if (!callee || callee.isDeclaration() || depth == 4)
    return constant(1);
  WorkEmitter inner(builder, loc, callee.getBody(), depth + 1);
  for (auto [argument, operand] :
       llvm::zip_equal(callee.getArguments(), call.getOperands()))
    if (Value outside = getOutside(operand))
      inner.known[argument] = outside;
  return inner.getBlockWork(&callee.getBody().front());
}

Value WorkEmitter::getBlockWork(Block *block) {
  int64_t simple = 0;
  Value work = constant(0);
  for (Operation &op : *block) {
    if (op.getNumRegions() || isa<memref::CopyOp, func::CallOp>(op))
      work = add(work, getOpWork(&op));
    else
      simple += getElements(&op) * getWeight(&op);
  }
  return add(work, constant(simple));
}

LoopWork xfmr::emitLoopWork(OpBuilder &builder, scf::ForallOp loop,
                            ValueRange asked) {
  return WorkEmitter(builder, loop.getLoc(), loop.getRegion())
      .emit(loop, asked);
}
