//===- RowLoweringSteps.cpp - How many rows are computed at once ----------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows gain by company where they are short: their horizontal reductions share
// instructions, as do divisions and roots of statistics, and what is the same
// in all rows is loaded once. One row alone gains nothing by being in
// registers, nor do rows that nothing is reduced of.
//
//===----------------------------------------------------------------------===//

#include "RowLoweringDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

/// About how many instructions a transcendental function becomes, and a
/// rounding to bf16 with what subnormal numbers need.
constexpr int64_t kFunctionOps = 24, kRoundingOps = 16;
/// Instructions that a step may have: code has a size, and compiling it takes
/// time.
constexpr int64_t kMostOps = 1500;
/// Elements of longer dims, and of those of unknown length, are not multiplied:
/// no registers hold them, nor is one instruction emitted for each.
constexpr int64_t kLongest = 1 << 14;

static int64_t getElements(const RowPlan &plan, const RowNode &node) {
  int64_t elements = 1;
  for (unsigned dim : node.dims)
    if (!plan.isRow(dim)) {
      const LoopExtent &extent = plan.dims[dim];
      int64_t length =
          extent.isDynamic() ? kLongest : std::min(kLongest, extent.extent);
      elements = std::min(kLongest, elements * length);
    }
  return elements;
}

static int64_t getOps(Operation *op) {
  if (roundsToBF16(op))
    return kRoundingOps;
  return isFunction(op) ? kFunctionOps : 1;
}

static int64_t getBytes(Type shaped) {
  Type type = getElementTypeOrSelf(shaped);
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

namespace {
/// What differs from row to row and along the row, by the bytes of an element.
using Inputs = llvm::SmallDenseMap<std::pair<Value, AffineMap>, int64_t>;
} // namespace

static void addInputs(const RowPlan &plan, const RowNode &node,
                      Inputs &inputs) {
  for (const RowOperand &operand : node.operands)
    if (operand.kind == RowOperand::Kind::Buffer &&
        !plan.isPerRow(operand.map) && plan.differsByRow(operand.map))
      inputs[{operand.value, operand.map}] = getBytes(operand.value.getType());
}

static int64_t sum(const Inputs &inputs) {
  int64_t bytes = 0;
  for (const auto &[input, size] : inputs)
    bytes += size;
  return bytes;
}

/// Bytes an element of what the first pass hands on to later ones: inputs, and
/// what it computed of them, where that is not less as inputs.
static int64_t getBytesHandedOn(const RowPlan &plan) {
  SmallVector<unsigned> first, later;
  for (unsigned index = 0, e = plan.nodes.size(); index < e; ++index)
    if (plan.nodes[index].isReduction())
      (plan.nodes[index].level == 1 ? first : later).push_back(index);
  for (const RowPlanSink &sink : plan.sinks)
    if (!sink.isPerRow)
      later.push_back(sink.node);
  NodeSet here = getComputedNodes(plan, first);
  Inputs inputs;
  for (unsigned index : getComputedNodes(plan, later))
    if (!here.contains(index))
      addInputs(plan, plan.nodes[index], inputs);
  int64_t bytes = sum(inputs);
  for (auto [node, output] : getHandedOn(plan, first, later, StoredOutputs())) {
    linalg::LinalgOp op = plan.nodes[node].op;
    Inputs own;
    for (unsigned index : getComputedNodes(plan, node))
      addInputs(plan, plan.nodes[index], own);
    bytes += std::min(sum(own), getBytes(op.getDpsInits()[output].getType()));
  }
  return bytes;
}

namespace {
/// What a value depends on.
enum class Dependence { Nothing, Row, Element };

/// Finds values of 16 bits that are one a row.
class NarrowRowValues {
public:
  explicit NarrowRowValues(const RowPlan &plan) : plan(plan) {}

  bool find() {
    for (unsigned node = 0, e = plan.nodes.size(); node < e; ++node)
      for (OpOperand &yielded : getBody(node)->getTerminator()->getOpOperands())
        (void)get(node, yielded.get());
    return found;
  }

private:
  Block *getBody(unsigned node) const {
    linalg::LinalgOp op = plan.nodes[node].op;
    return op.getBlock();
  }
  Dependence get(unsigned node, Value value);
  Dependence get(const RowOperand &operand);

  const RowPlan &plan;
  DenseMap<Value, Dependence> known;
  bool found = false;
};
} // namespace

Dependence NarrowRowValues::get(const RowOperand &operand) {
  if (operand.kind == RowOperand::Kind::Buffer) {
    if (!plan.isPerRow(operand.map))
      return Dependence::Element;
    return plan.differsByRow(operand.map) ? Dependence::Row
                                          : Dependence::Nothing;
  }
  if (operand.kind != RowOperand::Kind::Node)
    return Dependence::Nothing;
  if (plan.nodes[operand.node].isReduction())
    return Dependence::Row;
  return get(
      operand.node,
      getBody(operand.node)->getTerminator()->getOperand(operand.output));
}

Dependence NarrowRowValues::get(unsigned node, Value value) {
  linalg::LinalgOp op = plan.nodes[node].op;
  if (value.getParentBlock() != op.getBlock())
    return Dependence::Nothing;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Dependence result = Dependence::Nothing;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    OpOperand *operand = op.getOpOperandsMatchingBBargs()[arg.getArgNumber()];
    result = get(plan.nodes[node].operands[operand->getOperandNumber()]);
  } else if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    result = plan.isRow(plan.nodes[node].dims[index.getDim()])
                 ? Dependence::Row
                 : Dependence::Element;
  } else {
    for (Value operand : value.getDefiningOp()->getOperands())
      result = std::max(result, get(node, operand));
  }
  found |= result == Dependence::Row &&
           (value.getType().isBF16() || value.getType().isF16());
  return known[value] = result;
}

