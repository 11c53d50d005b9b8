//===- RowLoweringValues.cpp - Values of a row group at a place -----------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringValues.h"
#include "CacheLine.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

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

void RowValues::beginRows(std::optional<unsigned> dim,
                          ArrayRef<Value> positions) {
  rowDim = dim;
  rowPositions = llvm::to_vector(positions);
  numRows = dim ? positions.size() : 1;
  if (dim)
    position[*dim] = positions.front();
  row = RowState();
  reduced.clear();
  stored.clear();
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
  SmallVector<Value, 2> parts;
  for (StripPart &part : strip.getParts())
    parts.push_back(toStrip(getOutput(node, output, &part), strip));
  return strip.isPaired ? pack(parts[0], parts[1]) : parts[0];
}

/// A vector of both parts' elements in the order of memory.
Value RowValues::pack(Value even, Value odd) {
  auto split = even.getDefiningOp<vector::DeinterleaveOp>();
  if (split && split.getRes1() == even && split.getRes2() == odd)
    return split.getSource();
  return vector::InterleaveOp::create(builder, loc, even, odd);
}

Value RowValues::accumulate(unsigned node, unsigned output, Value accumulator,
                            Strip &strip, Value one) {
  linalg::LinalgOp op = plan.nodes[node].op;
  OpOperand *init = op.getDpsInitOperand(output);
  Value argument = op.getMatchingBlockArgument(init);
  Operation *combiner = plan.nodes[node].combiners[output];
  for (StripPart &part : llvm::reverse(strip.getParts())) {
    part.values[argument] = accumulator;
    Value next;
    if (one && isa<arith::AddFOp>(combiner)) {
      Value addend = combiner->getOperand(combiner->getOperand(0) == argument);
      Value vector = toStrip(getBodyValue(node, addend, &part), strip);
      next = math::FmaOp::create(builder, loc, vector, one, accumulator);
    } else {
      next = getBodyValue(node, op.getMatchingYieldValue(init)->get(), &part)
                 .value;
    }
    // Lanes behind the end hold nothing of the row.
    if (part.mask)
      next =
          arith::SelectOp::create(builder, loc, part.mask, next, accumulator);
    accumulator = next;
  }
  return accumulator;
}

/// A value of a body in the order of memory.
Value RowValues::getPacked(unsigned node, Value value, Strip &strip) {
  Value parts[2];
  for (auto [part, result] : llvm::zip_equal(strip.getParts(), parts))
    result = toStrip(getBodyValue(node, value, &part), strip);
  return pack(parts[0], parts[1]);
}

Value RowValues::accumulateDot(unsigned node, unsigned output,
                               Value accumulator, Strip &strip) {
  SmallVector<Value, 2> factors = getDotFactors(plan.nodes[node], output);
  for (Value &factor : factors) {
    Value packed = getPacked(node, factor, strip);
    // Lanes behind the end add 0 * 0.
    if (strip.mask && !packed.getDefiningOp<vector::MaskedLoadOp>()) {
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(packed.getType()));
      packed = arith::SelectOp::create(builder, loc, strip.mask, packed, zero);
    }
    factor = packed;
  }
  if (factors.size() == 1) {
    auto type = cast<VectorType>(factors.front().getType());
    factors.push_back(arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, Attribute(builder.getFloatAttr(
                                         type.getElementType(), 1.0)))));
  }
  auto slice = [&](Value vector, int64_t offset, int64_t width) -> Value {
    if (cast<VectorType>(vector.getType()).getDimSize(0) == width)
      return vector;
    return vector::ExtractStridedSliceOp::create(
        builder, loc, vector, ArrayRef<int64_t>{offset},
        ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1});
  };
  int64_t lanes = plan.lanes;
  if (strip.getPartWidth() == lanes)
    return x86vector::DotBF16Op::create(builder, loc, accumulator.getType(),
                                        accumulator, factors[0], factors[1]);
  Value result = accumulator;
  for (int64_t offset = 0; offset < strip.getPartWidth(); offset += lanes) {
    Value part = slice(accumulator, offset, lanes);
    part =
        x86vector::DotBF16Op::create(builder, loc, part.getType(), part,
                                     slice(factors[0], 2 * offset, 2 * lanes),
                                     slice(factors[1], 2 * offset, 2 * lanes));
    result = vector::InsertStridedSliceOp::create(builder, loc, part, result,
                                                  ArrayRef<int64_t>{offset},
                                                  ArrayRef<int64_t>{1});
  }
  return result;
}

