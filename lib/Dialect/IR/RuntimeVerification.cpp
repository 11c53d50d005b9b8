//===- RuntimeVerification.cpp - Run-time checks of dims -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterfaceImpl.h"
#include "ShapeUtils.h"
#include "VerifierUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::xfmr;

using MessageBuilder = function_ref<std::string(Operation *, StringRef)>;

namespace {

/// One dim of a value, by the value's name in the assembly.
struct NamedDim {
  StringRef name;
  Value value;
  int64_t dim, factor;

  bool isDynamic() const { return shapedType(value).isDynamicDim(dim); }
};

/// Emits assertions for what the verifier could not see: dims that must be
/// equal and of which one is dynamic at least.
class DimChecks {
public:
  DimChecks(Operation *op, OpBuilder &builder, Location loc,
            MessageBuilder message)
      : op(op), builder(builder), loc(loc), message(message) {}

  /// `dim` has as many elements as `other`, which has factor 1, times its
  /// factor.
  void expectEqual(const NamedDim &dim, const NamedDim &other) {
    if (!dim.isDynamic() && !other.isDynamic())
      return;
    Value left = sizeOf(dim), right = sizeOf(other);
    if (dim.factor != 1)
      right = arith::MulIOp::create(
          builder, loc, right,
          arith::ConstantIndexOp::create(builder, loc, dim.factor));
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        left, right);
    std::string text =
        "expected dim " + std::to_string(dim.dim) + " of " + dim.name.str() +
        " to equal " +
        (dim.factor == 1 ? "" : std::to_string(dim.factor) + " times ") +
        "dim " + std::to_string(other.dim) + " of " + other.name.str();
    cf::AssertOp::create(builder, loc, equal, message(op, text));
  }

private:
  Value sizeOf(const NamedDim &dim) {
    return getValueOrCreateConstantIndexOp(
        builder, loc, getSize(builder, loc, dim.value, dim.dim));
  }

  Operation *op;
  OpBuilder &builder;
  Location loc;
  MessageBuilder message;
};

} // namespace

/// What the region yields has the shape of x.
static void checkBranch(ResidualBlockOp op, OpBuilder &builder, Location loc,
                        MessageBuilder message) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op.getBody().front().getTerminator());
  DimChecks checks(op, builder, loc, message);
  Value branch = op.getBranchOutput();
  for (int64_t dim = 0, rank = shapedType(branch).getRank(); dim < rank; ++dim)
    checks.expectEqual({"the yielded value", branch, dim, 1},
                       {"ins", op.getInput(), dim, 1});
}

void operand_dims::generateRuntimeVerification(OperandDimsInterface op,
                                               OpBuilder &builder, Location loc,
                                               MessageBuilder message) {
  DimChecks checks(op, builder, loc, message);
  // Every dim is compared with the first of its symbol that has factor 1.
  SmallVector<std::pair<int64_t, NamedDim>> dims;
  llvm::SmallDenseMap<int64_t, unsigned> first;
  for (OpOperand &operand : op->getOpOperands())
    for (auto [i, dim] : llvm::enumerate(op.getOperandDims(operand))) {
      if (dim.factor == 1)
        first.try_emplace(dim.symbol, dims.size());
      dims.push_back({dim.symbol,
                      {op.getOperandName(operand), operand.get(), int64_t(i),
                       dim.factor}});
    }
  for (auto [i, dim] : llvm::enumerate(dims))
    if (auto it = first.find(dim.first); it != first.end() && it->second != i)
      checks.expectEqual(dim.second, dims[it->second].second);
  if (auto block = dyn_cast<ResidualBlockOp>(op.getOperation()))
    checkBranch(block, builder, loc, message);
}
