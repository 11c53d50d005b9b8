//===- NormDecomposition.cpp - Norms as linalg: the one decomposition -----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterfaceImpl.h"
#include "LinalgEmitter.h"
#include "ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "xfmr/Dialect/IR/Decomposition.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {
/// Emits one norm, step by step.
class NormEmitter {
public:
  NormEmitter(OpBuilder &builder, Location loc, const NormSpec &spec);

  /// Sets `normalized` to what the norm sees; returns the stored sum, if any.
  Value emitSum();

  /// The first statistic of the rows, summed into `destination`: squares of x
  /// for an rmsnorm, x for a layernorm. `maps` are those of x and the sums.
  Value emitFirstSum(Value input, Value destination, ArrayRef<AffineMap> maps,
                     ArrayRef<utils::IteratorType> iterators);

  /// All that follows the first statistic. Results are norm, then rstd and mean
  /// as far as they have destinations.
  SmallVector<Value> emitRest(Value firstSum);

  SmallVector<Value> emit();

  SmallVector<OpFoldResult> getRowSizes() {
    return SmallVector<OpFoldResult>(
        ArrayRef<OpFoldResult>(sizes).take_front(numRows));
  }
  Type getAccumulator() const { return accumulator; }

  /// What the norm sees: the input or the sum.
  Value normalized;
  LinalgEmitter emitter;

private:
  Value convert(OpBuilder &b, Location l, Value value, Type to) {
    return convertFloat(b, l, value, to);
  }
  /// The factor 1/sqrt(statistic + eps), or with eps outside of the root.
  Value emitRstd(OpBuilder &b, Location l, Value statistic);
  /// fma(gamma, xhat, beta), rounded as the spec says.
  Value emitScale(OpBuilder &b, Location l, Value xhat, Value gamma,
                  Value beta);

  const NormSpec &spec;
  OpBuilder &builder;
  Location loc;
  Type accumulator, resultType;
  SmallVector<OpFoldResult> sizes;
  int64_t rank, numRows;
  AffineMap identity, rowMap, columnMap;
  SmallVector<utils::IteratorType> reductionIterators;
  /// The number of elements of a row, in the accumulator type.
  Value count;
};
} // namespace

NormEmitter::NormEmitter(OpBuilder &builder, Location loc, const NormSpec &spec)
    : normalized(spec.input),
      emitter(builder, loc, isa<TensorType>(spec.input.getType())), spec(spec),
      builder(builder), loc(loc) {
  auto type = cast<ShapedType>(spec.input.getType());
  accumulator = getAccumulatorType(type.getElementType());
  resultType = cast<ShapedType>(spec.init.getType()).getElementType();
  sizes = getSizes(builder, loc, spec.input);
  rank = type.getRank();
  numRows = rank - spec.normalizedDims;
  identity = builder.getMultiDimIdentityMap(rank);
  rowMap = getLeadingDimsMap(builder, rank, numRows);
  columnMap = identity.getMinorSubMap(spec.normalizedDims);
  reductionIterators.assign(numRows, utils::IteratorType::parallel);
  reductionIterators.append(spec.normalizedDims,
                            utils::IteratorType::reduction);
  Value elements;
  for (OpFoldResult size : ArrayRef<OpFoldResult>(sizes).drop_front(numRows)) {
    Value dim = getValueOrCreateConstantIndexOp(builder, loc, size);
    elements = elements
                   ? builder.createOrFold<arith::MulIOp>(loc, elements, dim)
                   : dim;
  }
  Value asInteger = builder.createOrFold<arith::IndexCastOp>(
      loc, builder.getI64Type(), elements);
  count = builder.createOrFold<arith::SIToFPOp>(loc, accumulator, asInteger);
}

Value NormEmitter::emitSum() {
  if (!spec.hasResidual)
    return Value();
  Type stored = cast<ShapedType>(spec.input.getType()).getElementType();
  bool seesStored = stored == accumulator ||
                    spec.residualRounding == ResidualRounding::RoundThenNorm;
  SmallVector<Value> destinations;
  if (spec.sumInit)
    destinations.push_back(spec.sumInit);
  else if (seesStored)
    destinations.push_back(emitter.temporary(sizes, stored));
  if (!seesStored)
    destinations.push_back(emitter.temporary(sizes, accumulator));
  SmallVector<Value> sums = emitter.elementwise(
      {spec.input, spec.residual}, {identity, identity}, destinations,
      [&](OpBuilder &b, Location l, ValueRange elements) {
        Value sum = createResidualSum(b, l, accumulator, spec.alpha,
                                      elements[0], elements[1]);
        SmallVector<Value> stores;
        for (Value destination : destinations)
          stores.push_back(convert(
              b, l, sum,
              cast<ShapedType>(destination.getType()).getElementType()));
        return stores;
      });
  normalized = sums.back();
  return spec.sumInit ? sums.front() : Value();
}

