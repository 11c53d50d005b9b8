//===- PanelTile.h - Register tiles of panel products -----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_PANELTILE_H
#define XFMR_LIB_CODEGEN_CPU_PANELTILE_H

#include "RowLoweringStrips.h"
#include "StripLoops.h"
#include "xfmr/Codegen/CPU/PanelProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::xfmr {

/// A size that is a value, and maybe known.
struct Extent {
  Value value;
  std::optional<int64_t> known;

  bool isMultipleOf(int64_t factor) const {
    return known && *known % factor == 0;
  }
};

/// What a tile fetches of the weights that its rows meet next, each step.
enum class PanelPrefetch {
  None,
  /// For a few tiles: more than the first cache would wait for.
  SecondCache,
  FirstCache,
};

/// Rows times panels whose sums over a block of inputs are in registers.
struct PanelTile {
  int64_t rows = 1, panels = 1;
  /// The block of rows that the tile is in, and the tile's first row in it.
  Value firstRow, row;
  /// The first panel; 0 is that of the output's first column.
  Value panel;
  /// The first input of the block (0: that of the left side's first column),
  /// and how many there are: no more than a summation block.
  Value input;
  Extent inputs;
  /// How many columns of the tile are stored; null: all.
  Value columns;
  /// The block of the left side that was converted, if it is.
  Value lhsScratch;
  /// The rows once more. LLVM makes one load of two of one number, and then
  /// holds it in a register; it does not know that these are the same rows.
  Value sameLhs;
  /// The step of the packed weights that the block begins with, counted from
  /// that of the left side's first input.
  Value step;
  /// Where that lies: elements from the tile's first weight, and from one
  /// step's to the next one's.
  PanelPrefetch prefetch = PanelPrefetch::None;
  Value prefetched, prefetchStride;
};

/// How the products of a tile are computed.
enum class PanelKernel {
  /// One fma for each input, on weights of the accumulator type or widened.
  Fma,
  /// One fma for each input of a pair, on bf16 weights widened by a shift and
  /// a mask.
  WidenedPairs,
  /// One instruction for each pair of bf16 inputs.
  DotPairs,
};

/// Emits register tiles, and the loops and sizes around them. A tile is a
/// function: what the registers of its loop hold does not depend on what is
/// around it, and there is one copy of it.
class PanelTileEmitter {
public:
  PanelTileEmitter(RewriterBase &builder, Location loc,
                   const PanelProduct &product,
                   const ContractionLoweringOptions &options, Operation *hoist);

  /// Adds the tile's products to the output: calls a function that does.
  void emitTile(const PanelTile &tile);

  /// Lanes of a vector of accumulators.
  int64_t getLanes() const { return lanes; }
  /// Inputs that share partial sums; a row's bits depend on it.
  int64_t getSummationBlock() const;
  /// Inputs that lie beside each other in a panel.
  int64_t getStepInputs() const { return product.isInPairs() ? 2 : 1; }
  /// Rows of the largest register tile: a power of two.
  int64_t getLargestTileRows() const;
  /// The most panels that a tile of `rows` rows may have.
  int64_t getTilePanels(int64_t rows) const;
  /// Whether the tiles cannot read the left side where it is.
  bool needsLhsScratch() const;
  Type getLhsScratchType() const;
  /// The step of the packed weights that multiplies the left side's first.
  Value getFirstStep() const { return firstStep; }
  /// Elements of a panel that a step reads.
  int64_t getStepElements() const {
    return product.getPanelWidth() * getStepInputs();
  }
  StripAccess &getAccess() { return access; }
  /// `value` widened to elements of `type`.
  Value convert(Value value, Type type);

  Value index(int64_t value) { return constants.get(value); }
  Value add(Value a, Value b);
  Extent extent(OpFoldResult size);
  Extent extent(int64_t size) { return {index(size), size}; }
  Extent roundDown(Extent size, int64_t step);
  Extent divide(Extent size, int64_t divisor);
  Extent subtract(Extent a, Extent b);

  void emitFor(Value from, Value to, int64_t step,
               function_ref<void(Value)> body);
  /// Runs `body` if `predicate` holds for `a` and `b`.
  void emitIf(arith::CmpIPredicate predicate, Extent a, Extent b,
              function_ref<void()> body);
  /// Blocks of `size`; the last one may be smaller.
  void emitBlocks(Extent extent, int64_t size,
                  function_ref<void(Value, Extent)> body);

private:
  using Accumulators = SmallVector<Value>;

  /// Whether each product of the tile loads its input by itself.
  bool loadsTwice(const PanelTile &tile) const;

  // The tile's function. Its operands begin with the tile's first row, input,
  // weight and column.
  SmallVector<Value> getOperands(const PanelTile &tile);
  void emitBody(const PanelTile &tile);
  /// Calls the private function `name`, whose operands begin with a left side,
  /// packed weights and an output. If it is not there yet, `emit` gets the
  /// function, and what emits into it on those three.
  void callKernel(StringRef name, ArrayRef<Value> operands,
                  function_ref<void(PanelTileEmitter &, func::FuncOp)> emit);
  Accumulators emitSteps(const PanelTile &tile);
  void emitStep(const PanelTile &tile, Value step, bool half,
                MutableArrayRef<Value> sums);
  Value loadLhs(Value buffer, Value row, Value input, bool half);
  Value loadWeights(int64_t panel, int64_t vector, Value step);
  void emitPrefetch(const PanelTile &tile, Value step);
  void emitTotalsPrefetch(const PanelTile &tile);
  void multiply(const PanelTile &tile, ArrayRef<Value> weights, Value input,
                bool half, MutableArrayRef<Value> sums);
  void multiplyWidened(const PanelTile &tile, ArrayRef<Value> weights,
                       Value input, bool half, MutableArrayRef<Value> sums);
  Value emitFma(Value a, Value b, Value sum);

  // Sums that an instruction may have flushed to zero.
  Accumulators emitTinySums(ArrayRef<Value> masks, Accumulators sums);
  void emitTinyBody();

  RewriterBase &builder;
  Location loc;
  const PanelProduct &product;
  const ContractionLoweringOptions &options;
  Operation *hoist;
  StripAccess access;
  Type accumulatorType;
  PanelKernel kernel;
  int64_t lanes, vectors;
  HoistedConstants constants;
  Value packed, firstPanel, firstStep;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_PANELTILE_H
