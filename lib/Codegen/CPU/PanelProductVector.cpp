//===- PanelProductVector.cpp - Panel products in vector registers --------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops, from the outside: blocks of rows, groups of panels, blocks of inputs,
// then register tiles of rows times panels. A block of inputs of a group of
// panels is read from memory once and meets all rows of the block while it is
// in a cache. It is also the block of the summation: a register tile sums it in
// accumulators of its own, from zero, and adds them to the running total in the
// output.
//
//===----------------------------------------------------------------------===//

#include "PanelTile.h"
#include "PrivateFunctions.h"
#include "RowLoweringStrips.h"
#include "xfmr/Codegen/CPU/PanelProduct.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

int64_t PanelProduct::getPanelWidth() const {
  return cast<MemRefType>(packed.getType()).getDimSize(2);
}

namespace {

/// A block of rows: its part of the left side and of the output stay in the L2
/// cache, and so many rows hide what it takes to read a weight.
constexpr int64_t kRowBlock = 128;

/// As many tiles of a panel prefetch the next block of inputs at leisure.
constexpr int64_t kManyTiles = 8;

/// One tile alone prefetches what it meets itself so many steps later: some
/// kilobytes, about as much as memory delivers while it answers.
constexpr int64_t kStepsAhead = 64;

class PanelProductEmitter {
public:
  PanelProductEmitter(RewriterBase &builder, Location loc,
                      const PanelProduct &product,
                      const ContractionLoweringOptions &options,
                      Operation *hoist)
      : emitter(builder, loc, product, options, hoist), builder(builder),
        loc(loc), product(product), hoist(hoist),
        masksAreFree(options.target.hasMaskedMemory),
        groupPanels(options.target.productPanels) {}

  void emit();

private:
  void emitRowBlock(Value firstRow, Extent rows);
  void emitGroup(Value firstRow, Extent rows, Value panel, int64_t panels,
                 Value columns = Value());
  Value getNext(const PanelTile &group, Extent inputs);
  /// Whether there are `from` rows or more, and less than `to`.
  Value isBetween(Extent rows, int64_t from, int64_t to);
  void emitRowTiles(const PanelTile &group, Extent rows, Value next);
  void emitRestOfRows(const PanelTile &group, Value row, Extent rest);
  void emitPanelTiles(PanelTile tile, int64_t panels,
                      function_ref<void(PanelTile &)> emit);
  /// Whether a tile of so many rows reads one panel at a time from memory.
  bool readsStream(int64_t rows) { return emitter.getTilePanels(rows) == 1; }
  Value emitLhsBlock(Value firstRow, Extent rows, Value input, Extent inputs);

  PanelTileEmitter emitter;
  RewriterBase &builder;
  Location loc;
  const PanelProduct &product;
  Operation *hoist;
  bool masksAreFree;
  /// Panels that share a reading of the left side, and that a row alone works
  /// on at once.
  int64_t groupPanels;
  Value scratch;
  /// Elements from one panel to the next.
  Value panelStride;
};

} // namespace

/// The block's part of the left side as the tiles read it: converted to what
/// they multiply, its rows contiguous.
Value PanelProductEmitter::emitLhsBlock(Value firstRow, Extent rows,
                                        Value input, Extent inputs) {
  if (!emitter.needsLhsScratch())
    return Value();
  Type type = emitter.getLhsScratchType();
  int64_t lanes = emitter.getLanes();
  // A row's last vector is stored whole, even where no input is left for it.
  int64_t width = emitter.getSummationBlock() + lanes;
  std::optional<int64_t> knownRows = getConstantIntValue(product.rows);
  int64_t scratchRows = knownRows ? std::min(*knownRows, kRowBlock) : kRowBlock;
  if (!scratch) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(hoist);
    scratch = memref::AllocOp::create(
        builder, loc, MemRefType::get({scratchRows, width}, type),
        builder.getI64IntegerAttr(64));
  }
  auto copy = [&](Value row, Value column, Value mask) {
    Value from = emitter.add(firstRow, row);
    Value value = emitter.getAccess().load(
        product.lhs, {from, emitter.add(input, column)}, {0, 1}, lanes, mask);
    value = emitter.convert(value, type);
    // What lies beyond the last input is not read again.
    vector::StoreOp::create(builder, loc, value, scratch,
                            ValueRange{row, column});
  };
  emitter.emitFor(emitter.index(0), rows.value, 1, [&](Value row) {
    Extent whole = emitter.roundDown(inputs, lanes);
    emitter.emitFor(emitter.index(0), whole.value, lanes,
                    [&](Value column) { copy(row, column, Value()); });
    if (inputs.isMultipleOf(lanes))
      return;
    Value rest = emitter.subtract(inputs, whole).value;
    Value mask = vector::CreateMaskOp::create(
        builder, loc, VectorType::get({lanes}, builder.getI1Type()), rest);
    copy(row, whole.value, mask);
  });
  return scratch;
}