/// Whether two rows gain by being stored together, which shares what is the
/// same in all rows: where it is to be widened, or is no less than what is not
/// the same. Values that are kept in scratch have one row of it.
static bool gainsByPairs(const RowPlan &plan) {
  bool widens = false;
  llvm::SmallDenseSet<std::pair<Value, AffineMap>> shared, own;
  auto take = [&](Value buffer, AffineMap map) {
    if (!plan.isPerRow(map))
      (plan.differsByRow(map) ? own : shared).insert({buffer, map});
  };
  for (const RowNode &node : plan.nodes) {
    linalg::LinalgOp op = node.op;
    bool isElement = getElements(plan, node) > 1;
    for (Operation &inner : op.getBlock()->without_terminator())
      if (isElement && isExpensive(&inner))
        return false;
    for (const RowOperand &operand : node.operands) {
      if (operand.kind != RowOperand::Kind::Buffer)
        continue;
      take(operand.value, operand.map);
      widens |= !node.isReduction() && !plan.isPerRow(operand.map) &&
                !plan.differsByRow(operand.map) &&
                getElementTypeOrSelf(operand.value.getType()).isBF16();
    }
  }
  for (const RowPlanSink &sink : plan.sinks)
    take(sink.buffer, sink.map);
  return widens || shared.size() >= own.size();
}

RowStep rows::chooseRowStep(const RowPlan &plan,
                            const RowLoweringOptions &options) {
  bool isEmpty = llvm::any_of(
      plan.dims, [](const LoopExtent &extent) { return extent.extent == 0; });
  if (options.shortRows == 0 || plan.levels == 0 || isEmpty)
    return {};
  int64_t most = 1;
  for (unsigned dim : llvm::reverse(plan.rows))
    if (int64_t extent = plan.dims[dim].extent; extent != 1) {
      most = ShapedType::isDynamic(extent)
                 ? options.shortRows
                 : std::min<int64_t>(options.shortRows, extent);
      break;
    }
  int64_t elements = 1, ops = 1;
  for (const RowNode &node : plan.nodes) {
    int64_t ofNode = getElements(plan, node);
    elements = std::max(elements, ofNode);
    linalg::LinalgOp op = node.op;
    for (Operation &inner : op.getBlock()->without_terminator())
      ops += llvm::divideCeil(ofNode, plan.lanes) * getOps(&inner);
  }
  int64_t vectorBytes = options.vectorBytes;
  int64_t registers = std::max<int64_t>(
      1, llvm::divideCeil(elements * getBytesHandedOn(plan), vectorBytes));
  int64_t rows = elements == kLongest
                     ? 1
                     : std::min({most, options.vectorRegisters / 2 / registers,
                                 kMostOps / ops});
  // LLVM takes lanes of such vectors for f32 and rounds them again.
  if (most < 2 || NarrowRowValues(plan).find())
    return {};
  if (rows < 2)
    return {gainsByPairs(plan) ? 2u : 1u, /*isUnrolled=*/false};
  return {static_cast<unsigned>(llvm::bit_floor<uint64_t>(rows)),
          /*isUnrolled=*/true};
}
