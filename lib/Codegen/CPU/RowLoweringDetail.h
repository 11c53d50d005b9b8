//===- RowLoweringDetail.h - What analysis hands to emission ----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_ROWLOWERINGDETAIL_H
#define XFMR_LIB_CODEGEN_CPU_ROWLOWERINGDETAIL_H

#include "StripLoops.h"
#include "xfmr/Codegen/CPU/RowLowering.h"
#include "xfmr/Dialect/IR/Aliasing.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::xfmr::rows {

/// Where an operand of an op of the group comes from.
struct RowOperand {
  enum class Kind {
    Scalar,    // `value`, the same for every element
    Splat,     // `attr`, the same for every element
    Undefined, // an empty tensor
    Buffer,    // `value` at `map`, a map from the group's dims
    Node       // output `output` of node `node`
  };
  Kind kind = Kind::Undefined;
  Value value;
  TypedAttr attr;
  AffineMap map;
  unsigned node = 0, output = 0;
};

/// An op of the group, with its loops and operands in terms of the group.
struct RowNode {
  linalg::LinalgOp op;
  /// The group's dim of each loop.
  SmallVector<unsigned> dims;
  /// One for each operand of the op.
  SmallVector<RowOperand> operands;
  /// For a reduction, the op that combines an element with the accumulator, one
  /// for each output; empty for an elementwise op.
  SmallVector<Operation *> combiners;
  /// For a reduction, the group's dims that it reduces, in loop order.
  SmallVector<unsigned> columns;
  /// The number of passes over the row that must come before a value of this
  /// node is known.
  unsigned level = 0;
  /// A reduction whose elements are all bf16: a lane of its partial sums takes
  /// two neighbours, the odd one first. A property of the op alone, and so of
  /// the order of its sums.
  bool isPaired = false;

  bool isReduction() const { return !combiners.empty(); }
};

struct RowPlanSink {
  unsigned node, output;
  Value buffer;
  /// From the group's dims to positions in the buffer.
  AffineMap map;
  /// One value a row, not one an element.
  bool isPerRow;
};

/// Where outputs of nodes are in memory, so that they need not be computed.
using StoredOutputs =
    DenseMap<std::pair<unsigned, unsigned>, const RowPlanSink *>;

/// A row group that can be lowered.
struct RowPlan {
  SmallVector<RowNode, 0> nodes;
  SmallVector<LoopExtent> dims;
  /// The group's dims that number rows, and those that all results of one value
  /// an element have besides. Strips are taken from the last of a pass's
  /// columns.
  SmallVector<unsigned> rows, columns;
  SmallVector<RowPlanSink> sinks;
  /// Lanes of a native vector of the group's accumulators, or of its widest
  /// type.
  int64_t lanes = 1;
  /// Passes that reduce.
  unsigned levels = 0;

  bool isRow(unsigned dim) const { return llvm::is_contained(rows, dim); }
  /// Whether what lies at `map` is the same all along a row.
  bool isPerRow(AffineMap map) const {
    return llvm::all_of(llvm::seq<unsigned>(0, dims.size()), [&](unsigned dim) {
      return !map.isFunctionOfDim(dim) || isRow(dim) || dims[dim].extent == 1;
    });
  }
  /// Whether what lies at `map` may differ from row to row.
  bool differsByRow(AffineMap map) const {
    return llvm::any_of(rows,
                        [&](unsigned dim) { return map.isFunctionOfDim(dim); });
  }
};

/// The plan for a group, or why it is not one.
FailureOr<RowPlan> planRowGroup(const RowGroup &group,
                                const RowLoweringOptions &options,
                                std::string &reason);

/// A sink that may overwrite elements which a buffer operand (or another sink)
/// needs at another position; it must be written elsewhere first.
std::optional<unsigned> findAliasedSink(const RowPlan &plan);

/// A condition that is known, or a value.
struct Condition {
  std::optional<bool> known;
  Value value;

  bool isKnownFalse() const { return known && !*known; }
};

/// Whether both hold, or one does; what is known of them takes no code.
Condition both(OpBuilder &builder, Location loc, Condition a, Condition b);
Condition either(OpBuilder &builder, Location loc, Condition a, Condition b);

/// `then` or `otherwise`, under an `scf.if` where that is not known.
void emitIf(OpBuilder &builder, Location loc, Condition condition,
            function_ref<void()> then, function_ref<void()> otherwise);

/// How many rows of a group are computed together.
struct RowStep {
  unsigned rows = 1;
  /// Rows are so short that all that is known of them stays in registers from
  /// pass to pass: they have no loops, and no pass loads what another did.
  bool isUnrolled = false;
};

RowStep chooseRowStep(const RowPlan &plan, const RowLoweringOptions &options);

/// How the rows of one group are gone over.
struct RowVariant {
  RowStep step;
  /// Fetch the next row while one is stored; not into the nearest cache, of
  /// which it would drive out the row at hand.
  Condition prefetch = {false, {}}, prefetchFar = {false, {}};
  /// Leave the cache alone when results are stored: some of those that are so
  /// large. Of short rows never where `prefetch` is decided at run time and
  /// does not hold.
  Condition stream = {false, {}}, isLarge = {false, {}};
  /// Rows that are taken two a step are so only where this does not hold:
  /// scratch has one row, and so have threads that share one.
  Condition alone = {false, {}};
  /// Rows that are taken two a step have room in the nearest cache, two pairs
  /// of them and the next two: then what is reduced of all four comes first.
  Condition isShort = {false, {}};
  /// LLVM does not know positions of rows: it would carry an address for each
  /// buffer and pass from row to row, more than there are registers for.
  bool hidesRows = false;
  /// Keep the result that `findEarlySink` names for later passes; where it is
  /// streamed, they compute it again if `computeStreamed`, and read it from a
  /// row of scratch if not.
  bool keepEarly = true, computeStreamed = false;
};

