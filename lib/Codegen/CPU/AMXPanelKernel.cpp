//===- AMXPanelKernel.cpp - The kernel of panel products on AMX tiles -----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A panel has two tiles of weights a step: 32 inputs by 2 x 16 columns. From 17
// rows on, two tiles of rows meet them: four sums in registers for four loads.
// Up to 16 rows, one tile of rows meets two panels.
//
// From the outside: groups of panels, blocks of inputs, panels, rows. What a
// group reads of the left side stays in the L2 cache for all of its panels, and
// a block of a panel for all rows.
//
//===----------------------------------------------------------------------===//

#include "AMXPanelProduct.h"
#include "PrivateFunctions.h"
#include "StripLoops.h"
#include "TinySums.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// Rows, and f32 columns, of a tile.
constexpr int64_t kTile = 16;
/// Inputs of a step: 16 pairs.
constexpr int64_t kStep = 32;
/// Columns of a panel.
constexpr int64_t kPanel = 32;
/// Panels that are multiplied by the same block of the left side.
constexpr int64_t kGroup = 16;
/// Pairs of inputs, 128 bytes each, between what is multiplied and what is
/// prefetched of the same panel. Loads of tiles do not wake the hardware's own
/// prefetching.
constexpr int64_t kFetchPairs = 32;
/// Blocks of rows that share the prefetching of what they meet next.
constexpr int64_t kFetchBlocks = 4;

/// A block of rows times one or two panels, over a block of inputs.
struct RowBlock {
  Value row;
  /// Tiles of rows, 1 or 2.
  int64_t rowTiles;
  SmallVector<Value, 2> panels;
  /// The first input, whole steps of inputs, and whether there are more inputs.
  Value input, wholePairs, tail;
  /// How many pairs of inputs a step prefetches of what the same panels hold
  /// further on, and of a part of the weights that all rows meet when they have
  /// met these; null: none.
  Value aheadPairs, nextPairs;
  /// The panel and the pair of inputs where that part begins.
  Value nextPanel, nextPair;
};

class KernelEmitter {
public:
  KernelEmitter(OpBuilder &builder, func::FuncOp function)
      : builder(builder), loc(function.getLoc()), function(function) {}

  void emit();

private:
  using Tiles = SmallVector<Value>;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value add(Value a, int64_t b) { return b == 0 ? a : add(a, index(b)); }
  Value subtract(Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }
  Value multiply(Value a, int64_t b) {
    return arith::MulIOp::create(builder, loc, a, index(b));
  }
  Value divide(Value a, int64_t b) {
    return arith::DivUIOp::create(builder, loc, a, index(b));
  }
  Value roundDown(Value a, int64_t b) { return multiply(divide(a, b), b); }
  Value minimum(Value a, Value b) {
    return arith::MinUIOp::create(builder, loc, a, b);
  }
  void emitFor(Value from, Value to, int64_t step,
               function_ref<void(Value)> body) {
    emitTileFor(from, to, step, {}, [&](Value iv, ValueRange) -> Tiles {
      body(iv);
      return {};
    });
  }
  Tiles emitTileFor(Value from, Value to, int64_t step, const Tiles &inits,
                    function_ref<Tiles(Value, ValueRange)> body) {
    return emitStripLoop(builder, loc, from, to, index(step), inits, body);
  }

  void emitFewRows(Value end);
  void emitManyRows(Value begin);
  void emitInputBlocks(function_ref<void(RowBlock)> body);
  void emitTailWeights(const RowBlock &block);
  void emitBlock(const RowBlock &block);
  Tiles emitStep(const RowBlock &block, Value input, ValueRange sums,
                 function_ref<Value(int64_t, int64_t)> loadWeights);
  Value getWeights(Value panel, Value pair);
  /// Prefetches `count` pairs of inputs.
  void emitPrefetch(Value weights, Value pair, Value count, int64_t locality);
  Value emitMask(Value firstColumn, Value end);
  Value loadSums(Value tile, Value row);
  void emitTinySums(const RowBlock &block, Value numRows, Value least);
  void emitUpdate(const RowBlock &block, const Tiles &sums);

  OpBuilder &builder;
  Location loc;
  func::FuncOp function;
  Value lhs, packed, out, rows, columns, inputs, firstPanel, firstPair, fetch,
      overwrite;
  /// Sums of a block on their way to the output, and weights of a last step
  /// that is not whole.
  Value sumTiles, weightTiles;
  Value zero, panels;
};

} // namespace

