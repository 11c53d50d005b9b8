//===- VectorTranspose.cpp - Square transposes in registers ---------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorTranspose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::xfmr;

static int64_t getLanes(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

/// A shuffle of `a` and `b` whose lane i is lane `lane(i)` of both in a row.
static Value shuffle(OpBuilder &builder, Location loc, Value a, Value b,
                     int64_t lanes, function_ref<int64_t(int64_t)> lane) {
  auto mask = llvm::map_to_vector(llvm::seq<int64_t>(0, lanes), lane);
  return vector::ShuffleOp::create(builder, loc, a, b, mask);
}

Value mlir::xfmr::interleaveVectors(OpBuilder &builder, Location loc, Value a,
                                    Value b) {
  int64_t lanes = getLanes(a);
  return shuffle(builder, loc, a, b, 2 * lanes,
                 [&](int64_t i) { return i / 2 + (i % 2 ? lanes : 0); });
}

Value mlir::xfmr::takeEveryOther(OpBuilder &builder, Location loc, Value a,
                                 Value b, bool odd) {
  return shuffle(builder, loc, a, b, getLanes(a),
                 [&](int64_t i) { return 2 * i + odd; });
}

/// In each run of `part` lanes, the lower or the upper halves of the runs of
/// `a` and `b`, taken in pieces of `piece` lanes in turn.
static Value unpack(OpBuilder &builder, Location loc, Value a, Value b,
                    int64_t part, int64_t piece, bool upper) {
  int64_t lanes = getLanes(a);
  return shuffle(builder, loc, a, b, lanes, [&](int64_t i) {
    int64_t at = i % part;
    int64_t from = (at / (2 * piece)) * piece + at % piece + upper * part / 2;
    return i - at + from + (at / piece % 2 ? lanes : 0);
  });
}

/// Transposes parts of `part` lanes: part j of result i is part i of rows[j].
static SmallVector<Value> transposeParts(OpBuilder &builder, Location loc,
                                         ArrayRef<Value> rows, int64_t part) {
  if (rows.size() == 1)
    return {rows.front()};
  SmallVector<Value> halves[2];
  for (size_t row = 0; row < rows.size(); row += 2)
    for (int odd : {0, 1}) {
      // The even or the odd parts of two rows, one row after the other.
      halves[odd].push_back(shuffle(
          builder, loc, rows[row], rows[row + 1], getLanes(rows[row]),
          [&](int64_t i) { return (2 * (i / part) + odd) * part + i % part; }));
    }
  SmallVector<Value> even = transposeParts(builder, loc, halves[0], part);
  SmallVector<Value> odd = transposeParts(builder, loc, halves[1], part);
  SmallVector<Value> results;
  for (auto [first, second] : llvm::zip_equal(even, odd)) {
    results.push_back(first);
    results.push_back(second);
  }
  return results;
}

SmallVector<Value> mlir::xfmr::transposeVectors(OpBuilder &builder,
                                                Location loc,
                                                ArrayRef<Value> rows) {
  int64_t lanes = rows.size();
  auto type = cast<VectorType>(rows.front().getType());
  int64_t part = std::min<int64_t>(lanes, 128 / type.getElementTypeBitWidth());
  // First within parts of 128 bits: rows r to r + part become, in every part,
  // the columns of the square that they hold there.
  SmallVector<SmallVector<Value>> columns(part);
  for (int64_t row = 0; row < lanes; row += part) {
    SmallVector<Value> square(rows.slice(row, part));
    if (part == 4) {
      auto pair = [&](Value a, Value b, int64_t piece) {
        return std::pair(unpack(builder, loc, a, b, part, piece, false),
                         unpack(builder, loc, a, b, part, piece, true));
      };
      auto [a, b] = pair(square[0], square[1], 1);
      auto [c, d] = pair(square[2], square[3], 1);
      std::tie(square[0], square[1]) = pair(a, c, 2);
      std::tie(square[2], square[3]) = pair(b, d, 2);
    } else if (part == 2) {
      Value low = unpack(builder, loc, square[0], square[1], 2, 1, false);
      square[1] = unpack(builder, loc, square[0], square[1], 2, 1, true);
      square[0] = low;
    }
    for (auto [column, value] : llvm::zip_equal(columns, square))
      column.push_back(value);
  }
  // Then the parts: column c of every square, over all squares.
  SmallVector<Value> results(lanes);
  for (auto [i, column] : llvm::enumerate(columns))
    for (auto [square, value] :
         llvm::enumerate(transposeParts(builder, loc, column, part)))
      results[square * part + i] = value;
  return results;
}
