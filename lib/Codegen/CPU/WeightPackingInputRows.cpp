//===- WeightPackingInputRows.cpp - Rows of inputs, packed in place -------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the rows of a weight are inputs, each holds a run of every panel, and
// packing transposes a matrix of runs. Memory is fast where what is moved is
// large, so this takes two passes. First bands of rows are packed, each as a
// weight of its own, whose panels are pieces of some kilobytes. A band goes to
// the place of the band before, which has just left it; only the first is
// copied elsewhere, and goes to the last one's place. Then the pieces are moved
// along the cycles of their permutation, each of them once. The order is
// written down before, for threads to share it, and for the next pieces to be
// fetched while one is moved.
//
//===----------------------------------------------------------------------===//

#include "PackingEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::xfmr;

/// Steps of a band at most: pieces of two kilobytes, where a step is two lines.
/// Larger ones are no faster, and a copy of a band is to be about a panel.
constexpr int64_t kBandSteps = 16;

/// How far ahead of what is moved pieces are fetched: bytes, and pieces at
/// most.
constexpr int64_t kBytesAhead = 12 * 1024, kPiecesAhead = 32;

/// Rows of a band that are packed at a time.
constexpr int64_t kRowsAtOnce = 8;

/// Parts for threads whose number is not known.
constexpr int64_t kParts = 16;

/// The first place of a cycle, in an order of places.
constexpr int32_t kIsFirst = std::numeric_limits<int32_t>::min();

int64_t PackingEmitter::getParts() {
  if (isKnownToBeSmall())
    return 1;
  return options.threads ? options.threads : kParts;
}

static Value toInteger(OpBuilder &builder, Location loc, Value index,
                       Type type) {
  return builder.createOrFold<arith::IndexCastOp>(loc, type, index);
}

PieceEmitter::PieceEmitter(OpBuilder &builder, Location loc, VectorType type,
                           Value elements)
    : FoldedIndex(builder, loc), type(type), elements(elements),
      pointerType(LLVM::LLVMPointerType::get(builder.getContext())) {}

Value PieceEmitter::getElement(Value piece, Value number) {
  return LLVM::GEPOp::create(builder, loc, pointerType, type.getElementType(),
                             piece,
                             ArrayRef<LLVM::GEPArg>{toInteger(
                                 builder, loc, number, builder.getI64Type())});
}

Value PieceEmitter::get(Value memory, Value number) {
  return getElement(memory, fold<arith::MulIOp>(number, elements));
}

void PieceEmitter::fetch(Value piece, Value number) {
  // Into the L2 cache: of fetches into the L1 cache few can be under way.
  LLVM::Prefetch::create(builder, loc, getElement(piece, number), /*rw=*/0,
                         /*hint=*/2, /*cache=*/1);
}

