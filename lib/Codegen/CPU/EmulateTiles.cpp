//===- EmulateTiles.cpp - AMX tiles as buffers ----------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulateTiles.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// What a tile register holds.
constexpr int64_t kTileBytes = 1024;

/// Every value of tile type gets a buffer. Values that cannot be alive at the
/// same time (in sibling regions) share one: a function of many kernels would
/// otherwise need much stack.
class TileEmulator {
public:
  TileEmulator(RewriterBase &rewriter) : rewriter(rewriter) {}

  LogicalResult run(Operation *function) {
    if (failed(emulate(function->getRegion(0), /*used=*/0, function)))
      return failure();
    eraseTiles(function);
    return success();
  }

private:
  LogicalResult emulate(Region &region, unsigned used, Operation *scope);
  LogicalResult emulate(Operation *op, unsigned &used, Operation *scope);
  LogicalResult emulateLoop(scf::ForOp loop, unsigned &used, Operation *scope);
  LogicalResult emulateIf(scf::IfOp branch, unsigned &used, Operation *scope);
  void emulateAccess(Operation *op, Value base, ValueRange indices,
                     Value stride, Value tile, bool isStore);
  LogicalResult emulateProduct(amx::TileMulFOp op);

  /// Buffer number `slot` of `scope`, seen as a tile of `type`.
  Value getBuffer(Operation *scope, unsigned slot, amx::TileType type);
  Value getConstant(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }
  void copy(Location loc, Value from, Value to);
  /// Runs `body` for every row of a tile.
  void forRows(Location loc, int64_t rows, function_ref<void(Value)> body);
  Value loadRow(Location loc, Value buffer, Value row);
  void storeRow(Location loc, Value vector, Value buffer, Value row);
  /// Copies each yielded tile to the buffer in its place, all at once.
  void yieldTo(Operation *terminator, ArrayRef<Value> targets, unsigned &used,
               Operation *scope);
  /// Erases the ops and values of tiles, whose work is done.
  void eraseTiles(Operation *function);

  RewriterBase &rewriter;
  /// The buffer of each tile.
  IRMapping buffers;
  /// The ops of the AMX dialect, in order.
  SmallVector<Operation *> tileOps;
  DenseMap<std::pair<Operation *, unsigned>, Value> slots;
};

bool isTile(Value value) { return isa<amx::TileType>(value.getType()); }

VectorType getRowType(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return VectorType::get({type.getDimSize(1)}, type.getElementType());
}

} // namespace

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Value getIntegerSplat(OpBuilder &builder, Location loc, VectorType type,
                             uint32_t bits) {
  auto integers = type.cloneWith(std::nullopt, builder.getI32Type());
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(cast<ShapedType>(integers), APInt(32, bits)));
}

Value mlir::xfmr::flushSubnormals(OpBuilder &builder, Location loc,
                                  Value vector) {
  auto type = cast<VectorType>(vector.getType());
  Type integers = type.cloneWith(std::nullopt, builder.getI32Type());
  Value bits = arith::BitcastOp::create(builder, loc, integers, vector);
  auto mask = [&](uint32_t value) -> Value {
    return arith::AndIOp::create(builder, loc, bits,
                                 getIntegerSplat(builder, loc, type, value));
  };
  Value isSmall = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        mask(0x7f800000), // the exponent
                                        getIntegerSplat(builder, loc, type, 0));
  Value flushed =
      arith::SelectOp::create(builder, loc, isSmall, mask(0x80000000), bits);
  return arith::BitcastOp::create(builder, loc, type, flushed);
}

Value mlir::xfmr::widenHalf(OpBuilder &builder, Location loc, Value pairs,
                            unsigned odd) {
  auto pairsType = cast<VectorType>(pairs.getType());
  auto type =
      VectorType::get({pairsType.getDimSize(0) / 2}, builder.getF32Type());
  Value bits = vector::BitCastOp::create(
      builder, loc, VectorType::get(type.getShape(), builder.getI32Type()),
      pairs);
  // The even element is the lower half.
  Value wide =
      odd ? arith::AndIOp::create(
                builder, loc, bits,
                getIntegerSplat(builder, loc, type, 0xffff0000))
                .getResult()
          : arith::ShLIOp::create(builder, loc, bits,
                                  getIntegerSplat(builder, loc, type, 16))
                .getResult();
  return arith::BitcastOp::create(builder, loc, type, wide);
}

