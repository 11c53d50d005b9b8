//===- FFNDecomposition.cpp - Networks and gates as linalg ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CanonicalForms.h"
#include "InterfaceImpl.h"
#include "LinalgEmitter.h"
#include "ShapeUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "xfmr/Codegen/Math/Activations.h"
#include "xfmr/Dialect/IR/Decomposition.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::xfmr;

/// Blocks of the hidden dim are multiples of it: whole steps of the partial
/// sums of any product, and whole panels of any weight.
constexpr int64_t kHiddenBlockMultiple = 256;
/// More columns than these only where threads can share so many blocks of them.
constexpr int64_t kColumnBlock = 128, kManyBlocks = 4;
/// Elements between the rows of a block of hidden values.
constexpr int64_t kRowPadding = 32;

static ActivationSpec getActivationSpec(ActivationAttr written) {
  ActivationSpec spec;
  ActivationAttr activation = getCanonicalActivation(written);
  spec.kind = activation.getKind();
  if (FloatAttr beta = activation.getBeta())
    spec.beta = beta.getValueAsDouble();
  if (FloatAttr limit = activation.getLimit())
    spec.limit = limit.getValueAsDouble();
  if (FloatAttr upOffset = activation.getUpOffset())
    spec.upOffset = upOffset.getValueAsDouble();
  return spec;
}

namespace {
/// Emits one network, part by part.
class FFNEmitter {
public:
  /// Gate and up become two operands where they are packed.
  FFNEmitter(OpBuilder &builder, Location loc, FFNSpec spec);

  /// The hidden values of the hidden dim's range [offset, offset + size), of
  /// the hidden type, into `destination` or, where that is null, a temporary.
  /// The rows of what gate and up leave are `width` apart, or `size`.
  Value emitHidden(OpFoldResult offset, OpFoldResult size,
                   Value destination = Value(),
                   OpFoldResult width = OpFoldResult());

  /// `accumulator` plus the down product of the hidden values of a range.
  Value emitDown(Value hidden, OpFoldResult offset, OpFoldResult size,
                 Value accumulator);

  /// The accumulated down product with its bias, rounded into the destination.
  Value emitEpilogue(Value accumulator);

  /// Zeros of the result's shape in the accumulator type; on memrefs the rows
  /// begin at multiples of `padding`, with so many elements more between
  /// them.
  Value emitZeroAccumulator(int64_t padding = 0);

  /// Zeros in the accumulator type, on memrefs with rows that are `width`
  /// apart.
  Value emitZeros(ArrayRef<OpFoldResult> sizes, OpFoldResult width);

  /// True when the destination itself can accumulate.
  bool accumulatesInPlace() const {
    return !spec.downBias &&
           cast<ShapedType>(spec.init.getType()).getElementType() ==
               accumulator;
  }

  OpFoldResult getHiddenSize();

  /// Sizes of the input's rows followed by `columns`.
  SmallVector<OpFoldResult> getRowsTimes(OpFoldResult columns);

  const FFNSpec &getSpec() const { return spec; }
  LinalgEmitter emitter;

private:
  /// `accumulator` plus rows times weight, for the weight's slice of `size`
  /// outputs from `offset` on.
  Value emitProduct(Value rows, Value weight, WeightLayout layout,
                    Value accumulator);
  /// The slice of a weight along its hidden dim.
  Value sliceWeight(Value weight, bool hiddenIsFirst, OpFoldResult offset,
                    OpFoldResult size);
  Value sliceBias(Value bias, OpFoldResult offset, OpFoldResult size);

  OpBuilder &builder;
  Location loc;
  FFNSpec spec;
  Type accumulator;
  int64_t rank;
  AffineMap identity, columnMap;
};
} // namespace

FFNEmitter::FFNEmitter(OpBuilder &builder, Location loc, FFNSpec original)
    : emitter(builder, loc, isa<TensorType>(original.input.getType())),
      builder(builder), loc(loc), spec(std::move(original)) {
  auto type = cast<ShapedType>(spec.input.getType());
  accumulator = getAccumulatorType(type.getElementType());
  rank = type.getRank();
  identity = builder.getMultiDimIdentityMap(rank);
  columnMap = identity.getMinorSubMap(1);
  if (spec.gateUp) {
    int64_t outputDim = spec.gateLayout == WeightLayout::InOut ? 1 : 0;
    std::tie(spec.gate, spec.up) =
        unpackGateUp(builder, loc, spec.gateUp, outputDim, *spec.order);
    if (spec.gateUpBias)
      std::tie(spec.gateBias, spec.upBias) =
          unpackGateUp(builder, loc, spec.gateUpBias, 0, *spec.order);
    spec.gateUp = spec.gateUpBias = Value();
  }
}