/// What lies behind the last input of a panel is of other inputs, or of
/// nothing: the last step's weights are copied, with zeros behind them. Masked,
/// since a call of memcpy would cost the tiles their configuration.
void KernelEmitter::emitTailWeights(const RowBlock &block) {
  auto branch = scf::IfOp::create(builder, loc, block.tail);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  auto type = VectorType::get({2 * kPanel}, builder.getBF16Type());
  auto maskType = VectorType::get({2 * kPanel}, builder.getI1Type());
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value pair = add(add(firstPair, divide(block.input, 2)), block.wholePairs);
  Value end = add(firstPair, divide(add(inputs, 1), 2));
  emitFor(zero, index(kTile), 1, [&](Value row) {
    Value from = add(pair, row);
    Value mask = vector::CreateMaskOp::create(
        builder, loc, maskType, multiply(subtract(end, from), 2 * kPanel));
    for (size_t number = 0; number < block.panels.size(); ++number) {
      Value weights = vector::MaskedLoadOp::create(
          builder, loc, type, packed,
          ValueRange{add(firstPanel, block.panels[number]), from, zero}, mask,
          zeros);
      vector::StoreOp::create(builder, loc, weights, weightTiles,
                              ValueRange{index(number), row, zero});
    }
  });
}

/// The rest of a panel from a pair of inputs on.
Value KernelEmitter::getWeights(Value panel, Value pair) {
  auto type = MemRefType::get(
      {ShapedType::kDynamic, 2 * kPanel}, builder.getBF16Type(),
      StridedLayoutAttr::get(builder.getContext(), ShapedType::kDynamic,
                             {2 * kPanel, 1}));
  OpFoldResult one = builder.getIndexAttr(1);
  Value rest = subtract(memref::DimOp::create(builder, loc, packed, 1), pair);
  return memref::SubViewOp::create(
      builder, loc, type, packed,
      ArrayRef<OpFoldResult>{panel, pair, builder.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{one, rest, builder.getIndexAttr(2 * kPanel)},
      ArrayRef<OpFoldResult>{one, one, one});
}

/// A loop, which costs nothing beside the memory that it waits for: LLVM takes
/// a quarter of a second for the addresses of the same lines one by one.
void KernelEmitter::emitPrefetch(Value weights, Value pair, Value count,
                                 int64_t locality) {
  emitFor(pair, add(pair, count), 1, [&](Value line) {
    for (int64_t column : {int64_t(0), kPanel})
      memref::PrefetchOp::create(builder, loc, weights,
                                 ValueRange{line, index(column)},
                                 /*isWrite=*/false, locality,
                                 /*isDataCache=*/true);
  });
}

/// `loadWeights` gets the number of a panel and of one of its halves.
KernelEmitter::Tiles
KernelEmitter::emitStep(const RowBlock &block, Value input, ValueRange sums,
                        function_ref<Value(int64_t, int64_t)> loadWeights) {
  auto type = amx::TileType::get({kTile, kStep}, builder.getBF16Type());
  Tiles rowTiles(block.rowTiles), next(sums);
  int64_t halves = 2 * block.panels.size();
  for (int64_t half = 0; half < halves; ++half) {
    Value weights = loadWeights(half / 2, half % 2);
    for (int64_t tile = 0; tile < block.rowTiles; ++tile) {
      if (!rowTiles[tile])
        rowTiles[tile] = amx::TileLoadOp::create(
            builder, loc, type, lhs,
            ValueRange{add(block.row, tile * kTile), input});
      Value &sum = next[tile * halves + half];
      sum = amx::TileMulFOp::create(builder, loc, sum.getType(), rowTiles[tile],
                                    weights, sum);
    }
  }
  return next;
}

/// Those of a tile's columns, of which `firstColumn` is the first, that come
/// before `end`.
Value KernelEmitter::emitMask(Value firstColumn, Value end) {
  return vector::CreateMaskOp::create(
      builder, loc, VectorType::get({kTile}, builder.getI1Type()),
      subtract(end, firstColumn));
}

Value KernelEmitter::loadSums(Value tile, Value row) {
  return vector::LoadOp::create(builder, loc,
                                VectorType::get({kTile}, builder.getF32Type()),
                                sumTiles, ValueRange{tile, row, zero});
}

/// Where the least of the magnitudes that were added to the output is tiny,
/// computes the tiny sums again and adds what they lacked.
void KernelEmitter::emitTinySums(const RowBlock &block, Value numRows,
                                 Value least) {
  TinySums tiny(builder, loc, kTile);
  auto type = VectorType::get({kTile}, builder.getF32Type());
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  int64_t halves = 2 * block.panels.size();
  Value firstColumn = multiply(block.panels.front(), kPanel);
  auto branch = scf::IfOp::create(
      builder, loc, emitUnlikely(builder, loc, tiny.isAnyTiny(least)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value size =
      minimum(index(kAMXSummationBlock), subtract(inputs, block.input));
  Value blockPair = add(firstPair, divide(block.input, 2));
  emitFor(zero, numRows, 1, [&](Value row) {
    auto loadInput = [&](Value input) -> Value {
      return memref::LoadOp::create(
          builder, loc, lhs,
          ValueRange{add(block.row, row), add(block.input, input)});
    };
    // Sums of nothing but zeros are right.
    auto hasInputs =
        scf::IfOp::create(builder, loc, tiny.emitHasInputs(size, loadInput));
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(hasInputs.thenBlock());
    emitFor(zero, index(halves), 1, [&](Value half) {
      Value panel = add(add(firstPanel, block.panels.front()), divide(half, 2));
      Value weightColumn = multiply(
          arith::RemUIOp::create(builder, loc, half, index(2)), kPanel);
      Value tile = add(multiply(divide(row, kTile), halves), half);
      Value tileRow = arith::RemUIOp::create(builder, loc, row, index(kTile));
      Value exact =
          tiny.emitExactSum(size, loadInput, [&](Value input) -> Value {
            return vector::LoadOp::create(
                builder, loc,
                VectorType::get({2 * kTile}, builder.getBF16Type()), packed,
                ValueRange{panel, add(blockPair, divide(input, 2)),
                           weightColumn});
          });
      Value sum = loadSums(tile, tileRow);
      Value column = add(firstColumn, multiply(half, kTile));
      Value isTiny = arith::AndIOp::create(builder, loc,
                                           tiny.isTiny(tiny.getMagnitude(sum)),
                                           emitMask(column, columns));
      Value at[] = {add(block.row, row), column};
      Value total = vector::MaskedLoadOp::create(builder, loc, type, out, at,
                                                 isTiny, none);
      Value lacking = arith::SubFOp::create(builder, loc, exact, sum);
      vector::MaskedStoreOp::create(
          builder, loc, out, at, isTiny,
          arith::AddFOp::create(builder, loc, total, lacking));
    });
  });
}

/// Adds the block's sums, tiles of 16 x 16, to what the output holds.
void KernelEmitter::emitUpdate(const RowBlock &block, const Tiles &sums) {
  TinySums tiny(builder, loc, kTile);
  auto type = VectorType::get({kTile}, builder.getF32Type());
  for (auto [number, sum] : llvm::enumerate(sums))
    amx::TileStoreOp::create(builder, loc, sumTiles,
                             ValueRange{index(number), zero, zero}, sum);
  int64_t halves = 2 * block.panels.size();
  // The first sums of an output that is overwritten are added to nothing.
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        block.input, zero);
  Value endBefore = arith::SelectOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, overwrite, isFirst),
      zero, columns);
  SmallVector<Value> firstColumns, masks, masksBefore;
  for (int64_t half = 0; half < halves; ++half) {
    firstColumns.push_back(
        add(multiply(block.panels[half / 2], kPanel), half % 2 * kTile));
    masks.push_back(emitMask(firstColumns.back(), columns));
    masksBefore.push_back(emitMask(firstColumns.back(), endBefore));
  }
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto magnitudes = VectorType::get({kTile}, builder.getI32Type());
  Value least = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(magnitudes, builder.getI32IntegerAttr(-1)));
  Value numRows = subtract(
      minimum(rows, add(block.row, block.rowTiles * kTile)), block.row);
  for (int64_t tile = 0; tile < block.rowTiles; ++tile) {
    Value first = minimum(index(tile * kTile), numRows);
    Value size = minimum(index(kTile), subtract(numRows, first));
    Value firstRow = add(block.row, tile * kTile);
    least = emitTileFor(zero, size, 1, {least}, [&](Value row, ValueRange in) {
              Value least = in.front();
              for (int64_t half = 0; half < halves; ++half) {
                Value at[] = {add(firstRow, row), firstColumns[half]};
                Value before = vector::MaskedLoadOp::create(
                    builder, loc, type, out, at, masksBefore[half], none);
                Value sum = loadSums(index(tile * halves + half), row);
                vector::MaskedStoreOp::create(
                    builder, loc, out, at, masks[half],
                    arith::AddFOp::create(builder, loc, before, sum));
                // Columns of padding are zero, and not stored.
                Value less = arith::MinUIOp::create(builder, loc, least,
                                                    tiny.getMagnitude(sum));
                least = arith::SelectOp::create(builder, loc, masks[half], less,
                                                least);
              }
              return Tiles{least};
            }).front();
  }
  emitTinySums(block, numRows, least);
}

