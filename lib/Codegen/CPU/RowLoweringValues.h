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

/// What has been computed for one strip of a row.
struct Strip {
  struct Load {
    Value buffer;
    AffineMap map;
    Value value;
  };
  /// The dim of the group along which the lanes lie.
  unsigned dim = 0;
  int64_t width = 1;
  Value mask;
  DenseMap<Value, Value> values;
  SmallVector<Load> loads;
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
  /// An output of an elementwise node as a vector.
  Value getVector(unsigned node, unsigned output, Strip &strip);
  /// A reduction's accumulator after the elements of `strip`.
  Value accumulate(unsigned node, unsigned output, Value accumulator,
                   Strip &strip);

  void storePerRow(const RowPlanSink &sink, Value value);
  void storeVector(const RowPlanSink &sink, Value value, Strip &strip);

private:
  /// A scalar or a vector; when `isPerRow`, a scalar that was emitted before
  /// the passes of the row.
  struct Computed {
    Value value;
    bool isPerRow;
  };

  Computed getOutput(unsigned node, unsigned output, Strip *strip);
  Computed getOperand(const RowOperand &operand, Strip *strip);
  Computed getBodyValue(unsigned node, Value value, Strip *strip);
  Computed computeBodyOp(unsigned node, OpResult value, Strip *strip);
  Computed load(const RowOperand &operand, Strip *strip);
  Value broadcast(Computed scalar, int64_t width);
  SmallVector<Value> getIndices(AffineMap map);

  RewriterBase &builder;
  Location loc;
  const RowPlan &plan;
  StripAccess access;
  SmallVector<Value> position;
  Operation *anchor = nullptr;
  DenseMap<Value, Value> rowValues;
  SmallVector<Strip::Load> rowLoads;
  DenseMap<std::pair<Value, int64_t>, Value> broadcasts;
  DenseMap<std::pair<unsigned, unsigned>, Value> reduced;
};

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGVALUES_H