OpFoldResult FFNEmitter::getHiddenSize() {
  return getSize(builder, loc, spec.down,
                 spec.downLayout == WeightLayout::InOut ? 0 : 1);
}

Value FFNEmitter::sliceWeight(Value weight, bool hiddenIsFirst,
                              OpFoldResult offset, OpFoldResult size) {
  int64_t hiddenDim = hiddenIsFirst ? 0 : 1;
  if (isWholeDim(size, weight, hiddenDim))
    return weight;
  SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, weight);
  offsets[hiddenDim] = offset;
  sizes[hiddenDim] = size;
  return createSlice(builder, loc, weight, offsets, sizes)->getResult(0);
}

Value FFNEmitter::sliceBias(Value bias, OpFoldResult offset,
                            OpFoldResult size) {
  if (!bias || isWholeDim(size, bias, 0))
    return bias;
  return createSlice(builder, loc, bias, {offset}, {size})->getResult(0);
}

/// The columns [offset, offset + size) of `value`.
static Value sliceColumns(OpBuilder &builder, Location loc, Value value,
                          OpFoldResult offset, OpFoldResult size) {
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, value);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  offsets.back() = offset;
  sizes.back() = size;
  return createSlice(builder, loc, value, offsets, sizes)->getResult(0);
}

Value FFNEmitter::emitProduct(Value rows, Value weight, WeightLayout layout,
                              Value accumulatorValue) {
  MLIRContext *context = builder.getContext();
  // The domain: rows, outputs, inputs.
  SmallVector<AffineExpr> rowDims;
  for (int64_t dim = 0; dim < rank - 1; ++dim)
    rowDims.push_back(builder.getAffineDimExpr(dim));
  AffineExpr output = builder.getAffineDimExpr(rank - 1);
  AffineExpr input = builder.getAffineDimExpr(rank);
  SmallVector<AffineExpr> rowsAndInput(rowDims), rowsAndOutput(rowDims);
  rowsAndInput.push_back(input);
  rowsAndOutput.push_back(output);
  SmallVector<AffineExpr> weightDims =
      layout == WeightLayout::InOut ? SmallVector<AffineExpr>{input, output}
                                    : SmallVector<AffineExpr>{output, input};
  AffineMap maps[] = {AffineMap::get(rank + 1, 0, rowsAndInput, context),
                      AffineMap::get(rank + 1, 0, weightDims, context),
                      AffineMap::get(rank + 1, 0, rowsAndOutput, context)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return emitter.generic(
      {rows, weight}, accumulatorValue, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange e) -> SmallVector<Value> {
        Value product =
            arith::MulFOp::create(b, l, convertFloat(b, l, e[0], accumulator),
                                  convertFloat(b, l, e[1], accumulator));
        return {arith::AddFOp::create(b, l, e[2], product)};
      })[0];
}

SmallVector<OpFoldResult> FFNEmitter::getRowsTimes(OpFoldResult columns) {
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, spec.input);
  sizes.back() = columns;
  return sizes;
}

Value FFNEmitter::emitHidden(OpFoldResult offset, OpFoldResult size,
                             Value destination, OpFoldResult width) {
  SmallVector<OpFoldResult> sizes = getRowsTimes(size);
  if (!destination)
    destination = emitter.temporary(sizes, spec.hiddenType);
  auto emitFirst = [&](Value weight, WeightLayout layout) {
    Value slice =
        sliceWeight(weight, layout == WeightLayout::OutIn, offset, size);
    return emitProduct(spec.input, slice, layout,
                       emitZeros(sizes, width ? width : size));
  };
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto addInput = [&](Value value, AffineMap map) {
    if (!value)
      return;
    inputs.push_back(value);
    maps.push_back(map);
  };
  Value gateBias, upBias = sliceBias(spec.upBias, offset, size);
  if (spec.gated) {
    gateBias = sliceBias(spec.gateBias, offset, size);
    addInput(emitFirst(spec.gate, spec.gateLayout), identity);
  }
  addInput(emitFirst(spec.up, spec.upLayout), identity);
  addInput(gateBias, columnMap);
  addInput(upBias, columnMap);
  ActivationSpec activation = getActivationSpec(spec.activation);
  return emitter.elementwise(
      inputs, maps, destination,
      [&](OpBuilder &b, Location l, ValueRange e) -> SmallVector<Value> {
        unsigned next = spec.gated ? 2 : 1;
        auto addBias = [&](Value value, Value bias) -> Value {
          if (!bias)
            return value;
          return arith::AddFOp::create(
              b, l, value, convertFloat(b, l, e[next++], accumulator));
        };
        Value hidden;
        if (spec.gated) {
          Value gate = addBias(e[0], gateBias);
          Value up = addBias(e[1], upBias);
          hidden = buildGate(b, l, activation, gate, up);
        } else {
          hidden = buildActivation(b, l, activation, addBias(e[0], upBias));
        }
        return {convertFloat(b, l, hidden, spec.hiddenType)};
      })[0];
}

