//===- ContractionPanels.cpp - Contractions with packed weights -----------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction of rows with one matrix becomes a product of packed panels. A
// matrix that never changes is packed at the function's entry. Of any other
// one, a group of panels at a time is packed, block by block of its inputs, and
// multiplied by the same loops: the bits are the same.
//
//===----------------------------------------------------------------------===//

#include "ContractionPanels.h"
#include "AMXPanelProduct.h"
#include "FoldedIndex.h"
#include "xfmr/Codegen/CPU/PanelProduct.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

/// Iterations of the parallel loop that threads can share evenly enough.
static constexpr int64_t kManyGroups = 4;

/// Inputs of a matrix that are packed at a time: a group of panels of them
/// stays in the cache until it is multiplied. A multiple of the summation
/// block.
static constexpr int64_t kPackedInputs = 256;

namespace {

class PanelLowering {
public:
  PanelLowering(RewriterBase &rewriter, const ContractionInfo &info,
                const ContractionLoweringOptions &options,
                PackedWeights &weights, AMXLeftSides &leftSides);

  PanelForm emit();

private:
  void emitFor(Value end, int64_t step, function_ref<void(Value)> body);
  void emitRowLoops(ArrayRef<unsigned> loops, SmallVectorImpl<Value> &position);
  Value getMatrix(Value operand, AffineMap map, unsigned columnLoop,
                  ArrayRef<Value> position);
  bool collapseRows();
  void emitGroups(Value lhs, Value out);
  void emitPackedEachTime(PanelProduct product, OpFoldResult firstColumn,
                          int64_t columns);

  /// Columns of one iteration of the parallel loop.
  int64_t getGroupColumns(OpFoldResult columns);
  OpFoldResult getSize(unsigned loop, Value buffer, unsigned dim);
  /// The least of `block` and what is left of `size` from `position` on.
  OpFoldResult getBlock(int64_t block, OpFoldResult size, Value position);
  /// The first column of a part and their number: as many panels as any other
  /// part has, or one more.
  std::pair<OpFoldResult, OpFoldResult> getPart(OpFoldResult columns,
                                                Value part, int64_t parts);
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, operands);
  }
  Value createView(Value source, ArrayRef<OpFoldResult> offsets,
                   ArrayRef<OpFoldResult> sizes);
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  RewriterBase &rewriter;
  Location loc;
  ContractionInfo info;
  const ContractionLoweringOptions &options;
  PackedWeights &weights;
  AMXLeftSides &leftSides;
  /// What makes zeros for the product, if the product does without.
  linalg::FillOp zeros;
  Value lhs, rhs, out;
  WeightLayout order;
  PanelLayout layout;
  SmallVector<int64_t> extents;
  std::optional<PackedPart> part;
};

} // namespace

PanelLowering::PanelLowering(RewriterBase &rewriter,
                             const ContractionInfo &original,
                             const ContractionLoweringOptions &options,
                             PackedWeights &weights, AMXLeftSides &leftSides)
    : rewriter(rewriter), loc(linalg::LinalgOp(original.op).getLoc()),
      info(original), options(options), weights(weights), leftSides(leftSides) {
  linalg::LinalgOp op = info.op;
  lhs = op->getOperand(info.lhs);
  rhs = op->getOperand(info.rhs);
  // Either side may be the weight.
  if (PackedWeights::isWeight(lhs) && !PackedWeights::isWeight(rhs)) {
    std::swap(lhs, rhs);
    std::swap(info.lhs, info.rhs);
    std::swap(info.m, info.n);
  }
  out = op->getOperand(2);
  // What any operand knows of a loop.
  extents.assign(op.getNumLoops(), ShapedType::kDynamic);
  for (auto [operand, map] :
       llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray()))
    for (auto [dim, size] :
         llvm::enumerate(cast<MemRefType>(operand.getType()).getShape()))
      if (!ShapedType::isDynamic(size))
        extents[map.getDimPosition(dim)] = size;
}

//===----------------------------------------------------------------------===//
// Sizes and views
//===----------------------------------------------------------------------===//

OpFoldResult PanelLowering::getSize(unsigned loop, Value buffer, unsigned dim) {
  if (!ShapedType::isDynamic(extents[loop]))
    return rewriter.getIndexAttr(extents[loop]);
  return memref::getMixedSize(rewriter, loc, buffer, dim);
}

