//===- TilingInterfaceImpl.cpp - Tiling and fusion of row ops -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterfaceImpl.h"
#include "ShapeUtils.h"
#include "VerifierUtils.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {
/// A tile of the iteration domain, or of an operand.
struct Tile {
  SmallVector<OpFoldResult> offsets, sizes;
};
} // namespace

static int64_t getDomainRank(RowOpInterface op) {
  return op.getNumRowDims() + op.getInnerIteratorTypes().size();
}

/// The operand and its dim that the domain dim walks, a static one where there
/// is one.
static std::pair<Value, int64_t> getDimSource(RowOpInterface op,
                                              int64_t domainDim) {
  std::pair<Value, int64_t> source;
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, mapped] : llvm::enumerate(op.getDomainDims(operand))) {
      if (mapped != domainDim)
        continue;
      if (!shapedType(operand.get()).isDynamicDim(dim))
        return {operand.get(), dim};
      if (!source.first)
        source = {operand.get(), dim};
    }
  assert(source.first && "every domain dim walks an operand");
  return source;
}

static SmallVector<utils::IteratorType> getIteratorTypes(RowOpInterface op) {
  SmallVector<utils::IteratorType> types(op.getNumRowDims(),
                                         utils::IteratorType::parallel);
  llvm::append_range(types, op.getInnerIteratorTypes());
  return types;
}

static SmallVector<Range> getDomain(RowOpInterface op, OpBuilder &builder) {
  SmallVector<Range> domain;
  for (int64_t dim = 0, rank = getDomainRank(op); dim < rank; ++dim) {
    auto [value, valueDim] = getDimSource(op, dim);
    domain.push_back({builder.getIndexAttr(0),
                      getSize(builder, op.getLoc(), value, valueDim),
                      builder.getIndexAttr(1)});
  }
  return domain;
}

/// True when a tile of this size is known to be all of the dim. What is known
/// of a dim of any operand is known of all that are equal to it by the op's
/// contract.
static bool isWhole(RowOpInterface op, OperandDim dim, OpFoldResult size) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [i, other] : llvm::enumerate(op.getOperandDims(operand)))
      if (other == dim && isWholeDim(size, operand.get(), i))
        return true;
  return false;
}

/// The dims of the domain of which a tile of these sizes is known to hold all.
static llvm::SmallBitVector findWholeDims(RowOpInterface op,
                                          ArrayRef<OpFoldResult> sizes) {
  llvm::SmallBitVector whole(sizes.size());
  for (auto [dim, size] : llvm::enumerate(sizes))
    whole[dim] = isWhole(op, OperandDim{int64_t(dim)}, size);
  return whole;
}

/// The tile of the operand for a tile of the domain.
static Tile getOperandTile(RowOpInterface op, OpBuilder &builder,
                           OpOperand &operand, ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> sizes) {
  Tile tile;
  for (auto [dim, domainDim] : llvm::enumerate(op.getDomainDims(operand))) {
    bool whole = domainDim < 0;
    tile.offsets.push_back(whole ? OpFoldResult(builder.getIndexAttr(0))
                                 : offsets[domainDim]);
    tile.sizes.push_back(whole
                             ? getSize(builder, op.getLoc(), operand.get(), dim)
                             : sizes[domainDim]);
  }
  return tile;
}

static Value addSlice(TilingResult &result, Operation *slice) {
  result.generatedSlices.push_back(slice);
  return slice->getResult(0);
}

static Value sliceOperand(RowOpInterface op, OpBuilder &builder,
                          OpOperand &operand, ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes,
                          const llvm::SmallBitVector &wholeDims,
                          TilingResult &result) {
  // Weights are needed whole, and what is not cut needs no slice.
  bool isCut = llvm::any_of(op.getDomainDims(operand), [&](int64_t dim) {
    return dim >= 0 && !wholeDims[dim];
  });
  if (!op.isDpsInit(&operand) && !isCut)
    return operand.get();
  Tile tile = getOperandTile(op, builder, operand, offsets, sizes);
  return addSlice(result, createSlice(builder, op.getLoc(), operand.get(),
                                      tile.offsets, tile.sizes));
}