/// Covers the rows by the largest register tiles, and one of what these leave.
/// A tile of few rows takes several panels, so that there are accumulators
/// enough to keep the multipliers busy.
void PanelProductEmitter::emitRowTiles(const PanelTile &group, Extent rows,
                                       Value next) {
  int64_t largest = emitter.getLargestTileRows();
  Value zero = emitter.index(0);
  // Each tile prefetches a part of the next block, but for one alone.
  Value isAlone = isBetween(rows, 0, 2 * largest);
  Value tiles = arith::MaxUIOp::create(
      builder, loc, emitter.divide(rows, largest).value, emitter.index(1));
  Value perStep = arith::CeilDivUIOp::create(
      builder, loc, emitter.index(emitter.getStepElements()), tiles);
  int64_t stepElements = emitter.getStepElements();
  perStep = arith::SelectOp::create(builder, loc, isAlone,
                                    emitter.index(stepElements), perStep);
  next = arith::SelectOp::create(
      builder, loc, isAlone, emitter.index(kStepsAhead * stepElements), next);
  int64_t stepsPerRow =
      emitter.getSummationBlock() / emitter.getStepInputs() / largest;
  Value perRow =
      arith::MulIOp::create(builder, loc, perStep, emitter.index(stepsPerRow));
  PanelTile tile = group;
  tile.rows = largest;
  tile.prefetchStride = perStep;
  Extent end = emitter.roundDown(rows, largest);
  auto emitTiles = [&](Value from, Value to, PanelPrefetch prefetch) {
    tile.prefetch = prefetch;
    emitPanelTiles(tile, group.panels, [&](PanelTile &tile) {
      emitter.emitFor(from, to, largest, [&](Value row) {
        tile.row = row;
        Value before = arith::MulIOp::create(builder, loc, row, perRow);
        tile.prefetched = emitter.add(next, before);
        emitter.emitTile(tile);
      });
    });
  };
  Value few = zero;
  if (!group.columns) {
    few = arith::SelectOp::create(builder, loc,
                                  isBetween(rows, 0, kManyTiles * largest),
                                  end.value, zero);
    emitTiles(zero, few, PanelPrefetch::SecondCache);
  }
  emitTiles(few, end.value, PanelPrefetch::FirstCache);
  emitRestOfRows(group, end.value, emitter.subtract(rows, end));
}

/// One tile of all the rows that whole tiles leave: two would read the weights
/// twice, and the second without any memory to wait for.
void PanelProductEmitter::emitRestOfRows(const PanelTile &group, Value row,
                                         Extent rest) {
  for (int64_t rows = emitter.getLargestTileRows() - 1; rows >= 1; --rows) {
    PanelTile tile = group;
    tile.row = row;
    tile.rows = rows;
    if (readsStream(rows)) {
      tile.prefetch = PanelPrefetch::SecondCache;
      int64_t elements = emitter.getStepElements();
      tile.prefetchStride = emitter.index(elements);
      tile.prefetched = emitter.index(kStepsAhead * elements);
    }
    emitter.emitIf(arith::CmpIPredicate::eq, rest, emitter.extent(rows), [&] {
      emitPanelTiles(tile, group.panels, [&](PanelTile &tile) {
        // One function for whole panels and others, where masks cost nothing.
        if (tile.panels == 1 && !tile.columns && masksAreFree)
          tile.columns = emitter.index(product.getPanelWidth());
        emitter.emitTile(tile);
      });
    });
  }
}

/// Covers `panels` panels by tiles of as many as a tile of so many rows takes.
void PanelProductEmitter::emitPanelTiles(PanelTile tile, int64_t panels,
                                         function_ref<void(PanelTile &)> emit) {
  Value first = tile.panel;
  tile.panels = std::min(panels, emitter.getTilePanels(tile.rows));
  emitter.emitFor(emitter.index(0), emitter.index(panels), tile.panels,
                  [&](Value panel) {
                    tile.panel = emitter.add(first, panel);
                    emit(tile);
                  });
}

