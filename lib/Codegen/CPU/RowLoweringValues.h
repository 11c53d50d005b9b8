//===- RowLoweringValues.h - Values of a row group at a place ---*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWLOWERINGVALUES_H
#define XFMR_LIB_CODEGEN_CPU_ROWLOWERINGVALUES_H

#include "RowLoweringDetail.h"
#include "RowLoweringStrips.h"

#include <map>
#include <optional>

namespace mlir::xfmr::rows {

struct Strip;

/// The cache to fetch into, as `memref.prefetch` numbers them.
enum class Locality : unsigned { SecondCache = 2, FirstCache = 3 };

/// What has been computed for the elements of a strip, or for the even or the
/// odd ones of them.
struct StripPart {
  Strip *strip = nullptr;
  unsigned parity = 0;
  /// One bit a lane of this part.
  Value mask;
  DenseMap<Value, Value> values;
};

/// A piece of a row that is computed at once. Where its lanes are in pairs, the
/// even and the odd elements are two vectors: two bf16 that lie in one word are
/// widened by a shift and a mask, without moving any lane.
struct Strip {
  struct Load {
    Value buffer;
    AffineMap map;
    /// In the order of memory.
    Value value;
    Value parts[2];
  };

  Strip(unsigned row, unsigned dim, int64_t width, bool isPaired)
      : row(row), dim(dim), width(width), isPaired(isPaired) {
    for (unsigned parity : {0, 1}) {
      parts[parity].strip = this;
      parts[parity].parity = parity;
    }
  }
  Strip(const Strip &other)
      : row(other.row), dim(other.dim), width(other.width),
        isPaired(other.isPaired), mask(other.mask), loads(other.loads),
        parts{other.parts[0], other.parts[1]} {
    for (StripPart &part : parts)
      part.strip = this;
  }
  Strip &operator=(const Strip &) = delete;

  int64_t getPartWidth() const { return isPaired ? width / 2 : width; }
  MutableArrayRef<StripPart> getParts() {
    return MutableArrayRef<StripPart>(parts, isPaired ? 2 : 1);
  }

  /// The row that it is of, among those of a step.
  unsigned row;
  /// The dim of the group along which the lanes lie.
  unsigned dim;
  /// Elements, in both parts together.
  int64_t width;
  bool isPaired;
  /// One bit an element.
  Value mask;
  SmallVector<Load> loads;
  StripPart parts[2];
};

/// Emits the values of a plan's nodes, each from the buffers on: for a strip as
/// vectors, or, where a value is the same along the row, once a row as a
/// scalar. Where a step takes several rows, such values of all of them are one
/// vector, with a lane for each row, unless they are the same in all rows.
class RowValues {
public:
  /// What does not depend on the row is emitted before `hoist`.
  RowValues(RewriterBase &builder, Location loc, const RowPlan &plan,
            Operation *hoist)
      : builder(builder), loc(loc), plan(plan), access(builder, loc, hoist),
        position(plan.dims.size()) {}

  /// Forgets what was known of rows: the next ones are at `positions` of the
  /// group's dim `dim`, which is none where there is but one row.
  void beginRows(std::optional<unsigned> dim, ArrayRef<Value> positions);
  unsigned getNumRows() const { return numRows; }

  /// The position along a dim of the group of what is emitted next.
  void setPosition(unsigned dim, Value value) { position[dim] = value; }
  Value getPosition(unsigned dim) const { return position[dim]; }
  /// All of them.
  ArrayRef<Value> getPositions() const { return position; }
  void setPositions(ArrayRef<Value> values) {
    llvm::copy(values, position.begin());
  }

  /// Values of the row are emitted here from now on, until `endPass`.
  void beginPass();
  void endPass();

  /// The strip of a place, with what was computed for it before; `strip` if
  /// there is none yet.
  Strip &keepStrip(ArrayRef<int64_t> place, const Strip &strip) {
    return row.strips.try_emplace(llvm::to_vector(place), strip).first->second;
  }

  /// The result of a reduction whose pass is over, a lane for each row.
  void setReduced(unsigned node, unsigned output, Value value) {
    reduced[{node, output}] = value;
  }
  Value getReduced(unsigned node, unsigned output) const {
    return reduced.lookup({node, output});
  }