/// A tile that splits the last dim of a packed gated_act is a gated_act of two
/// operands.
static TilingResult tilePackedGate(GatedActOp op, OpBuilder &builder,
                                   ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes,
                                   const llvm::SmallBitVector &wholeDims) {
  TilingResult result;
  auto [gateSlice, upSlice] =
      slicePackedGateUp(builder, op.getLoc(), op.getGateUp(),
                        op.getNumRowDims(), *op.getOrder(), offsets, sizes);
  Value gate = addSlice(result, gateSlice), up = addSlice(result, upSlice);
  Value init = sliceOperand(op, builder, op.getInitMutable(), offsets, sizes,
                            wholeDims, result);
  SmallVector<Type> types;
  if (isa<TensorType>(init.getType()))
    types.push_back(init.getType());
  auto tiled =
      GatedActOp::create(builder, op.getLoc(), types, gate, up,
                         /*gate_up=*/Value(), init, op.getActivationAttr(),
                         /*order=*/GateUpOrderAttr());
  tiled->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  result.tiledOps.push_back(tiled);
  llvm::append_range(result.tiledValues, tiled->getResults());
  return result;
}

static FailureOr<TilingResult> tile(RowOpInterface op, OpBuilder &builder,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  llvm::SmallBitVector wholeDims = findWholeDims(op, sizes);
  for (auto [dim, type] : llvm::enumerate(getIteratorTypes(op)))
    if (type == utils::IteratorType::reduction && !wholeDims[dim])
      return op->emitOpError("expected tiles that hold dim ")
             << dim
             << " of the iteration domain whole: it is a reduction, which is "
                "tiled by partial results only";
  if (auto gate = dyn_cast<GatedActOp>(op.getOperation());
      gate && gate.getGateUp() && !wholeDims[gate.getNumRowDims()])
    return tilePackedGate(gate, builder, offsets, sizes, wholeDims);
  TilingResult result;
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    operands.push_back(
        sliceOperand(op, builder, operand, offsets, sizes, wholeDims, result));
    if (op.isDpsInit(&operand) && isa<TensorType>(operands.back().getType()))
      types.push_back(operands.back().getType());
  }
  Operation *tiled = mlir::clone(builder, op, types, operands);
  result.tiledOps.push_back(tiled);
  llvm::append_range(result.tiledValues, tiled->getResults());
  return result;
}

/// Fills in the domain's offsets and sizes (null where unknown) from a tile of
/// an operand. Fails, without making IR, when the tile cannot stand alone.
static LogicalResult addOperandTile(RowOpInterface op, OpOperand &operand,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes,
                                    Tile &domain) {
  SmallVector<int64_t> domainDims = op.getDomainDims(operand);
  SmallVector<OperandDim> operandDims = op.getOperandDims(operand);
  SmallVector<utils::IteratorType> iterators = getIteratorTypes(op);
  if (domainDims.size() != offsets.size() || offsets.size() != sizes.size())
    return failure();
  for (auto [dim, domainDim] : llvm::enumerate(domainDims)) {
    bool mustBeWhole =
        domainDim < 0 || iterators[domainDim] == utils::IteratorType::reduction;
    if (mustBeWhole && !isWhole(op, operandDims[dim], sizes[dim]))
      return failure();
    if (domainDim < 0)
      continue;
    OpFoldResult &offset = domain.offsets[domainDim];
    OpFoldResult &size = domain.sizes[domainDim];
    if (offset && (offset != offsets[dim] || size != sizes[dim]))
      return failure();
    offset = offsets[dim];
    size = sizes[dim];
  }
  return success();
}

static Tile getUnknownTile(RowOpInterface op) {
  Tile tile;
  tile.offsets.resize(getDomainRank(op));
  tile.sizes.resize(getDomainRank(op));
  return tile;
}

/// The dims that no operand's tile decided are whole.
static void completeTile(RowOpInterface op, OpBuilder &builder, Tile &domain) {
  for (auto [dim, offset] : llvm::enumerate(domain.offsets)) {
    if (offset)
      continue;
    auto [value, valueDim] = getDimSource(op, dim);
    offset = builder.getIndexAttr(0);
    domain.sizes[dim] = getSize(builder, op.getLoc(), value, valueDim);
  }
}

static FailureOr<Tile>
getDomainTile(RowOpInterface op, OpBuilder &builder,
              ArrayRef<unsigned> operandNumbers,
              ArrayRef<SmallVector<OpFoldResult>> allOffsets,
              ArrayRef<SmallVector<OpFoldResult>> allSizes) {
  Tile domain = getUnknownTile(op);
  for (auto [number, offsets, sizes] :
       llvm::zip_equal(operandNumbers, allOffsets, allSizes))
    if (failed(addOperandTile(op, op->getOpOperand(number), offsets, sizes,
                              domain)))
      return failure();
  completeTile(op, builder, domain);
  return domain;
}

