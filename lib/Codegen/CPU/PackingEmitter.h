//===- PackingEmitter.h - The loops of one packing --------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_PACKINGEMITTER_H
#define XFMR_LIB_CODEGEN_CPU_PACKINGEMITTER_H

#include "CacheLine.h"
#include "FoldedIndex.h"
#include "WeightPacking.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::xfmr {

/// Emits copies of pieces of memory, all of one size.
class PieceEmitter : FoldedIndex {
public:
  /// A piece has so many elements, which move in vectors of `type`.
  PieceEmitter(OpBuilder &builder, Location loc, VectorType type,
               Value elements);

  /// A pointer to the element of this number.
  Value getMemory(Value memory, Value offset);
  /// The piece of this number, from a pointer on.
  Value get(Value memory, Value number);
  /// Copies a piece; `ahead`, if any, is one that is fetched meanwhile.
  void copy(Value to, Value from, Value ahead = nullptr);
  /// Fetches the cache line of an element of a piece, or of what follows it.
  void fetch(Value piece, Value number);

private:
  Value getElement(Value piece, Value number);

  VectorType type;
  Value elements;
  Type pointerType;
};

/// Emits one packing: the forms, and the index arithmetic, loops, loads and
/// stores that they share.
class PackingEmitter : FoldedIndex {
public:
  /// `odd`, if any, packs the elements between those that `op` packs.
  PackingEmitter(RewriterBase &builder, PackWeightOp op, PackWeightOp odd,
                 const WeightPackingOptions &options);

  PackingForm emit();

private:
  void emitFor(Value from, Value to, int64_t step,
               function_ref<void(Value)> body);
  /// Whether threads would cost more than they gain.
  bool isKnownToBeSmall();
  /// Parts of about the same work, as many as there are threads.
  int64_t getParts();
  void emitParallel(Value count, function_ref<void(Value)> body);
  /// Whether the packed weight's memory is allocated for it, and nobody else's.
  bool isInMemoryOfItsOwn(PackWeightOp packing);
  bool isInPlacePossible();
  /// A parallel loop over panels, which read `panelBase` from `panelOffset` on:
  /// copies of them in place.
  void emitPanels(function_ref<void(Value)> body);
  /// Packs a weight whose rows are inputs into its own memory: the packed
  /// weight's is the same.
  void emitInputRowsInPlace();
  /// Packs every band of the weight by itself, so that the steps of a panel are
  /// a piece of it, and returns where the pieces of each band are. To be freed.
  Value emitBands(Value bands, Value bandSteps);
  /// Packs a band of rows, from `begin` of `memory` on, into the place of a
  /// band.
  void emitBand(Value memory, Value begin, Value place, Value bandSteps);
  PieceEmitter getPieces(Value pieceElements);
  /// Moves the pieces of all bands to where their panels are.
  void emitPiecesInPlace(Value bands, Value bandSteps, Value bandPlaces);
  /// The same for runs of single inputs, as they are.
  void emitRunsInPlace();
  /// Walks along the cycles of the pieces' permutation. Emits, for each cycle,
  /// what its first place needs, and for each place, what the cycle's first
  /// one, the place itself, the place that its piece is taken from and their
  /// number ask for. Without `bandPlaces`, each band is where it was.
  void emitCycles(Value bands, Value bandPlaces,
                  function_ref<void(Value)> emitStart,
                  function_ref<void(Value, Value, Value, Value)> emitPlace);
  /// A copy of a run of `memory`, whole runs of a panel. To be freed.
  Value copyRun(Value memory, Value begin, Value elements);
  Value allocate(Value elements, Type type);
  /// Packs a weight whose rows are outputs into its own memory.
  void emitOutputRowsInPlace();
  /// A copy of the rows of a panel, `outputStride` apart, as far as it is read.
  /// To be freed.
  Value copyPanel(Value begin);
  /// Whether the block of inputs from `input` on of a row of the panel at hand,
  /// packed in place, is to be read from the copy: it may have been written
  /// over.
  Value isOverwritten(Value row, Value input);
  Value getFirstCopied(Value row);
  Value getCopied(Value row, Value input);
  Value loadInPlace(Value row, Value input, int64_t count);
  /// Fetches what the next panel has there.
  void fetchInPlace(Value row, Value input, int64_t count);
  /// Emits `then` under a condition, or without one where it is known.
  void emitIf(Value condition, function_ref<void()> then,
              function_ref<void()> otherwise = nullptr);

