//===- ShapeInference.cpp - Sizes that follow from other sizes ------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/ShapeInference.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// Classes of dimensions of values that have one size.
class DimClasses {
public:
  using Dim = std::pair<void *, int64_t>;

  void unite(Value lhs, int64_t lhsDim, Value rhs, int64_t rhsDim) {
    classes.unionSets(getDim(lhs, lhsDim), getDim(rhs, rhsDim));
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
    if (auto rows = dyn_cast<RowOpInterface>(op))
      visitRowOp(rows);
    if (auto block = dyn_cast<ResidualBlockOp>(op)) {
      uniteShapes(block.getInput(), block.getInit());
      uniteShapes(block.getInput(), block.getBranchInput());
      uniteShapes(block.getInput(), block.getBranchOutput());
      if (Value mask = block.getMask())
        for (int64_t dim = 0, rank = getRank(mask); dim < rank; ++dim)
          unite(mask, dim, block.getInput(), dim);
    }
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

  void visitRowOp(RowOpInterface op) {
    llvm::DenseMap<int64_t, std::pair<Value, int64_t>> first;
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, domain] : llvm::enumerate(op.getDomainDims(operand))) {
        if (domain < 0)
          continue;
        auto [known, isNew] =
            first.insert({domain, {operand.get(), static_cast<int64_t>(dim)}});
        if (!isNew)
          unite(known->second.first, known->second.second, operand.get(), dim);
      }
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
  DimClasses classes;
  function.walk([&](Operation *op) { classes.visit(op); });
  classes.propagate(function.getBody().front(), shapes);
}