/// `acc` plus products of bf16 values, with one rounding.
static Value multiplyAdd(OpBuilder &builder, Location loc, Value a, Value b,
                         Value acc) {
  Value sum = math::FmaOp::create(
      builder, loc, flushSubnormals(builder, loc, a),
      flushSubnormals(builder, loc, b), flushSubnormals(builder, loc, acc));
  return flushSubnormals(builder, loc, sum);
}

Value mlir::xfmr::emulateDot(OpBuilder &builder, Location loc, Value acc,
                             Value a, Value b) {
  for (unsigned odd : {1, 0})
    acc = multiplyAdd(builder, loc, widenHalf(builder, loc, a, odd),
                      widenHalf(builder, loc, b, odd), acc);
  return acc;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value TileEmulator::getBuffer(Operation *scope, unsigned slot,
                              amx::TileType type) {
  Value &bytes = slots[{scope, slot}];
  if (!bytes) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&scope->getRegion(0).front());
    bytes = memref::AllocaOp::create(
        rewriter, scope->getLoc(),
        MemRefType::get({kTileBytes}, rewriter.getI8Type()),
        rewriter.getI64IntegerAttr(64));
  }
  Location loc = scope->getLoc();
  return memref::ViewOp::create(
      rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
      bytes, getConstant(loc, 0), ValueRange());
}

void TileEmulator::forRows(Location loc, int64_t rows,
                           function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(rewriter, loc, getConstant(loc, 0),
                                 getConstant(loc, rows), getConstant(loc, 1));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Value TileEmulator::loadRow(Location loc, Value buffer, Value row) {
  return vector::LoadOp::create(rewriter, loc, getRowType(buffer), buffer,
                                ValueRange{row, getConstant(loc, 0)});
}

void TileEmulator::storeRow(Location loc, Value vector, Value buffer,
                            Value row) {
  vector::StoreOp::create(rewriter, loc, vector, buffer,
                          ValueRange{row, getConstant(loc, 0)});
}

void TileEmulator::copy(Location loc, Value from, Value to) {
  if (from == to)
    return;
  forRows(loc, cast<MemRefType>(to.getType()).getDimSize(0),
          [&](Value row) { storeRow(loc, loadRow(loc, from, row), to, row); });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The rows of a tile lie `stride` elements apart in memory, from the element
/// at `indices` on; their elements lie side by side.
void TileEmulator::emulateAccess(Operation *op, Value base, ValueRange indices,
                                 Value stride, Value tile, bool isStore) {
  Location loc = op->getLoc();
  auto metadata = memref::ExtractStridedMetadataOp::create(rewriter, loc, base);
  Value start = metadata.getOffset();
  for (auto [index, dimStride] :
       llvm::zip_equal(indices, metadata.getStrides()))
    start = arith::AddIOp::create(
        rewriter, loc, start,
        arith::MulIOp::create(rewriter, loc, index, dimStride));
  if (!stride)
    stride = metadata.getStrides()[indices.size() - 2];
  VectorType rowType = getRowType(tile);
  forRows(loc, cast<MemRefType>(tile.getType()).getDimSize(0), [&](Value row) {
    Value offset = arith::AddIOp::create(
        rewriter, loc, start,
        arith::MulIOp::create(rewriter, loc, row, stride));
    auto flatType =
        MemRefType::get(rowType.getShape(), rowType.getElementType(),
                        StridedLayoutAttr::get(rewriter.getContext(),
                                               ShapedType::kDynamic, {1}),
                        cast<MemRefType>(base.getType()).getMemorySpace());
    Value flat = memref::ReinterpretCastOp::create(
        rewriter, loc, flatType, metadata.getBaseBuffer(), OpFoldResult(offset),
        ArrayRef<OpFoldResult>{rewriter.getIndexAttr(rowType.getDimSize(0))},
        ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1)});
    Value zero = getConstant(loc, 0);
    if (isStore)
      vector::StoreOp::create(rewriter, loc, loadRow(loc, tile, row), flat,
                              zero);
    else
      storeRow(loc, vector::LoadOp::create(rewriter, loc, rowType, flat, zero),
               tile, row);
  });
}

