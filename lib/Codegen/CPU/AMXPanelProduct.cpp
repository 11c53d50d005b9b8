//===- AMXPanelProduct.cpp - Panel products on AMX tiles ------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMXPanelProduct.h"
#include "AMXPermission.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::xfmr;

/// Columns of a panel that has two tiles a step.
static constexpr int64_t kPanelColumns = 32;

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// The upper bound of the loop over blocks of rows that `rows` is the size of a
/// block of; null when there is none. A block's size is the minimum of a
/// constant and what is left from the loop's position on.
static OpFoldResult getLoopBound(Value rows) {
  SetVector<Value> values;
  values.insert(rows);
  for (unsigned next = 0; next < values.size(); ++next) {
    Value value = values[next];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop =
          dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
      if (!loop)
        continue;
      auto variables = loop.getLoopInductionVars();
      auto bounds = loop.getLoopUpperBounds();
      if (!variables || !bounds)
        continue;
      for (auto [variable, bound] : llvm::zip_equal(*variables, *bounds))
        if (variable == argument)
          return bound;
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      // The size of a view is one of its operands.
      auto view = dim.getSource().getDefiningOp<memref::SubViewOp>();
      std::optional<int64_t> number = dim.getConstantIndex();
      if (!view || !number)
        continue;
      llvm::SmallBitVector dropped = view.getDroppedDims();
      int64_t position = 0;
      for (unsigned source = 0; source < dropped.size(); ++source) {
        if (dropped[source])
          continue;
        if (position++ == *number)
          if (auto size = dyn_cast<Value>(view.getMixedSizes()[source]))
            values.insert(size);
      }
      continue;
    }
    if (isa<affine::AffineDialect, arith::ArithDialect>(op->getDialect()))
      values.insert_range(op->getOperands());
  }
  return {};
}

/// The number of rows of the whole op that a block of `rows` rows is of.
static OpFoldResult getWholeRows(OpFoldResult rows) {
  while (auto value = dyn_cast<Value>(rows)) {
    if (getConstantIntValue(rows))
      break;
    OpFoldResult bound = getLoopBound(value);
    if (!bound)
      break;
    rows = bound;
  }
  return rows;
}

/// Whether the weights stay in an L2 cache between two products with them;
/// those of a network are several, and each of them is read in turn.
static bool stayInL2(const PanelProduct &product, const CPUTarget &target) {
  auto type = cast<MemRefType>(product.packed.getType());
  return type.hasStaticShape() &&
         type.getNumElements() <= target.l2Bytes / (4 * 2);
}

/// The number of rows from which on tiles are faster than vectors.
static int64_t getCrossover(const PanelProduct &product,
                            const CPUTarget &target) {
  return stayInL2(product, target) ? target.amxFromRowsInL2
                                   : target.amxFromRows;
}

bool mlir::xfmr::canUseAMX(const PanelProduct &product,
                           const ContractionLoweringOptions &options,
                           StringRef *reason) {
  auto fail = [&](StringRef why) {
    if (reason)
      *reason = why;
    return false;
  };
  const CPUTarget &target = options.target;
  llvm::Triple triple(target.triple);
  if (!target.hasAMXBF16 || !triple.isX86() || !triple.isOSLinux())
    return fail("the target has no AMX");
  if (options.batchInvariant)
    return fail("batch-invariant");
  if (!product.getLhsType().isBF16() || !product.getWeightType().isBF16() ||
      !product.getAccumulatorType().isF32())
    return fail("it is not of bf16 values in f32");
  if (!product.isInPairs() || product.getPanelWidth() != kPanelColumns)
    return fail("the panels are not those of tiles");
  if (!cast<MemRefType>(product.out.getType()).isLastDimUnitStride())
    return fail("columns of the output are not contiguous");
  std::optional<int64_t> rows = getConstantIntValue(getWholeRows(product.rows));
  if (rows && *rows < getCrossover(product, target))
    return fail("vector code is faster for so few rows");
  return true;
}