RowValues::Computed RowValues::getOutput(unsigned node, unsigned output,
                                         StripPart *part) {
  linalg::LinalgOp op = plan.nodes[node].op;
  if (plan.nodes[node].isReduction())
    return {reduced.lookup({node, output}), /*isPerRow=*/true};
  if (const RowPlanSink *sink = stored.lookup({node, output}))
    return readOrCompute(*sink, computedAgain.lookup(sink), part);
  OpOperand *init = op.getDpsInitOperand(output);
  return getBodyValue(node, op.getMatchingYieldValue(init)->get(), part);
}

/// What `sink` has stored, for all parts of a strip at once where that is
/// decided by a branch.
RowValues::Computed RowValues::readOrCompute(const RowPlanSink &sink,
                                             Condition isComputed,
                                             StripPart *part) {
  RowOperand operand;
  operand.kind = RowOperand::Kind::Buffer;
  operand.value = sink.buffer;
  operand.map = sink.map;
  linalg::LinalgOp op = plan.nodes[sink.node].op;
  Value computed =
      op.getMatchingYieldValue(op.getDpsInitOperand(sink.output))->get();
  if (isComputed.isKnownFalse())
    return load(operand, part);
  if (Value known = part->values.lookup(computed))
    return {known, false};
  Strip &strip = *part->strip;
  int64_t width = strip.getPartWidth();
  SmallVector<Type> types(strip.getParts().size(),
                          VectorType::get({width}, computed.getType()));
  auto branch = scf::IfOp::create(builder, loc, types, isComputed.value,
                                  /*withElseRegion=*/true);
  // What becomes known in a branch is not known behind it.
  auto emitBranch = [&](Block *block, auto get) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    SmallVector<Strip::Load> loads = strip.loads;
    SmallVector<DenseMap<Value, Value>, 2> known;
    SmallVector<Value, 2> results;
    for (StripPart &other : strip.getParts())
      known.push_back(other.values);
    for (StripPart &other : strip.getParts())
      results.push_back(toStrip(get(other), strip));
    scf::YieldOp::create(builder, loc, results);
    strip.loads = std::move(loads);
    for (auto [other, values] : llvm::zip_equal(strip.getParts(), known))
      other.values = std::move(values);
  };
  emitBranch(branch.thenBlock(), [&](StripPart &other) {
    return getBodyValue(sink.node, computed, &other);
  });
  emitBranch(branch.elseBlock(),
             [&](StripPart &other) { return load(operand, &other); });
  for (auto [other, result] :
       llvm::zip_equal(strip.getParts(), branch.getResults()))
    other.values[computed] = result;
  return {part->values.lookup(computed), false};
}

RowValues::Computed RowValues::getOperand(const RowOperand &operand,
                                          StripPart *part) {
  switch (operand.kind) {
  case RowOperand::Kind::Scalar:
    return {operand.value, true};
  case RowOperand::Kind::Buffer:
    return load(operand, part);
  case RowOperand::Kind::Node:
    return getOutput(operand.node, operand.output, part);
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
                                            StripPart *part) {
  if (Value known = row.values.lookup(value))
    return {known, true};
  if (part)
    if (Value known = part->values.lookup(value))
      return {known, false};
  linalg::LinalgOp op = plan.nodes[node].op;
  if (value.getParentBlock() != op.getBlock())
    return {value, true};
  Computed computed;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    OpOperand *operand = op.getOpOperandsMatchingBBargs()[arg.getArgNumber()];
    computed = getOperand(
        plan.nodes[node].operands[operand->getOperandNumber()], part);
    if (!computed.value) {
      // The content of an empty tensor: anything will do.
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(anchor);
      computed = {arith::ConstantOp::create(builder, loc,
                                            builder.getZeroAttr(arg.getType())),
                  true};
    }
  } else {
    computed = computeBodyOp(node, cast<OpResult>(value), part);
  }
  DenseMap<Value, Value> &memo = computed.isPerRow ? row.values : part->values;
  memo[value] = computed.value;
  return computed;
}