Value NormEmitter::emitFirstSum(Value input, Value destination,
                                ArrayRef<AffineMap> maps,
                                ArrayRef<utils::IteratorType> iterators) {
  return emitter.generic(
      input, destination, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange elements) -> SmallVector<Value> {
        Value x = convert(b, l, elements[0], accumulator);
        if (spec.kind == NormKind::RMSNorm)
          return {math::FmaOp::create(b, l, x, x, elements[1])};
        return {arith::AddFOp::create(b, l, elements[1], x)};
      })[0];
}

Value NormEmitter::emitRstd(OpBuilder &b, Location l, Value statistic) {
  Value eps = createFloat(b, l, accumulator, spec.eps);
  Value one = createFloat(b, l, accumulator, 1.0);
  Value root;
  if (spec.epsPosition == EpsPosition::Inside)
    root =
        math::SqrtOp::create(b, l, arith::AddFOp::create(b, l, statistic, eps));
  else
    root =
        arith::AddFOp::create(b, l, math::SqrtOp::create(b, l, statistic), eps);
  return arith::DivFOp::create(b, l, one, root);
}

Value NormEmitter::emitScale(OpBuilder &b, Location l, Value xhat, Value gamma,
                             Value beta) {
  if (spec.rounding && spec.rounding.getMode() == RoundingMode::CastThenScale) {
    Type storage =
        spec.rounding.getStorage() ? spec.rounding.getStorage() : resultType;
    // A type wider than the accumulator holds every value: no rounding.
    if (storage.getIntOrFloatBitWidth() < accumulator.getIntOrFloatBitWidth())
      xhat = convert(b, l, convert(b, l, xhat, storage), accumulator);
  }
  if (gamma) {
    gamma = convert(b, l, gamma, accumulator);
    if (spec.weightOffset != 0.0)
      gamma = arith::AddFOp::create(
          b, l, gamma, createFloat(b, l, accumulator, spec.weightOffset));
  }
  if (beta)
    beta = convert(b, l, beta, accumulator);
  Value scaled = xhat;
  if (gamma && beta)
    scaled = math::FmaOp::create(b, l, gamma, xhat, beta);
  else if (gamma)
    scaled = arith::MulFOp::create(b, l, gamma, xhat);
  else if (beta)
    scaled = arith::AddFOp::create(b, l, xhat, beta);
  return convert(b, l, scaled, resultType);
}