void PieceEmitter::copy(Value to, Value from, Value ahead) {
  auto loop = scf::ForOp::create(builder, loc, constant(0), elements,
                                 constant(type.getNumElements()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  if (ahead)
    fetch(ahead, at);
  unsigned alignment = type.getElementTypeBitWidth() / 8;
  Value vector =
      LLVM::LoadOp::create(builder, loc, type, getElement(from, at), alignment);
  LLVM::StoreOp::create(builder, loc, vector, getElement(to, at), alignment);
}

Value PieceEmitter::getMemory(Value memory, Value offset) {
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  Value address = fold<arith::AddIOp>(
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memory),
      fold<arith::MulIOp>(offset, bytes));
  return LLVM::IntToPtrOp::create(
      builder, loc, pointerType,
      toInteger(builder, loc, address, builder.getI64Type()));
}

Value PackingEmitter::copyRun(Value memory, Value begin, Value elements) {
  Value from = memref::ReinterpretCastOp::create(
      builder, loc, memory, getAsOpFoldResult(begin),
      ArrayRef<OpFoldResult>{getAsOpFoldResult(elements)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  Value scratch = allocate(elements, elementType);
  emitFor(constant(0), elements, columns, [&](Value at) {
    Value run = vector::LoadOp::create(builder, loc, vectorOf(columns), from,
                                       ValueRange{at});
    vector::StoreOp::create(builder, loc, run, scratch, ValueRange{at});
  });
  return scratch;
}

void PackingEmitter::emitBand(Value memory, Value begin, Value place,
                              Value bandSteps) {
  Value pieceElements = fold<arith::MulIOp>(bandSteps, stepElements);
  Value bandElements = fold<arith::MulIOp>(pieceElements, panels);
  source = viewRows(memory, getAsOpFoldResult(begin),
                    getAsOpFoldResult(fold<arith::MulIOp>(bandSteps, group)),
                    getAsOpFoldResult(outputs), getAsOpFoldResult(outputs));
  Value whole = packed;
  packed =
      viewRows(base,
               getAsOpFoldResult(fold<arith::AddIOp>(
                   toValue(offset), fold<arith::MulIOp>(place, bandElements))),
               getAsOpFoldResult(panels), getAsOpFoldResult(pieceElements),
               getAsOpFoldResult(pieceElements));
  // Some rows at once, so that what is written is a run of lines, and those
  // that come next are fetched.
  int64_t steps = kRowsAtOnce / group;
  auto fetchNext = [&](Value input, Value output) {
    Value next = fold<arith::AddIOp>(input, kRowsAtOnce);
    emitFetch(memory,
              fold<arith::AddIOp>(fold<arith::MulIOp>(next, outputs),
                                  fold<arith::AddIOp>(output, begin)),
              columns);
  };
  emitFor(constant(0), bandSteps, steps, [&](Value first) {
    Value end =
        fold<arith::MinUIOp>(fold<arith::AddIOp>(first, steps), bandSteps);
    emitFor(constant(0), panels, 1, [&](Value panel) {
      emitFor(first, end, 1, [&](Value step) {
        emitCopyStep(/*stride=*/1, step, group, panel,
                     fold<arith::AddIOp>(panel, 1), /*columns=*/Value(),
                     fetchNext);
      });
    });
  });
  packed = whole;
}

Value PackingEmitter::emitBands(Value bands, Value bandSteps) {
  Value bandElements =
      fold<arith::MulIOp>(fold<arith::MulIOp>(bandSteps, stepElements), panels);
  Value places = allocate(bands, builder.getIndexType());
  int64_t parts = getParts();
  emitParallel(constant(parts), [&](Value part) {
    Value first, end;
    std::tie(first, end) = getPart(bands, part, constant(parts));
    Value last = fold<arith::SubIOp>(end, 1);
    auto getBegin = [&](Value band) {
      return fold<arith::AddIOp>(toValue(offset),
                                 fold<arith::MulIOp>(band, bandElements));
    };
    auto setPlace = [&](Value band, Value place) {
      memref::StoreOp::create(builder, loc, place, places, ValueRange{band});
    };
    emitIf(compare(arith::CmpIPredicate::ult, first, end), [&] {
      Value scratch = copyRun(base, getBegin(first), bandElements);
      emitFor(fold<arith::AddIOp>(first, 1), end, 1, [&](Value band) {
        Value place = fold<arith::SubIOp>(band, 1);
        emitBand(base, getBegin(band), place, bandSteps);
        setPlace(band, place);
      });
      emitBand(scratch, constant(0), last, bandSteps);
      setPlace(first, last);
      memref::DeallocOp::create(builder, loc, scratch);
    });
  });
  return places;
}

void PackingEmitter::emitCycles(
    Value bands, Value bandPlaces, function_ref<void(Value)> emitStart,
    function_ref<void(Value, Value, Value, Value)> emitPlace) {
  Value pieces = fold<arith::MulIOp>(bands, panels);
  IntegerType byte = builder.getI8Type(), wide = builder.getI64Type();
  Value flags = fold<arith::DivUIOp>(fold<arith::AddIOp>(pieces, 7), 8);
  Value done = allocate(flags, byte);
  Value none = arith::ConstantIntOp::create(builder, loc, 0, 8);
  Value bit0 = arith::ConstantIntOp::create(builder, loc, 1, 8);
  emitFor(constant(0), flags, 1, [&](Value at) {
    memref::StoreOp::create(builder, loc, none, done, ValueRange{at});
  });
  // The flags around a place's, where they are, and its own.
  auto getFlags = [&](Value place) -> std::tuple<Value, Value, Value> {
    Value at = fold<arith::DivUIOp>(place, 8);
    Value number =
        toInteger(builder, loc, fold<arith::RemUIOp>(place, 8), byte);
    return {memref::LoadOp::create(builder, loc, done, ValueRange{at}), at,
            arith::ShLIOp::create(builder, loc, bit0, number)};
  };
  // Each place waits for a quotient: a product with a reciprocal, rounded up,
  // whose upper half is the quotient of all that is below 2^32.
  Value reciprocal = fold<arith::AddIOp>(
      fold<arith::DivUIOp>(arith::ConstantIntOp::create(builder, loc, -1, 64),
                           toInteger(builder, loc, bands, wide)),
      arith::ConstantIntOp::create(builder, loc, 1, 64));
  auto getSource = [&](Value place) {
    Value panel = arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(),
        arith::MulUIExtendedOp::create(
            builder, loc, toInteger(builder, loc, place, wide), reciprocal)
            .getHigh());
    Value band = fold<arith::SubIOp>(place, fold<arith::MulIOp>(panel, bands));
    if (bandPlaces)
      band = memref::LoadOp::create(builder, loc, bandPlaces, ValueRange{band});
    return fold<arith::AddIOp>(fold<arith::MulIOp>(band, panels), panel);
  };

  Value zero = constant(0);
  auto starts = scf::ForOp::create(builder, loc, zero, pieces, constant(1),
                                   ValueRange{zero});
  builder.setInsertionPointToStart(starts.getBody());
  Value start = starts.getInductionVar(), count = starts.getRegionIterArg(0);
  auto [startFlags, startAt, startFlag] = getFlags(start);
  auto isLeft = scf::IfOp::create(
      builder, loc,
      compare(arith::CmpIPredicate::eq,
              fold<arith::AndIOp>(startFlags, startFlag), none),
      [&](OpBuilder &, Location) {
        emitStart(start);
        auto loop = scf::WhileOp::create(
            builder, loc, TypeRange{start.getType(), start.getType()},
            ValueRange{start, count},
            [&](OpBuilder &, Location, ValueRange args) {
              auto [flags, at, flag] = getFlags(args[0]);
              memref::StoreOp::create(builder, loc,
                                      fold<arith::OrIOp>(flags, flag), done,
                                      ValueRange{at});
              Value from = getSource(args[0]);
              emitPlace(start, args[0], from, args[1]);
              scf::ConditionOp::create(
                  builder, loc, compare(arith::CmpIPredicate::ne, from, start),
                  ValueRange{from, fold<arith::AddIOp>(args[1], 1)});
            },
            [&](OpBuilder &, Location, ValueRange args) {
              scf::YieldOp::create(builder, loc, args);
            });
        scf::YieldOp::create(builder, loc, loop.getResult(1));
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(builder, loc, count);
      });
  scf::YieldOp::create(builder, loc, isLeft.getResult(0));
  builder.setInsertionPointAfter(starts);
  memref::DeallocOp::create(builder, loc, done);
}

PieceEmitter PackingEmitter::getPieces(Value pieceElements) {
  // Bits: a target without arithmetic on bf16 would widen it, which is not a
  // copy for a NaN.
  return PieceEmitter(
      builder, loc,
      VectorType::get(lanes, builder.getIntegerType(8 * getElementBytes())),
      pieceElements);
}

void PackingEmitter::emitRunsInPlace() {
  PieceEmitter runs = getPieces(constant(stepElements));
  Value memory = runs.getMemory(base, toValue(offset));
  Value scratch = allocate(constant(stepElements), elementType);
  Value kept = runs.getMemory(scratch, constant(0));
  emitCycles(
      fullSteps, /*bandPlaces=*/Value(),
      [&](Value start) { runs.copy(kept, runs.get(memory, start)); },
      [&](Value start, Value place, Value from, Value) {
        Value closes = compare(arith::CmpIPredicate::eq, from, start);
        runs.copy(runs.get(memory, place),
                  arith::SelectOp::create(builder, loc, closes, kept,
                                          runs.get(memory, from)));
      });
  memref::DeallocOp::create(builder, loc, scratch);
}

void PackingEmitter::emitPiecesInPlace(Value bands, Value bandSteps,
                                       Value bandPlaces) {
  Value count = fold<arith::MulIOp>(bands, panels);
  Value pieceElements = fold<arith::MulIOp>(bandSteps, stepElements);
  PieceEmitter pieces = getPieces(pieceElements);
  Value memory = pieces.getMemory(base, toValue(offset));

  // The places, each before the one that its piece is taken from.
  Value order = allocate(count, builder.getI32Type());
  Value isFirstFlag = arith::ConstantIntOp::create(builder, loc, kIsFirst, 32);
  Value noFlag = arith::ConstantIntOp::create(builder, loc, 0, 32);
  emitCycles(
      bands, bandPlaces, [](Value) {},
      [&](Value start, Value place, Value, Value number) {
        Value flag = arith::SelectOp::create(
            builder, loc, compare(arith::CmpIPredicate::eq, place, start),
            isFirstFlag, noFlag);
        Value entry = fold<arith::OrIOp>(
            toInteger(builder, loc, place, builder.getI32Type()), flag);
        memref::StoreOp::create(builder, loc, entry, order, ValueRange{number});
      });
  auto getEntry = [&](Value number) -> Value {
    return memref::LoadOp::create(builder, loc, order, ValueRange{number});
  };
  auto isFirst = [&](Value entry) {
    return compare(arith::CmpIPredicate::slt, entry, noFlag);
  };
  auto getPiece = [&](Value entry) {
    Value place = fold<arith::AndIOp>(
        entry, arith::ConstantIntOp::create(builder, loc, ~kIsFirst, 32));
    return pieces.get(memory, arith::IndexCastOp::create(
                                  builder, loc, builder.getIndexType(), place));
  };

  // Of every part, what another may overwrite before it is taken: the first
  // piece of the cycle that it begins in, and that of the next part.
  int64_t parts = getParts();
  Value keptElements = fold<arith::MulIOp>(pieceElements, parts);
  Value firsts = allocate(keptElements, elementType);
  Value nexts = allocate(keptElements, elementType);
  Value first0 = pieces.getMemory(firsts, constant(0));
  Value next0 = pieces.getMemory(nexts, constant(0));
  auto emitPart = [&](Value part, function_ref<void(Value, Value)> body) {
    Value begin, end;
    std::tie(begin, end) = getPart(count, part, constant(parts));
    emitIf(compare(arith::CmpIPredicate::ult, begin, end),
           [&] { body(begin, end); });
  };
  Value last = fold<arith::SubIOp>(count, 1);
  emitFor(constant(0), constant(parts), 1, [&](Value part) {
    emitPart(part, [&](Value begin, Value end) {
      auto search = scf::WhileOp::create(
          builder, loc, TypeRange{begin.getType()}, ValueRange{begin},
          [&](OpBuilder &, Location, ValueRange args) {
            scf::ConditionOp::create(
                builder, loc,
                compare(arith::CmpIPredicate::sge, getEntry(args[0]), noFlag),
                args);
          },
          [&](OpBuilder &, Location, ValueRange args) {
            scf::YieldOp::create(builder, loc, fold<arith::SubIOp>(args[0], 1));
          });
      pieces.copy(pieces.get(first0, part),
                  getPiece(getEntry(search.getResult(0))));
      pieces.copy(pieces.get(next0, part),
                  getPiece(getEntry(fold<arith::MinUIOp>(end, last))));
    });
  });
  Value ahead = fold<arith::MinUIOp>(
      fold<arith::DivUIOp>(
          constant(kBytesAhead),
          fold<arith::MulIOp>(pieceElements, getElementBytes())),
      kPiecesAhead);
  emitParallel(constant(parts), [&](Value part) {
    emitPart(part, [&](Value begin, Value end) {
      Value first = pieces.get(first0, part), next = pieces.get(next0, part);
      emitFor(begin, end, 1, [&](Value number) {
        Value entry = getEntry(number), piece = getPiece(entry);
        emitIf(isFirst(entry), [&] { pieces.copy(first, piece); });
        Value following = fold<arith::AddIOp>(number, 1);
        Value source = getEntry(fold<arith::MinUIOp>(following, last));
        Value closes = fold<arith::OrIOp>(
            isFirst(source),
            compare(arith::CmpIPredicate::eq, following, count));
        Value from = arith::SelectOp::create(
            builder, loc, compare(arith::CmpIPredicate::eq, following, end),
            next, getPiece(source));
        from = arith::SelectOp::create(builder, loc, closes, first, from);
        Value fetched = getPiece(getEntry(
            fold<arith::MinUIOp>(fold<arith::AddIOp>(number, ahead), last)));
        pieces.copy(piece, from, fetched);
      });
    });
  });
  for (Value memory : {order, firsts, nexts})
    memref::DeallocOp::create(builder, loc, memory);
}

void PackingEmitter::emitInputRowsInPlace() {
  auto emitTwoPasses = [&] {
    // The largest power of two that divides the steps.
    Value bandSteps = fold<arith::AndIOp>(
        fullSteps, fold<arith::SubIOp>(constant(0), fullSteps));
    bandSteps = fold<arith::MaxUIOp>(
        fold<arith::MinUIOp>(bandSteps, kBandSteps), constant(1));
    Value bands = fold<arith::DivUIOp>(fullSteps, bandSteps);
    Value bandPlaces = emitBands(bands, bandSteps);
    // The pieces of a single band are panels.
    emitIf(compare(arith::CmpIPredicate::ugt, bands, constant(1)),
           [&] { emitPiecesInPlace(bands, bandSteps, bandPlaces); });
    memref::DeallocOp::create(builder, loc, bandPlaces);
  };
  if (group > 1)
    return emitTwoPasses();
  // In a cache the runs themselves are large enough, for one thread.
  Value bytes = fold<arith::MulIOp>(fold<arith::MulIOp>(inputs, outputs),
                                    getElementBytes());
  Value isCached =
      compare(arith::CmpIPredicate::ult, bytes,
              constant(getParts() == 1 ? options.nonTemporalFrom : 0));
  Value isOneRun = compare(arith::CmpIPredicate::ule, fullSteps, constant(1));
  emitIf(
      isCached, [&] { emitIf(isOneRun, [] {}, [&] { emitRunsInPlace(); }); },
      emitTwoPasses);
}
