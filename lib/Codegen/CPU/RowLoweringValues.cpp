//===- RowLoweringValues.cpp - Values of a row group at a place -----------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringValues.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

void RowValues::beginPass() {
  // A mark to insert before; nothing uses it.
  anchor = arith::ConstantIndexOp::create(builder, loc, 0);
}

void RowValues::endPass() {
  builder.eraseOp(anchor);
  anchor = nullptr;
}

Value RowValues::getPerRow(unsigned node, unsigned output) {
  Computed computed = getOutput(node, output, nullptr);
  assert(computed.isPerRow && "the value differs along the row");
  return computed.value;
}

Value RowValues::getPerRow(const RowOperand &operand) {
  return getOperand(operand, nullptr).value;
}

Value RowValues::getVector(unsigned node, unsigned output, Strip &strip) {
  Computed computed = getOutput(node, output, &strip);
  if (isa<VectorType>(computed.value.getType()))
    return computed.value;
  return broadcast(computed, strip.width);
}

Value RowValues::accumulate(unsigned node, unsigned output, Value accumulator,
                            Strip &strip) {
  linalg::LinalgOp op = plan.nodes[node].op;
  OpOperand *init = op.getDpsInitOperand(output);
  strip.values[op.getMatchingBlockArgument(init)] = accumulator;
  Value next =
      getBodyValue(node, op.getMatchingYieldValue(init)->get(), &strip).value;
  // Lanes behind the end hold nothing of the row.
  if (strip.mask)
    next = arith::SelectOp::create(builder, loc, strip.mask, next, accumulator);
  return next;
}

RowValues::Computed RowValues::getOutput(unsigned node, unsigned output,
                                         Strip *strip) {
  linalg::LinalgOp op = plan.nodes[node].op;
  if (plan.nodes[node].isReduction())
    return {reduced.lookup({node, output}), /*isPerRow=*/true};
  OpOperand *init = op.getDpsInitOperand(output);
  return getBodyValue(node, op.getMatchingYieldValue(init)->get(), strip);
}

RowValues::Computed RowValues::getOperand(const RowOperand &operand,
                                          Strip *strip) {
  switch (operand.kind) {
  case RowOperand::Kind::Scalar:
    return {operand.value, true};
  case RowOperand::Kind::Buffer:
    return load(operand, strip);
  case RowOperand::Kind::Node:
    return getOutput(operand.node, operand.output, strip);
  case RowOperand::Kind::Splat: {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(anchor);
    return {arith::ConstantOp::create(builder, loc, operand.attr), true};
  }
  case RowOperand::Kind::Undefined:
    break;
  }
  return {};
}

RowValues::Computed RowValues::getBodyValue(unsigned node, Value value,
                                            Strip *strip) {
  if (Value known = rowValues.lookup(value))
    return {known, true};
  if (strip)
    if (Value known = strip->values.lookup(value))
      return {known, false};
  linalg::LinalgOp op = plan.nodes[node].op;
  if (value.getParentBlock() != op.getBlock())
    return {value, true};
  Computed computed;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    OpOperand *operand = op.getOpOperandsMatchingBBargs()[arg.getArgNumber()];
    computed = getOperand(
        plan.nodes[node].operands[operand->getOperandNumber()], strip);
    if (!computed.value) {
      // The content of an empty tensor: anything will do.
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(anchor);
      computed = {arith::ConstantOp::create(builder, loc,
                                            builder.getZeroAttr(arg.getType())),
                  true};
    }
  } else {
    computed = computeBodyOp(node, cast<OpResult>(value), strip);
  }
  DenseMap<Value, Value> &memo = computed.isPerRow ? rowValues : strip->values;
  memo[value] = computed.value;
  return computed;
}