void KernelEmitter::emitBlock(const RowBlock &block) {
  auto sumType = amx::TileType::get({kTile, kTile}, builder.getF32Type());
  auto weightType = amx::TileType::get({kTile, kStep}, builder.getBF16Type());
  // Each needs an op of its own to get a register of its own.
  Tiles sums;
  for (size_t tile = 0; tile < block.rowTiles * 2 * block.panels.size(); ++tile)
    sums.push_back(amx::TileZeroOp::create(builder, loc, sumType));

  Value blockPair = add(firstPair, divide(block.input, 2));
  SmallVector<Value> weights;
  for (Value panel : block.panels)
    weights.push_back(getWeights(add(firstPanel, panel), blockPair));
  Value next;
  if (block.nextPairs)
    next = getWeights(block.nextPanel, block.nextPair);
  sums = emitTileFor(
      zero, block.wholePairs, kStep / 2, sums, [&](Value pair, ValueRange in) {
        Value input = add(block.input, multiply(pair, 2));
        if (next)
          emitPrefetch(next, divide(pair, kFetchBlocks), block.nextPairs,
                       /*locality=*/2);
        return emitStep(block, input, in, [&](int64_t number, int64_t half) {
          if (half == 0)
            emitPrefetch(weights[number], add(pair, kFetchPairs),
                         block.aheadPairs, /*locality=*/3);
          return amx::TileLoadOp::create(builder, loc, weightType,
                                         weights[number],
                                         ValueRange{pair, index(half * kPanel)})
              .getRes();
        });
      });
  Value tailSteps = arith::IndexCastUIOp::create(
      builder, loc, builder.getIndexType(), block.tail);
  sums = emitTileFor(zero, tailSteps, 1, sums, [&](Value, ValueRange in) {
    Value input = add(block.input, multiply(block.wholePairs, 2));
    return emitStep(block, input, in, [&](int64_t number, int64_t half) {
      return amx::TileLoadOp::create(
                 builder, loc, weightType, weightTiles,
                 ValueRange{index(number), zero, index(half * kPanel)})
          .getRes();
    });
  });
  emitUpdate(block, sums);
}