  /// An output of a node that is the same along the row.
  Value getPerRow(unsigned node, unsigned output);
  /// An operand of a node that is.
  Value getPerRow(const RowOperand &operand);
  /// An output of an elementwise node as a vector in the order of memory.
  Value getVector(unsigned node, unsigned output, Strip &strip);
  /// Computes what `nodes` round to bf16 for all `strips`, which are of one
  /// place: rounding ends in a test, of which one is enough for them.
  void roundTogether(const NodeSet &nodes, ArrayRef<Strip *> strips);
  /// A reduction's accumulator after the elements of `strip`. In pairs, a lane
  /// takes the odd element first, as the dot product of bf16 does. With `one`,
  /// a vector of ones, an addition is a multiplication and addition.
  Value accumulate(unsigned node, unsigned output, Value accumulator,
                   Strip &strip, Value one = {});
  /// The same by dot products of bf16, for a node that has dot factors.
  Value accumulateDot(unsigned node, unsigned output, Value accumulator,
                      Strip &strip);

  void storePerRow(const RowPlanSink &sink, Value value);
  void storeVector(const RowPlanSink &sink, Value value, Strip &strip,
                   int64_t streamAlignment = 0);
  /// Fetches what the next row reads at the place of `strip`: into the second
  /// cache where `isFar`.
  void prefetchNextRow(Strip &strip, Condition isFar);

  /// From now on an output is read from where `sink` has stored it, but
  /// computed again where `isComputed`.
  void readFrom(const RowPlanSink &sink, Condition isComputed = {false, {}}) {
    stored[{sink.node, sink.output}] = &sink;
    computedAgain[&sink] = isComputed;
  }
  const StoredOutputs &getStored() const { return stored; }

  /// What is known of the row, to be restored when a region ends in which more
  /// becomes known.
  struct RowState {
    DenseMap<Value, Value> values;
    SmallVector<Strip::Load> loads;
    DenseMap<std::pair<Value, int64_t>, Value> broadcasts;
    /// Of vectors with a lane for each row, the lane of a row.
    DenseMap<std::pair<Value, unsigned>, Value> lanes;
    /// Strips that are kept from pass to pass, by their places.
    std::map<SmallVector<int64_t>, Strip> strips;
  };
  RowState getRowState() const { return row; }
  void setRowState(RowState state) { row = std::move(state); }

private:
  /// A scalar or a vector; when `isPerRow`, one that was emitted before the
  /// passes of the rows: a vector then has a lane for each of them.
  struct Computed {
    Value value;
    bool isPerRow;

    bool isStrip() const {
      return !isPerRow && isa<VectorType>(value.getType());
    }
  };

  Computed getOutput(unsigned node, unsigned output, StripPart *part);
  Computed getOperand(const RowOperand &operand, StripPart *part);
  Computed getBodyValue(unsigned node, Value value, StripPart *part);
  Computed computeBodyOp(unsigned node, OpResult value, StripPart *part);
  bool computeRounded(unsigned node, Operation *op, ArrayRef<Strip *> strips);
  Computed readOrCompute(const RowPlanSink &sink, Condition isComputed,
                         StripPart *part);
  Computed load(const RowOperand &operand, StripPart *part);
  Value getPacked(unsigned node, Value value, Strip &strip);
  Value pack(Value even, Value odd);
  /// What a row of the step has of a value.
  Value getLane(Computed computed, unsigned stepRow);
  Value broadcast(Computed scalar, int64_t width);
  /// A value as a vector of a part of `strip`.
  Value toStrip(Computed computed, const Strip &strip);
  /// Fetches into the cache what `operand` holds at the place of `strip`, one
  /// step further on.
  void prefetch(const RowOperand &operand, const Strip &strip,
                Locality locality);
  SmallVector<Value> getIndices(AffineMap map, unsigned stepRow);

  RewriterBase &builder;
  Location loc;
  const RowPlan &plan;
  StripAccess access;
  SmallVector<Value> position;
  /// The dim of which a step takes several rows, and where they are.
  std::optional<unsigned> rowDim;
  SmallVector<Value> rowPositions;
  unsigned numRows = 1;
  Operation *anchor = nullptr;
  RowState row;
  DenseMap<std::pair<unsigned, unsigned>, Value> reduced;
  StoredOutputs stored;
  llvm::SmallDenseMap<const RowPlanSink *, Condition, 2> computedAgain;
};

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGVALUES_H
