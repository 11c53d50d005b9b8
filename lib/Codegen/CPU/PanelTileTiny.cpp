//===- PanelTileTiny.cpp - Sums that a dot product may have flushed -------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TinySums.h.
//
//===----------------------------------------------------------------------===//

#include "PanelTile.h"
#include "StripLoops.h"
#include "TinySums.h"
#include "xfmr/Codegen/CPU/PanelLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

/// An input of a row of the tile, as it is in memory.
Value PanelTileEmitter::loadInput(const PanelTile &tile, Value row,
                                  Value input) {
  row = add(tile.row, row);
  if (tile.lhsScratch)
    return memref::LoadOp::create(builder, loc, tile.lhsScratch,
                                  ValueRange{row, input});
  return memref::LoadOp::create(
      builder, loc, product.lhs,
      ValueRange{add(tile.firstRow, row), add(tile.input, input)});
}

/// `sums` with the tiny ones computed again.
PanelTileEmitter::Accumulators
PanelTileEmitter::emitTinySums(const PanelTile &tile, Accumulators sums) {
  TinySums tiny(builder, loc, lanes);
  Value least;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    // Columns of padding are zero, and not stored.
    Value magnitude = tiny.getMagnitude(
        sum, tile.masks.empty() ? Value() : tile.masks[i % tile.masks.size()]);
    least = least ? arith::MinUIOp::create(builder, loc, least, magnitude)
                  : magnitude;
  }
  auto branch =
      scf::IfOp::create(builder, loc, ValueRange(sums).getTypes(),

                        emitUnlikely(builder, loc, tiny.isAnyTiny(least)),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, sums);
  builder.setInsertionPointToStart(branch.thenBlock());

  int64_t vectorsOfRow = tile.panels * vectors;
  if (!tinySums) {
    OpBuilder::InsertionGuard hoisting(builder);
    builder.setInsertionPoint(hoist);
    int64_t most = getLargestTileRows() * vectors;
    for (int64_t rows = 1; rows < getLargestTileRows(); rows *= 2)
      most = std::max(most, rows * getTilePanels(rows) * vectors);
    tinySums = memref::AllocaOp::create(
        builder, loc, MemRefType::get({most, lanes}, accumulatorType),
        builder.getI64IntegerAttr(kPackedAlignment));
  }
  for (auto [i, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(builder, loc, sum, tinySums,
                            ValueRange{index(i), index(0)});
  auto forEach = [&](int64_t count, function_ref<void(Value)> body) {
    scf::ForOp::create(builder, loc, index(0), index(count), index(1),
                       ValueRange(),
                       [&](OpBuilder &, Location, Value i, ValueRange) {
                         body(i);
                         scf::YieldOp::create(builder, loc);
                       });
  };
  forEach(tile.rows, [&](Value row) {
    // Sums of nothing but zeros are right.
    auto load = [&](Value input) { return loadInput(tile, row, input); };
    auto hasInputs = scf::IfOp::create(
        builder, loc, tiny.emitHasInputs(tile.inputs.value, load));
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(hasInputs.thenBlock());
    forEach(vectorsOfRow, [&](Value i) {
      Value panel = arith::DivUIOp::create(builder, loc, i, index(vectors));
      Value column = arith::MulIOp::create(
          builder, loc, arith::RemUIOp::create(builder, loc, i, index(vectors)),
          index(2 * lanes));
      Value position =
          add(arith::MulIOp::create(builder, loc, row, index(vectorsOfRow)), i);
      Value sum = vector::LoadOp::create(
          builder, loc, VectorType::get({lanes}, accumulatorType), tinySums,
          ValueRange{position, index(0)});
      Value panelOfTile = add(add(firstPanel, tile.panel), panel);
      Value exact =
          tiny.emitExactSum(tile.inputs.value, load, [&](Value input) -> Value {
            Value step = arith::DivUIOp::create(builder, loc, input, index(2));
            return vector::LoadOp::create(
                builder, loc,
                VectorType::get({2 * lanes}, product.getWeightType()), packed,
                ValueRange{panelOfTile, add(add(firstStep, tile.step), step),
                           column});
          });
      sum = arith::SelectOp::create(
          builder, loc, tiny.isTiny(tiny.getMagnitude(sum)), exact, sum);
      vector::StoreOp::create(builder, loc, sum, tinySums,
                              ValueRange{position, index(0)});
    });
  });
  Accumulators again;
  for (int64_t i = 0, end = sums.size(); i < end; ++i)
    again.push_back(vector::LoadOp::create(
        builder, loc, VectorType::get({lanes}, accumulatorType), tinySums,
        ValueRange{index(i), index(0)}));
  scf::YieldOp::create(builder, loc, again);
  return Accumulators(branch.getResults());
}