Value PanelProductEmitter::isBetween(Extent rows, int64_t from, int64_t to) {
  // Below `from`, the difference is a large number.
  Value distance =
      arith::SubIOp::create(builder, loc, rows.value, emitter.index(from));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                               distance, emitter.index(to - from));
}

/// Where that lies what the rows meet after `group`: the next block of inputs
/// of the same panels, or the first one of the next panels. In elements from
/// the block's own.
Value PanelProductEmitter::getNext(const PanelTile &group, Extent inputs) {
  Value next = emitter.add(group.input, group.inputs.value);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                       next, inputs.value);
  int64_t elements = emitter.getStepElements();
  Value before =
      arith::MulIOp::create(builder, loc, group.step, emitter.index(elements));
  Value panels = arith::MulIOp::create(builder, loc, panelStride,
                                       emitter.index(group.panels));
  Value nextPanel = arith::SubIOp::create(builder, loc, panels, before);
  Value nextBlock = emitter.index(emitter.getSummationBlock() /
                                  emitter.getStepInputs() * elements);
  return arith::SelectOp::create(builder, loc, isLast, nextPanel, nextBlock);
}

void PanelProductEmitter::emitGroup(Value firstRow, Extent rows, Value panel,
                                    int64_t panels, Value columns) {
  Extent inputs = emitter.extent(product.inputs);
  emitter.emitBlocks(
      inputs, emitter.getSummationBlock(), [&](Value input, Extent size) {
        PanelTile group;
        group.firstRow = firstRow;
        group.panels = panels;
        group.panel = panel;
        group.input = input;
        group.inputs = size;
        group.columns = columns;
        int64_t stepInputs = emitter.getStepInputs();
        group.step =
            emitter
                .divide(Extent{input, getConstantIntValue(input)}, stepInputs)
                .value;
        group.lhsScratch = emitLhsBlock(firstRow, rows, input, size);
        emitRowTiles(group, rows, getNext(group, inputs));
      });
}

void PanelProductEmitter::emitRowBlock(Value firstRow, Extent rows) {
  int64_t width = product.getPanelWidth();
  Extent columns = emitter.extent(product.columns);
  Extent whole = emitter.roundDown(columns, width);
  Extent wholePanels = emitter.divide(whole, width);
  Extent grouped = emitter.roundDown(wholePanels, groupPanels);
  // Weights that few tiles meet come from memory faster in one long stream.
  int64_t largest = emitter.getLargestTileRows(), fewest = largest;
  while (fewest > 1 && readsStream(fewest - 1))
    --fewest;
  Value isStream = isBetween(rows, fewest, kManyTiles * largest);
  grouped.value = arith::SelectOp::create(builder, loc, isStream,
                                          emitter.index(0), grouped.value);
  emitter.emitFor(
      emitter.index(0), grouped.value, groupPanels,
      [&](Value panel) { emitGroup(firstRow, rows, panel, groupPanels); });
  emitter.emitFor(grouped.value, wholePanels.value, 1,
                  [&](Value panel) { emitGroup(firstRow, rows, panel, 1); });
  if (columns.isMultipleOf(width))
    return;
  emitter.emitIf(arith::CmpIPredicate::ult, whole, columns, [&] {
    emitGroup(firstRow, rows, wholePanels.value, 1,
              emitter.subtract(columns, whole).value);
  });
}

void PanelProductEmitter::emit() {
  panelStride =
      memref::ExtractStridedMetadataOp::create(builder, loc, product.packed)
          .getStrides()
          .front();
  emitter.emitBlocks(
      emitter.extent(product.rows), kRowBlock,
      [&](Value firstRow, Extent rows) { emitRowBlock(firstRow, rows); });
  if (scratch)
    memref::DeallocOp::create(builder, loc, scratch);
}

//===----------------------------------------------------------------------===//
// The kernel function
//===----------------------------------------------------------------------===//