/// Vectors one after the other.
static Value concatenate(OpBuilder &builder, Location loc,
                         ArrayRef<Value> vectors) {
  if (vectors.size() == 1)
    return vectors.front();
  auto type = cast<VectorType>(vectors.front().getType());
  int64_t width = type.getDimSize(0), offset = 0;
  auto wide = VectorType::get({width * static_cast<int64_t>(vectors.size())},
                              type.getElementType());
  Value result =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(wide));
  for (Value vector : vectors) {
    result = vector::InsertStridedSliceOp::create(builder, loc, vector, result,
                                                  ArrayRef<int64_t>{offset},
                                                  ArrayRef<int64_t>{1});
    offset += width;
  }
  return result;
}

/// A value that is rounded to bf16, of strips alike; in pairs, both parts
/// packed as in memory: so it is widened again, or stored. False when it is a
/// scalar.
bool RowValues::computeRounded(unsigned node, Operation *op,
                               ArrayRef<Strip *> strips) {
  SmallVector<Value> wide[2];
  for (Strip *strip : strips)
    for (StripPart &part : strip->getParts()) {
      Computed computed = getBodyValue(node, op->getOperand(0), &part);
      if (!computed.isStrip())
        return false;
      wide[part.parity].push_back(computed.value);
    }
  bool isPaired = strips.front()->isPaired;
  SmallVector<Value, 2> rounded;
  for (unsigned parity = 0; parity <= static_cast<unsigned>(isPaired);
       ++parity) {
    Value joined = concatenate(builder, loc, wide[parity]);
    auto type = VectorType::get(cast<VectorType>(joined.getType()).getShape(),
                                op->getResult(0).getType());
    rounded.push_back(mlir::clone(builder, op, type, joined)->getResult(0));
  }
  Value packed = rounded[0];
  if (isPaired)
    packed = vector::InterleaveOp::create(builder, loc, rounded[0], rounded[1]);
  int64_t offset = 0;
  for (Strip *strip : strips) {
    Value own = packed;
    if (strips.size() > 1)
      own = vector::ExtractStridedSliceOp::create(
          builder, loc, packed, ArrayRef<int64_t>{offset},
          ArrayRef<int64_t>{strip->width}, ArrayRef<int64_t>{1});
    offset += strip->width;
    SmallVector<Value, 2> parts = {own};
    if (isPaired) {
      auto split = vector::DeinterleaveOp::create(builder, loc, own);
      parts = {split.getRes1(), split.getRes2()};
    }
    for (auto [part, result] : llvm::zip_equal(strip->getParts(), parts))
      part.values[op->getResult(0)] = result;
  }
  return true;
}

void RowValues::roundTogether(const NodeSet &nodes, ArrayRef<Strip *> strips) {
  // Those first that others are computed from.
  SmallVector<unsigned> ordered = llvm::to_vector(nodes);
  llvm::sort(ordered);
  for (unsigned node : ordered) {
    linalg::LinalgOp op = plan.nodes[node].op;
    for (Operation &inner : op.getBlock()->without_terminator())
      if (roundsToBF16(&inner) &&
          !strips.front()->parts[0].values.contains(inner.getResult(0)))
        computeRounded(node, &inner, strips);
  }
}