SmallVector<Value> NormEmitter::emitRest(Value firstSum) {
  SmallVector<OpFoldResult> rows = getRowSizes();
  AffineMap rowIdentity = builder.getMultiDimIdentityMap(numRows);
  bool isLayerNorm = spec.kind == NormKind::LayerNorm;
  Value mean, meanCorrection, statistic;
  if (!isLayerNorm) {
    statistic = firstSum;
  } else {
    // Division by d, not multiplication by a rounded 1/d, which would break
    // rows of one constant.
    mean = emitter.elementwise(
        firstSum, rowIdentity, emitter.temporary(rows, accumulator),
        [&](OpBuilder &b, Location l, ValueRange e) -> SmallVector<Value> {
          return {arith::DivFOp::create(b, l, e[0], count)};
        })[0];
    // The second pass: squares of the deviations, and the deviations
    // themselves, whose sum corrects the rounding of the mean.
    SmallVector<Value> sums = emitter.generic(
        {normalized, mean},
        {emitter.zeros(rows, accumulator), emitter.zeros(rows, accumulator)},
        {identity, rowMap, rowMap, rowMap}, reductionIterators,
        [&](OpBuilder &b, Location l, ValueRange e) -> SmallVector<Value> {
          Value x = convert(b, l, e[0], accumulator);
          Value deviation = arith::SubFOp::create(b, l, x, e[1]);
          return {math::FmaOp::create(b, l, deviation, deviation, e[2]),
                  arith::AddFOp::create(b, l, e[3], deviation)};
        });
    statistic = sums[0];
    meanCorrection = sums[1];
  }

  // A value a row: rstd, and for a layernorm the correction and saved mean.
  SmallVector<Value> rowInputs{statistic};
  SmallVector<Value> rowOutputs{
      spec.rstdInit ? spec.rstdInit : emitter.temporary(rows, accumulator)};
  if (isLayerNorm) {
    rowInputs.append({meanCorrection, mean});
    rowOutputs.push_back(emitter.temporary(rows, accumulator));
    if (spec.meanInit)
      rowOutputs.push_back(spec.meanInit);
  }
  SmallVector<Value> rowValues = emitter.elementwise(
      rowInputs, SmallVector<AffineMap>(rowInputs.size(), rowIdentity),
      rowOutputs,
      [&](OpBuilder &b, Location l, ValueRange e) -> SmallVector<Value> {
        if (!isLayerNorm) {
          Value squares = e[0];
          if (spec.statistic == Statistic::RMS)
            squares = arith::DivFOp::create(b, l, squares, count);
          return {emitRstd(b, l, squares)};
        }
        Value correction = arith::DivFOp::create(b, l, e[1], count);
        Value squared = arith::MulFOp::create(b, l, correction, correction);
        Value zero = createFloat(b, l, accumulator, 0.0);
        Value variance;
        if (spec.unbiased) {
          Value one = createFloat(b, l, accumulator, 1.0);
          Value sum = arith::SubFOp::create(
              b, l, e[0], arith::MulFOp::create(b, l, count, squared));
          variance = arith::DivFOp::create(
              b, l, arith::MaximumFOp::create(b, l, sum, zero),
              arith::SubFOp::create(b, l, count, one));
        } else {
          variance = arith::MaximumFOp::create(
              b, l,
              arith::SubFOp::create(
                  b, l, arith::DivFOp::create(b, l, e[0], count), squared),
              zero);
        }
        SmallVector<Value> stores{emitRstd(b, l, variance), correction};
        if (spec.meanInit)
          stores.push_back(arith::AddFOp::create(b, l, e[2], correction));
        return stores;
      });

  SmallVector<Value> inputs{normalized, rowValues[0]};
  SmallVector<AffineMap> maps{identity, rowMap};
  auto addInput = [&](Value value, AffineMap map) {
    if (!value)
      return;
    inputs.push_back(value);
    maps.push_back(map);
  };
  if (isLayerNorm) {
    addInput(mean, rowMap);
    addInput(rowValues[1], rowMap);
  }
  addInput(spec.gamma, columnMap);
  addInput(spec.beta, columnMap);
  Value norm = emitter.elementwise(
      inputs, maps, spec.init,
      [&](OpBuilder &b, Location l, ValueRange e) -> SmallVector<Value> {
        unsigned next = 2;
        Value x = convert(b, l, e[0], accumulator);
        if (isLayerNorm) {
          x = arith::SubFOp::create(b, l, x, e[next++]);
          x = arith::SubFOp::create(b, l, x, e[next++]);
        }
        Value xhat = arith::MulFOp::create(b, l, x, e[1]);
        Value gamma = spec.gamma ? e[next++] : Value();
        Value beta = spec.beta ? e[next++] : Value();
        return {emitScale(b, l, xhat, gamma, beta)};
      })[0];

  SmallVector<Value> results{norm};
  if (spec.rstdInit)
    results.push_back(rowValues[0]);
  if (spec.meanInit)
    results.push_back(rowValues[2]);
  return results;
}

SmallVector<Value> NormEmitter::emit() {
  SmallVector<Value> results;
  if (Value sum = emitSum())
    results.push_back(sum);
  Value firstSum =
      emitFirstSum(normalized, emitter.zeros(getRowSizes(), accumulator),
                   {identity, rowMap}, reductionIterators);
  results.append(emitRest(firstSum));
  return results;
}

FailureOr<SmallVector<Value>>
xfmr::decomposeNorm(OpBuilder &builder, Location loc, const NormSpec &spec) {
  NormEmitter norm(builder, loc, spec);
  SmallVector<Value> results = norm.emit();
  norm.emitter.freeTemporaries();
  if (isa<MemRefType>(spec.input.getType()))
    results.clear();
  return results;
}

FailureOr<SmallVector<Value>>
norm_op::decompose(OpBuilder &builder, Location loc, const NormSpec &spec) {
  return decomposeNorm(builder, loc, spec);
}

//===----------------------------------------------------------------------===//
// Tiling of the normalised dims by partial sums
//===----------------------------------------------------------------------===//

// The first statistic is tiled: a partial sum a position inside the tile
// (outer reduction) or a tile (outer parallel); merging reduces the partial
// sums and does what follows, over whole rows.