Value FFNEmitter::emitDown(Value hidden, OpFoldResult offset, OpFoldResult size,
                           Value accumulatorValue) {
  Value slice = sliceWeight(spec.down, spec.downLayout == WeightLayout::InOut,
                            offset, size);
  return emitProduct(hidden, slice, spec.downLayout, accumulatorValue);
}

Value FFNEmitter::emitZeros(ArrayRef<OpFoldResult> sizes, OpFoldResult width) {
  OpFoldResult columns = sizes.back();
  SmallVector<OpFoldResult> padded(sizes);
  padded.back() = width;
  Value sums = emitter.temporary(padded, accumulator);
  if (width != columns)
    sums = sliceColumns(builder, loc, sums, builder.getIndexAttr(0), columns);
  return emitter.fill(0.0, sums);
}

Value FFNEmitter::emitZeroAccumulator(int64_t padding) {
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, spec.init);
  OpFoldResult width = sizes.back();
  if (padding != 0)
    width = affine::makeComposedFoldedAffineApply(
        builder, loc,
        builder.getAffineDimExpr(0).ceilDiv(padding) * padding + padding,
        {width});
  return emitZeros(sizes, width);
}

Value FFNEmitter::emitEpilogue(Value accumulatorValue) {
  SmallVector<Value> inputs{accumulatorValue};
  SmallVector<AffineMap> maps{identity};
  if (spec.downBias) {
    inputs.push_back(spec.downBias);
    maps.push_back(columnMap);
  }
  Type resultType = cast<ShapedType>(spec.init.getType()).getElementType();
  return emitter.elementwise(
      inputs, maps, spec.init,
      [&](OpBuilder &b, Location l, ValueRange e) -> SmallVector<Value> {
        Value y = e[0];
        if (spec.downBias)
          y = arith::AddFOp::create(b, l, y,
                                    convertFloat(b, l, e[1], accumulator));
        return {convertFloat(b, l, y, resultType)};
      })[0];
}

std::optional<FFNSpec> xfmr::getNetwork(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<FFNSpec>>(op)
      .Case<FFNOp, GLUFFNOp, SwiGLUFFNOp>(
          [](auto network) { return network.getFFNSpec(); })
      .Default([](Operation *) { return std::nullopt; });
}

FailureOr<SmallVector<Value>>
xfmr::decomposeFFN(OpBuilder &builder, Location loc, const FFNSpec &spec) {
  FFNEmitter ffn(builder, loc, spec);
  OpFoldResult zero = builder.getIndexAttr(0);
  OpFoldResult hiddenSize = ffn.getHiddenSize();
  Value hidden = ffn.emitHidden(zero, hiddenSize);
  Value accumulator = ffn.accumulatesInPlace()
                          ? ffn.emitter.fill(0.0, spec.init)
                          : ffn.emitZeroAccumulator();
  accumulator = ffn.emitDown(hidden, zero, hiddenSize, accumulator);
  Value result =
      ffn.accumulatesInPlace() ? accumulator : ffn.emitEpilogue(accumulator);
  ffn.emitter.freeTemporaries();
  if (isa<MemRefType>(spec.input.getType()))
    return SmallVector<Value>();
  return SmallVector<Value>{result};
}

/// min(step, end - offset), a constant where all steps are whole.
static OpFoldResult getBlockSize(OpBuilder &builder, Location loc, int64_t step,
                                 Value offset, OpFoldResult end) {
  std::optional<int64_t> known = getConstantIntValue(end);
  if (known && *known % step == 0)
    return builder.getIndexAttr(step);
  AffineExpr d0 = builder.getAffineDimExpr(0),
             s0 = builder.getAffineSymbolExpr(0);
  AffineMap remaining =
      AffineMap::get(1, 1, {builder.getAffineConstantExpr(step), s0 - d0},
                     builder.getContext());
  return affine::makeComposedFoldedAffineMin(builder, loc, remaining,
                                             {OpFoldResult(offset), end});
}

