//===- RowTiling.cpp - One loop over rows for a group of ops --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTiling.h"
#include "xfmr/Dialect/IR/RowLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {
/// The loop over the row dims, before it is made: the dims that it walks, and
/// the tile of every row dim.
struct RowLoop {
  SmallVector<OpFoldResult> extents;
  SmallVector<int64_t> tiles;
  /// The row dims that are cut.
  SmallVector<unsigned> dims;

  /// For so many threads; 0 if that is not known.
  int64_t threads;

  RowLoop(ArrayRef<Range> domain, unsigned numRowDims, int64_t tileRows,
          int64_t threads);
  scf::ForallOp create(OpBuilder &builder, Location loc, ValueRange outputs);
  /// Offsets and sizes of the iteration domain for one tile, inside the loop.
  void getTile(OpBuilder &builder, Location loc, scf::ForallOp loop,
               ArrayRef<Range> domain, SmallVector<OpFoldResult> &offsets,
               SmallVector<OpFoldResult> &sizes) const;
  /// Whether a tile of `dim` may have fewer rows than others.
  bool mayBeShort(unsigned dim) const;
};
} // namespace

/// The last row dim is cut first. Short dims are taken whole and the next one
/// is cut, so that [batch, 1, d] has full tiles too; a dim of unknown extent is
/// not counted on to be long or short.
RowLoop::RowLoop(ArrayRef<Range> domain, unsigned numRowDims, int64_t tileRows,
                 int64_t threads)
    : threads(threads) {
  for (unsigned dim = 0; dim < numRowDims; ++dim)
    extents.push_back(domain[dim].size);
  tiles.assign(numRowDims, 1);
  int64_t left = tileRows;
  for (int64_t dim = numRowDims - 1; dim >= 0; --dim) {
    std::optional<int64_t> extent = getConstantIntValue(extents[dim]);
    if (extent && *extent <= left) {
      tiles[dim] = *extent;
      left = *extent == 0 ? left : left / *extent;
      continue;
    }
    tiles[dim] = left;
    left = 1;
    dims.push_back(dim);
  }
  std::reverse(dims.begin(), dims.end());
}

/// Where tiles are few, those of one thread may have many more rows than those
/// of another: they are cut where threads meet.
bool RowLoop::mayBeShort(unsigned dim) const {
  std::optional<int64_t> extent = getConstantIntValue(extents[dim]);
  if (tiles[dim] == 1)
    return false;
  if (!extent || *extent % tiles[dim] != 0)
    return true;
  constexpr int64_t kFewTiles = 8, kManyThreads = 16;
  int64_t most = threads == 0 ? kManyThreads : threads;
  return threads != 1 && dims.size() == 1 &&
         *extent / tiles[dim] < kFewTiles * most &&
         (threads == 0 || *extent / tiles[dim] % threads != 0);
}

scf::ForallOp RowLoop::create(OpBuilder &builder, Location loc,
                              ValueRange outputs) {
  SmallVector<OpFoldResult> lowerBounds, upperBounds, steps;
  for (unsigned dim : dims) {
    lowerBounds.push_back(builder.getIndexAttr(0));
    upperBounds.push_back(extents[dim]);
    steps.push_back(builder.getIndexAttr(tiles[dim]));
  }
  auto loop = scf::ForallOp::create(builder, loc, lowerBounds, upperBounds,
                                    steps, outputs, /*mapping=*/std::nullopt);
  if (threads != 1 && dims.size() == 1 && mayBeShort(dims.front()))
    loop->setDiscardableAttr(kAnyRowsAttrName, builder.getUnitAttr());
  return loop;
}

