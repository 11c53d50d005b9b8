//===- StripLoops.cpp - Loops in strips over known extents ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripLoops.h"
#include "../HiddenValue.h"
#include "RowLoweringStrips.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

Value HoistedConstants::get(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(hoist);
    known = arith::ConstantIndexOp::create(builder, loc, value);
  }
  return known;
}

Value StripLoops::getExtent(unsigned dim) {
  const LoopExtent &extent = extents[dim];
  if (!extent.isDynamic())
    return getConstant(extent.extent);
  if (!isa<MemRefType>(extent.source.getType()))
    return extent.source;
  Value &known = sizes[dim];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(hoist);
    known = memref::DimOp::create(builder, loc, extent.source,
                                  int64_t(extent.sourceDim));
  }
  return known;
}

Value StripLoops::getMultiple(unsigned dim, int64_t step) {
  Value extent = getExtent(dim);
  Value &known = multiples[{dim, step}];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(hoist);
    known = emitRoundDown(builder, loc, extent, step);
  }
  return known;
}

Value StripLoops::getTailMask(unsigned dim, int64_t lanes) {
  Value whole = getMultiple(dim, lanes), extent = getExtent(dim);
  Value &known = masks[{dim, lanes}];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(hoist);
    Value rest = builder.createOrFold<arith::SubIOp>(loc, extent, whole);
    known = vector::CreateMaskOp::create(
        builder, loc, VectorType::get({lanes}, builder.getI1Type()), rest);
  }
  return known;
}

Value StripLoops::getTailMaskOfHalf(unsigned dim, int64_t lanes,
                                    unsigned parity) {
  Value whole = getMultiple(dim, lanes), extent = getExtent(dim);
  Value one = getConstant(1);
  Value &known = halfMasks[parity][{dim, lanes}];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(hoist);
    Value rest = builder.createOrFold<arith::SubIOp>(loc, extent, whole);
    if (parity == 0)
      rest = builder.createOrFold<arith::AddIOp>(loc, rest, one);
    Value count = builder.createOrFold<arith::ShRUIOp>(loc, rest, one);
    known = vector::CreateMaskOp::create(
        builder, loc, VectorType::get({lanes / 2}, builder.getI1Type()), count);
  }
  return known;
}

/// By a discardable attribute, kept down to LLVM IR.
static void disableUnrolling(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  LLVM::LoopUnrollAttr unroll = LLVM::LoopUnrollAttr::get(
      context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {},
                                              {}, {}, {}, {}, {}, {}, {}, {},
                                              {}, {}));
}

SmallVector<Value> mlir::xfmr::emitStripLoop(
    OpBuilder &builder, Location loc, Value from, Value to, Value step,
    ValueRange inits,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop =
      scf::ForOp::create(builder, loc, from, to, step, inits,
                         [&](OpBuilder &, Location, Value iv, ValueRange args) {
                           scf::YieldOp::create(builder, loc, body(iv, args));
                         });
  disableUnrolling(loop);
  return SmallVector<Value>(loop.getResults());
}

StripLoops::Values
StripLoops::emitTail(unsigned dim, int64_t lanes, ValueRange inits,
                     function_ref<Values(Value from, Value mask)> body,
                     Value when) {
  if (!hasTail(dim, lanes))
    return Values(inits);
  Value mask = getTailMask(dim, lanes);
  Value whole = getMultiple(dim, lanes), extent = getExtent(dim);
  if (!isDynamic(dim) && !when)
    return body(whole, mask);
  Value isRagged = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::ult, whole, extent);
  if (when)
    isRagged = builder.createOrFold<arith::AndIOp>(loc, isRagged, when);
  bool yields = !inits.empty();
  auto branch = scf::IfOp::create(builder, loc, inits.getTypes(), isRagged,
                                  /*withElseRegion=*/yields);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Values results = body(whole, mask);
  if (!yields)
    return {};
  scf::YieldOp::create(builder, loc, results);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, inits);
  return Values(branch.getResults());
}

StripLoops::Values StripLoops::emitRest(
    unsigned dim, Value from, int64_t lanes, ValueRange inits,
    function_ref<Values(Value from, Value isTail, ValueRange)> body) {
  Value whole = getMultiple(dim, lanes), extent = getExtent(dim);
  return emitFor(from, extent, lanes, inits, [&](Value iv, ValueRange args) {
    Value isTail = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         iv, whole);
    return body(iv, isTail, args);
  });
}

Value StripLoops::emitMaskIf(Value isTail, Value mask) {
  // As a number, which one instruction selects and one moves.
  auto type = cast<VectorType>(mask.getType());
  IntegerType number = builder.getIntegerType(type.getNumElements());
  auto one = VectorType::get({1}, number);
  Value bits = vector::ExtractOp::create(
      builder, loc, vector::BitCastOp::create(builder, loc, one, mask),
      int64_t(0));
  Value all = arith::ConstantOp::create(builder, loc,
                                        builder.getIntegerAttr(number, -1));
  Value chosen = arith::SelectOp::create(builder, loc, isTail, bits, all);
  return vector::BitCastOp::create(
      builder, loc, type,
      vector::BroadcastOp::create(builder, loc, one, chosen));
}

Value mlir::xfmr::emitUnlikely(OpBuilder &builder, Location loc,
                               Value condition) {
  Value no =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  return LLVM::ExpectOp::create(builder, loc, condition, no);
}

Value mlir::xfmr::emitHidden(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType();
  if (type.isIndex())
    value =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
  Value hidden =
      hideInRegister(builder, loc, value, type.isIndex() ? "r" : "x");
  if (type.isIndex())
    hidden = arith::IndexCastOp::create(builder, loc, type, hidden);
  return hidden;
}
