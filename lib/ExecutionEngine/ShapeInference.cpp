//===- ShapeInference.cpp - Sizes that follow from other sizes ------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/ShapeInference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "xfmr/Dialect/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// Classes of dimensions of values that have one size.
class DimClasses {
public:
  using Dim = std::pair<void *, int64_t>;

  /// Two dimensions of one size.
  void unite(Value lhs, int64_t lhsDim, Value rhs, int64_t rhsDim) {
    classes.unionSets(addDim(lhs, lhsDim), addDim(rhs, rhsDim));
  }

  /// All dimensions of two values of one shape.
  void uniteShapes(Value lhs, Value rhs) {
    for (int64_t dim = 0, rank = getRank(lhs); dim < rank; ++dim)
      unite(lhs, dim, rhs, dim);
  }

  void visit(Operation *op) {
    if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
      for (OpResult result : op->getResults())
        uniteShapes(result, dps.getTiedOpOperand(result)->get());
    if (auto block = dyn_cast<ResidualBlockOp>(op))
      uniteShapes(block.getInput(), block.getBranchInput());
    if (auto assertOp = dyn_cast<cf::AssertOp>(op))
      visitCheck(assertOp);
    if (isa<tensor::CastOp, memref::CastOp>(op))
      uniteShapes(op->getOperand(0), op->getResult(0));
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      for (auto [dim, size] : llvm::enumerate(empty.getMixedSizes()))
        if (std::optional<Dim> of = getDimOf(size))
          classes.unionSets(addDim(empty, dim), *of);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      visitLinalg(linalgOp);
  }

  void propagate(Block &entry, MutableArrayRef<SmallVector<int64_t>> shapes) {
    llvm::DenseMap<Dim, int64_t> known;
    auto forEach = [&](llvm::function_ref<void(Dim, int64_t &)> function) {
      for (auto [index, shape] : llvm::enumerate(shapes))
        for (auto [dim, size] : llvm::enumerate(shape)) {
          Dim key = getDim(entry.getArgument(index), dim);
          function(classes.getOrInsertLeaderValue(key), size);
        }
    };
    for (const auto &member : classes)
      if (!member->getData().first)
        known.insert({classes.getLeaderValue(member->getData()),
                      member->getData().second});
    forEach([&](Dim leader, int64_t &size) {
      if (!ShapedType::isDynamic(size))
        known.insert({leader, size});
    });
    forEach([&](Dim leader, int64_t &size) {
      auto found = known.find(leader);
      if (ShapedType::isDynamic(size) && found != known.end())
        size = found->second;
    });
  }

private:
  static Dim getDim(Value value, int64_t dim) {
    return {value.getAsOpaquePointer(), dim};
  }
  static int64_t getRank(Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    return type && type.hasRank() ? type.getRank() : 0;
  }

  /// A size that the type has is the dimension of that constant.
  Dim addDim(Value value, int64_t dim) {
    Dim result = getDim(value, dim);
    auto type = cast<ShapedType>(value.getType());
    if (dim >= 0 && dim < getRank(value) && !type.isDynamicDim(dim))
      classes.unionSets(result, Dim(nullptr, type.getDimSize(dim)));
    return result;
  }

  /// The dimension whose size `size` is; a constant is one of no value.
  std::optional<Dim> getDimOf(OpFoldResult size) {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      return Dim(nullptr, *constant);
    Operation *op = cast<Value>(size).getDefiningOp();
    if (auto dim = dyn_cast_or_null<tensor::DimOp>(op))
      if (std::optional<int64_t> index = dim.getConstantIndex())
        return addDim(dim.getSource(), *index);
    if (auto dim = dyn_cast_or_null<memref::DimOp>(op))
      if (std::optional<int64_t> index = dim.getConstantIndex())
        return addDim(dim.getSource(), *index);
    return std::nullopt;
  }

  void visitCheck(cf::AssertOp op) {
    auto compare = op.getArg().getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
      return;
    std::optional<Dim> lhs = getDimOf(compare.getLhs());
    std::optional<Dim> rhs = getDimOf(compare.getRhs());
    if (lhs && rhs)
      classes.unionSets(*lhs, *rhs);
  }

  void visitLinalg(linalg::LinalgOp op) {
    llvm::DenseMap<unsigned, std::pair<Value, int64_t>> first;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!loop || static_cast<int64_t>(dim) >= getRank(operand.get()))
          continue;
        auto [known, isNew] = first.insert(
            {loop.getPosition(), {operand.get(), static_cast<int64_t>(dim)}});
        if (!isNew)
          unite(known->second.first, known->second.second, operand.get(), dim);
      }
    }
  }

  llvm::EquivalenceClasses<Dim> classes;
};

} // namespace

void mlir::xfmr::inferArgumentShapes(
    func::FuncOp function, MutableArrayRef<SmallVector<int64_t>> shapes) {
  // The runtime checks say what must be equal.
  OwningOpRef<ModuleOp> module(function->getParentOfType<ModuleOp>().clone());
  PassManager pm(module->getContext());
  pm.addNestedPass<func::FuncOp>(createInsertRuntimeChecks());
  if (failed(pm.run(*module)))
    return;
  function = module->lookupSymbol<func::FuncOp>(function.getName());
  DimClasses classes;
  function.walk([&](Operation *op) { classes.visit(op); });
  classes.propagate(function.getBody().front(), shapes);
}