/// Blocks of inputs whose sums are chains of their own.
void KernelEmitter::emitInputBlocks(function_ref<void(RowBlock)> body) {
  emitFor(zero, inputs, kAMXSummationBlock, [&](Value input) {
    RowBlock block;
    block.input = input;
    Value size = minimum(index(kAMXSummationBlock), subtract(inputs, input));
    Value whole = roundDown(size, kStep);
    block.wholePairs = divide(whole, 2);
    block.tail = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       whole, size);
    body(block);
  });
}

/// Up to 16 rows: what counts is how fast weights arrive, each of them once.
/// Two panels at a time, up to `end`.
void KernelEmitter::emitFewRows(Value end) {
  emitFor(zero, end, 2, [&](Value panel) {
    emitInputBlocks([&](RowBlock block) {
      block.row = zero;
      block.rowTiles = 1;
      block.aheadPairs = index(kTile);
      block.panels = {panel, add(panel, 1)};
      emitTailWeights(block);
      emitBlock(block);
    });
  });
}

/// All rows meet a block of a panel while it is in the caches. The first block
/// of the call is prefetched by the first rows on their way through it, and
/// each further one while rows meet the one before: enough of them hide the
/// memory. All panels from `begin` on.
void KernelEmitter::emitManyRows(Value begin) {
  // Blocks of two tiles of rows, the second of which may not be whole.
  int64_t size = 2 * kTile;
  Value blockRows = roundDown(add(rows, kTile - 1), size);
  Value all = index(kFetchBlocks * size);
  Value sharesFetch = arith::AndIOp::create(
      builder, loc, fetch,
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, blockRows,
                            all));
  auto select = [&](Value condition, Value a, Value b) -> Value {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  };
  auto isEqual = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  };
  auto isLess = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, a, b);
  };
  emitFor(begin, panels, kGroup, [&](Value group) {
    Value groupEnd = minimum(add(group, kGroup), panels);
    emitInputBlocks([&](RowBlock block) {
      Value nextInput = add(block.input, kAMXSummationBlock);
      Value isLastInput = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::uge, nextInput, inputs);
      emitFor(group, groupEnd, 1, [&](Value panel) {
        block.panels.assign({panel});
        emitTailWeights(block);
        // What comes next: the same inputs of the next panel, the next inputs
        // of the group, or the next group.
        Value after = add(panel, 1);
        Value isLast = isEqual(after, groupEnd);
        Value from =
            select(isLast, select(isLastInput, zero, nextInput), block.input);
        block.nextPanel =
            add(firstPanel,
                select(isLast, select(isLastInput, groupEnd, group), after));
        Value nextPair = add(firstPair, divide(from, 2));

        Value isFirst = isEqual(add(panel, block.input), begin);
        Value fetchesAhead = arith::AndIOp::create(
            builder, loc, fetch,
            arith::OrIOp::create(
                builder, loc, isFirst,
                arith::XOrIOp::create(
                    builder, loc, sharesFetch,
                    arith::ConstantIntOp::create(builder, loc, 1, 1))));
        Value ahead =
            select(fetchesAhead, minimum(index(size), blockRows), zero);
        Value shared =
            select(sharesFetch, minimum(add(ahead, all), blockRows), ahead);
        // The first rows fetch ahead, so many after them share what comes
        // next: one loop, since LLVM takes its time for each copy of a block.
        emitFor(zero, blockRows, size, [&](Value row) {
          block.row = row;
          block.rowTiles = 2;
          Value isAhead = isLess(row, ahead);
          block.aheadPairs = select(isAhead, index(kTile), zero);
          Value isShared = isLess(row, shared);
          block.nextPairs =
              select(isAhead, zero,
                     select(isShared, index(kTile / kFetchBlocks), zero));
          Value sharedRow = select(isAhead, zero, subtract(row, ahead));
          block.nextPair = add(
              nextPair,
              arith::MulIOp::create(builder, loc, divide(sharedRow, size),
                                    divide(block.wholePairs, kFetchBlocks)));
          emitBlock(block);
        });
        emitFor(blockRows, rows, kTile, [&](Value row) {
          block.row = row;
          block.rowTiles = 1;
          block.aheadPairs = index(kTile);
          block.nextPairs = Value();
          emitBlock(block);
        });
      });
    });
  });
}