/// `tdpbf16ps`: for each element, one chain of additions over the even and one
/// over the odd elements of the whole row, both from zero; their sum is added
/// to the accumulator.
LogicalResult TileEmulator::emulateProduct(amx::TileMulFOp op) {
  Location loc = op.getLoc();
  if (!op.getLhsTileType().getElementType().isBF16())
    return op.emitOpError("expected bf16 tiles for emulation, got ")
           << op.getLhsTileType();
  Value lhs = buffers.lookup(op.getLhs()), rhs = buffers.lookup(op.getRhs());
  Value acc = buffers.lookup(op.getAcc()), result = buffers.lookup(op.getRes());
  VectorType sumType = getRowType(acc);
  int64_t pairs = op.getLhsTileType().getDimSize(1) / 2;
  forRows(loc, op.getTileType().getDimSize(0), [&](Value row) {
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(sumType));
    auto chains = scf::ForOp::create(
        rewriter, loc, getConstant(loc, 0), getConstant(loc, pairs),
        getConstant(loc, 1), ValueRange{zero, zero},
        [&](OpBuilder &, Location, Value k, ValueRange sums) {
          Value weights = loadRow(loc, rhs, k);
          SmallVector<Value> next;
          for (unsigned odd : {0, 1}) {
            Value column = arith::AddIOp::create(
                rewriter, loc,
                arith::MulIOp::create(rewriter, loc, k, getConstant(loc, 2)),
                getConstant(loc, odd));
            Value element = memref::LoadOp::create(rewriter, loc, lhs,
                                                   ValueRange{row, column});
            Value wide = arith::ExtFOp::create(rewriter, loc,
                                               rewriter.getF32Type(), element);
            Value lanes =
                vector::BroadcastOp::create(rewriter, loc, sumType, wide);
            next.push_back(multiplyAdd(rewriter, loc, lanes,
                                       widenHalf(rewriter, loc, weights, odd),
                                       sums[odd]));
          }
          scf::YieldOp::create(rewriter, loc, next);
        });
    auto add = [&](Value a, Value b) {
      return flushSubnormals(rewriter, loc,
                             arith::AddFOp::create(rewriter, loc, a, b));
    };
    Value sum = add(chains.getResult(0), chains.getResult(1));
    Value before = flushSubnormals(rewriter, loc, loadRow(loc, acc, row));
    storeRow(loc, add(before, sum), result, row);
  });
  return success();
}

void TileEmulator::yieldTo(Operation *terminator, ArrayRef<Value> targets,
                           unsigned &used, Operation *scope) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(terminator);
  Location loc = terminator->getLoc();
  SmallVector<Value> sources;
  for (OpOperand &operand : terminator->getOpOperands())
    if (isTile(operand.get())) {
      Value source = buffers.lookup(operand.get());
      // It may be overwritten before it is read.
      if (llvm::is_contained(targets, source) &&
          targets[sources.size()] != source) {
        Value saved = getBuffer(scope, used++,
                                cast<amx::TileType>(operand.get().getType()));
        copy(loc, source, saved);
        source = saved;
      }
      sources.push_back(source);
    }
  for (auto [source, target] : llvm::zip_equal(sources, targets))
    copy(loc, source, target);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult TileEmulator::emulateLoop(scf::ForOp loop, unsigned &used,
                                        Operation *scope) {
  SmallVector<Value> carried;
  for (auto [init, arg, result] : llvm::zip_equal(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    if (!isTile(init))
      continue;
    Value buffer =
        getBuffer(scope, used++, cast<amx::TileType>(init.getType()));
    copy(loop.getLoc(), buffers.lookup(init), buffer);
    buffers.map(arg, buffer);
    buffers.map(result, buffer);
    carried.push_back(buffer);
  }
  unsigned inner = used;
  if (failed(emulate(loop.getRegion(), inner, scope)))
    return failure();
  if (!carried.empty())
    yieldTo(loop.getBody()->getTerminator(), carried, inner, scope);
  return success();
}

LogicalResult TileEmulator::emulateIf(scf::IfOp branch, unsigned &used,
                                      Operation *scope) {
  SmallVector<Value> results;
  for (Value result : branch.getResults())
    if (isTile(result)) {
      results.push_back(
          getBuffer(scope, used++, cast<amx::TileType>(result.getType())));
      buffers.map(result, results.back());
    }
  for (Region &region : branch->getRegions()) {
    unsigned inner = used;
    if (failed(emulate(region, inner, scope)))
      return failure();
    if (!results.empty())
      yieldTo(region.front().getTerminator(), results, inner, scope);
  }
  return success();
}

LogicalResult TileEmulator::emulate(Operation *op, unsigned &used,
                                    Operation *scope) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emulateLoop(loop, used, scope);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emulateIf(branch, used, scope);

  bool isAMX = isa_and_nonnull<amx::AMXDialect>(op->getDialect());
  bool usesTiles = llvm::any_of(op->getOperands(), isTile) ||
                   llvm::any_of(op->getResults(), isTile);
  if (!isAMX) {
    if (usesTiles && !isa<scf::YieldOp>(op))
      return op->emitOpError("cannot be emulated: it passes on an AMX tile");
    // What a thread holds is a buffer of its own.
    if (isa<scf::ParallelOp, scf::ForallOp, omp::ParallelOp>(op))
      scope = op;
    for (Region &region : op->getRegions()) {
      unsigned inner = used;
      if (failed(emulate(region, inner, scope)))
        return failure();
    }
    return success();
  }

  for (Value result : op->getResults())
    if (auto type = dyn_cast<amx::TileType>(result.getType()))
      buffers.map(result, getBuffer(scope, used++, type));
  tileOps.push_back(op);
  if (auto zero = dyn_cast<amx::TileZeroOp>(op)) {
    Location loc = op->getLoc();
    Value buffer = buffers.lookup(zero.getRes());
    Value zeros = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(getRowType(buffer)));
    forRows(loc, zero.getTileType().getDimSize(0),
            [&](Value row) { storeRow(loc, zeros, buffer, row); });
    return success();
  }
  if (auto load = dyn_cast<amx::TileLoadOp>(op)) {
    emulateAccess(op, load.getBase(), load.getIndices(), load.getStride(),
                  buffers.lookup(load.getRes()), /*isStore=*/false);
    return success();
  }
  if (auto store = dyn_cast<amx::TileStoreOp>(op)) {
    emulateAccess(op, store.getBase(), store.getIndices(), store.getStride(),
                  buffers.lookup(store.getVal()), /*isStore=*/true);
    return success();
  }
  if (auto product = dyn_cast<amx::TileMulFOp>(op))
    return emulateProduct(product);
  return op->emitOpError("cannot be emulated: it has no emulation");
}

