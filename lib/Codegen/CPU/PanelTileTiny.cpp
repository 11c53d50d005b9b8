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
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

/// Computes the tiny ones of the sums, those of all rows and vectors of columns
/// in the output's place, again.
void PanelTileEmitter::emitTinyBody() {
  TinySums tiny(builder, loc, lanes);
  auto sumType = VectorType::get({lanes}, accumulatorType);
  Value rows = memref::DimOp::create(builder, loc, product.lhs, 0);
  Value inputs = memref::DimOp::create(builder, loc, product.lhs, 1);
  Value panels = memref::DimOp::create(builder, loc, product.packed, 0);
  emitFor(index(0), rows, 1, [&](Value row) {
    // Sums of nothing but zeros are right.
    auto load = [&](Value input) -> Value {
      return memref::LoadOp::create(builder, loc, product.lhs,
                                    ValueRange{row, input});
    };
    auto hasInputs =
        scf::IfOp::create(builder, loc, tiny.emitHasInputs(inputs, load));
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(hasInputs.thenBlock());
    emitFor(index(0), panels, 1, [&](Value panel) {
      emitFor(index(0), index(vectors), 1, [&](Value vector) {
        Value position =
            add(arith::MulIOp::create(builder, loc, row, panels), panel);
        position =
            arith::MulIOp::create(builder, loc, position, index(vectors));
        Value indices[] = {add(position, vector), index(0)};
        Value sum =
            vector::LoadOp::create(builder, loc, sumType, product.out, indices);
        Value column =
            arith::MulIOp::create(builder, loc, vector, index(2 * lanes));
        Value exact =
            tiny.emitExactSum(inputs, load, [&](Value input) -> Value {
              Value step =
                  arith::DivUIOp::create(builder, loc, input, index(2));
              return vector::LoadOp::create(
                  builder, loc,
                  VectorType::get({2 * lanes}, product.getWeightType()), packed,
                  ValueRange{panel, step, column});
            });
        sum = arith::SelectOp::create(
            builder, loc, tiny.isTiny(tiny.getMagnitude(sum)), exact, sum);
        vector::StoreOp::create(builder, loc, sum, product.out, indices);
      });
    });
  });
}

/// `sums` with the tiny ones computed again. That is another function: it is
/// called hardly ever, and serves all tiles.
PanelTileEmitter::Accumulators
PanelTileEmitter::emitTinySums(ArrayRef<Value> masks, Accumulators sums) {
  TinySums tiny(builder, loc, lanes);
  Value least;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    // Columns of padding are zero, and not stored.
    Value magnitude = tiny.getMagnitude(
        sum, masks.empty() ? Value() : masks[i % masks.size()]);
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
  builder.setInsertionPoint(hoist);
  auto sumsType =
      MemRefType::get({int64_t(sums.size()), lanes}, accumulatorType);
  Value buffer = memref::AllocaOp::create(
      builder, loc, sumsType, builder.getI64IntegerAttr(kPackedAlignment));
  builder.setInsertionPointToStart(branch.thenBlock());
  for (auto [i, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(builder, loc, sum, buffer,
                            ValueRange{index(i), index(0)});

  Value operands[] = {product.lhs, product.packed, buffer};
  for (Value &operand : operands) {
    auto type = cast<MemRefType>(operand.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = ShapedType::kDynamic;
    operand = builder.createOrFold<memref::CastOp>(
        loc, MemRefType::get(shape, type.getElementType(), type.getLayout()),
        operand);
  }
  callKernel(
      "xfmr_panel_tiny_sums", operands,
      [](PanelTileEmitter &emitter, func::FuncOp) { emitter.emitTinyBody(); });
  Accumulators again;
  for (int64_t i = 0, end = sums.size(); i < end; ++i)
    again.push_back(vector::LoadOp::create(
        builder, loc, VectorType::get({lanes}, accumulatorType), buffer,
        ValueRange{index(i), index(0)}));
  scf::YieldOp::create(builder, loc, again);
  return Accumulators(branch.getResults());
}
