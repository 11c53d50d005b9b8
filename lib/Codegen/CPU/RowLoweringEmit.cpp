//===- RowLoweringEmit.cpp - The loops of a row group ---------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass over a row walks its outer column dims by loops and the last one in
// strips: a main loop of several native vectors a step, a loop of one vector a
// step, and one masked vector for the rest. A reduction keeps `accumulators`
// vectors of partial sums for the main loop and one for the rest; element i of
// the main part always belongs to lane i mod (accumulators * lanes), however
// many vectors are computed at once.
//
//===----------------------------------------------------------------------===//

#include "RowLoweringValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

namespace {

/// How a pass takes its strips from `dim`: the main loop by `chunks` vectors of
/// `width` lanes a step.
struct StripShape {
  unsigned dim;
  int64_t width;
  int64_t chunks;
};

/// A reduction of the current pass.
struct Reduction {
  unsigned node, output;
  Operation *combiner;
  Type type;
};

/// Computes one strip; takes and returns one accumulator a reduction.
using ComputeStrip = function_ref<SmallVector<Value>(Strip &, ValueRange)>;

class RowEmitter {
public:
  RowEmitter(RewriterBase &builder, Location loc, const RowPlan &plan,
             const RowLoweringOptions &options, Operation *hoist)
      : builder(builder), loc(loc), plan(plan), options(options),
        loops(builder, loc, hoist, plan.dims),
        values(builder, loc, plan, hoist) {}

  RowLoops emit();

private:
  void emitRow();
  void emitReductions(ArrayRef<Reduction> reductions);
  void emitStores();

  SmallVector<Value> emitColumns(ArrayRef<unsigned> columns,
                                 ValueRange accumulators, StripShape shape,
                                 ComputeStrip compute);
  SmallVector<Value> emitStrips(ValueRange accumulators, StripShape shape,
                                ComputeStrip compute);
  bool hasMain(StripShape shape) const;
  bool hasSingles(StripShape shape) const;
  int64_t chooseWidth(ArrayRef<unsigned> roots, unsigned dim,
                      int64_t accumulators, int64_t limit) const;
  Value combine(const Reduction &reduction, Value a, Value b);
  Value finish(const Reduction &reduction, ArrayRef<Value> main, Value rest,
               StripShape shape);