OpFoldResult PanelLowering::getBlock(int64_t block, OpFoldResult size,
                                     Value position) {
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && *known % block == 0)
    return rewriter.getIndexAttr(block);
  AffineExpr whole, from;
  bindSymbols(rewriter.getContext(), whole, from);
  AffineMap map = AffineMap::get(
      0, 2, {rewriter.getAffineConstantExpr(block), whole - from},
      rewriter.getContext());
  return affine::makeComposedFoldedAffineMin(rewriter, loc, map,
                                             {size, OpFoldResult(position)});
}

std::pair<OpFoldResult, OpFoldResult>
PanelLowering::getPart(OpFoldResult columns, Value part, int64_t parts) {
  FoldedIndex fold(rewriter, loc);
  AffineExpr all = rewriter.getAffineSymbolExpr(0);
  Value panels = fold.toValue(apply(all.ceilDiv(layout.columns), {columns}));
  auto [first, last] = fold.getPart(panels, part, fold.constant(parts));
  Value begin = fold.fold<arith::MulIOp>(first, layout.columns);
  std::optional<int64_t> known = getConstantIntValue(columns);
  if (known && *known % (parts * layout.columns) == 0)
    return {begin, rewriter.getIndexAttr(*known / parts)};
  Value end = fold.fold<arith::MinUIOp>(
      fold.fold<arith::MulIOp>(last, layout.columns), fold.toValue(columns));
  return {begin, fold.fold<arith::SubIOp>(end, begin)};
}

Value PanelLowering::createView(Value source, ArrayRef<OpFoldResult> offsets,
                                ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), rewriter.getIndexAttr(1));
  return memref::SubViewOp::create(rewriter, loc, source, offsets, sizes,
                                   strides);
}

/// The matrix of the innermost row loop and `columnLoop` that `operand` is at
/// a position of the other row loops.
Value PanelLowering::getMatrix(Value operand, AffineMap map,
                               unsigned columnLoop, ArrayRef<Value> position) {
  auto type = cast<MemRefType>(operand.getType());
  std::optional<unsigned> rowLoop;
  if (!info.m.empty())
    rowLoop = info.m.back();
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<int64_t> shape;
  bool columnsFirst = false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    unsigned loop = map.getDimPosition(dim);
    bool stays = loop == columnLoop || loop == rowLoop;
    offsets.push_back(stays ? OpFoldResult(rewriter.getIndexAttr(0))
                            : OpFoldResult(position[loop]));
    sizes.push_back(stays ? memref::getMixedSize(rewriter, loc, operand, dim)
                          : OpFoldResult(rewriter.getIndexAttr(1)));
    if (!stays)
      continue;
    columnsFirst |= shape.empty() && loop == columnLoop;
    shape.push_back(type.getDimSize(dim));
  }
  if (int64_t(shape.size()) < type.getRank()) {
    SmallVector<OpFoldResult> strides(offsets.size(), rewriter.getIndexAttr(1));
    MemRefType reduced = memref::SubViewOp::inferRankReducedResultType(
        shape, type, offsets, sizes, strides);
    operand = memref::SubViewOp::create(rewriter, loc, reduced, operand,
                                        offsets, sizes, strides);
  }
  if (!rowLoop) {
    SmallVector<OpFoldResult> whole{
        rewriter.getIndexAttr(1),
        memref::getMixedSize(rewriter, loc, operand, 0)};
    return memref::ExpandShapeOp::create(
        rewriter, loc, ArrayRef<int64_t>{1, shape[0]}, operand,
        ArrayRef<ReassociationIndices>{{0, 1}}, whole);
  }
  if (!columnsFirst)
    return operand;
  MLIRContext *context = rewriter.getContext();
  return memref::TransposeOp::create(
      rewriter, loc, operand,
      AffineMapAttr::get(
          AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, context)));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Makes one row loop of several where rows lie one after the other.
bool PanelLowering::collapseRows() {
  if (info.m.size() < 2)
    return false;
  auto isRowMajor = [&](AffineMap map) {
    for (auto [dim, loop] : llvm::enumerate(info.m))
      if (map.getDimPosition(dim) != loop)
        return false;
    return true;
  };
  SmallVector<ReassociationIndices> groups(2);
  llvm::append_range(groups[0], llvm::seq<int64_t>(0, info.m.size()));
  groups[1].push_back(info.m.size());
  auto canCollapse = [&](Value value) {
    return memref::CollapseShapeOp::isGuaranteedCollapsible(
        cast<MemRefType>(value.getType()), groups);
  };
  if (!isRowMajor(info.getLhsMap()) || !isRowMajor(info.getOutMap()) ||
      !canCollapse(lhs) || !canCollapse(out))
    return false;
  lhs = memref::CollapseShapeOp::create(rewriter, loc, lhs, groups);
  out = memref::CollapseShapeOp::create(rewriter, loc, out, groups);
  return true;
}