void RowLoop::getTile(OpBuilder &builder, Location loc, scf::ForallOp loop,
                      ArrayRef<Range> domain,
                      SmallVector<OpFoldResult> &offsets,
                      SmallVector<OpFoldResult> &sizes) const {
  for (const Range &range : domain) {
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(range.size);
  }
  // One extent for all ops of a group, whichever tensor they take it from.
  for (auto [dim, extent] : llvm::enumerate(extents))
    sizes[dim] = extent;
  for (auto [dim, iv] : llvm::zip_equal(dims, loop.getInductionVars())) {
    offsets[dim] = iv;
    if (!mayBeShort(dim)) {
      sizes[dim] = builder.getIndexAttr(tiles[dim]);
      continue;
    }
    AffineExpr d0 = builder.getAffineDimExpr(0);
    AffineExpr s0 = builder.getAffineSymbolExpr(0);
    AffineMap rest = AffineMap::get(
        1, 1, {builder.getAffineConstantExpr(tiles[dim]), s0 - d0},
        builder.getContext());
    sizes[dim] = affine::makeComposedFoldedAffineMin(builder, loc, rest,
                                                     {iv, extents[dim]});
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
/// Emits the loop of one group.
class GroupTiler {
public:
  GroupTiler(RewriterBase &rewriter, const RowOpGroup &group)
      : rewriter(rewriter), group(group), loc(group.ops.back()->getLoc()),
        members(group.ops.begin(), group.ops.end()) {}

  FailureOr<scf::ForallOp> run(int64_t tileRows, int64_t threads);

private:
  bool isMember(Value value) {
    return value.getDefiningOp() && members.contains(value.getDefiningOp());
  }
  bool isUsedOutside(OpResult result) {
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      while (user->getBlock() != group.ops[0]->getBlock())
        user = user->getParentOp();
      return !members.contains(user);
    });
  }
  /// What a destination is in the end, before members and fills write it.
  Value getRoot(Value destination);
  LogicalResult tileOp(Operation *op, const RowLoop &rowLoop);
  void setOperand(OpOperand &tiled, Value value) {
    if (value.getType() != tiled.get().getType() &&
        isa<ShapedType>(value.getType()))
      value =
          tensor::CastOp::create(rewriter, loc, tiled.get().getType(), value);
    tiled.set(value);
  }
  void rewireInput(OpOperand &original, OpOperand &tiled);
  void rewireInit(OpResult result, OpOperand &original, OpOperand &tiled);
  /// Cuts what the op's slice cuts out of another tensor.
  Value sliceInstead(Value slice, Value source);
  void replaceDims();

  RewriterBase &rewriter;
  const RowOpGroup &group;
  Location loc;
  DenseSet<Operation *> members;
  scf::ForallOp loop;
  /// Results that are used outside, their position among the loop's results.
  llvm::MapVector<OpResult, unsigned> outputs;
  DenseMap<Value, Value> tileOf;
};
} // namespace

Value GroupTiler::getRoot(Value destination) {
  while (true) {
    Operation *op = destination.getDefiningOp();
    if (!op || !(members.contains(op) || isa<linalg::FillOp>(op)))
      return destination;
    destination = cast<DestinationStyleOpInterface>(op)
                      .getTiedOpOperand(cast<OpResult>(destination))
                      ->get();
  }
}

Value GroupTiler::sliceInstead(Value slice, Value source) {
  if (auto op = slice.getDefiningOp<tensor::ExtractSliceOp>())
    return tensor::ExtractSliceOp::create(
        rewriter, loc, op.getType(), source, op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
  return source; // The tile is all of it.
}

void GroupTiler::rewireInput(OpOperand &original, OpOperand &tiled) {
  Value value = original.get();
  if (Value tile = tileOf.lookup(value))
    return setOperand(tiled, tile);
  RowAccess access = getRowAccess(original, group.numRowDims);
  if (access == RowAccess::Free)
    return tiled.set(value);
  if (access != RowAccess::Aligned)
    return;
  // Where the rows are also a destination, they are read from there: else the
  // destination would have to be another buffer.
  for (auto [result, number] : outputs)
    if (loop.getOutputs()[number] == value)
      return tiled.set(
          sliceInstead(tiled.get(), loop.getRegionOutArgs()[number]));
}

void GroupTiler::rewireInit(OpResult result, OpOperand &original,
                            OpOperand &tiled) {
  Value value = original.get();
  auto *output = outputs.find(result);
  bool isRead = true;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(original.getOwner()))
    isRead = linalgOp.payloadUsesValueFromOperand(&original);
  else
    isRead = false; // Row ops never read their destinations.
  Value tile = tileOf.lookup(value);
  if (isRead && tile)
    return setOperand(tiled, tile);

  auto fill = value.getDefiningOp<linalg::FillOp>();
  Value destination;
  if (output != outputs.end()) {
    destination =
        sliceInstead(tiled.get(), loop.getRegionOutArgs()[output->second]);
  } else if (!isRead || fill) {
    // A temporary, even where the op names a destination: it may share memory
    // with an input, whose rows are still needed.
    destination = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, tiled.get()),
        getElementTypeOrSelf(tiled.get().getType()));
  } else {
    return;
  }
  if (fill && isRead)
    destination =
        linalg::FillOp::create(rewriter, loc, fill.value(), destination)
            .getResult(0);
  setOperand(tiled, destination);
}