void emitRowGroup(RewriterBase &rewriter, Location loc, const RowPlan &plan,
                  const RowLoweringOptions &options);

class RowTeam;

/// The loops over the rows, which the threads of `team` share if it is not
/// null. What does not depend on the row is emitted before `hoist`.
void emitRows(RewriterBase &rewriter, Location loc, const RowPlan &plan,
              const RowLoweringOptions &options, RowVariant variant,
              Operation *hoist, RowTeam *team);

/// How a pass takes its strips from `dim`: the main loop by `chunks` strips of
/// `width` elements a step, the rest by strips of `unit` elements. Accumulators
/// have a lane for each element, or for each pair of them.
struct StripShape {
  unsigned dim;
  int64_t width;
  int64_t chunks;
  int64_t unit;
  bool isPaired;
  /// The strips of a step are a loop, each with its accumulators over all
  /// steps: less code, slower.
  bool isRolled = false;
  /// Of a row of unknown length, what whole steps leave may be one loop under
  /// masks: less code, slower.
  bool mergesRest = false;

  int64_t getStep() const { return width * chunks; }
  /// The same with strips of one unit.
  StripShape inUnits() const {
    return {dim, unit, getStep() / unit, unit, isPaired};
  }
  StripShape rolled() const {
    StripShape shape = inUnits();
    shape.isRolled = shape.mergesRest = true;
    return shape;
  }
};

/// A pass that computes the nodes `roots` and keeps `accumulators` native
/// vectors; a step of the main loop is `limit` units or less. Only `chunks` and
/// `width` depend on more than the reductions, and they never change bits.
StripShape chooseReductionShape(const RowPlan &plan,
                                const RowLoweringOptions &options,
                                ArrayRef<unsigned> roots, unsigned dim,
                                int64_t accumulators, int64_t limit,
                                const StoredOutputs &stored);
StripShape chooseStoringShape(const RowPlan &plan,
                              const RowLoweringOptions &options,
                              ArrayRef<unsigned> roots,
                              const StoredOutputs &stored);

/// The shape of a storing pass that has the strips of the pass before, where
/// these still hold values.
StripShape matchReductions(const RowPlan &plan, StripShape shape);

using NodeSet = llvm::SmallSetVector<unsigned, 8>;
using OutputSet = llvm::SmallSetVector<std::pair<unsigned, unsigned>, 2>;

/// The nodes that a pass computes from `roots` on, themselves included, up to
/// reductions of earlier passes and to what is stored.
NodeSet getComputedNodes(const RowPlan &plan, ArrayRef<unsigned> roots,
                         const StoredOutputs &stored = StoredOutputs());

/// What the pass with the roots `pass` computes and what the roots `later` need
/// of that: outputs of elementwise nodes, given what is `stored` already.
OutputSet getHandedOn(const RowPlan &plan, ArrayRef<unsigned> pass,
                      ArrayRef<unsigned> later, const StoredOutputs &stored);

/// Whether `op` is a transcendental function, which becomes many operations.
bool isFunction(Operation *op);
/// Whether `op` rounds to bf16.
bool roundsToBF16(Operation *op);
/// Whether computing `op` takes more than to store a value and to load it.
bool isExpensive(Operation *op);

/// The bf16 values whose products a reduction sums, or the one that it sums;
/// empty when it is no such sum.
SmallVector<Value, 2> getDotFactors(const RowNode &node, unsigned output);

/// Marks the exponentials of which no more digits are wanted than the group's
/// roundings to f16 or bf16 leave, and says so by a remark at `loc`.
void markRoundedFunctions(const RowPlan &plan, Location loc,
                          StringRef category);

/// The result of one value an element that the first pass over the row should
/// keep, so that later passes read it instead of computing it again; null for
/// none.
const RowPlanSink *findEarlySink(const RowPlan &plan);

/// Whether a strip of `sink` takes longer to compute again than to read.
bool isWorthKeeping(const RowPlan &plan, const RowPlanSink &sink);

/// By how many positions of each dim of a buffer the next element along `dim`
/// is away under `map`; nothing when that differs from place to place.
std::optional<SmallVector<int64_t>> getSteps(AffineMap map, unsigned dim);

/// The op that combines an element with output `output`'s accumulator; null
/// when `op` is no reduction or the op is not one whose order is free.
Operation *getCombiner(linalg::LinalgOp op, unsigned output);

/// The value that leaves the other operand of `combiner` as it is.
TypedAttr getNeutralValue(Operation *combiner, Type type);

/// True for the same buffer or two views of one buffer made alike.
bool isSameView(Value a, Value b);

} // namespace mlir::xfmr::rows

#endif // XFMR_LIB_CODEGEN_CPU_ROWLOWERINGDETAIL_H