void KernelEmitter::emit() {
  Value *parameters[] = {&lhs,    &packed,     &out,       &rows,  &columns,
                         &inputs, &firstPanel, &firstPair, &fetch, &overwrite};
  for (auto [value, argument] :
       llvm::zip_equal(parameters, function.getArguments()))
    *value = argument;
  auto allocate = [&](ArrayRef<int64_t> shape, Type type) -> Value {
    return memref::AllocaOp::create(builder, loc, MemRefType::get(shape, type),
                                    builder.getI64IntegerAttr(64));
  };
  sumTiles = allocate({4, kTile, kTile}, builder.getF32Type());
  weightTiles = allocate({2, kTile, 2 * kPanel}, builder.getBF16Type());
  zero = index(0);
  panels = divide(add(columns, kPanel - 1), kPanel);
  packed = memref::CollapseShapeOp::create(
      builder, loc, packed, ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});

  // An odd panel is left to the other form.
  Value isFew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                      rows, index(kTile));
  Value few =
      arith::SelectOp::create(builder, loc, isFew, roundDown(panels, 2), zero);
  emitFewRows(few);
  emitManyRows(few);
  func::ReturnOp::create(builder, loc);
}

func::FuncOp mlir::xfmr::getAMXPanelKernel(OpBuilder &builder,
                                           func::FuncOp caller) {
  constexpr int64_t dynamic = ShapedType::kDynamic;
  auto strided = [&](ArrayRef<int64_t> shape, Type type,
                     ArrayRef<int64_t> strides) -> Type {
    return MemRefType::get(
        shape, type,
        StridedLayoutAttr::get(builder.getContext(), dynamic, strides));
  };
  SmallVector<Type> types{
      strided({dynamic, dynamic}, builder.getBF16Type(), {dynamic, 1}),
      strided({dynamic, dynamic, kPanel, 2}, builder.getBF16Type(),
              {dynamic, 2 * kPanel, 2, 1}),
      strided({dynamic, dynamic}, builder.getF32Type(), {dynamic, 1})};
  types.append(5, builder.getIndexType());
  types.append(2, builder.getI1Type());
  // One configuration of the tiles is for one function.
  return getKernelFunction(
      builder, caller->getParentOfType<ModuleOp>().getLoc(), caller,
      kAMXPanelKernel, builder.getFunctionType(types, TypeRange()),
      [&](func::FuncOp kernel) { KernelEmitter(builder, kernel).emit(); });
}