RowValues::Computed RowValues::computeBodyOp(unsigned node, OpResult value,
                                             Strip *strip) {
  Operation *op = value.getOwner();
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    unsigned dim = plan.nodes[node].dims[index.getDim()];
    if (plan.isRow(dim))
      return {position[dim], true};
    if (dim != strip->dim)
      return {position[dim], false};
    auto type = VectorType::get({strip->width}, builder.getIndexType());
    SmallVector<Attribute> lanes;
    for (int64_t lane = 0; lane < strip->width; ++lane)
      lanes.push_back(builder.getIndexAttr(lane));
    Value iota = arith::ConstantOp::create(builder, loc,
                                           DenseElementsAttr::get(type, lanes));
    Value first = broadcastLanes(builder, loc, position[dim], strip->width);
    return {arith::AddIOp::create(builder, loc, first, iota), false};
  }

  SmallVector<Computed> operands;
  bool isPerRow = true, isVector = false;
  for (Value operand : op->getOperands()) {
    operands.push_back(getBodyValue(node, operand, strip));
    isPerRow &= operands.back().isPerRow;
    isVector |= isa<VectorType>(operands.back().value.getType());
  }
  SmallVector<Value> values;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    bool staysScalar = !isVector || isa<VectorType>(operand.value.getType()) ||
                       (isa<arith::SelectOp>(op) && index == 0);
    values.push_back(staysScalar ? operand.value
                                 : broadcast(operand, strip->width));
  }
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(isVector ? VectorType::get({strip->width}, type) : type);

  OpBuilder::InsertionGuard guard(builder);
  if (isPerRow)
    builder.setInsertionPoint(anchor);
  Operation *copy = mlir::clone(builder, op, types, values);
  DenseMap<Value, Value> &memo = isPerRow ? rowValues : strip->values;
  for (auto [original, result] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    memo[original] = result;
  return {copy->getResult(value.getResultNumber()), isPerRow};
}

Value RowValues::broadcast(Computed scalar, int64_t width) {
  if (!scalar.isPerRow)
    return broadcastLanes(builder, loc, scalar.value, width);
  Value &known = broadcasts[{scalar.value, width}];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(anchor);
    known = broadcastLanes(builder, loc, scalar.value, width);
  }
  return known;
}

SmallVector<Value> RowValues::getIndices(AffineMap map) {
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      indices.push_back(position[dim.getPosition()]);
    else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      indices.push_back(
          arith::ConstantIndexOp::create(builder, loc, constant.getValue()));
    else
      indices.push_back(
          affine::expandAffineExpr(builder, loc, expr, position, {}));
  }
  return indices;
}

RowValues::Computed RowValues::load(const RowOperand &operand, Strip *strip) {
  auto find = [&](ArrayRef<Strip::Load> loads) -> Value {
    for (const Strip::Load &known : loads)
      if (known.buffer == operand.value && known.map == operand.map)
        return known.value;
    return {};
  };
  if (plan.isPerRow(operand.map)) {
    if (Value known = find(rowLoads))
      return {known, true};
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(anchor);
    Value value = memref::LoadOp::create(builder, loc, operand.value,
                                         getIndices(operand.map));
    rowLoads.push_back({operand.value, operand.map, value});
    return {value, true};
  }
  assert(strip && "the operand differs along the row");
  if (Value known = find(strip->loads))
    return {known, false};
  SmallVector<Value> indices = getIndices(operand.map);
  Value value;
  if (operand.map.isFunctionOfDim(strip->dim))
    value =
        access.load(operand.value, indices, *getSteps(operand.map, strip->dim),
                    strip->width, strip->mask);
  else
    value = memref::LoadOp::create(builder, loc, operand.value, indices);
  strip->loads.push_back({operand.value, operand.map, value});
  return {value, false};
}

void RowValues::storePerRow(const RowPlanSink &sink, Value value) {
  memref::StoreOp::create(builder, loc, value, sink.buffer,
                          getIndices(sink.map));
}

void RowValues::storeVector(const RowPlanSink &sink, Value value,
                            Strip &strip) {
  access.store(value, sink.buffer, getIndices(sink.map),
               *getSteps(sink.map, strip.dim), strip.mask);
}