void PanelLowering::emitFor(Value end, int64_t step,
                            function_ref<void(Value)> body) {
  // The body asks what is around it: the loop must be in its place before.
  auto loop = scf::ForOp::create(rewriter, loc, index(0), end, index(step));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void PanelLowering::emitRowLoops(ArrayRef<unsigned> loops,
                                 SmallVectorImpl<Value> &position) {
  if (loops.empty())
    return emitGroups(
        getMatrix(lhs, info.getLhsMap(), info.k.back(), position),
        getMatrix(out, info.getOutMap(), info.n.back(), position));
  unsigned loop = loops.front();
  AffineMap map = info.getOutMap();
  unsigned dim =
      *map.getResultPosition(getAffineDimExpr(loop, rewriter.getContext()));
  Value size =
      getValueOrCreateConstantIndexOp(rewriter, loc, getSize(loop, out, dim));
  emitFor(size, 1, [&](Value iv) {
    position[loop] = iv;
    emitRowLoops(loops.drop_front(), position);
  });
}

/// As many panels as few rows read at a time, or less for the sake of threads.
int64_t PanelLowering::getGroupColumns(OpFoldResult columns) {
  int64_t panels = options.target.productPanels;
  std::optional<int64_t> known = getConstantIntValue(columns);
  while (panels > 4 && known && *known < kManyGroups * panels * layout.columns)
    panels /= 2;
  return panels * layout.columns;
}

/// Packs a group of panels, a block of inputs at a time, and multiplies it.
void PanelLowering::emitPackedEachTime(PanelProduct product,
                                       OpFoldResult firstColumn,
                                       int64_t columns) {
  if (std::optional<int64_t> known = getConstantIntValue(product.columns))
    columns = std::min(columns, *known);
  int64_t inputs = kPackedInputs;
  if (std::optional<int64_t> known = getConstantIntValue(product.inputs))
    inputs = std::min(inputs, *known);
  if (columns == 0 || inputs == 0)
    return;
  Value scratch =
      memref::AllocOp::create(rewriter, loc, layout.getType(inputs, columns),
                              rewriter.getI64IntegerAttr(kPackedAlignment));
  Value lhs = product.lhs;
  OpFoldResult zero = rewriter.getIndexAttr(0), allInputs = product.inputs;
  auto emitBlock = [&](Value from) {
    product.inputs = getBlock(inputs, allInputs, from);
    SmallVector<OpFoldResult> offsets{from, firstColumn},
        sizes{product.inputs, product.columns};
    if (order == WeightLayout::OutIn) {
      std::swap(offsets[0], offsets[1]);
      std::swap(sizes[0], sizes[1]);
    }
    Value block = createView(rhs, offsets, sizes);
    sizes = layout.getSizes(rewriter, loc, product.inputs, product.columns);
    product.packed = createView(
        scratch, SmallVector<OpFoldResult>(sizes.size(), zero), sizes);
    PackWeightOp::create(rewriter, loc, block, product.packed,
                         WeightLayoutAttr::get(rewriter.getContext(), order));
    product.lhs = createView(lhs, {zero, OpFoldResult(from)},
                             {product.rows, product.inputs});
    emitPanelProduct(rewriter, loc, product, options, leftSides);
  };
  if (getConstantIntValue(allInputs) == inputs)
    emitBlock(index(0));
  else
    emitFor(getValueOrCreateConstantIndexOp(rewriter, loc, allInputs), inputs,
            emitBlock);
  memref::DeallocOp::create(rewriter, loc, scratch);
}

/// One iteration of a parallel loop for each group of panels, or for each
/// thread: all of its panels.
void PanelLowering::emitGroups(Value lhsMatrix, Value outMatrix) {
  PanelProduct product;
  product.lhs = lhsMatrix;
  product.rows = info.m.empty()
                     ? OpFoldResult(rewriter.getIndexAttr(1))
                     : memref::getMixedSize(rewriter, loc, outMatrix, 0);
  OpFoldResult columns = getSize(info.n.back(), outMatrix, 1);
  product.inputs = getSize(info.k.back(), lhsMatrix, 1);
  int64_t group = getGroupColumns(columns);
  auto emitGroup = [&](OpFoldResult column) {
    OpFoldResult zero = rewriter.getIndexAttr(0);
    product.out =
        createView(outMatrix, {zero, column}, {product.rows, product.columns});
    if (!part) {
      product.firstPanel = product.firstInput = zero;
      return emitPackedEachTime(product, column, group);
    }
    product.overwrites = bool(zeros);
    product.packed = part->packed;
    product.firstInput = part->firstInput;
    AffineExpr first, from;
    bindSymbols(rewriter.getContext(), first, from);
    product.firstPanel = apply(first + from.floorDiv(layout.columns),
                               {part->firstPanel, column});
    emitPanelProduct(rewriter, loc, product, options, leftSides);
  };
  OpFoldResult zero = rewriter.getIndexAttr(0);
  std::optional<int64_t> known = getConstantIntValue(columns);
  if (known && *known <= group) {
    group = *known;
    product.columns = columns;
    if (*known > 0)
      emitGroup(zero);
    return;
  }
  auto emitLoop = [&](OpFoldResult end, int64_t step,
                      function_ref<void(Value)> emitIteration) {
    auto loop = scf::ForallOp::create(
        rewriter, loc, ArrayRef<OpFoldResult>{zero},
        ArrayRef<OpFoldResult>{end},
        ArrayRef<OpFoldResult>{rewriter.getIndexAttr(step)}, ValueRange(),
        /*mapping=*/std::nullopt);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    emitIteration(loop.getInductionVar(0));
  };
  if (!part || options.threads < 2)
    return emitLoop(columns, group, [&](Value column) {
      product.columns = getBlock(group, columns, column);
      emitGroup(column);
    });
  // Groups are shared less evenly: a thread may have four panels more.
  int64_t parts = options.threads;
  if (known)
    parts = std::min<int64_t>(parts, llvm::divideCeil(*known, layout.columns));
  emitLoop(rewriter.getIndexAttr(parts), 1, [&](Value number) {
    OpFoldResult column;
    std::tie(column, product.columns) = getPart(columns, number, parts);
    emitGroup(column);
  });
}

PanelForm PanelLowering::emit() {
  if (!info.batch.empty() || info.n.size() != 1 || info.k.size() != 1)
    return PanelForm::None;
  auto type = cast<MemRefType>(rhs.getType());
  if (type.getRank() != 2 ||
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          type.getElementType()))
    return PanelForm::None;
  if (llvm::is_contained(extents, 0))
    return PanelForm::Empty;
  bool inputsFirst = info.getRhsMap().getDimPosition(0) == info.k.back();
  order = inputsFirst ? WeightLayout::InOut : WeightLayout::OutIn;
  layout = PanelLayout::get(type.getElementType(),
                            getElementTypeOrSelf(out.getType()),
                            options.target.vectorBytes);
  FailureOr<PackedPart> packed =
      weights.pack(rewriter, loc, rhs, order, layout);
  if (succeeded(packed))
    part = *packed;
  else if (info.m.empty()) // To pack it costs more than to multiply it.
    return PanelForm::None;

  // Tiles need no zeros to add to; vectors fetch sums while they multiply.
  int64_t inputs = extents[info.k.back()];
  if (part && options.target.hasAMXBF16 && !options.batchInvariant &&
      type.getElementType().isBF16() && !ShapedType::isDynamic(inputs))
    zeros = getZeros(info.op);
  if (collapseRows()) {
    emitGroups(lhs, out);
  } else {
    SmallVector<unsigned> outer(info.m);
    if (!outer.empty())
      outer.pop_back();
    SmallVector<Value> position(extents.size());
    emitRowLoops(outer, position);
  }
  if (zeros)
    rewriter.eraseOp(zeros);
  return part ? PanelForm::Packed : PanelForm::PackedEachTime;
}

PanelForm mlir::xfmr::lowerToPanels(RewriterBase &rewriter,
                                    const ContractionInfo &info,
                                    const ContractionLoweringOptions &options,
                                    PackedWeights &weights,
                                    AMXLeftSides &leftSides) {
  OpBuilder::InsertionGuard guard(rewriter);
  return PanelLowering(rewriter, info, options, weights, leftSides).emit();
}
