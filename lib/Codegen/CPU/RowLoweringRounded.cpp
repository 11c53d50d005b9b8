//===- RowLoweringRounded.cpp - Functions that are rounded next -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exponentials of a softmax are summed, multiplied by the inverse of the
// sum, and rounded. Products, quotients and sums of positive values keep
// relative errors, so that what the result's type leaves no trace of need not
// be computed.
//
//===----------------------------------------------------------------------===//

#include "RowLoweringDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "xfmr/Dialect/IR/RoundedTo.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

namespace {

/// Follows values from op to op of a group, across its nodes.
class RoundedFunctions {
public:
  explicit RoundedFunctions(const RowPlan &plan) : plan(plan) {}

  void mark(Location loc, StringRef category);

private:
  linalg::LinalgOp getOp(unsigned node) const { return plan.nodes[node].op; }
  bool endsRounded(unsigned node, Value value, bool isPositive);
  bool isSummed(unsigned node, Operation *combiner, Value value) const;
  bool outputEndsRounded(unsigned node, unsigned output, bool isPositive);
  int64_t countErrors(unsigned node, Value value) const;

  const RowPlan &plan;
  llvm::SmallPtrSet<Operation *, 2> functions;
  /// The roundings that values end in, with their nodes.
  llvm::SmallDenseSet<std::pair<unsigned, Operation *>, 2> roundings;
};

} // namespace

/// Whether `combiner` adds `value` to a sum that starts with nothing.
bool RoundedFunctions::isSummed(unsigned node, Operation *combiner,
                                Value value) const {
  const RowNode &reduction = plan.nodes[node];
  const auto *found = llvm::find(reduction.combiners, combiner);
  if (found == reduction.combiners.end() || !isa<arith::AddFOp>(combiner))
    return false;
  linalg::LinalgOp op = reduction.op;
  OpOperand *init =
      op.getDpsInitOperand(std::distance(reduction.combiners.begin(), found));
  const RowOperand &initial = reduction.operands[init->getOperandNumber()];
  bool isZero = initial.kind == RowOperand::Kind::Splat
                    ? matchPattern(initial.attr, m_AnyZeroFloat())
                    : initial.kind == RowOperand::Kind::Scalar &&
                          matchPattern(initial.value, m_AnyZeroFloat());
  return isZero && value != op.getMatchingBlockArgument(init);
}

bool RoundedFunctions::outputEndsRounded(unsigned node, unsigned output,
                                         bool isPositive) {
  for (const RowPlanSink &sink : plan.sinks)
    if (sink.node == node && sink.output == output)
      return false;
  for (auto [index, user] : llvm::enumerate(plan.nodes))
    for (auto [position, operand] : llvm::enumerate(user.operands))
      if (operand.kind == RowOperand::Kind::Node && operand.node == node &&
          operand.output == output) {
        linalg::LinalgOp op = user.op;
        Value argument =
            op.getMatchingBlockArgument(&op->getOpOperand(position));
        if (!endsRounded(index, argument, isPositive))
          return false;
      }
  return true;
}

/// Whether nothing of `value` is stored but through roundings, and what reaches
/// these has its relative error. It is no number below zero if `isPositive`.
bool RoundedFunctions::endsRounded(unsigned node, Value value,
                                   bool isPositive) {
  linalg::LinalgOp op = getOp(node);
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == op.getBlock()->getTerminator())
      return outputEndsRounded(node, use.getOperandNumber(), isPositive);
    if (isa<arith::TruncFOp>(user)) {
      roundings.insert({node, user});
      return isa<Float16Type, BFloat16Type>(user->getResult(0).getType());
    }
    if (isSummed(node, user, value)) {
      const auto &combiners = plan.nodes[node].combiners;
      return isPositive &&
             outputEndsRounded(
                 node,
                 std::distance(combiners.begin(), llvm::find(combiners, user)),
                 /*isPositive=*/true);
    }
    return isa<arith::MulFOp, arith::DivFOp>(user) &&
           !llvm::is_contained(plan.nodes[node].combiners, user) &&
           endsRounded(node, user->getResult(0), /*isPositive=*/false);
  });
}

/// How many functions' errors `value` may have at once.
int64_t RoundedFunctions::countErrors(unsigned node, Value value) const {
  linalg::LinalgOp op = getOp(node);
  if (value.getParentBlock() != op.getBlock())
    return 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const RowOperand &operand =
        plan.nodes[node]
            .operands[op.getOpOperandsMatchingBBargs()[argument.getArgNumber()]
                          ->getOperandNumber()];
    if (operand.kind != RowOperand::Kind::Node)
      return 0;
    linalg::LinalgOp from = getOp(operand.node);
    Operation *terminator = from.getBlock()->getTerminator();
    return countErrors(operand.node, terminator->getOperand(operand.output));
  }
  Operation *source = value.getDefiningOp();
  if (functions.contains(source))
    return 1;
  int64_t errors = 0;
  // What else there is has none, or no function's value would end there.
  bool isProduct = isa<arith::MulFOp, arith::DivFOp>(source);
  bool isSum = llvm::is_contained(plan.nodes[node].combiners, source);
  for (Value operand : source->getOperands())
    if (isProduct ||
        (isSum && !llvm::is_contained(op.getRegionOutputArgs(), operand)))
      errors += countErrors(node, operand);
  return errors;
}

void RoundedFunctions::mark(Location loc, StringRef category) {
  for (auto [index, node] : llvm::enumerate(plan.nodes)) {
    linalg::LinalgOp op = node.op;
    for (auto exp : op.getBlock()->getOps<math::ExpOp>())
      if (exp.getType().isF32() &&
          endsRounded(index, exp.getResult(), /*isPositive=*/true))
        functions.insert(exp);
  }
  Type type;
  for (auto [node, rounding] : roundings) {
    int64_t errors = countErrors(node, rounding->getOperand(0));
    if (errors > 2)
      return;
    // The one of more digits serves the other.
    if (errors > 0 && (!type || !type.isF16()))
      type = rounding->getResult(0).getType();
  }
  if (!type)
    return;
  for (Operation *function : functions)
    function->setAttr(kRoundedToAttrName, TypeAttr::get(type));
  remark::passed(
      loc, remark::RemarkOpts::name("FunctionsShortened").category(category))
      << "computes exponentials to the digits that a rounding leaves"
      << remark::metric("functions", functions.size());
}

void rows::markRoundedFunctions(const RowPlan &plan, Location loc,
                                StringRef category) {
  RoundedFunctions(plan).mark(loc, category);
}
