//===- WeightPackingTranspose.cpp - Packing by transposes -----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackingEmitter.h"
#include "VectorTranspose.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::xfmr;

/// How far ahead each of the rows that make a panel is fetched.
constexpr int64_t kBytesAhead = 512;

/// Steps of a panel from `step` on, all of them inputs that are there. `rows`
/// are the rows of the weight that the panel's outputs are.
void PackingEmitter::emitTransposedSteps(ArrayRef<Value> rows, Value panel,
                                         Value step) {
  int64_t bits = std::max<int64_t>(32, getCellBits());
  int64_t cells = options.vectorBytes * 8 / bits;
  bool inPairs = getCellBits() == 16;
  int64_t loadLanes = cells * bits / elementType.getIntOrFloatBitWidth();
  bool isCell = elementType.getIntOrFloatBitWidth() == bits;
  auto cellType = VectorType::get(cells, isCell ? elementType
                                                : builder.getIntegerType(bits));
  Value input = fold<arith::MulIOp>(step, group);
  auto fetchAhead = [&](Value row) {
    if (inPlace)
      return fetchInPlace(row, input, loadLanes);
    Value place =
        fold<arith::AddIOp>(fold<arith::MulIOp>(row, toValue(outputStride)),
                            fold<arith::AddIOp>(input, toValue(panelOffset)));
    emitFetch(panelBase,
              fold<arith::AddIOp>(place, kBytesAhead / getElementBytes()),
              loadLanes);
  };
  auto transposeRows = [&](int64_t first) {
    SmallVector<Value> square;
    for (Value row : rows.slice(first, cells)) {
      fetchAhead(row);
      Value run =
          inPlace ? loadInPlace(row, input, loadLanes)
                  : vector::LoadOp::create(builder, loc, vectorOf(loadLanes),
                                           source, ValueRange{row, input});
      square.push_back(bitCast(cellType, run));
    }
    return transposeVectors(builder, loc, square);
  };
  auto store = [&](int64_t at, int64_t piece, Value vector) {
    storePiece(panel, fold<arith::AddIOp>(step, at), piece, vector);
  };
  if (!inPairs) {
    for (int64_t piece = 0; piece < columns / cells; ++piece)
      for (auto [at, vector] : llvm::enumerate(transposeRows(piece * cells)))
        store(at, piece, vector);
    return;
  }
  // Pairs of 16-bit inputs were transposed; each half of a pair is a step.
  for (int64_t piece = 0; piece < columns / (2 * cells); ++piece) {
    SmallVector<Value> low = transposeRows(2 * piece * cells);
    SmallVector<Value> high = transposeRows((2 * piece + 1) * cells);
    auto halves = VectorType::get(2 * cells, builder.getI16Type());
    for (int64_t pair = 0; pair < cells; ++pair)
      for (bool odd : {false, true})
        store(2 * pair + odd, piece,
              takeEveryOther(builder, loc, bitCast(halves, low[pair]),
                             bitCast(halves, high[pair]), odd));
  }
}

/// Zeros in the columns of a panel from `valid` on.
void PackingEmitter::emitZeros(Value panel, Value valid) {
  emitFor(constant(0), fullSteps, 1, [&](Value step) {
    storeStep(panel, step, [&](int64_t piece) -> Value {
      Value numbers = laneNumbers(
          lanes, [&](int64_t lane) { return (piece * lanes + lane) / group; });
      Value keep =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                numbers, splat(valid, lanes));
      Value old = asBits(vector::LoadOp::create(
          builder, loc, vectorOf(lanes), packed,
          ValueRange{panel, fold<arith::AddIOp>(
                                fold<arith::MulIOp>(step, stepElements),
                                piece * lanes)}));
      return arith::SelectOp::create(builder, loc, keep, old,
                                     asBits(zeros(vectorOf(lanes))));
    });
  });
}

void PackingEmitter::emitTranspose() {
  int64_t block = getBlockSteps();
  emitPanels([&](Value panel) {
    source = viewRows(panelBase, panelOffset, builder.getIndexAttr(columns),
                      outputStride, getAsOpFoldResult(inputs));
    Value first = fold<arith::MulIOp>(panel, columns);
    Value left = fold<arith::RemUIOp>(outputs, columns);
    bool isWhole = getConstantIntValue(left) == 0;
    Value valid = fold<arith::SubIOp>(outputs, first);
    // Rows that are not there: any that is, and zeros at the end.
    SmallVector<Value> rows;
    for (int64_t column = 0; column < columns; ++column)
      rows.push_back(isWhole
                         ? constant(column)
                         : fold<arith::MinUIOp>(constant(column),
                                                fold<arith::SubIOp>(valid, 1)));
    // The last block ends with the last step, and repeats some of the one
    // before.
    Value lastBlock = fold<arith::SubIOp>(fullSteps, block);
    emitIf(
        compare(arith::CmpIPredicate::sge, lastBlock, constant(0)),
        [&] {
          emitFor(constant(0), fullSteps, block, [&](Value step) {
            emitTransposedSteps(rows, panel,
                                fold<arith::MinUIOp>(step, lastBlock));
          });
        },
        [&] {
          emitFor(constant(0), fullSteps, 1,
                  [&](Value step) { emitGatheredStep(panel, step); });
        });
    if (!isWhole)
      emitIf(compare(arith::CmpIPredicate::slt, valid, constant(columns)),
             [&] { emitZeros(panel, valid); });
    emitLastStep([&] { emitGatheredStep(panel, fullSteps); });
  });
}