LogicalResult GroupTiler::tileOp(Operation *op, const RowLoop &rowLoop) {
  auto tilable = cast<TilingInterface>(op);
  SmallVector<OpFoldResult> offsets, sizes;
  rowLoop.getTile(rewriter, loc, loop, tilable.getIterationDomain(rewriter),
                  offsets, sizes);
  FailureOr<TilingResult> tiled =
      tilable.getTiledImplementation(rewriter, offsets, sizes);
  if (failed(tiled) || tiled->tiledOps.size() != 1 ||
      tiled->tiledOps[0]->getNumOperands() != op->getNumOperands())
    return failure();
  Operation *tiledOp = tiled->tiledOps[0];
  rewriter.setInsertionPoint(tiledOp);
  auto destinationStyle = cast<DestinationStyleOpInterface>(op);
  for (OpOperand &original : op->getOpOperands()) {
    OpOperand &operand = tiledOp->getOpOperand(original.getOperandNumber());
    if (destinationStyle.isDpsInit(&original))
      rewireInit(destinationStyle.getTiedOpResult(&original), original,
                 operand);
    else
      rewireInput(original, operand);
  }
  for (Operation *slice : llvm::reverse(tiled->generatedSlices))
    if (slice->use_empty())
      rewriter.eraseOp(slice);
  rewriter.setInsertionPointAfter(tiledOp);
  for (OpResult result : op->getResults()) {
    Value tile = tiled->tiledValues[result.getResultNumber()];
    tileOf[result] = tile;
    auto *output = outputs.find(result);
    if (output == outputs.end())
      continue;
    SmallVector<OpFoldResult> resultOffsets, resultSizes;
    if (failed(tilable.getResultTilePosition(rewriter, result.getResultNumber(),
                                             offsets, sizes, resultOffsets,
                                             resultSizes)))
      return failure();
    SmallVector<OpFoldResult> strides(resultOffsets.size(),
                                      rewriter.getIndexAttr(1));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(loop.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(
        rewriter, loc, tile, loop.getRegionOutArgs()[output->second],
        resultOffsets, resultSizes, strides);
  }
  return success();
}

/// The sizes of the members' results are those of what they are written to.
/// Tiling asks for them in the loop and before the op.
void GroupTiler::replaceDims() {
  for (Operation *op : group.ops)
    for (OpResult result : op->getResults())
      for (OpOperand &use : llvm::make_early_inc_range(result.getUses()))
        if (isa<tensor::DimOp>(use.getOwner()))
          use.set(getRoot(result));
}

FailureOr<scf::ForallOp> GroupTiler::run(int64_t tileRows, int64_t threads) {
  OpBuilder::InsertionGuard guard(rewriter);
  // The first op reads nothing of the group.
  rewriter.setInsertionPointAfter(group.ops.back());
  SmallVector<Range> domain =
      cast<TilingInterface>(group.ops.front()).getIterationDomain(rewriter);
  for (Operation *op : group.ops)
    for (Value init : cast<DestinationStyleOpInterface>(op).getDpsInits())
      for (unsigned dim = 0; dim < group.numRowDims; ++dim)
        if (auto type = cast<ShapedType>(init.getType());
            !type.isDynamicDim(dim))
          domain[dim].size = rewriter.getIndexAttr(type.getDimSize(dim));
  RowLoop rowLoop(domain, group.numRowDims, tileRows, threads);
  if (rowLoop.dims.empty())
    return scf::ForallOp();
  SmallVector<Value> destinations;
  for (Operation *op : group.ops)
    for (OpResult result : op->getResults())
      if (isUsedOutside(result)) {
        outputs.insert({result, destinations.size()});
        destinations.push_back(getRoot(result));
      }
  loop = rowLoop.create(rewriter, loc, destinations);
  rewriter.setInsertionPoint(loop.getTerminator());
  for (Operation *op : group.ops) {
    if (failed(tileOp(op, rowLoop)))
      return op->emitOpError("cannot be tiled by rows");
    rewriter.setInsertionPoint(loop.getTerminator());
  }
  replaceDims();
  for (auto [result, number] : outputs)
    rewriter.replaceAllUsesWith(result, loop.getResult(number));
  for (Operation *op : llvm::reverse(group.ops))
    rewriter.eraseOp(op);
  return loop;
}

FailureOr<scf::ForallOp> xfmr::tileRowGroup(RewriterBase &rewriter,
                                            const RowOpGroup &group,
                                            int64_t tileRows, int64_t threads) {
  return GroupTiler(rewriter, group).run(tileRows, threads);
}

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

FailureOr<scf::ForallOp> xfmr::tileRowsOnMemrefs(RewriterBase &rewriter,
                                                 TilingInterface op,
                                                 unsigned numRowDims,
                                                 int64_t tileRows,
                                                 int64_t threads) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Range> domain = op.getIterationDomain(rewriter);
  RowLoop rowLoop(domain, numRowDims, tileRows, threads);
  if (rowLoop.dims.empty())
    return scf::ForallOp();
  auto loop = rowLoop.create(rewriter, op.getLoc(), ValueRange());
  rewriter.setInsertionPoint(loop.getTerminator());
  SmallVector<OpFoldResult> offsets, sizes;
  rowLoop.getTile(rewriter, op.getLoc(), loop, domain, offsets, sizes);
  if (failed(op.getTiledImplementation(rewriter, offsets, sizes)))
    return op->emitOpError("cannot be tiled by rows");
  rewriter.eraseOp(op);
  return loop;
}
