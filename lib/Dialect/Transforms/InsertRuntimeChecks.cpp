//===- InsertRuntimeChecks.cpp - Checks of dynamic shapes -----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "xfmr/Dialect/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_INSERTRUNTIMECHECKS
#include "xfmr/Dialect/Transforms/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// Collects the assertions that a builder creates.
struct AssertListener : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (auto assertOp = dyn_cast<cf::AssertOp>(op))
      asserts.push_back(assertOp);
  }
  SmallVector<cf::AssertOp> asserts;
};

/// Recomputes values at the start of a function, from its arguments alone.
class EntryCloner {
public:
  explicit EntryCloner(func::FuncOp function)
      : entry(function.getBody().front()), builder(function.getContext()) {
    // New ops go before the op that is first now, in the order of creation.
    builder.setInsertionPointToStart(&entry);
  }

  /// The value of `value` at the function's entry, or null.
  Value clone(Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Value result = compute(value);
    if (result)
      mapping.map(value, result);
    return result;
  }

  void moveHere(cf::AssertOp assertOp, Value condition) {
    assertOp.getArgMutable().assign(condition);
    assertOp->remove();
    builder.insert(assertOp);
  }

private:
  Value compute(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument)
      return argument.getOwner() == &entry ? value : Value();
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      if (std::optional<int64_t> index = dim.getConstantIndex())
        return getDim(dim.getSource(), *index, dim.getLoc());
    if (auto dim = dyn_cast<memref::DimOp>(op))
      if (std::optional<int64_t> index = dim.getConstantIndex())
        return getDim(dim.getSource(), *index, dim.getLoc());
    if (op->getNumRegions() || !isPure(op) || hasShapedOperand(op))
      return {};
    for (Value operand : op->getOperands())
      if (!clone(operand))
        return {};
    return builder.clone(*op, mapping)
        ->getResult(cast<OpResult>(value).getResultNumber());
  }

  /// A check looks at shapes; what is in a tensor is not to be computed twice.
  static bool hasShapedOperand(Operation *op) {
    return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>);
  }

  Value getDim(Value shaped, int64_t dim, Location loc) {
    auto type = dyn_cast<ShapedType>(shaped.getType());
    if (!type || !type.hasRank() || dim < 0 || dim >= type.getRank())
      return {};
    if (!type.isDynamicDim(dim))
      return arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
    if (auto argument = dyn_cast<BlockArgument>(shaped)) {
      if (argument.getOwner() == &entry) {
        if (isa<MemRefType>(type))
          return memref::DimOp::create(builder, loc, shaped, dim);
        return tensor::DimOp::create(builder, loc, shaped, dim);
      }
      auto block =
          dyn_cast<ResidualBlockOp>(argument.getOwner()->getParentOp());
      return block ? getDim(block.getInput(), dim, loc) : Value();
    }
    Operation *op = shaped.getDefiningOp();
    if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
      return getDim(dps.getTiedOpOperand(cast<OpResult>(shaped))->get(), dim,
                    loc);
    if (isa<tensor::CastOp, memref::CastOp>(op))
      return getDim(op->getOperand(0), dim, loc);
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return getSize(empty.getMixedSizes()[dim], loc);
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return getSize(alloc.getMixedSizes()[dim], loc);
    return reifyDim(cast<OpResult>(shaped), dim, loc);
  }

  Value getSize(OpFoldResult size, Location loc) {
    if (auto value = dyn_cast<Value>(size))
      return clone(value);
    return getValueOrCreateConstantIndexOp(builder, loc, size);
  }

  Value reifyDim(OpResult result, int64_t dim, Location loc) {
    OpBuilder local(result.getOwner());
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(local, result.getOwner(), shapes)))
      return {};
    return getSize(shapes[result.getResultNumber()][dim], loc);
  }

  Block &entry;
  OpBuilder builder;
  IRMapping mapping;
};

/// Whether `op` runs on every call: nothing around it may skip it.
bool runsAlways(Operation *op, func::FuncOp function) {
  Operation *parent = op->getParentOp();
  while (isa<ResidualBlockOp>(parent))
    parent = parent->getParentOp();
  return parent == function && function.getBody().hasOneBlock();
}

std::string getMessage(Operation *op, StringRef text) {
  std::string message;
  llvm::raw_string_ostream os(message);
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    os << loc.getFilename().getValue() << ':' << loc.getLine() << ':'
       << loc.getColumn() << ": ";
  os << '\'' << op->getName() << "' op " << text;
  return message;
}

struct InsertRuntimeChecks
    : xfmr::impl::InsertRuntimeChecksBase<InsertRuntimeChecks> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    SmallVector<RuntimeVerifiableOpInterface> ops;
    function.walk<WalkOrder::PreOrder>([&](RuntimeVerifiableOpInterface op) {
      if (isa_and_nonnull<XfmrDialect>(op->getDialect()))
        ops.push_back(op);
    });

    AssertListener listener;
    OpBuilder builder(&getContext(), &listener);
    for (RuntimeVerifiableOpInterface op : ops) {
      builder.setInsertionPoint(op);
      op.generateRuntimeVerification(builder, op.getLoc(), getMessage);
    }

    EntryCloner cloner(function);
    for (cf::AssertOp assertOp : listener.asserts) {
      if (matchPattern(assertOp.getArg(), m_One())) {
        assertOp.erase();
        continue;
      }
      if (!runsAlways(assertOp, function))
        continue;
      if (Value condition = cloner.clone(assertOp.getArg()))
        cloner.moveHere(assertOp, condition);
    }
    recordMessages(function);
  }

  /// Later passes may change what they compile for a target; the numbers of the
  /// checks are settled here.
  void recordMessages(func::FuncOp function) {
    llvm::SetVector<Attribute> messages;
    if (auto known =
            function->getAttrOfType<ArrayAttr>(kStatusMessagesAttrName))
      messages.insert(known.begin(), known.end());
    function.walk([&](cf::AssertOp op) { messages.insert(op.getMsgAttr()); });
    if (!messages.empty())
      function->setAttr(kStatusMessagesAttrName,
                        ArrayAttr::get(&getContext(), messages.getArrayRef()));
  }
};

} // namespace