static LogicalResult checkPartial(RowOpInterface op, const NormSpec &spec,
                                  const SetVector<unsigned> &dims) {
  if (!op.hasPureTensorSemantics())
    return op->emitOpError("expected tensors to tile by partial results");
  if (spec.normalizedDims != 1)
    return op->emitOpError(
        "expected one normalised dim to tile by partial results");
  if (dims.size() != 1 || int64_t(dims.front()) != op.getNumRowDims())
    return op->emitOpError("expected partial results of the normalised dim");
  return success();
}

/// Zeros of the shape of x's rows and one tile of the normalised dim.
FailureOr<SmallVector<Value>> norm_op::createPartialInit(
    const NormSpec &spec, RowOpInterface op, OpBuilder &builder, Location loc,
    ArrayRef<OpFoldResult> tileSizes, const SetVector<unsigned> &dims) {
  if (failed(checkPartial(op, spec, dims)))
    return failure();
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, spec.input);
  sizes.back() = tileSizes[dims.front()];
  LinalgEmitter emitter(builder, loc, /*onTensors=*/true);
  Value zeros = emitter.zeros(
      sizes, getAccumulatorType(
                 cast<ShapedType>(spec.input.getType()).getElementType()));
  // The driver wants as many partial results as the op has results.
  return SmallVector<Value>(op->getNumResults(), zeros);
}

FailureOr<TilingResult> norm_op::tilePartial(
    const NormSpec &spec, RowOpInterface op, OpBuilder &builder, Location loc,
    ReductionTilingStrategy strategy, ValueRange partial,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    const SetVector<unsigned> &dims) {
  if (failed(checkPartial(op, spec, dims)))
    return failure();
  if (strategy != ReductionTilingStrategy::PartialReductionOuterReduction)
    return op->emitOpError("expected partial results by an outer reduction");
  TilingResult result;
  auto slice = [&](Value value, ArrayRef<OpFoldResult> valueOffsets) {
    Operation *slice = createSlice(builder, loc, value, valueOffsets, sizes);
    result.generatedSlices.push_back(slice);
    return slice->getResult(0);
  };
  // The norm of the tile's elements, as far as its first statistic.
  NormSpec tileSpec = spec;
  tileSpec.input = slice(spec.input, offsets);
  if (spec.hasResidual)
    tileSpec.residual = slice(spec.residual, offsets);
  tileSpec.sumInit = Value();
  SmallVector<OpFoldResult> partialOffsets(offsets);
  partialOffsets.back() = builder.getIndexAttr(0);
  Value sumsBefore = slice(partial[0], partialOffsets);
  NormEmitter norm(builder, loc, tileSpec);
  norm.emitSum();
  int64_t rank = sizes.size();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  Value sums = norm.emitFirstSum(
      norm.normalized, sumsBefore, {identity, identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel));
  result.tiledOps.push_back(sums.getDefiningOp());
  result.tiledValues.assign(partial.size(), sums);
  return result;
}

FailureOr<MergeResult> norm_op::mergePartial(const NormSpec &spec,
                                             RowOpInterface op,
                                             OpBuilder &builder, Location loc,
                                             ValueRange partial,
                                             const SetVector<unsigned> &dims) {
  if (failed(checkPartial(op, spec, dims)))
    return failure();
  NormEmitter norm(builder, loc, spec);
  SmallVector<Value> results;
  if (Value sum = norm.emitSum())
    results.push_back(sum);
  int64_t rank = cast<ShapedType>(spec.input.getType()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  Value sums = norm.emitter.generic(
      partial[0], norm.emitter.zeros(norm.getRowSizes(), norm.getAccumulator()),
      {identity, getLeadingDimsMap(builder, rank, rank - 1)}, iterators,
      [&](OpBuilder &b, Location l, ValueRange e) -> SmallVector<Value> {
        return {arith::AddFOp::create(b, l, e[1], e[0])};
      })[0];
  results.append(norm.emitRest(sums));
  MergeResult merge;
  // As many ops as results, or the transform op refuses.
  for (Value value : results)
    merge.mergeOps.push_back(value.getDefiningOp());
  merge.replacements = results;
  return merge;
}

LogicalResult norm_op::getPartialTilePosition(
    const NormSpec &, RowOpInterface, OpBuilder &builder,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    SmallVector<OpFoldResult> &partialOffsets,
    SmallVector<OpFoldResult> &partialSizes) {
  partialOffsets.assign(offsets.begin(), offsets.end());
  partialSizes.assign(sizes.begin(), sizes.end());
  partialOffsets.back() = builder.getIndexAttr(0);
  return success();
}
