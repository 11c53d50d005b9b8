//===- RowLoweringKept.cpp - Values kept from pass to pass ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringKept.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

/// Whether computing an element of `node` takes more than to store it and to
/// load it.
static bool isNodeExpensive(const RowPlan &plan, unsigned node,
                            const StoredOutputs &stored) {
  return llvm::any_of(
      getComputedNodes(plan, node, stored), [&](unsigned index) {
        linalg::LinalgOp op = plan.nodes[index].op;
        // Once a row, not once an element.
        if (llvm::all_of(plan.nodes[index].dims,
                         [&](unsigned dim) { return plan.isRow(dim); }))
          return false;
        return llvm::any_of(*op.getBlock(), [](Operation &inner) {
          return isExpensive(&inner);
        });
      });
}

void KeptValues::begin() {
  // A mark to insert before; nothing uses it.
  anchor = arith::ConstantIndexOp::create(builder, loc, 0);
}

void KeptValues::end() {
  for (const Scratch &scratch : scratches)
    emitIf(
        builder, loc, scratch.isAllocated,
        [&] { memref::DeallocOp::create(builder, loc, scratch.buffer); },
        [] {});
  builder.eraseOp(anchor);
  anchor = nullptr;
}

RowPlanSink KeptValues::makeScratch(unsigned node, unsigned output,
                                    Condition isAllocated) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(anchor);
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  SmallVector<AffineExpr> position;
  for (unsigned dim : plan.columns) {
    shape.push_back(plan.dims[dim].extent);
    if (plan.dims[dim].isDynamic())
      sizes.push_back(loops.getExtent(dim));
    position.push_back(builder.getAffineDimExpr(dim));
  }
  linalg::LinalgOp op = plan.nodes[node].op;
  auto type = MemRefType::get(
      shape, getElementTypeOrSelf(op.getDpsInits()[output].getType()));
  auto allocate = [&]() -> Value {
    return memref::AllocOp::create(builder, loc, type, sizes,
                                   builder.getI64IntegerAttr(64));
  };
  Scratch scratch{Value(), isAllocated};
  if (isAllocated.known) {
    scratch.buffer = allocate();
  } else {
    auto branch = scf::IfOp::create(builder, loc, type, isAllocated.value,
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, allocate());
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc,
                         ub::PoisonOp::create(builder, loc, type).getResult());
    scratch.buffer = branch.getResult(0);
  }
  scratches.push_back(scratch);
  AffineMap map =
      AffineMap::get(plan.dims.size(), 0, position, builder.getContext());
  return {node, output, scratch.buffer, map, /*isPerRow=*/false};
}

bool KeptValues::isPossible(const RowPlan &plan, const RowPlanSink &sink) {
  SmallVector<unsigned> columns;
  for (AffineExpr expr : sink.map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && !isa<AffineConstantExpr>(expr))
      return false;
    if (dim && !plan.isRow(dim.getPosition()))
      columns.push_back(dim.getPosition());
  }
  return columns == plan.columns;
}

/// The row of `sink` at a position, as a buffer with the columns' dims.
static Value emitRowView(OpBuilder &builder, Location loc, const RowPlan &plan,
                         const RowPlanSink &sink,
                         function_ref<Value(unsigned dim)> getPosition) {
  auto type = cast<MemRefType>(sink.buffer.getType());
  SmallVector<OpFoldResult> offsets, sizes,
      strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [position, expr] : llvm::enumerate(sink.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && llvm::is_contained(plan.columns, dim.getPosition())) {
      offsets.push_back(builder.getIndexAttr(0));
      sizes.push_back(memref::getMixedSize(builder, loc, sink.buffer,
                                           static_cast<int64_t>(position)));
      shape.push_back(type.getDimSize(position));
      continue;
    }
    offsets.push_back(dim ? OpFoldResult(getPosition(dim.getPosition()))
                          : OpFoldResult(builder.getIndexAttr(
                                cast<AffineConstantExpr>(expr).getValue())));
    sizes.push_back(builder.getIndexAttr(1));
  }
  auto rowType = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, rowType, sink.buffer, offsets,
                                   sizes, strides);
}

const RowPlanSink *
KeptValues::keepResult(const RowPlanSink &sink, Condition isElsewhere,
                       Condition mayBeElsewhere,
                       function_ref<Value(unsigned dim)> getPosition) {
  sinks.push_back(sink);
  RowPlanSink &place = sinks.back();
  if (isElsewhere.isKnownFalse())
    return &place;
  place = makeScratch(sink.node, sink.output, mayBeElsewhere);
  if (isElsewhere.known)
    return &place;
  // One type for both places.
  Value view = emitRowView(builder, loc, plan, sink, getPosition);
  auto viewType = cast<MemRefType>(view.getType());
  SmallVector<int64_t> shape =
      llvm::to_vector(cast<MemRefType>(place.buffer.getType()).getShape());
  for (auto [size, other] : llvm::zip_equal(shape, viewType.getShape()))
    if (size != other)
      size = ShapedType::kDynamic;
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  strides.back() = 1;
  auto type =
      MemRefType::get(shape, viewType.getElementType(),
                      StridedLayoutAttr::get(builder.getContext(),
                                             ShapedType::kDynamic, strides));
  place.buffer = arith::SelectOp::create(
      builder, loc, isElsewhere.value,
      builder.createOrFold<memref::CastOp>(loc, type, place.buffer),
      builder.createOrFold<memref::CastOp>(loc, type, view));
  return &place;
}

SmallVector<const RowPlanSink *> KeptValues::keep(ArrayRef<unsigned> pass,
                                                  ArrayRef<unsigned> later,
                                                  const StoredOutputs &stored) {
  SmallVector<const RowPlanSink *> kept;
  for (auto [node, output] : getHandedOn(plan, pass, later, stored)) {
    linalg::LinalgOp op = plan.nodes[node].op;
    ArrayRef<unsigned> dims = plan.nodes[node].dims;
    bool spansRow = llvm::all_of(plan.columns, [&](unsigned dim) {
      return llvm::is_contained(dims, dim);
    });
    if (spansRow && isNodeExpensive(plan, node, stored) &&
        isa<FloatType>(
            getElementTypeOrSelf(op.getDpsInits()[output].getType())))
      kept.push_back(&sinks.emplace_back(makeScratch(node, output)));
  }
  return kept;
}
