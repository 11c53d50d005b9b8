//===- Workload.cpp - How much work a call is -----------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/ExecutionEngine/Workload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// Follows sizes back to the arguments of a function.
class Sizes {
public:
  Sizes(func::FuncOp function, ArrayRef<SmallVector<int64_t>> shapes)
      : entry(&function.getBody().front()), shapes(shapes) {}

  std::optional<int64_t> getDim(Value shaped, int64_t dim) {
    auto type = cast<ShapedType>(shaped.getType());
    if (!type.hasRank())
      return std::nullopt;
    if (!type.isDynamicDim(dim))
      return type.getDimSize(dim);
    if (auto argument = dyn_cast<BlockArgument>(shaped)) {
      if (argument.getOwner() == entry)
        return shapes[argument.getArgNumber()][dim];
      auto block =
          dyn_cast<ResidualBlockOp>(argument.getOwner()->getParentOp());
      return block ? getDim(block.getInput(), dim) : std::nullopt;
    }
    Operation *op = shaped.getDefiningOp();
    if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
      return getDim(dps.getTiedOpOperand(cast<OpResult>(shaped))->get(), dim);
    if (isa<tensor::CastOp, memref::CastOp, bufferization::ToTensorOp>(op))
      return getDim(op->getOperand(0), dim);
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return getSize(empty.getMixedSizes()[dim]);
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return getSize(alloc.getMixedSizes()[dim]);
    return std::nullopt;
  }

  std::optional<double> getNumElements(Value shaped) {
    double count = 1;
    for (int64_t dim = 0, rank = cast<ShapedType>(shaped.getType()).getRank();
         dim < rank; ++dim) {
      std::optional<int64_t> size = getDim(shaped, dim);
      if (!size)
        return std::nullopt;
      count *= *size;
    }
    return count;
  }

private:
  std::optional<int64_t> getSize(OpFoldResult size) {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      return constant;
    Operation *op = cast<Value>(size).getDefiningOp();
    if (auto dim = dyn_cast_or_null<tensor::DimOp>(op))
      if (std::optional<int64_t> index = dim.getConstantIndex())
        return getDim(dim.getSource(), *index);
    if (auto dim = dyn_cast_or_null<memref::DimOp>(op))
      if (std::optional<int64_t> index = dim.getConstantIndex())
        return getDim(dim.getSource(), *index);
    return std::nullopt;
  }

  Block *entry;
  ArrayRef<SmallVector<int64_t>> shapes;
};

/// Counts the operations of single ops.
class FlopCounter {
public:
  FlopCounter(Sizes &sizes) : sizes(sizes) {}

  std::optional<double> count(Operation *op) {
    return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
        .Case<FFNOp, GLUFFNOp, SwiGLUFFNOp>(
            [&](auto ffn) { return countFFN(ffn.getFFNSpec()); })
        .Case<RMSNormOp, LayerNormOp, AddRMSNormOp, AddLayerNormOp>(
            [&](auto norm) {
              NormSpec spec = norm.getNormSpec();
              return times(sizes.getNumElements(spec.input),
                           getNormFlops(spec.kind) + 2 * spec.hasResidual);
            })
        .Case([&](GatedActOp act) {
          return times(sizes.getNumElements(act.getInit()), 2);
        })
        .Case([&](ResidualBlockOp block) {
          double each = 2;
          for (std::optional<NormAttr> norm :
               {block.getNorm1(), block.getNorm2()})
            if (norm)
              each += getNormFlops(norm->getKind());
          return times(sizes.getNumElements(block.getInput()), each);
        })
        .Case([&](linalg::LinalgOp linalgOp) { return countLinalg(linalgOp); })
        .Default([](Operation *) { return 0.0; });
  }

private:
  static double getNormFlops(NormKind kind) {
    return kind == NormKind::RMSNorm ? 4 : 7;
  }

  static std::optional<double> times(std::optional<double> count,
                                     double factor) {
    return count ? std::optional<double>(*count * factor) : std::nullopt;
  }

  std::optional<double> countFFN(const FFNSpec &spec) {
    auto rank = [](Value value) {
      return cast<ShapedType>(value.getType()).getRank();
    };
    std::optional<double> inputs = sizes.getNumElements(spec.input);
    std::optional<double> outputs = sizes.getNumElements(spec.init);
    std::optional<int64_t> hidden =
        sizes.getDim(spec.down, spec.downLayout == WeightLayout::InOut ? 0 : 1);
    std::optional<int64_t> width =
        sizes.getDim(spec.input, rank(spec.input) - 1);
    if (!inputs || !outputs || !hidden || !width)
      return std::nullopt;
    double rows = *width ? *inputs / *width : 0;
    double products = (*inputs * (spec.gated ? 2 : 1) + *outputs) * *hidden;
    return 2 * products + rows * *hidden * (spec.gated ? 2 : 1);
  }

  std::optional<double> countLinalg(linalg::LinalgOp op) {
    SmallVector<std::optional<int64_t>> dims;
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<ShapedType>(operand.getType());
      for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
        dims.push_back(sizes.getDim(operand, dim));
    }
    AffineMap loops = op.getShapesToLoopsMap();
    if (!loops)
      return std::nullopt;
    double iterations = 1;
    for (AffineExpr expr : loops.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || !dims[dim.getPosition()])
        return std::nullopt;
      iterations *= *dims[dim.getPosition()];
    }
    double each = llvm::count_if(*op.getBlock(), [](Operation &inner) {
      return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                 inner.getDialect()) &&
             !isa<CastOpInterface, arith::ConstantOp>(inner);
    });
    return iterations * each;
  }

  Sizes &sizes;
};

} // namespace

std::optional<double>
mlir::xfmr::countFlops(func::FuncOp function,
                       ArrayRef<SmallVector<int64_t>> argumentShapes) {
  Sizes sizes(function, argumentShapes);
  FlopCounter counter(sizes);
  double total = 0;
  WalkResult result = function.walk([&](Operation *op) {
    std::optional<double> flops = counter.count(op);
    if (isa<LoopLikeOpInterface, BranchOpInterface, CallOpInterface>(op) ||
        (op->getNumRegions() > 1) || !flops)
      return WalkResult::interrupt();
    total += *flops;
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  return result.wasInterrupted() ? std::nullopt : std::optional<double>(total);
}

bool mlir::xfmr::readsArgument(func::FuncOp function, unsigned index) {
  return llvm::any_of(function.getArgument(index).getUses(),
                      [](OpOperand &use) {
                        Operation *user = use.getOwner();
                        if (isa<tensor::DimOp, memref::DimOp>(user))
                          return false;
                        auto dps = dyn_cast<DestinationStyleOpInterface>(user);
                        return !dps || !dps.isDpsInit(&use) ||
                               !isa<XfmrDialect>(user->getDialect());
                      });
}