RowValues::Computed RowValues::computeBodyOp(unsigned node, OpResult value,
                                             StripPart *part) {
  Operation *op = value.getOwner();
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    unsigned dim = plan.nodes[node].dims[index.getDim()];
    if (dim == rowDim && numRows > 1) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(anchor);
      auto type = VectorType::get({numRows}, builder.getIndexType());
      return {vector::FromElementsOp::create(builder, loc, type, rowPositions),
              true};
    }
    if (plan.isRow(dim))
      return {position[dim], true};
    const Strip &strip = *part->strip;
    if (dim != strip.dim)
      return {position[dim], false};
    int64_t width = strip.getPartWidth();
    auto type = VectorType::get({width}, builder.getIndexType());
    SmallVector<Attribute> lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back(builder.getIndexAttr(
          strip.isPaired ? 2 * lane + part->parity : lane));
    Value iota = arith::ConstantOp::create(builder, loc,
                                           DenseElementsAttr::get(type, lanes));
    Value first = broadcastLanes(builder, loc, position[dim], width);
    return {arith::AddIOp::create(builder, loc, first, iota), false};
  }
  if (part && part->strip->isPaired && roundsToBF16(op) &&
      computeRounded(node, op, part->strip))
    return {part->values.lookup(value), false};

  SmallVector<Computed> operands;
  bool isPerRow = true;
  for (Value operand : op->getOperands()) {
    operands.push_back(getBodyValue(node, operand, part));
    isPerRow &= operands.back().isPerRow;
  }
  bool isVector = false;
  for (Computed &operand : operands) {
    if (!isPerRow)
      operand.value = getLane(operand, part->strip->row);
    isVector |= isa<VectorType>(operand.value.getType());
  }
  int64_t width = isPerRow ? numRows : part->strip->getPartWidth();
  SmallVector<Value> values;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    bool staysScalar = !isVector || isa<VectorType>(operand.value.getType()) ||
                       (isa<arith::SelectOp>(op) && index == 0);
    values.push_back(staysScalar ? operand.value : broadcast(operand, width));
  }
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(isVector ? VectorType::get({width}, type) : type);

  OpBuilder::InsertionGuard guard(builder);
  if (isPerRow)
    builder.setInsertionPoint(anchor);
  Operation *copy = mlir::clone(builder, op, types, values);
  DenseMap<Value, Value> &memo = isPerRow ? row.values : part->values;
  for (auto [original, result] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    memo[original] = result;
  return {copy->getResult(value.getResultNumber()), isPerRow};
}

Value RowValues::getLane(Computed computed, unsigned stepRow) {
  if (!computed.isPerRow || !isa<VectorType>(computed.value.getType()))
    return computed.value;
  Value &known = row.lanes[{computed.value, stepRow}];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(anchor);
    known = vector::ExtractOp::create(builder, loc, computed.value,
                                      static_cast<int64_t>(stepRow));
  }
  return known;
}

Value RowValues::toStrip(Computed computed, const Strip &strip) {
  if (computed.isStrip())
    return computed.value;
  return broadcast({getLane(computed, strip.row), computed.isPerRow},
                   strip.getPartWidth());
}

Value RowValues::broadcast(Computed scalar, int64_t width) {
  if (!scalar.isPerRow)
    return broadcastLanes(builder, loc, scalar.value, width);
  Value &known = row.broadcasts[{scalar.value, width}];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(anchor);
    known = broadcastLanes(builder, loc, scalar.value, width);
  }
  return known;
}