/// Blocks of about one size, where the size is known.
static int64_t balanceBlocks(OpFoldResult size, int64_t block) {
  std::optional<int64_t> known = getConstantIntValue(size);
  if (!known || *known <= 0 || block % kHiddenBlockMultiple != 0)
    return block;
  int64_t count = llvm::divideCeil(*known, block);
  return llvm::alignTo(llvm::divideCeil(*known, count), kHiddenBlockMultiple);
}

LogicalResult xfmr::decomposeFFNInBlocks(OpBuilder &builder, Location loc,
                                         const FFNSpec &spec,
                                         const FFNBlocks &blocks) {
  if (!isa<MemRefType>(spec.input.getType()) || blocks.hidden < 1 ||
      blocks.columns < 1)
    return failure();
  // Nothing to cut, and arrays without elements have no slices.
  for (Value operand : {spec.input, spec.down, spec.init})
    if (llvm::is_contained(cast<MemRefType>(operand.getType()).getShape(), 0))
      return LogicalResult(decomposeFFN(builder, loc, spec));
  FFNEmitter ffn(builder, loc, spec);
  // The destination may be the input: it is written after the last block. Rows
  // a power of two apart would lie in the same few sets of the cache.
  Value accumulator = ffn.emitZeroAccumulator(kRowPadding);
  OpFoldResult hiddenSize = ffn.getHiddenSize();
  int64_t hiddenBlock = blocks.hidden;
  ArrayRef<int64_t> rowDims =
      cast<MemRefType>(spec.input.getType()).getShape().drop_back();
  if (!ShapedType::isDynamicShape(rowDims)) {
    int64_t most = blocks.hiddenElements / ShapedType::getNumElements(rowDims);
    hiddenBlock = std::max(hiddenBlock,
                           most / kHiddenBlockMultiple * kHiddenBlockMultiple);
  }
  hiddenBlock = balanceBlocks(hiddenSize, hiddenBlock);
  int64_t columnBlock = blocks.columns;
  while (columnBlock > kColumnBlock && hiddenBlock < kManyBlocks * columnBlock)
    columnBlock /= 2;
  Value buffer = ffn.emitter.temporary(
      ffn.getRowsTimes(builder.getIndexAttr(hiddenBlock + kRowPadding)),
      spec.hiddenType);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value end = getValueOrCreateConstantIndexOp(builder, loc, hiddenSize);
  Value step = arith::ConstantIndexOp::create(builder, loc, hiddenBlock);
  auto loop = scf::ForOp::create(builder, loc, zero, end, step);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value offset = loop.getInductionVar();
    OpFoldResult size =
        getBlockSize(builder, loc, hiddenBlock, offset, hiddenSize);
    Value hidden =
        sliceColumns(builder, loc, buffer, builder.getIndexAttr(0), size);
    auto columnLoop = scf::ForallOp::create(
        builder, loc, {builder.getIndexAttr(0)}, {size},
        {builder.getIndexAttr(columnBlock)}, /*outputs=*/ValueRange(),
        /*mapping=*/std::nullopt);
    {
      OpBuilder::InsertionGuard columnGuard(builder);
      builder.setInsertionPointToStart(columnLoop.getBody());
      // What gate and up leave lives for a block of columns.
      FFNEmitter columns(builder, loc, ffn.getSpec());
      Value column = columnLoop.getInductionVars().front();
      OpFoldResult columnSize =
          getBlockSize(builder, loc, columnBlock, column, size);
      AffineExpr d0, d1;
      bindDims(builder.getContext(), d0, d1);
      OpFoldResult hiddenOffset = affine::makeComposedFoldedAffineApply(
          builder, loc, d0 + d1, {OpFoldResult(offset), OpFoldResult(column)});
      columns.emitHidden(
          hiddenOffset, columnSize,
          sliceColumns(builder, loc, hidden, column, columnSize));
      columns.emitter.freeTemporaries();
    }
    FFNEmitter(builder, loc, ffn.getSpec())
        .emitDown(hidden, offset, size, accumulator);
  }
  ffn.emitEpilogue(accumulator);
  ffn.emitter.freeTemporaries();
  return success();
}

FailureOr<SmallVector<Value>>
network_op::decompose(OpBuilder &builder, Location loc, const FFNSpec &spec) {
  return decomposeFFN(builder, loc, spec);
}