LogicalResult TileEmulator::emulate(Region &region, unsigned used,
                                    Operation *scope) {
  for (Block &block : region) {
    if (&block != &region.front() && llvm::any_of(block.getArguments(), isTile))
      return region.getParentOp()->emitOpError(
          "cannot be emulated: AMX tiles are passed between its blocks");
    for (Operation &op : llvm::make_early_inc_range(block)) {
      rewriter.setInsertionPoint(&op);
      if (failed(emulate(&op, used, scope)))
        return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The end of the tiles
//===----------------------------------------------------------------------===//

static SmallVector<Value> withoutTiles(ValueRange values) {
  return llvm::filter_to_vector(values,
                                [](Value value) { return !isTile(value); });
}

/// The op without results of tile type, which have no uses left.
static void rebuild(RewriterBase &rewriter, scf::ForOp loop) {
  rewriter.setInsertionPoint(loop);
  auto plain = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep(),
                                  loop.getInitArgs(), /*bodyBuilder=*/nullptr,
                                  loop.getUnsignedCmp());
  plain->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  rewriter.eraseBlock(plain.getBody());
  loop.getBody()->eraseArguments([](BlockArgument arg) { return isTile(arg); });
  rewriter.inlineRegionBefore(loop.getRegion(), plain.getRegion(),
                              plain.getRegion().end());
  rewriter.replaceAllUsesWith(withoutTiles(loop->getResults()),
                              plain.getResults());
  loop->dropAllUses();
  rewriter.eraseOp(loop);
}

static void rebuild(RewriterBase &rewriter, scf::IfOp branch) {
  rewriter.setInsertionPoint(branch);
  SmallVector<Value> results = withoutTiles(branch->getResults());
  auto plain =
      scf::IfOp::create(rewriter, branch.getLoc(),
                        ValueRange(results).getTypes(), branch.getCondition());
  plain->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), plain->getRegions())) {
    to.takeBody(from);
  }
  rewriter.replaceAllUsesWith(results, plain.getResults());
  rewriter.eraseOp(branch);
}

void TileEmulator::eraseTiles(Operation *function) {
  SmallVector<Operation *> carriers;
  function->walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::IfOp>(op) &&
        llvm::any_of(op->getResults(), isTile))
      carriers.push_back(op);
  });
  // First all uses by control flow, then what defines them.
  for (Operation *op : carriers) {
    op->setOperands(withoutTiles(op->getOperands()));
    for (Region &region : op->getRegions()) {
      Operation *yield = region.front().getTerminator();
      yield->setOperands(withoutTiles(yield->getOperands()));
    }
  }
  for (Operation *op : llvm::reverse(tileOps))
    rewriter.eraseOp(op);
  for (Operation *op : carriers) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      rebuild(rewriter, loop);
    else
      rebuild(rewriter, cast<scf::IfOp>(op));
  }
}

LogicalResult mlir::xfmr::emulateTiles(RewriterBase &rewriter,
                                       Operation *function) {
  return TileEmulator(rewriter).run(function);
}