SmallVector<Value> RowValues::getIndices(AffineMap map, unsigned stepRow) {
  if (rowDim)
    position[*rowDim] = rowPositions[stepRow];
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

RowValues::Computed RowValues::load(const RowOperand &operand,
                                    StripPart *part) {
  auto find = [&](ArrayRef<Strip::Load> loads) -> const Strip::Load * {
    for (const Strip::Load &known : loads)
      if (known.buffer == operand.value && known.map == operand.map)
        return &known;
    return nullptr;
  };
  if (plan.isPerRow(operand.map)) {
    if (const Strip::Load *known = find(row.loads))
      return {known->value, true};
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(anchor);
    auto loadOf = [&](unsigned stepRow) -> Value {
      return memref::LoadOp::create(builder, loc, operand.value,
                                    getIndices(operand.map, stepRow));
    };
    Value value;
    if (numRows > 1 && operand.map.isFunctionOfDim(*rowDim)) {
      SmallVector<Value> lanes;
      for (unsigned stepRow = 0; stepRow < numRows; ++stepRow)
        lanes.push_back(loadOf(stepRow));
      auto type = VectorType::get({numRows}, lanes.front().getType());
      value = vector::FromElementsOp::create(builder, loc, type, lanes);
    } else {
      value = loadOf(0);
    }
    row.loads.push_back({operand.value, operand.map, value, {}});
    return {value, true};
  }
  assert(part && "the operand differs along the row");
  Strip &strip = *part->strip;
  if (const Strip::Load *known = find(strip.loads))
    return {known->parts[part->parity], false};
  SmallVector<Value> indices = getIndices(operand.map, strip.row);
  Strip::Load loaded{operand.value, operand.map, {}, {}};
  if (operand.map.isFunctionOfDim(strip.dim))
    loaded.value =
        access.load(operand.value, indices, *getSteps(operand.map, strip.dim),
                    strip.width, strip.mask);
  else
    loaded.value = memref::LoadOp::create(builder, loc, operand.value, indices);
  if (strip.isPaired && isa<VectorType>(loaded.value.getType()))
    llvm::copy(vector::DeinterleaveOp::create(builder, loc, loaded.value)
                   ->getResults(),
               loaded.parts);
  else
    llvm::fill(loaded.parts, loaded.value);
  strip.loads.push_back(loaded);
  return {loaded.parts[part->parity], false};
}

void RowValues::storePerRow(const RowPlanSink &sink, Value value) {
  for (unsigned stepRow = 0; stepRow < numRows; ++stepRow)
    memref::StoreOp::create(builder, loc, getLane({value, true}, stepRow),
                            sink.buffer, getIndices(sink.map, stepRow));
}

void RowValues::storeVector(const RowPlanSink &sink, Value value, Strip &strip,
                            int64_t streamAlignment) {
  access.store(value, sink.buffer, getIndices(sink.map, strip.row),
               *getSteps(sink.map, strip.dim), strip.mask, streamAlignment);
}

void RowValues::prefetch(const RowOperand &operand, const Strip &strip,
                         Locality locality) {
  Value rowBefore = rowPositions[strip.row], before = position[strip.dim];
  Value step = arith::ConstantIndexOp::create(builder, loc, numRows);
  rowPositions[strip.row] =
      arith::AddIOp::create(builder, loc, rowBefore, step);
  Type type = cast<MemRefType>(operand.value.getType()).getElementType();
  int64_t perLine = kCacheLineBytes * 8 / type.getIntOrFloatBitWidth();
  for (int64_t offset = 0; offset < strip.width; offset += perLine) {
    Value by = arith::ConstantIndexOp::create(builder, loc, offset);
    position[strip.dim] = builder.createOrFold<arith::AddIOp>(loc, before, by);
    memref::PrefetchOp::create(
        builder, loc, operand.value, getIndices(operand.map, strip.row),
        /*isWrite=*/false, static_cast<unsigned>(locality),
        /*isDataCache=*/true);
  }
  rowPositions[strip.row] = rowBefore;
  position[strip.dim] = before;
}

void RowValues::prefetchNextRow(Strip &strip, Condition isFar) {
  if (!rowDim)
    return;
  SmallVector<const RowOperand *> fetched;
  for (const RowNode &node : plan.nodes)
    for (const RowOperand &operand : node.operands) {
      auto isSame = [&](const RowOperand *other) {
        return other->value == operand.value && other->map == operand.map;
      };
      if (operand.kind == RowOperand::Kind::Buffer &&
          operand.map.isFunctionOfDim(*rowDim) &&
          operand.map.isFunctionOfDim(strip.dim) &&
          StripAccess::isDirect(cast<MemRefType>(operand.value.getType()),
                                *getSteps(operand.map, strip.dim)) &&
          !llvm::any_of(fetched, isSame))
        fetched.push_back(&operand);
    }
  auto fetch = [&](Locality locality) {
    for (const RowOperand *operand : fetched)
      prefetch(*operand, strip, locality);
  };
  emitIf(
      builder, loc, isFar, [&] { fetch(Locality::SecondCache); },
      [&] { fetch(Locality::FirstCache); });
}
