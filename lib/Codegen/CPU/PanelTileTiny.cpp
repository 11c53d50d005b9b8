//===- PanelTileTiny.cpp - Sums that a dot product may have flushed -------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instruction that adds products of bf16 pairs takes subnormal numbers for
// zero and makes zeros of subnormal sums. Next to a sum of 2^-60 that is
// nothing; a sum below is computed again, by multiply-adds in the same order.
// Whether it is depends on the sum alone, and not on its neighbours in the
// tile.
//
//===----------------------------------------------------------------------===//

#include "PanelTile.h"
#include "StripLoops.h"
#include "xfmr/Codegen/CPU/PanelLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

/// The bits of 2^-60 and of infinity in f32.
static constexpr int64_t kTiny = 0x21800000, kInfinity = 0x7f800000;

/// Every lane of a vector of integers.
static Value splat(OpBuilder &builder, Location loc, VectorType type,
                   int64_t value) {
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getI32IntegerAttr(value)));
}

/// The bits of the lanes' magnitudes.
Value PanelTileEmitter::getMagnitude(Value sum) {
  auto type = VectorType::get({lanes}, builder.getI32Type());
  Value bits = vector::BitCastOp::create(builder, loc, type, sum);
  return arith::AndIOp::create(builder, loc, bits,
                               splat(builder, loc, type, 0x7fffffff));
}

/// Whether any input of a row of the tile is not zero.
Value PanelTileEmitter::emitHasInputs(const PanelTile &tile, Value row) {
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getI16IntegerAttr(0));
  auto loop = scf::ForOp::create(
      builder, loc, index(0), tile.inputs.value, index(1), none,
      [&](OpBuilder &, Location, Value input, ValueRange args) {
        Value bits = arith::BitcastOp::create(
            builder, loc, builder.getI16Type(), loadInput(tile, row, input));
        Value any = arith::OrIOp::create(builder, loc, args.front(), bits);
        scf::YieldOp::create(builder, loc, any);
      });
  Value magnitude = arith::AndIOp::create(
      builder, loc, loop.getResult(0),
      arith::ConstantOp::create(builder, loc,
                                builder.getI16IntegerAttr(0x7fff)));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                               magnitude, none);
}

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

/// The sum of a row and a vector of the tile's columns by multiply-adds.
Value PanelTileEmitter::emitExactSum(const PanelTile &tile, Value row,
                                     Value panel, Value column) {
  auto bitsType = VectorType::get({lanes}, builder.getI32Type());
  auto sumType = VectorType::get({lanes}, accumulatorType);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
  Value none = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(accumulatorType));
  auto loop = scf::ForOp::create(
      builder, loc, index(0), tile.inputs.value, index(2), zero,
      [&](OpBuilder &, Location, Value input, ValueRange args) {
        Value step = arith::DivUIOp::create(builder, loc, input, index(2));
        Value pairs = vector::LoadOp::create(
            builder, loc, VectorType::get({2 * lanes}, product.getWeightType()),
            packed,
            ValueRange{add(add(firstPanel, tile.panel), panel),
                       add(add(firstStep, tile.step), step), column});
        Value bits = vector::BitCastOp::create(builder, loc, bitsType, pairs);
        Value odd = arith::AndIOp::create(
            builder, loc, bits, splat(builder, loc, bitsType, -65536));
        Value even = arith::ShLIOp::create(builder, loc, bits,
                                           splat(builder, loc, bitsType, 16));
        // The last input may be without a partner.
        Value second = add(input, index(1));
        Value isPair = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, second, tile.inputs.value);
        auto partner =
            scf::IfOp::create(builder, loc, accumulatorType, isPair, true);
        {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPointToStart(partner.thenBlock());
          scf::YieldOp::create(
              builder, loc,
              convert(loadInput(tile, row, second), accumulatorType));
          builder.setInsertionPointToStart(partner.elseBlock());
          scf::YieldOp::create(builder, loc, none);
        }
        Value first = convert(loadInput(tile, row, input), accumulatorType);
        Value sum = args.front();
        for (auto [factor, weight] :
             {std::pair(partner.getResult(0), odd), std::pair(first, even)})
          sum = math::FmaOp::create(
              builder, loc, broadcastLanes(builder, loc, factor, lanes),
              vector::BitCastOp::create(builder, loc, sumType, weight), sum);
        scf::YieldOp::create(builder, loc, sum);
      });
  return loop.getResult(0);
}

/// `sums` with the tiny ones computed again.
PanelTileEmitter::Accumulators
PanelTileEmitter::emitTinySums(const PanelTile &tile, Accumulators sums) {
  auto bitsType = VectorType::get({lanes}, builder.getI32Type());
  Value least;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value magnitude = getMagnitude(sum);
    // Columns of padding are zero, and not stored.
    if (!tile.masks.empty())
      magnitude = arith::SelectOp::create(
          builder, loc, tile.masks[i % tile.masks.size()], magnitude,
          splat(builder, loc, bitsType, kInfinity));
    least = least ? arith::MinUIOp::create(builder, loc, least, magnitude)
                  : magnitude;
  }
  Value limit = splat(builder, loc, bitsType, kTiny);
  Value lanesTiny = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, least, limit);
  Value isTiny = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::OR, lanesTiny);
  auto branch = scf::IfOp::create(builder, loc, ValueRange(sums).getTypes(),
                                  emitUnlikely(builder, loc, isTiny),
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
    auto hasInputs = scf::IfOp::create(builder, loc, emitHasInputs(tile, row));
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
      Value exact = emitExactSum(tile, row, panel, column);
      Value isLaneTiny = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, getMagnitude(sum), limit);
      sum = arith::SelectOp::create(builder, loc, isLaneTiny, exact, sum);
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
