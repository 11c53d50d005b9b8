//===- ContractionLoweringEmit.cpp - Loops and tiles of a contraction -----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringStrips.h"
#include "StripLoops.h"
#include "xfmr/Codegen/CPU/ContractionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// How many steps of a reduced loop share partial sums.
constexpr int64_t kSummationBlock = 64;

/// What is known of the extent of each loop of the op.
SmallVector<LoopExtent> getExtents(const ContractionInfo &info) {
  linalg::LinalgOp op = info.op;
  SmallVector<LoopExtent> extents;
  for (int64_t extent : op.getStaticLoopRanges())
    extents.push_back({extent, Value(), 0});
  for (auto [buffer, map] :
       {std::pair(op->getOperand(2), info.getOutMap()),
        std::pair(op->getOperand(info.rhs), info.getRhsMap()),
        std::pair(op->getOperand(info.lhs), info.getLhsMap())})
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (LoopExtent &extent = extents[cast<AffineDimExpr>(expr).getPosition()];
          !extent.isKnown()) {
        extent.source = buffer;
        extent.sourceDim = dim;
      }
  return extents;
}

class ContractionEmitter {
public:
  ContractionEmitter(RewriterBase &builder, const ContractionInfo &info,
                     const ContractionLoweringOptions &options,
                     Operation *hoist)
      : builder(builder), loc(linalg::LinalgOp(info.op).getLoc()), info(info),
        options(options), access(builder, loc, hoist),
        position(linalg::LinalgOp(info.op).getNumLoops()),
        extents(getExtents(info)), loops(builder, loc, hoist, extents) {
    linalg::LinalgOp op = info.op;
    lhs = op->getOperand(info.lhs);
    rhs = op->getOperand(info.rhs);
    out = op->getOperand(2);
    lhsMap = info.getLhsMap();
    rhsMap = info.getRhsMap();
    outMap = info.getOutMap();
    accumulatorType = cast<MemRefType>(out.getType()).getElementType();
    lanes = std::max<int64_t>(1, options.target.vectorBytes * 8 /
                                     accumulatorType.getIntOrFloatBitWidth());
    if (!info.m.empty())
      rowLoop = info.m.back();
    if (!info.n.empty())
      columnLoop = info.n.back();
  }

  void emit();

private:
  using Accumulators = SmallVector<Value>;

  void emitOuter(ArrayRef<unsigned> nest, function_ref<void()> body);
  void emitBlocked(std::optional<unsigned> loop, ArrayRef<int64_t> steps,
                   function_ref<void(int64_t)> body);
  void emitPanels();
  void emitDots();
  void emitPanelTile(int64_t rows, int64_t vectors, Value mask);
  void emitDotTile(int64_t rows, int64_t columns);
  Accumulators
  emitReduction(ArrayRef<unsigned> nest, ValueRange accumulators,
                function_ref<Accumulators(unsigned, ValueRange)> innermost);
  Accumulators emitSummation(unsigned loop, Value end, int64_t step,
                             ValueRange totals,
                             function_ref<Accumulators(ValueRange)> accumulate);

  SmallVector<Value> getIndices(AffineMap map);
  SmallVector<int64_t> getSteps(AffineMap map, unsigned loop);
  Value widen(Value value);
  bool isDynamic(unsigned loop) const { return loops.isDynamic(loop); }
  /// Runs `body` with the position of `loop`, if any, moved on by `offset`.
  void withOffset(std::optional<unsigned> loop, int64_t offset,
                  function_ref<void()> body);

