//===- RowLoweringShape.cpp - How passes over a row are shaped --*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

NodeSet rows::getComputedNodes(const RowPlan &plan, ArrayRef<unsigned> roots,
                               const StoredOutputs &stored) {
  NodeSet nodes;
  nodes.insert(roots.begin(), roots.end());
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const RowOperand &operand : plan.nodes[nodes[i]].operands)
      if (operand.kind == RowOperand::Kind::Node &&
          !plan.nodes[operand.node].isReduction() &&
          !stored.contains({operand.node, operand.output}))
        nodes.insert(operand.node);
  return nodes;
}

OutputSet rows::getHandedOn(const RowPlan &plan, ArrayRef<unsigned> pass,
                            ArrayRef<unsigned> later,
                            const StoredOutputs &stored) {
  NodeSet here = getComputedNodes(plan, pass, stored);
  OutputSet wanted;
  for (unsigned index : getComputedNodes(plan, later, stored)) {
    // What both passes compute has its own operands kept, if any.
    if (here.contains(index))
      continue;
    for (const RowOperand &operand : plan.nodes[index].operands)
      if (operand.kind == RowOperand::Kind::Node &&
          !plan.nodes[operand.node].isReduction() &&
          !stored.contains({operand.node, operand.output}) &&
          here.contains(operand.node))
        wanted.insert({operand.node, operand.output});
  }
  for (const RowPlanSink &sink : plan.sinks)
    if (!sink.isPerRow && here.contains(sink.node) &&
        !stored.contains({sink.node, sink.output}))
      wanted.insert({sink.node, sink.output});
  return wanted;
}

namespace {

/// What a pass computes from its roots on.
struct PassWork {
  /// What is loaded a strip.
  llvm::SmallDenseSet<std::pair<Value, AffineMap>> loads;
  int64_t numOps = 0;
  /// Transcendental functions, which become many operations.
  bool hasFunctions = false;
  bool hasRoundings = false;
  /// Gathers, or booleans.
  bool hasIndirect = false;
};

PassWork getWork(const RowPlan &plan, ArrayRef<unsigned> roots, unsigned dim,
                 const StoredOutputs &stored = StoredOutputs()) {
  PassWork work;
  auto load = [&](Value buffer, AffineMap map) {
    if (!map.isFunctionOfDim(dim))
      return;
    work.loads.insert({buffer, map});
    work.hasIndirect |= !StripAccess::isDirect(
        cast<MemRefType>(buffer.getType()), *getSteps(map, dim));
  };
  for (unsigned index : getComputedNodes(plan, roots, stored)) {
    const RowNode &node = plan.nodes[index];
    Block *body = linalg::LinalgOp(node.op).getBlock();
    for (Operation &op : body->without_terminator()) {
      // Once a row, not once a strip.
      if (!llvm::is_contained(node.dims, dim))
        break;
      ++work.numOps;
      work.hasFunctions |= isFunction(&op);
      work.hasRoundings |= roundsToBF16(&op);
    }
    for (const RowOperand &operand : node.operands) {
      if (operand.kind == RowOperand::Kind::Buffer)
        load(operand.value, operand.map);
      if (operand.kind != RowOperand::Kind::Node)
        continue;
      if (const RowPlanSink *sink =
              stored.lookup({operand.node, operand.output}))
        load(sink->buffer, sink->map);
    }
  }
  return work;
}

/// How many native vectors to compute at once, so that the values alive at a
/// time stay in registers; a power of two, at most `limit`.
int64_t chooseVectors(const PassWork &work, const RowLoweringOptions &options,
                      int64_t accumulators, int64_t limit) {
  if (work.hasIndirect)
    return 1;
  if (work.hasFunctions || work.numOps > 16) {
    // Chains of dependent operations, of which few fit into a CPU's window.
    int64_t chains = options.vectorRegisters / 8;
    limit =
        std::min(limit, work.numOps > 60 ? 1 : std::max<int64_t>(1, chains));
  }
  int64_t free = std::max<int64_t>(
      1, static_cast<int64_t>(options.vectorRegisters) - accumulators - 4);
  int64_t fitting = free / (static_cast<int64_t>(work.loads.size()) + 1);
  int64_t vectors = std::clamp<int64_t>(fitting, 1, limit);
  return static_cast<int64_t>(llvm::bit_floor<uint64_t>(vectors));
}

} // namespace

bool rows::isFunction(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::SqrtOp,
              math::RsqrtOp, math::CopySignOp>(op);
}

bool rows::roundsToBF16(Operation *op) {
  return isa<arith::TruncFOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isBF16();
}

bool rows::isExpensive(Operation *op) {
  return isFunction(op) || isa<arith::DivFOp, math::SqrtOp>(op);
}

