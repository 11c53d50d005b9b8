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

  Strip(unsigned dim, int64_t width, bool isPaired)
      : dim(dim), width(width), isPaired(isPaired) {
    for (unsigned parity : {0, 1}) {
      parts[parity].strip = this;
      parts[parity].parity = parity;
    }
  }
  Strip(const Strip &) = delete;
  Strip &operator=(const Strip &) = delete;

  int64_t getPartWidth() const { return isPaired ? width / 2 : width; }
  MutableArrayRef<StripPart> getParts() {
    return MutableArrayRef<StripPart>(parts, isPaired ? 2 : 1);
  }

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
/// scalar.
class RowValues {
public:
  /// What does not depend on the row is emitted before `hoist`.
  RowValues(RewriterBase &builder, Location loc, const RowPlan &plan,
            Operation *hoist)
      : builder(builder), loc(loc), plan(plan), access(builder, loc, hoist),
        position(plan.dims.size()) {}

  /// The position along a dim of the group of what is emitted next.
  void setPosition(unsigned dim, Value value) { position[dim] = value; }
  Value getPosition(unsigned dim) const { return position[dim]; }

  /// Values of the row are emitted here from now on, until `endPass`.
  void beginPass();
  void endPass();

  /// The result of a reduction whose pass is over.
  void setReduced(unsigned node, unsigned output, Value value) {
    reduced[{node, output}] = value;
  }

  /// An output of a node as a scalar of the row.
  Value getPerRow(unsigned node, unsigned output);
  /// An operand of a node as a scalar of the row.
  Value getPerRow(const RowOperand &operand);
  /// An output of an elementwise node as a vector in the order of memory.
  Value getVector(unsigned node, unsigned output, Strip &strip);
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

  /// From now on an output is read from where `sink` has stored it.
  void readFrom(const RowPlanSink &sink) {
    stored[{sink.node, sink.output}] = &sink;
  }
  const StoredOutputs &getStored() const { return stored; }

  /// What is known of the row, to be restored when a region ends in which more
  /// becomes known.
  struct RowState {
    DenseMap<Value, Value> values;
    SmallVector<Strip::Load> loads;
    DenseMap<std::pair<Value, int64_t>, Value> broadcasts;
  };
  RowState getRowState() const { return row; }
  void setRowState(RowState state) { row = std::move(state); }

private:
  /// A scalar or a vector; when `isPerRow`, a scalar that was emitted before
  /// the passes of the row.
  struct Computed {
    Value value;
    bool isPerRow;
  };

  Computed getOutput(unsigned node, unsigned output, StripPart *part);
  Computed getOperand(const RowOperand &operand, StripPart *part);
  Computed getBodyValue(unsigned node, Value value, StripPart *part);
  Computed computeBodyOp(unsigned node, OpResult value, StripPart *part);
  Computed computeRounded(unsigned node, Operation *op, Strip &strip);
  Computed load(const RowOperand &operand, StripPart *part);
  Value getPacked(unsigned node, Value value, Strip &strip);
  Value pack(Value even, Value odd);
  Value broadcast(Computed scalar, int64_t width);
  /// Fetches into the cache what `operand` holds at the place of a strip of
  /// `width` elements along `dim`, one row of `rowDim` further on.
  void prefetch(const RowOperand &operand, unsigned rowDim, unsigned dim,
                int64_t width, Locality locality);
  SmallVector<Value> getIndices(AffineMap map);

  RewriterBase &builder;
  Location loc;
  const RowPlan &plan;
  StripAccess access;
  SmallVector<Value> position;
  Operation *anchor = nullptr;
  RowState row;
  DenseMap<std::pair<unsigned, unsigned>, Value> reduced;
  StoredOutputs stored;
};

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGVALUES_H