FailureOr<SmallVector<Value>> GatedActOp::decomposeOperation(OpBuilder &b) {
  bool onTensors = isa<TensorType>(getInit().getType());
  LinalgEmitter emitter(b, getLoc(), onTensors);
  int64_t rank = cast<ShapedType>(getInit().getType()).getRank();
  Value gate = getGate(), up = getUp();
  if (getGateUp())
    std::tie(gate, up) =
        unpackGateUp(b, getLoc(), getGateUp(), rank - 1, *getOrder());
  Type accumulator =
      getAccumulatorType(cast<ShapedType>(gate.getType()).getElementType());
  Type resultType = cast<ShapedType>(getInit().getType()).getElementType();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  ActivationSpec activation = getActivationSpec(getActivation());
  SmallVector<Value> results = emitter.elementwise(
      {gate, up}, {identity, identity}, getInit(),
      [&](OpBuilder &nested, Location l, ValueRange e) -> SmallVector<Value> {
        Value gated = buildGate(
            nested, l, activation, convertFloat(nested, l, e[0], accumulator),
            convertFloat(nested, l, e[1], accumulator), resultType);
        return {convertFloat(nested, l, gated, resultType)};
      });
  if (!onTensors)
    results.clear();
  return results;
}

//===----------------------------------------------------------------------===//
// Tiling of the hidden dim, accumulating into the down product
//===----------------------------------------------------------------------===//

static LogicalResult checkPartial(RowOpInterface op,
                                  const SetVector<unsigned> &dims) {
  if (!op.hasPureTensorSemantics())
    return op->emitOpError("expected tensors to tile by partial results");
  if (dims.size() != 1 || int64_t(dims.front()) != op.getNumRowDims())
    return op->emitOpError("expected partial results of the hidden dim");
  return success();
}

FailureOr<SmallVector<Value>> network_op::createPartialInit(
    const FFNSpec &spec, RowOpInterface op, OpBuilder &builder, Location loc,
    ArrayRef<OpFoldResult>, const SetVector<unsigned> &dims) {
  if (failed(checkPartial(op, dims)))
    return failure();
  return SmallVector<Value>{
      FFNEmitter(builder, loc, spec).emitZeroAccumulator()};
}

FailureOr<TilingResult> network_op::tilePartial(
    const FFNSpec &spec, RowOpInterface op, OpBuilder &builder, Location loc,
    ReductionTilingStrategy strategy, ValueRange partial,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    const SetVector<unsigned> &dims) {
  if (failed(checkPartial(op, dims)))
    return failure();
  if (strategy != ReductionTilingStrategy::PartialReductionOuterReduction)
    return op->emitOpError("expected partial results by an outer reduction");
  TilingResult result;
  // Rows may be tiled along; inputs and outputs of the network are whole.
  auto sliceRows = [&](Value value) {
    SmallVector<OpFoldResult> rowOffsets(offsets), rowSizes(sizes);
    int64_t last = rowSizes.size() - 1;
    rowOffsets.back() = builder.getIndexAttr(0);
    rowSizes.back() = getSize(builder, loc, value, last);
    Operation *slice = createSlice(builder, loc, value, rowOffsets, rowSizes);
    result.generatedSlices.push_back(slice);
    return slice->getResult(0);
  };
  FFNSpec tileSpec = spec;
  tileSpec.input = sliceRows(spec.input);
  FFNEmitter ffn(builder, loc, tileSpec);
  Value hidden = ffn.emitHidden(offsets.back(), sizes.back());
  Value accumulated =
      ffn.emitDown(hidden, offsets.back(), sizes.back(), sliceRows(partial[0]));
  result.tiledOps.push_back(accumulated.getDefiningOp());
  result.tiledValues.push_back(accumulated);
  return result;
}

FailureOr<MergeResult>
network_op::mergePartial(const FFNSpec &spec, RowOpInterface op,
                         OpBuilder &builder, Location loc, ValueRange partial,
                         const SetVector<unsigned> &dims) {
  if (failed(checkPartial(op, dims)))
    return failure();
  Value result = FFNEmitter(builder, loc, spec).emitEpilogue(partial[0]);
  return MergeResult{{result.getDefiningOp()}, {result}};
}

LogicalResult network_op::getPartialTilePosition(
    const FFNSpec &spec, RowOpInterface op, OpBuilder &builder,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    SmallVector<OpFoldResult> &partialOffsets,
    SmallVector<OpFoldResult> &partialSizes) {
  partialOffsets.assign(offsets.begin(), offsets.end());
  partialSizes.assign(sizes.begin(), sizes.end());
  partialOffsets.back() = builder.getIndexAttr(0);
  partialSizes.back() =
      getSize(builder, op.getLoc(), spec.init, sizes.size() - 1);
  return success();
}