/// The type that the kernel has for an operand of `type`: all sizes and strides
/// are its caller's, but for the `contiguous` innermost dims.
static MemRefType getKernelType(MemRefType type, unsigned contiguous) {
  SmallVector<int64_t> shape(type.getShape()), strides;
  for (unsigned dim = 0; dim < 2; ++dim)
    shape[dim] = ShapedType::kDynamic;
  strides.assign(shape.size(), ShapedType::kDynamic);
  int64_t stride = 1;
  for (unsigned i = 0; i < contiguous; ++i) {
    unsigned dim = shape.size() - 1 - i;
    strides[dim] = stride;
    if (!ShapedType::isDynamic(shape[dim]))
      stride *= shape[dim];
  }
  return MemRefType::get(
      shape, type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides));
}

/// A matrix whose innermost dim is contiguous has a kernel of its own.
static MemRefType getMatrixType(Value matrix) {
  auto type = cast<MemRefType>(matrix.getType());
  return getKernelType(type, type.isLastDimUnitStride() ? 1 : 0);
}

/// The function that multiplies operands of these types in the module of
/// `caller`: one for all products.
static func::FuncOp getKernel(RewriterBase &rewriter, Location loc,
                              FunctionOpInterface caller, TypeRange types,
                              const ContractionLoweringOptions &options) {
  std::string name = "xfmr_panel_product";
  llvm::raw_string_ostream stream(name);
  for (Type type : types) {
    auto memref = cast<MemRefType>(type);
    stream << '_' << memref.getElementType();
    if (!memref.isLastDimUnitStride())
      stream << "s";
  }
  auto emitBody = [&](func::FuncOp kernel) {
    Block &body = kernel.front();
    PanelProduct product;
    product.lhs = body.getArgument(0);
    product.packed = body.getArgument(1);
    product.out = body.getArgument(2);
    product.rows = memref::getMixedSize(rewriter, loc, product.lhs, 0);
    product.inputs = memref::getMixedSize(rewriter, loc, product.lhs, 1);
    product.columns = memref::getMixedSize(rewriter, loc, product.out, 1);
    product.firstPanel = product.firstInput = rewriter.getIndexAttr(0);
    // A mark before which whatever does not depend on the position is put.
    Operation *hoist = arith::ConstantIndexOp::create(rewriter, loc, 0);
    PanelProductEmitter(rewriter, loc, product, options, hoist).emit();
    rewriter.eraseOp(hoist);
    func::ReturnOp::create(rewriter, loc);
  };
  return getKernelFunction(rewriter, loc, caller, name,
                           rewriter.getFunctionType(types, {}), emitBody);
}

void mlir::xfmr::emitVectorPanelProduct(
    RewriterBase &rewriter, Location loc, const PanelProduct &product,
    const ContractionLoweringOptions &options) {
  auto caller = rewriter.getInsertionBlock()
                    ->getParentOp()
                    ->getParentOfType<FunctionOpInterface>();
  if (auto self = dyn_cast<FunctionOpInterface>(
          rewriter.getInsertionBlock()->getParentOp()))
    caller = self;
  // The panels and steps at hand.
  AffineExpr size = rewriter.getAffineSymbolExpr(0);
  auto apply = [&](AffineExpr expr, OpFoldResult value) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, {value});
  };
  auto packedType = cast<MemRefType>(product.packed.getType());
  int64_t group = product.isInPairs() ? 2 : 1;
  SmallVector<OpFoldResult> offsets(packedType.getRank(),
                                    rewriter.getIndexAttr(0)),
      sizes(offsets), strides(packedType.getRank(), rewriter.getIndexAttr(1));
  offsets[0] = product.firstPanel;
  offsets[1] = apply(size.floorDiv(group), product.firstInput);
  sizes[0] = apply(size.ceilDiv(product.getPanelWidth()), product.columns);
  sizes[1] = apply(size.ceilDiv(group), product.inputs);
  for (int64_t dim = 2; dim < packedType.getRank(); ++dim)
    sizes[dim] = rewriter.getIndexAttr(packedType.getDimSize(dim));
  Value panels = memref::SubViewOp::create(rewriter, loc, product.packed,
                                           offsets, sizes, strides);

  Value operands[] = {product.lhs, panels, product.out};
  Type types[] = {getMatrixType(product.lhs),
                  getKernelType(packedType, packedType.getRank() - 1),
                  getMatrixType(product.out)};
  for (auto [operand, type] : llvm::zip_equal(operands, types))
    if (operand.getType() != type)
      operand = memref::CastOp::create(rewriter, loc, type, operand);
  func::CallOp::create(rewriter, loc,
                       getKernel(rewriter, loc, caller, types, options),
                       operands);
}