StripShape rows::chooseReductionShape(const RowPlan &plan,
                                      const RowLoweringOptions &options,
                                      ArrayRef<unsigned> roots, unsigned dim,
                                      int64_t accumulators, int64_t limit,
                                      const StoredOutputs &stored) {
  bool isPaired = plan.nodes[roots.front()].isPaired;
  int64_t unit = isPaired ? 2 * plan.lanes : plan.lanes;
  PassWork work = getWork(plan, roots, dim, stored);
  int64_t vectors = chooseVectors(work, options, accumulators, limit);
  // A unit of pairs is two vectors and what they are made of.
  if (isPaired)
    vectors = std::max<int64_t>(1, vectors / 2);
  // A test after roundings serves twice as many.
  if (isPaired && options.useBF16Dot && work.hasRoundings)
    vectors = std::min(limit, 2 * vectors);
  return {dim, vectors * unit, limit / vectors, unit, isPaired};
}

StripShape rows::chooseStoringShape(const RowPlan &plan,
                                    const RowLoweringOptions &options,
                                    ArrayRef<unsigned> roots,
                                    const StoredOutputs &stored) {
  unsigned dim = plan.columns.back();
  PassWork work = getWork(plan, roots, dim, stored);
  bool isPaired = !work.hasIndirect && plan.lanes >= 2;
  auto take = [&](Value buffer, AffineMap map) {
    auto type = cast<MemRefType>(buffer.getType());
    isPaired &= type.getElementType().isBF16();
    work.hasIndirect |= !StripAccess::isDirect(type, *getSteps(map, dim));
  };
  for (const RowPlanSink &sink : plan.sinks)
    if (!sink.isPerRow)
      take(sink.buffer, sink.map);
  for (auto [buffer, map] : work.loads)
    take(buffer, map);
  isPaired &= !work.hasIndirect;
  int64_t vectors = chooseVectors(work, options, 0, options.unroll);
  int64_t unit = isPaired ? 2 * plan.lanes : plan.lanes;
  return {dim, std::max(unit, vectors * plan.lanes), 1, unit, isPaired};
}

StripShape rows::matchReductions(const RowPlan &plan, StripShape shape) {
  bool holdsUnpaired = llvm::any_of(plan.nodes, [&](const RowNode &node) {
    return node.isReduction() && !node.isPaired && node.columns == plan.columns;
  });
  if (shape.isPaired && holdsUnpaired) {
    shape.isPaired = false;
    shape.unit /= 2;
  }
  return shape;
}

SmallVector<Value, 2> rows::getDotFactors(const RowNode &node,
                                          unsigned output) {
  if (!node.isPaired)
    return {};
  Operation *combiner = node.combiners[output];
  SmallVector<Value, 2> factors;
  if (auto fma = dyn_cast<math::FmaOp>(combiner)) {
    factors = {fma.getA(), fma.getB()};
  } else if (isa<arith::AddFOp>(combiner)) {
    linalg::LinalgOp op = node.op;
    Value accumulator =
        op.getMatchingBlockArgument(op.getDpsInitOperand(output));
    factors = {combiner->getOperand(combiner->getOperand(0) == accumulator)};
  }
  for (Value &factor : factors) {
    auto ext = factor.getDefiningOp<arith::ExtFOp>();
    if (!ext || !ext.getIn().getType().isBF16())
      return {};
    factor = ext.getIn();
  }
  return factors;
}

/// Whether the value of `sink` is needed by the elementwise nodes and
/// reductions of level `level`.
static bool isReducedAt(const RowPlan &plan, const RowPlanSink &sink,
                        unsigned level) {
  for (unsigned index = 0, e = plan.nodes.size(); index < e; ++index) {
    const RowNode &node = plan.nodes[index];
    if (!node.isReduction() || node.level != level ||
        node.columns != plan.columns)
      continue;
    if (getComputedNodes(plan, index).contains(sink.node))
      return true;
  }
  return false;
}

/// Whether any pass reads what `sink` is written over, but for the value that
/// it stores.
static bool overwritesInputs(const RowPlan &plan, const RowPlanSink &sink) {
  NodeSet own = getComputedNodes(plan, sink.node);
  for (unsigned index = 0, e = plan.nodes.size(); index < e; ++index) {
    if (own.contains(index))
      continue;
    for (const RowOperand &operand : plan.nodes[index].operands) {
      bool isOwn = operand.kind == RowOperand::Kind::Node &&
                   own.contains(operand.node) &&
                   (operand.node != sink.node || operand.output != sink.output);
      if (isOwn || (operand.kind == RowOperand::Kind::Buffer &&
                    isSameView(operand.value, sink.buffer)))
        return true;
    }
  }
  return llvm::any_of(plan.sinks, [&](const RowPlanSink &other) {
    bool isOther = other.node != sink.node || other.output != sink.output;
    return &other != &sink && (isSameView(other.buffer, sink.buffer) ||
                               (isOther && own.contains(other.node)));
  });
}

const RowPlanSink *rows::findEarlySink(const RowPlan &plan) {
  // One at most: a second could overwrite what the first is computed from.
  for (const RowPlanSink &sink : plan.sinks)
    if (!sink.isPerRow && plan.nodes[sink.node].level == 0 &&
        isReducedAt(plan, sink, 1) && !overwritesInputs(plan, sink))
      return &sink;
  return nullptr;
}

bool rows::isWorthKeeping(const RowPlan &plan, const RowPlanSink &sink) {
  PassWork work = getWork(plan, sink.node, plan.columns.back());
  return work.numOps > static_cast<int64_t>(work.loads.size());
}