  RewriterBase &builder;
  Location loc;
  const ContractionInfo &info;
  const ContractionLoweringOptions &options;
  StripAccess access;
  SmallVector<Value> position;
  Value lhs, rhs, out;
  AffineMap lhsMap, rhsMap, outMap;
  Type accumulatorType;
  int64_t lanes;
  SmallVector<LoopExtent> extents;
  StripLoops loops;
  std::optional<unsigned> rowLoop, columnLoop;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SmallVector<Value> ContractionEmitter::getIndices(AffineMap map) {
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(position[cast<AffineDimExpr>(expr).getPosition()]);
  return indices;
}

SmallVector<int64_t> ContractionEmitter::getSteps(AffineMap map,
                                                  unsigned loop) {
  SmallVector<int64_t> steps;
  for (AffineExpr expr : map.getResults())
    steps.push_back(cast<AffineDimExpr>(expr).getPosition() == loop);
  return steps;
}

Value ContractionEmitter::widen(Value value) {
  if (getElementTypeOrSelf(value.getType()) == accumulatorType)
    return value;
  Type type = accumulatorType;
  if (auto vectorType = dyn_cast<VectorType>(value.getType()))
    type = vectorType.clone(accumulatorType);
  return arith::ExtFOp::create(builder, loc, type, value);
}

void ContractionEmitter::withOffset(std::optional<unsigned> loop,
                                    int64_t offset, function_ref<void()> body) {
  if (!loop || offset == 0)
    return body();
  Value before = position[*loop];
  position[*loop] = builder.createOrFold<arith::AddIOp>(
      loc, before, loops.getConstant(offset));
  body();
  position[*loop] = before;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void ContractionEmitter::emitOuter(ArrayRef<unsigned> nest,
                                   function_ref<void()> body) {
  if (nest.empty())
    return body();
  loops.emitFor(loops.getConstant(0), loops.getExtent(nest.front()), 1, {},
                [&](Value iv, ValueRange) -> Accumulators {
                  position[nest.front()] = iv;
                  emitOuter(nest.drop_front(), body);
                  return {};
                });
}

/// Covers a loop by blocks, the largest first; each step is a multiple of the
/// next. `body` gets the size of the block at hand.
void ContractionEmitter::emitBlocked(std::optional<unsigned> loop,
                                     ArrayRef<int64_t> steps,
                                     function_ref<void(int64_t)> body) {
  if (!loop)
    return body(1);
  Value from = loops.getConstant(0);
  int64_t left = extents[*loop].extent;
  for (int64_t step : steps) {
    Value to = loops.getMultiple(*loop, step);
    if (isDynamic(*loop) || left >= step)
      loops.emitFor(from, to, step, {},
                    [&](Value iv, ValueRange) -> Accumulators {
                      position[*loop] = iv;
                      body(step);
                      return {};
                    });
    from = to;
    if (!isDynamic(*loop))
      left %= step;
  }
}

/// A nest over the reduced loops; `innermost` emits the last of them.
ContractionEmitter::Accumulators ContractionEmitter::emitReduction(
    ArrayRef<unsigned> nest, ValueRange accumulators,
    function_ref<Accumulators(unsigned, ValueRange)> innermost) {
  unsigned loop = nest.front();
  if (nest.size() == 1)
    return innermost(loop, accumulators);
  return loops.emitFor(loops.getConstant(0), loops.getExtent(loop), 1,
                       accumulators, [&](Value iv, ValueRange args) {
                         position[loop] = iv;
                         return emitReduction(nest.drop_front(), args,
                                              innermost);
                       });
}

/// Adds to `totals` what `accumulate` adds at the steps of `loop` up to `end`.
/// Every `kSummationBlock` steps have partial sums of their own: in one long
/// chain, rounding errors of one sign (equal addends) would add up to more than
/// the bound of a product allows.
ContractionEmitter::Accumulators ContractionEmitter::emitSummation(
    unsigned loop, Value end, int64_t step, ValueRange totals,
    function_ref<Accumulators(ValueRange)> accumulate) {
  auto emitBlock = [&](Value from, Value to, ValueRange before) {
    Value zero = arith::ConstantOp::create(
        builder, loc,
        builder.getZeroAttr(VectorType::get({lanes}, accumulatorType)));
    Accumulators sums =
        loops.emitFor(from, to, step, Accumulators(before.size(), zero),
                      [&](Value iv, ValueRange args) {
                        position[loop] = iv;
                        return accumulate(args);
                      });
    for (auto [sum, total] : llvm::zip_equal(sums, before))
      sum = arith::AddFOp::create(builder, loc, total, sum);
    return sums;
  };
  int64_t blockSize = kSummationBlock * step;
  if (!isDynamic(loop) && extents[loop].extent / step <= kSummationBlock)
    return emitBlock(loops.getConstant(0), end, totals);
  return loops.emitFor(loops.getConstant(0), end, blockSize, totals,
                       [&](Value from, ValueRange args) {
                         Value next = arith::AddIOp::create(
                             builder, loc, from, loops.getConstant(blockSize));
                         Value to =
                             arith::MinUIOp::create(builder, loc, next, end);
                         return emitBlock(from, to, args);
                       });
}

//===----------------------------------------------------------------------===//
// Vectors along n
//===----------------------------------------------------------------------===//

/// rows x vectors accumulators; for each k, the rows' elements of the left side
/// times the vectors of the right side.
void ContractionEmitter::emitPanelTile(int64_t rows, int64_t vectors,
                                       Value mask) {
  SmallVector<int64_t> outSteps = getSteps(outMap, *columnLoop);
  SmallVector<int64_t> rhsSteps = getSteps(rhsMap, *columnLoop);
  auto forTile = [&](function_ref<void(int64_t)> body) {
    for (int64_t row = 0; row < rows; ++row)
      withOffset(rowLoop, row, [&] {
        for (int64_t vector = 0; vector < vectors; ++vector)
          withOffset(columnLoop, vector * lanes,
                     [&] { body(row * vectors + vector); });
      });
  };
  Accumulators accumulators(rows * vectors);
  forTile([&](int64_t i) {
    accumulators[i] =
        access.load(out, getIndices(outMap), outSteps, lanes, mask);
  });
  auto accumulate = [&](ValueRange args) {
    Accumulators next = Accumulators(args);
    SmallVector<Value> right;
    for (int64_t vector = 0; vector < vectors; ++vector)
      withOffset(columnLoop, vector * lanes, [&] {
        right.push_back(
            widen(access.load(rhs, getIndices(rhsMap), rhsSteps, lanes, mask)));
      });
    for (int64_t row = 0; row < rows; ++row)
      withOffset(rowLoop, row, [&] {
        Value left = widen(
            memref::LoadOp::create(builder, loc, lhs, getIndices(lhsMap)));
        Value leftLanes = broadcastLanes(builder, loc, left, lanes);
        for (int64_t vector = 0; vector < vectors; ++vector) {
          Value &sum = next[row * vectors + vector];
          sum =
              math::FmaOp::create(builder, loc, leftLanes, right[vector], sum);
        }
      });
    return next;
  };
  accumulators =
      emitReduction(info.k, accumulators, [&](unsigned loop, ValueRange args) {
        return emitSummation(loop, loops.getExtent(loop), 1, args, accumulate);
      });
  forTile([&](int64_t i) {
    access.store(accumulators[i], out, getIndices(outMap), outSteps, mask);
  });
}

void ContractionEmitter::emitPanels() {
  int64_t tileRows = options.tileRows;
  SmallVector<int64_t> rowSteps;
  for (int64_t step : {tileRows, tileRows / 2, int64_t(1)})
    if (step > 0 && !llvm::is_contained(rowSteps, step))
      rowSteps.push_back(step);
  auto emitRows = [&](int64_t vectors, Value mask) {
    emitBlocked(rowLoop, rowSteps,
                [&](int64_t rows) { emitPanelTile(rows, vectors, mask); });
  };
  emitBlocked(columnLoop, {2 * lanes, lanes},
              [&](int64_t columns) { emitRows(columns / lanes, Value()); });
  loops.emitTail(*columnLoop, lanes, {}, [&](Value from, Value mask) {
    position[*columnLoop] = from;
    emitRows(1, mask);
    return Accumulators();
  });
}

//===----------------------------------------------------------------------===//
// Vectors along k
//===----------------------------------------------------------------------===//

/// rows x columns dot products, with a vector of partial sums each.
void ContractionEmitter::emitDotTile(int64_t rows, int64_t columns) {
  unsigned innermost = info.k.back();
  SmallVector<int64_t> lhsSteps = getSteps(lhsMap, innermost);
  SmallVector<int64_t> rhsSteps = getSteps(rhsMap, innermost);
  auto accumulate = [&](ValueRange args, Value mask) {
    Accumulators next = Accumulators(args);
    SmallVector<Value> right;
    for (int64_t column = 0; column < columns; ++column)
      withOffset(columnLoop, column, [&] {
        right.push_back(
            widen(access.load(rhs, getIndices(rhsMap), rhsSteps, lanes, mask)));
      });
    for (int64_t row = 0; row < rows; ++row)
      withOffset(rowLoop, row, [&] {
        Value left =
            widen(access.load(lhs, getIndices(lhsMap), lhsSteps, lanes, mask));
        for (int64_t column = 0; column < columns; ++column) {
          Value &sum = next[row * columns + column];
          sum = math::FmaOp::create(builder, loc, left, right[column], sum);
        }
      });
    return next;
  };
  Value zero = arith::ConstantOp::create(
      builder, loc,
      builder.getZeroAttr(VectorType::get({lanes}, accumulatorType)));
  Accumulators sums(rows * columns, zero);
  sums = emitReduction(info.k, sums, [&](unsigned loop, ValueRange args) {
    Accumulators whole = Accumulators(args);
    if (isDynamic(loop) || extents[loop].extent >= lanes)
      whole = emitSummation(
          loop, loops.getMultiple(loop, lanes), lanes, args,
          [&](ValueRange inner) { return accumulate(inner, Value()); });
    // Lanes that are off add 0 * 0.
    return loops.emitTail(loop, lanes, whole, [&](Value from, Value mask) {
      position[loop] = from;
      return accumulate(whole, mask);
    });
  });
  for (int64_t row = 0; row < rows; ++row)
    withOffset(rowLoop, row, [&] {
      for (int64_t column = 0; column < columns; ++column)
        withOffset(columnLoop, column, [&] {
          Value total =
              reduceLanes(builder, loc, sums[row * columns + column],
                          [&](Value a, Value b) -> Value {
                            return arith::AddFOp::create(builder, loc, a, b);
                          });
          SmallVector<Value> indices = getIndices(outMap);
          Value before = memref::LoadOp::create(builder, loc, out, indices);
          Value after = arith::AddFOp::create(builder, loc, before, total);
          memref::StoreOp::create(builder, loc, after, out, indices);
        });
    });
}

void ContractionEmitter::emitDots() {
  int64_t side = options.target.vectorBytes >= 64 ? 4 : 2;
  emitBlocked(columnLoop, {side, 1}, [&](int64_t columns) {
    emitBlocked(rowLoop, {side, 1},
                [&](int64_t rows) { emitDotTile(rows, columns); });
  });
}

void ContractionEmitter::emit() {
  SmallVector<unsigned> outer = info.batch;
  if (!info.n.empty())
    llvm::append_range(outer, ArrayRef(info.n).drop_back());
  if (!info.m.empty())
    llvm::append_range(outer, ArrayRef(info.m).drop_back());
  emitOuter(outer, [&] { info.isDotForm() ? emitDots() : emitPanels(); });
}

LogicalResult mlir::xfmr::checkMemrefs(linalg::LinalgOp op,
                                       std::string *reason) {
  auto fail = [&](const Twine &text) {
    if (reason)
      *reason = text.str();
    return failure();
  };
  if (!op.hasPureBufferSemantics())
    return fail("it is not on memrefs");
  for (Type type : op->getOperandTypes()) {
    auto memrefType = dyn_cast<MemRefType>(type);
    if (!memrefType || !memrefType.isStrided())
      return fail("a memref's layout is not strided");
  }
  return success();
}

LogicalResult mlir::xfmr::lowerContraction(
    RewriterBase &rewriter, const ContractionInfo &info,
    const ContractionLoweringOptions &options, std::string *reason) {
  linalg::LinalgOp op = info.op;
  if (failed(checkMemrefs(op, reason)))
    return failure();
  // A rhs whose innermost dim is neither n nor k lies along a batch dim.
  AffineMap rhsMap = info.getRhsMap();
  unsigned innermost = rhsMap.getDimPosition(rhsMap.getNumResults() - 1);
  if (llvm::is_contained(info.batch, innermost)) {
    if (reason)
      *reason = "the right side's innermost dim is a batch dim";
    return failure();
  }
  OpBuilder::InsertionGuard guard(rewriter);
  // A mark before which whatever does not depend on the position is put.
  Operation *hoist = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
  ContractionEmitter(rewriter, info, options, hoist).emit();
  rewriter.eraseOp(hoist);
  return success();
}