  RewriterBase &builder;
  Location loc;
  const RowPlan &plan;
  const RowLoweringOptions &options;
  StripLoops loops;
  RowValues values;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool RowEmitter::hasMain(StripShape shape) const {
  int64_t step = shape.width * shape.chunks,
          extent = plan.dims[shape.dim].extent;
  return step > plan.lanes && (ShapedType::isDynamic(extent) || extent >= step);
}

bool RowEmitter::hasSingles(StripShape shape) const {
  int64_t step = shape.width * shape.chunks,
          extent = plan.dims[shape.dim].extent;
  if (ShapedType::isDynamic(extent))
    return true;
  return (step > plan.lanes ? extent % step : extent) >= plan.lanes;
}

SmallVector<Value> RowEmitter::emitColumns(ArrayRef<unsigned> columns,
                                           ValueRange accumulators,
                                           StripShape shape,
                                           ComputeStrip compute) {
  if (columns.size() == 1)
    return emitStrips(accumulators, shape, compute);
  unsigned dim = columns.front();
  // Its position is known, and values that depend on it alone are the row's.
  if (plan.dims[dim].extent == 1)
    return emitColumns(columns.drop_front(), accumulators, shape, compute);
  return loops.emitFor(loops.getConstant(0), loops.getExtent(dim), 1,
                       accumulators, [&](Value iv, ValueRange args) {
                         values.setPosition(dim, iv);
                         return emitColumns(columns.drop_front(), args, shape,
                                            compute);
                       });
}

/// `accumulators` holds those of each chunk of the main loop, then those of the
/// rest.
SmallVector<Value> RowEmitter::emitStrips(ValueRange accumulators,
                                          StripShape shape,
                                          ComputeStrip compute) {
  unsigned dim = shape.dim;
  size_t perStrip = accumulators.size() / (shape.chunks + 1);
  size_t numMain = perStrip * shape.chunks;
  SmallVector<Value> main =
      SmallVector<Value>(accumulators.take_front(numMain));
  SmallVector<Value> rest =
      SmallVector<Value>(accumulators.drop_front(numMain));
  int64_t step = shape.width * shape.chunks;

  if (hasMain(shape))
    main = loops.emitFor(
        loops.getConstant(0), loops.getMultiple(dim, step), step, main,
        [&](Value iv, ValueRange args) {
          SmallVector<Value> next;
          for (int64_t chunk = 0; chunk < shape.chunks; ++chunk) {
            Value offset = loops.getConstant(chunk * shape.width);
            values.setPosition(
                dim, builder.createOrFold<arith::AddIOp>(loc, iv, offset));
            Strip strip;
            strip.dim = dim;
            strip.width = shape.width;
            llvm::append_range(
                next, compute(strip, args.slice(chunk * perStrip, perStrip)));
          }
          return next;
        });
  if (hasSingles(shape)) {
    Value from =
        step > plan.lanes ? loops.getMultiple(dim, step) : loops.getConstant(0);
    rest = loops.emitFor(from, loops.getMultiple(dim, plan.lanes), plan.lanes,
                         rest, [&](Value iv, ValueRange args) {
                           values.setPosition(dim, iv);
                           Strip strip;
                           strip.dim = dim;
                           strip.width = plan.lanes;
                           return compute(strip, args);
                         });
  }
  rest = loops.emitTail(dim, plan.lanes, rest, [&](Value from, Value mask) {
    values.setPosition(dim, from);
    Strip strip;
    strip.dim = dim;
    strip.width = plan.lanes;
    strip.mask = mask;
    return compute(strip, rest);
  });
  llvm::append_range(main, rest);
  return main;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// How many lanes to compute at once, so that the vectors alive at a time stay
/// in registers; at most `limit` native vectors. This never changes bits.
int64_t RowEmitter::chooseWidth(ArrayRef<unsigned> roots, unsigned dim,
                                int64_t accumulators, int64_t limit) const {
  llvm::SmallDenseSet<unsigned> visited;
  SmallVector<unsigned> worklist;
  for (unsigned node : roots)
    if (visited.insert(node).second)
      worklist.push_back(node);
  llvm::SmallDenseSet<std::pair<Value, AffineMap>> loads;
  int64_t numOps = 0;
  bool hasFunctions = false, hasIndirect = false;
  while (!worklist.empty()) {
    RowNode node = plan.nodes[worklist.pop_back_val()];
    for (Operation &op : node.op.getBlock()->without_terminator()) {
      ++numOps;
      hasFunctions |= isa<math::MathDialect>(op.getDialect()) &&
                      !isa<math::FmaOp, math::AbsFOp, math::AbsIOp,
                           math::SqrtOp, math::RsqrtOp, math::CopySignOp>(op);
    }
    for (const RowOperand &operand : node.operands) {
      if (operand.kind == RowOperand::Kind::Node &&
          !plan.nodes[operand.node].isReduction() &&
          visited.insert(operand.node).second)
        worklist.push_back(operand.node);
      if (operand.kind != RowOperand::Kind::Buffer ||
          !operand.map.isFunctionOfDim(dim))
        continue;
      loads.insert({operand.value, operand.map});
      hasIndirect |=
          !StripAccess::isDirect(cast<MemRefType>(operand.value.getType()),
                                 *getSteps(operand.map, dim));
    }
  }
  for (const RowPlanSink &sink : plan.sinks)
    hasIndirect |=
        sink.map.isFunctionOfDim(dim) && !plan.isRow(dim) &&
        !StripAccess::isDirect(cast<MemRefType>(sink.buffer.getType()),
                               *getSteps(sink.map, dim));
  if (hasIndirect)
    return plan.lanes;
  if (hasFunctions || numOps > 16)
    limit = std::min<int64_t>(limit, numOps > 40 ? 1 : 2);
  int64_t registers = options.vectorBytes >= 64 ? 32 : 16;
  int64_t free = std::max<int64_t>(1, registers - accumulators - 4);
  int64_t fitting = free / (static_cast<int64_t>(loads.size()) + 1);
  int64_t vectors = std::clamp<int64_t>(fitting, 1, limit);
  return plan.lanes * static_cast<int64_t>(llvm::bit_floor<uint64_t>(vectors));
}

Value RowEmitter::combine(const Reduction &reduction, Value a, Value b) {
  if (auto fma = dyn_cast<math::FmaOp>(reduction.combiner))
    return arith::AddFOp::create(builder, loc, a, b, fma.getFastmath());
  return mlir::clone(builder, reduction.combiner, a.getType(), {a, b})
      ->getResult(0);
}

/// All partial results of a reduction, and its initial value, as one scalar.
Value RowEmitter::finish(const Reduction &reduction, ArrayRef<Value> main,
                         Value rest, StripShape shape) {
  auto pair = [&](Value a, Value b) { return combine(reduction, a, b); };
  Value total;
  if (hasMain(shape)) {
    SmallVector<Value> chunks = llvm::to_vector(main);
    while (chunks.size() > 1) {
      size_t half = chunks.size() / 2;
      for (size_t i = 0; i < half; ++i)
        chunks[i] = pair(chunks[i], chunks[i + half]);
      chunks.resize(half);
    }
    total = foldLanes(builder, loc, chunks.front(), plan.lanes, pair);
  }
  if (hasSingles(shape) || loops.hasTail(shape.dim, plan.lanes) || !total)
    total = total ? pair(total, rest) : rest;
  total = reduceLanes(builder, loc, total, pair);

  const RowNode &node = plan.nodes[reduction.node];
  linalg::LinalgOp op = node.op;
  OpOperand *init = op.getDpsInitOperand(reduction.output);
  Value initial = values.getPerRow(node.operands[init->getOperandNumber()]);
  if (!initial)
    return total;
  Attribute constant;
  if (matchPattern(initial, m_Constant(&constant)) &&
      constant == getNeutralValue(reduction.combiner, reduction.type))
    return total;
  return pair(initial, total);
}

void RowEmitter::emitReductions(ArrayRef<Reduction> reductions) {
  int64_t count = reductions.size();
  int64_t share = std::max<int64_t>(1, options.accumulators / count);
  share = static_cast<int64_t>(llvm::bit_floor<uint64_t>(share));
  SmallVector<unsigned> roots;
  for (const Reduction &reduction : reductions)
    roots.push_back(reduction.node);
  ArrayRef<unsigned> columns = plan.nodes[roots.front()].columns;
  int64_t width = chooseWidth(roots, columns.back(), share * count, share);
  StripShape shape{columns.back(), width, share * plan.lanes / width};

  values.beginPass();
  SmallVector<Value> accumulators;
  auto addNeutral = [&](int64_t lanes) {
    for (const Reduction &reduction : reductions) {
      auto type = VectorType::get({lanes}, reduction.type);
      accumulators.push_back(arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(
              type,
              Attribute(getNeutralValue(reduction.combiner, reduction.type)))));
    }
  };
  for (int64_t chunk = 0; chunk < shape.chunks; ++chunk)
    addNeutral(shape.width);
  addNeutral(plan.lanes);
  accumulators = emitColumns(
      columns, accumulators, shape, [&](Strip &strip, ValueRange args) {
        SmallVector<Value> next;
        for (auto [reduction, accumulator] : llvm::zip_equal(reductions, args))
          next.push_back(values.accumulate(reduction.node, reduction.output,
                                           accumulator, strip));
        return next;
      });
  values.endPass();

  values.beginPass();
  for (auto [index, reduction] : llvm::enumerate(reductions)) {
    SmallVector<Value> main;
    for (int64_t chunk = 0; chunk < shape.chunks; ++chunk)
      main.push_back(accumulators[chunk * count + index]);
    Value rest = accumulators[shape.chunks * count + index];
    values.setReduced(reduction.node, reduction.output,
                      finish(reduction, main, rest, shape));
  }
  values.endPass();
}

/// The one pass that writes: a strip's values are all computed before the first
/// is stored.
void RowEmitter::emitStores() {
  SmallVector<RowPlanSink> perElement, perRow;
  for (const RowPlanSink &sink : plan.sinks)
    (sink.isPerRow ? perRow : perElement).push_back(sink);
  if (!perElement.empty()) {
    SmallVector<unsigned> roots;
    for (const RowPlanSink &sink : perElement)
      roots.push_back(sink.node);
    unsigned dim = plan.columns.back();
    StripShape shape{dim, chooseWidth(roots, dim, 0, options.unroll), 1};
    values.beginPass();
    emitColumns(plan.columns, {}, shape, [&](Strip &strip, ValueRange) {
      SmallVector<Value> results;
      for (const RowPlanSink &sink : perElement)
        results.push_back(values.getVector(sink.node, sink.output, strip));
      for (auto [sink, result] : llvm::zip_equal(perElement, results))
        values.storeVector(sink, result, strip);
      return SmallVector<Value>();
    });
    values.endPass();
  }
  values.beginPass();
  SmallVector<Value> results;
  for (const RowPlanSink &sink : perRow)
    results.push_back(values.getPerRow(sink.node, sink.output));
  for (auto [sink, result] : llvm::zip_equal(perRow, results))
    values.storePerRow(sink, result);
  values.endPass();
}

void RowEmitter::emitRow() {
  for (unsigned level = 1; level <= plan.levels; ++level) {
    // Reductions over the same columns share a pass.
    SmallVector<SmallVector<Reduction>> passes;
    for (unsigned index = 0, e = plan.nodes.size(); index < e; ++index) {
      const RowNode &node = plan.nodes[index];
      if (!node.isReduction() || node.level != level)
        continue;
      auto *pass = llvm::find_if(passes, [&](ArrayRef<Reduction> other) {
        return plan.nodes[other.front().node].columns == node.columns;
      });
      if (pass == passes.end())
        pass = &passes.emplace_back();
      for (unsigned output = 0; output < node.combiners.size(); ++output)
        pass->push_back({index, output, node.combiners[output],
                         node.combiners[output]->getResult(0).getType()});
    }
    for (ArrayRef<Reduction> pass : passes)
      emitReductions(pass);
  }
  emitStores();
}

RowLoops RowEmitter::emit() {
  RowLoops result;
  OpBuilder::InsertionGuard guard(builder);
  for (auto [dim, rowDim] : llvm::enumerate(plan.dims))
    if (rowDim.extent == 1)
      values.setPosition(dim, loops.getConstant(0));
  for (unsigned dim : plan.rows) {
    if (plan.dims[dim].extent == 1)
      continue;
    auto loop = scf::ForOp::create(builder, loc, loops.getConstant(0),
                                   loops.getExtent(dim), loops.getConstant(1));
    values.setPosition(dim, loop.getInductionVar());
    result.loops.push_back(loop);
    builder.setInsertionPointToStart(loop.getBody());
  }
  emitRow();
  return result;
}

RowLoops rows::emitRowGroup(RewriterBase &rewriter, Location loc,
                            const RowPlan &plan,
                            const RowLoweringOptions &options) {
  // A mark before which whatever does not depend on the row is put.
  Operation *hoist = arith::ConstantIndexOp::create(rewriter, loc, 0);
  RowLoops loops = RowEmitter(rewriter, loc, plan, options, hoist).emit();
  rewriter.eraseOp(hoist);
  return loops;
}