  /// Emits `body` for the step of the last inputs, if they fill no group.
  void emitLastStep(function_ref<void()> body);

  /// The memory of a packed weight, a row for each panel.
  Value viewPacked(PackWeightOp packing);
  Value emitIsLarge(PackWeightOp packing, Value rows);
  void emitFence();
  /// All but what takes another way in place.
  PackingForm emitElsewhere();
  PackingForm emitForms();
  void emitForm(PackingForm form);
  void emitCopy(int64_t stride);
  /// One step of some panels, of which so many inputs are there. Emits what is
  /// to be fetched ahead for an input and the first of some outputs.
  void emitCopyStep(int64_t stride, Value step, int64_t validInputs,
                    Value firstPanel, Value endPanel, Value columns,
                    function_ref<void(Value, Value)> emitAhead = nullptr);
  void emitCopySteps(int64_t stride, Value firstPanel, Value endPanel,
                     Value columns);
  /// The outputs of a panel for one input, and those of its pair.
  SmallVector<Value> loadOutputs(int64_t stride, Value input, Value output,
                                 Value columns);
  void emitTranspose();
  void emitTransposedSteps(ArrayRef<Value> rows, Value panel, Value step);
  void emitZeros(Value panel, Value columns);
  void emitGather();
  void emitGatheredStep(Value panel, Value step);

  int64_t getElementBytes() { return elementType.getIntOrFloatBitWidth() / 8; }
  /// Bits of what moves as one: the inputs of a group.
  int64_t getCellBits() { return group * elementType.getIntOrFloatBitWidth(); }
  /// Steps that one transposed block of a panel has.
  int64_t getBlockSteps() {
    int64_t cells =
        options.vectorBytes * 8 / std::max<int64_t>(32, getCellBits());
    return getCellBits() == 16 ? 2 * cells : cells;
  }
  bool canTranspose() {
    int64_t bits = getCellBits();
    return bits == 64 || bits == 32 ||
           (bits == 16 && columns % getBlockSteps() == 0);
  }

  /// Memory of the weight with unit stride in its last dim.
  Value viewRows(Value memory, OpFoldResult from, OpFoldResult rows,
                 OpFoldResult rowStride, OpFoldResult length);
  /// Fetches the lines of elements of `memory`, which need not be there.
  void emitFetch(Value memory, Value place, int64_t elements);
  /// Stores native vectors: `piece` gives the i-th of a step.
  void storeStep(Value panel, Value step, function_ref<Value(int64_t)> piece);
  void storePiece(Value panel, Value step, int64_t piece, Value vector);
  VectorType vectorOf(int64_t elements) {
    return VectorType::get(elements, elementType);
  }
  Value bitCast(VectorType type, Value value) {
    return value.getType() == type
               ? value
               : vector::BitCastOp::create(builder, loc, type, value);
  }
  /// A vector as what may be shuffled: targets without arithmetic on a type of
  /// 16 bits would do it in a wider one, which is not a copy for a NaN.
  Value asBits(Value value) {
    auto type = cast<VectorType>(value.getType());
    return type.getElementTypeBitWidth() == 16
               ? bitCast(type.clone(builder.getI16Type()), value)
               : value;
  }
  Value zeros(VectorType type) {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }
  /// `base` + lane number of each lane, as index.
  Value laneNumbers(int64_t count, function_ref<int64_t(int64_t)> number);
  Value splat(Value value, int64_t count) {
    return vector::BroadcastOp::create(
        builder, loc, VectorType::get(count, builder.getIndexType()), value);
  }

  PackWeightOp op, odd;
  const WeightPackingOptions &options;
  Type elementType;
  int64_t columns, group;
  /// Elements of a native vector, and of one step of a panel.
  int64_t lanes, stepElements;
  bool nonTemporal = false;
  OpFoldResult offset, inputStride, outputStride;
  Value base, inputs, outputs, panels;
  /// What is packed: of `op`, or for a while of its pair; null without one.
  Value packed, packedOdd;
  /// Whole groups of inputs.
  Value fullSteps;
  /// The view of the weight that the form at hand reads.
  Value source;
  /// Whether panels are packed from copies of them, into their own memory.
  bool inPlace = false;
  /// Where the panel at hand begins in the weight.
  Value panelBegin;
  /// Whether all of a panel is packed from the copy.
  Value copiesWhole;
  /// Where the first output of the panel at hand begins.
  Value panelBase;
  OpFoldResult panelOffset;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_PACKINGEMITTER_H