Value mlir::xfmr::emitAMXCondition(OpBuilder &builder, Location loc,
                                   const PanelProduct &product,
                                   const ContractionLoweringOptions &options) {
  auto module =
      Value(product.out).getParentRegion()->getParentOfType<ModuleOp>();
  Value permitted = emitAMXPermitted(builder, loc, module);
  OpFoldResult rows = getWholeRows(product.rows);
  if (getConstantIntValue(rows))
    return permitted;
  Value crossover = arith::ConstantIndexOp::create(
      builder, loc, getCrossover(product, options.target));
  Value hasRows = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        cast<Value>(rows), crossover);
  return arith::AndIOp::create(builder, loc, permitted, hasRows);
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

void mlir::xfmr::emitAMXPanelProduct(RewriterBase &rewriter, Location loc,
                                     const PanelProduct &product,
                                     const ContractionLoweringOptions &options,
                                     AMXLeftSides &leftSides) {
  auto caller =
      Value(product.out).getParentRegion()->getParentOfType<func::FuncOp>();
  func::FuncOp kernel = getAMXPanelKernel(rewriter, caller);
  ArrayRef<Type> types = kernel.getFunctionType().getInputs();
  auto cast = [&](Value buffer, Type type) -> Value {
    return memref::CastOp::create(rewriter, loc, type, buffer);
  };
  auto getValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, value);
  };

  Value fetch = arith::ConstantIntOp::create(
      rewriter, loc, !stayInL2(product, options.target), 1);
  SmallVector<Value> operands{Value(), cast(product.packed, types[1]),
                              cast(product.out, types[2])};
  for (OpFoldResult size :
       {product.rows, product.columns, product.inputs, product.firstPanel})
    operands.push_back(getValue(size));
  operands.push_back(getValue(affine::makeComposedFoldedAffineApply(
      rewriter, loc, rewriter.getAffineDimExpr(0).floorDiv(2),
      {product.firstInput})));
  operands.push_back(fetch);
  operands.push_back(
      arith::ConstantIntOp::create(rewriter, loc, product.overwrites, 1));

  Value freed;
  Operation *end = nullptr;
  operands[0] = leftSides.emit(rewriter, loc, product.lhs,
                               ::cast<MemRefType>(types[0]), freed, end);
  auto call = func::CallOp::create(rewriter, loc, kernel, operands);
  if (!freed)
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(end ? end : call.getOperation());
  memref::DeallocOp::create(rewriter, loc, freed);
}

/// A product in vector code, which adds to what the output holds.
static void emitOnVectors(RewriterBase &rewriter, Location loc,
                          const PanelProduct &product,
                          const ContractionLoweringOptions &options) {
  if (product.overwrites) {
    Value zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(product.getAccumulatorType()));
    linalg::FillOp::create(rewriter, loc, zero, product.out);
  }
  emitVectorPanelProduct(rewriter, loc, product, options);
}

/// Says what a bf16 product becomes, where there are tiles to choose.
static void remarkChoice(Location loc, bool useTiles, StringRef reason) {
  auto options = remark::RemarkOpts::name(useTiles ? "OnTiles" : "NotOnTiles")
                     .category("xfmr-lower-contractions");
  if (useTiles)
    remark::passed(loc, options) << "multiplies on AMX tiles";
  else
    remark::missed(loc, options)
        << "multiplies without AMX tiles" << remark::reason("{0}", reason);
}

void mlir::xfmr::emitPanelProduct(RewriterBase &rewriter, Location loc,
                                  const PanelProduct &product,
                                  const ContractionLoweringOptions &options,
                                  AMXLeftSides &leftSides) {
  StringRef reason;
  bool useTiles = canUseAMX(product, options, &reason);
  if (options.target.hasAMXBF16)
    remarkChoice(loc, useTiles, reason);
  if (!useTiles)
    return emitOnVectors(rewriter, loc, product, options);
  auto branch = scf::IfOp::create(
      rewriter, loc, emitAMXCondition(rewriter, loc, product, options),
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  emitAMXPanelProduct(rewriter, loc, product, options, leftSides);
  rewriter.setInsertionPointToStart(branch.elseBlock());
  emitOnVectors(rewriter, loc, product, options);
}
