//===- AMXLeftSide.cpp - Rows as tiles can read them ----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMXLeftSide.h"
#include "AMXPanelProduct.h"
#include "RowLoweringDetail.h"
#include "RowLoweringStrips.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::xfmr;

/// Rows, and inputs of a step, that tiles read.
static constexpr int64_t kRows = 16;
static constexpr int64_t kInputs = 32;

/// The kernel's operand that is the output.
static constexpr unsigned kKernelOutput = 2;

//===----------------------------------------------------------------------===//
// Where it does not change
//===----------------------------------------------------------------------===//

static bool isAllocation(Value buffer) {
  return buffer.getDefiningOp<memref::AllocOp>() ||
         buffer.getDefiningOp<memref::AllocaOp>();
}

/// Whether a kernel of panel products is called, on vectors or on tiles.
static bool isKernel(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && callee.isPrivate() &&
         (callee.getName() == kAMXPanelKernel ||
          callee.getName().starts_with("xfmr_panel_product_"));
}

/// Whether an op in `scope` may write to `buffer`.
static bool mayWrite(Operation *scope, Value buffer) {
  Value root = getBaseBuffer(buffer);
  return scope
      ->walk([&](Operation *op) {
        if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
          return WalkResult::advance();
        // A kernel writes to its output alone.
        auto call = dyn_cast<func::CallOp>(op);
        if (call && isKernel(call))
          return getBaseBuffer(call.getOperand(kKernelOutput)) == root
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        auto effects = dyn_cast<MemoryEffectOpInterface>(op);
        if (!effects)
          return WalkResult::interrupt();
        SmallVector<MemoryEffects::EffectInstance> all;
        effects.getEffects(all);
        for (const MemoryEffects::EffectInstance &effect : all) {
          if (!isa<MemoryEffects::Write, MemoryEffects::Free>(
                  effect.getEffect()))
            continue;
          if (!effect.getValue())
            return WalkResult::interrupt();
          // Other memory is one that was allocated, or that was there before.
          Value written = getBaseBuffer(effect.getValue());
          if (written == root || !(isAllocation(written) || isAllocation(root)))
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// The outermost loop around `op` in which `buffer` does not change; else `op`.
static Operation *getHoistPoint(Operation *op, Value buffer) {
  Operation *best = op;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (!isa<scf::ForOp, scf::ForallOp, scf::ParallelOp, scf::IfOp>(parent) ||
        parent->isProperAncestor(buffer.getParentBlock()->getParentOp()) ||
        parent == buffer.getParentBlock()->getParentOp() ||
        mayWrite(parent, buffer))
      break;
    if (!isa<scf::IfOp>(parent))
      best = parent;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

namespace {

/// Emits the left side as tiles can read it, before an op.
class LhsEmitter {
public:
  LhsEmitter(RewriterBase &builder, Location loc, Value lhs)
      : builder(builder), loc(loc), lhs(lhs),
        type(cast<MemRefType>(lhs.getType())) {}

  /// What to give to the kernel, and what to free after its last use.
  std::pair<Value, Value> emit(MemRefType kernelType);

private:
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(builder, loc, expr, operands);
  }
  Value getValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  rows::Condition isMultiple(OpFoldResult size, int64_t factor,
                             bool negate = false);
  rows::Condition isReadable();
  bool hasSpareRows();
  Value emitCopy(Value target);

  RewriterBase &builder;
  Location loc;
  Value lhs;
  MemRefType type;
  OpFoldResult rows, inputs;
};

} // namespace

rows::Condition LhsEmitter::isMultiple(OpFoldResult size, int64_t factor,
                                       bool negate) {
  OpFoldResult rest = apply(builder.getAffineDimExpr(0) % factor, {size});
  if (std::optional<int64_t> known = getConstantIntValue(rest))
    return {(*known == 0) != negate, Value()};
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return {std::nullopt, arith::CmpIOp::create(builder, loc,
                                              negate ? arith::CmpIPredicate::ne
                                                     : arith::CmpIPredicate::eq,
                                              cast<Value>(rest), zero)};
}

/// Whether the rows that follow the last one are memory of the same buffer, up
/// to the end of a tile. What they hold does not matter: it becomes rows of
/// sums that are not stored.
bool LhsEmitter::hasSpareRows() {
  auto view = lhs.getDefiningOp<memref::SubViewOp>();
  if (!view || !isAllocation(view.getSource()) ||
      view.getSourceType().getRank() != 2 || view.getDroppedDims().any())
    return false;
  int64_t known = view.getSourceType().getDimSize(0);
  return isZeroInteger(view.getMixedOffsets()[0]) &&
         isOneInteger(view.getMixedStrides()[0]) &&
         !ShapedType::isDynamic(known) && known % kRows == 0;
}

/// Tiles read whole steps of whole rows. Rows should begin with a cache line,
/// and those of a tile should not all compete for the same few places of the
/// first-level cache.
rows::Condition LhsEmitter::isReadable() {
  if (!type.isLastDimUnitStride())
    return {false, Value()};
  auto [strides, offset] = type.getStridesAndOffset();
  OpFoldResult stride = builder.getIndexAttr(strides[0]);
  if (ShapedType::isDynamic(strides[0])) {
    auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, lhs);
    stride = metadata.getStrides()[0];
  }
  rows::Condition result = isMultiple(inputs, kInputs);
  result = rows::both(builder, loc, result, isMultiple(stride, kInputs));
  result = rows::both(builder, loc, result,
                      isMultiple(stride, 1024, /*negate=*/true));
  if (!hasSpareRows())
    result = rows::both(builder, loc, result, isMultiple(rows, kRows));
  return result;
}

Value LhsEmitter::emitCopy(Value target) {
  auto vectorType = VectorType::get({kInputs}, builder.getBF16Type());
  Operation *hoist = arith::ConstantIndexOp::create(builder, loc, 0);
  StripAccess access(builder, loc, hoist);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value step = arith::ConstantIndexOp::create(builder, loc, kInputs);
  bool isWhole = isMultiple(inputs, kInputs).known.value_or(false);
  scf::ForOp::create(
      builder, loc, zero, getValue(rows), one, ValueRange(),
      [&](OpBuilder &, Location, Value row, ValueRange) {
        scf::ForOp::create(
            builder, loc, zero, getValue(inputs), step, ValueRange(),
            [&](OpBuilder &, Location, Value input, ValueRange) {
              Value mask;
              if (!isWhole) {
                OpFoldResult left = apply(builder.getAffineDimExpr(0) -
                                              builder.getAffineDimExpr(1),
                                          {inputs, input});
                mask = vector::CreateMaskOp::create(
                    builder, loc,
                    VectorType::get({kInputs}, builder.getI1Type()),
                    getValue(left));
              }
              Value strip =
                  access.load(lhs, {row, input}, {0, 1}, kInputs, mask);
              if (strip.getType() != vectorType)
                strip = vector::ShapeCastOp::create(builder, loc, vectorType,
                                                    strip);
              vector::StoreOp::create(builder, loc, strip, target,
                                      ValueRange{row, input});
              scf::YieldOp::create(builder, loc);
            });
        scf::YieldOp::create(builder, loc);
      });
  return target;
}

std::pair<Value, Value> LhsEmitter::emit(MemRefType kernelType) {
  rows = memref::getMixedSize(builder, loc, lhs, 0);
  inputs = memref::getMixedSize(builder, loc, lhs, 1);
  rows::Condition readable = isReadable();
  auto cast = [&](Value buffer) -> Value {
    return memref::CastOp::create(builder, loc, kernelType, buffer);
  };
  if (readable.known && *readable.known)
    return {cast(lhs), Value()};

  // An odd number of cache lines a row: rows of a tile lie in different places
  // of the first-level cache.
  AffineExpr d0 = builder.getAffineDimExpr(0);
  AffineExpr lines = d0.ceilDiv(kInputs).floorDiv(2) * 2 + 1;
  Value width = getValue(apply(lines * kInputs, {inputs}));
  Value height = getValue(apply(d0.ceilDiv(kRows) * kRows, {rows}));
  if (!readable.known)
    height = arith::SelectOp::create(
        builder, loc, readable.value,
        arith::ConstantIndexOp::create(builder, loc, 0), height);
  Value copy = memref::AllocOp::create(
      builder, loc,
      MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                      builder.getBF16Type()),
      ValueRange{height, width}, builder.getI64IntegerAttr(64));
  if (readable.known)
    return {cast(emitCopy(copy)), copy};
  auto branch =
      scf::IfOp::create(builder, loc, TypeRange(kernelType), readable.value,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, cast(lhs));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, cast(emitCopy(copy)));
  return {branch.getResult(0), copy};
}

//===----------------------------------------------------------------------===//
// One copy for all products of the same rows
//===----------------------------------------------------------------------===//

/// Whether two values are one, or views of one that were made alike.
static bool isSameView(Value a, Value b) {
  if (a == b)
    return true;
  auto x = dyn_cast<OpResult>(a), y = dyn_cast<OpResult>(b);
  return x && y && x.getResultNumber() == y.getResultNumber() &&
         isa<ViewLikeOpInterface>(x.getOwner()) &&
         OperationEquivalence::isEquivalentTo(
             x.getOwner(), y.getOwner(), OperationEquivalence::IgnoreLocations);
}

Value AMXLeftSides::emit(RewriterBase &rewriter, Location loc, Value lhs,
                         MemRefType kernelType, Value &freed, Operation *&end) {
  freed = Value();
  end = nullptr;
  // A mark of the place.
  Operation *here = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Operation *scope = getHoistPoint(here, lhs);
  if (scope == here) {
    Value operand;
    std::tie(operand, freed) = LhsEmitter(rewriter, loc, lhs).emit(kernelType);
    return operand;
  }
  for (const Readable &other : readable)
    if (other.scope == scope && isSameView(other.lhs, lhs))
      return other.operand;
  end = scope;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(scope);
  Readable result{lhs, scope, Value()};
  std::tie(result.operand, freed) =
      LhsEmitter(rewriter, loc, lhs).emit(kernelType);
  readable.push_back(result);
  return result.operand;
}