static FailureOr<Tile> getDomainTileOfResult(RowOpInterface op,
                                             OpBuilder &builder,
                                             unsigned resultNumber,
                                             ArrayRef<OpFoldResult> offsets,
                                             ArrayRef<OpFoldResult> sizes) {
  Tile domain = getUnknownTile(op);
  if (failed(addOperandTile(op, *op.getDpsInitOperand(resultNumber), offsets,
                            sizes, domain)))
    return failure();
  completeTile(op, builder, domain);
  return domain;
}

static LogicalResult assignTile(FailureOr<Tile> tile,
                                SmallVectorImpl<OpFoldResult> &offsets,
                                SmallVectorImpl<OpFoldResult> &sizes) {
  if (failed(tile))
    return failure();
  offsets.assign(tile->offsets.begin(), tile->offsets.end());
  sizes.assign(tile->sizes.begin(), tile->sizes.end());
  return success();
}

SmallVector<utils::IteratorType>
row_op::getLoopIteratorTypes(RowOpInterface op) {
  return getIteratorTypes(op);
}

SmallVector<Range> row_op::getIterationDomain(RowOpInterface op,
                                              OpBuilder &builder) {
  return getDomain(op, builder);
}

FailureOr<TilingResult>
row_op::getTiledImplementation(RowOpInterface op, OpBuilder &builder,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  return tile(op, builder, offsets, sizes);
}

LogicalResult row_op::getResultTilePosition(
    RowOpInterface op, OpBuilder &builder, unsigned resultNumber,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  return assignTile(getOperandTile(op, builder,
                                   *op.getDpsInitOperand(resultNumber), offsets,
                                   sizes),
                    resultOffsets, resultSizes);
}

FailureOr<TilingResult> row_op::generateResultTileValue(
    RowOpInterface op, OpBuilder &builder, unsigned resultNumber,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  FailureOr<Tile> domain =
      getDomainTileOfResult(op, builder, resultNumber, offsets, sizes);
  if (failed(domain))
    return failure();
  FailureOr<TilingResult> tiled =
      tile(op, builder, domain->offsets, domain->sizes);
  if (failed(tiled))
    return failure();
  tiled->tiledValues = {tiled->tiledValues[resultNumber]};
  return tiled;
}

LogicalResult row_op::getIterationDomainTileFromResultTile(
    RowOpInterface op, OpBuilder &builder, unsigned resultNumber,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    SmallVectorImpl<OpFoldResult> &domainOffsets,
    SmallVectorImpl<OpFoldResult> &domainSizes) {
  return assignTile(
      getDomainTileOfResult(op, builder, resultNumber, offsets, sizes),
      domainOffsets, domainSizes);
}

LogicalResult row_op::getIterationDomainTileFromOperandTiles(
    RowOpInterface op, OpBuilder &builder, ArrayRef<unsigned> operandNumbers,
    ArrayRef<SmallVector<OpFoldResult>> allOffsets,
    ArrayRef<SmallVector<OpFoldResult>> allSizes,
    SmallVectorImpl<OpFoldResult> &domainOffsets,
    SmallVectorImpl<OpFoldResult> &domainSizes) {
  return assignTile(
      getDomainTile(op, builder, operandNumbers, allOffsets, allSizes),
      domainOffsets, domainSizes);
}

FailureOr<TilingResult> row_op::getTiledImplementationFromOperandTiles(
    RowOpInterface op, OpBuilder &builder, ArrayRef<unsigned> operandNumbers,
    ArrayRef<SmallVector<OpFoldResult>> allOffsets,
    ArrayRef<SmallVector<OpFoldResult>> allSizes) {
  FailureOr<Tile> domain =
      getDomainTile(op, builder, operandNumbers, allOffsets, allSizes);
  if (failed(domain))
    return failure();
  return tile(op, builder, domain->offsets, domain->sizes);
}

bool row_op::isOpFusableWithConsumerSlice(RowOpInterface op,
                                          unsigned resultNumber,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes) {
  Tile domain = getUnknownTile(op);
  return succeeded(addOperandTile(op, *op.getDpsInitOperand(resultNumber),
                                  offsets, sizes, domain));
}

bool row_op::isOpFusableWithProducerSlices(
    RowOpInterface op, ArrayRef<unsigned> operandNumbers,
    ArrayRef<SmallVector<OpFoldResult>> allOffsets,
    ArrayRef<SmallVector<OpFoldResult>> allSizes) {
  Tile domain = getUnknownTile(op);
  return llvm::all_of(
      llvm::zip_equal(operandNumbers, allOffsets, allSizes), [&](auto operand) {
        auto [number, offsets, sizes] = operand;
        return succeeded(addOperandTile(op, op->getOpOperand(number), offsets,
                                        sizes, domain));
      });
}
