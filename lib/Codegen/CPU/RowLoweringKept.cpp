//===- RowLoweringKept.cpp - Values kept from pass to pass ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringKept.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

using NodeSet = llvm::SmallSetVector<unsigned, 8>;

/// The nodes that `roots` are computed from, themselves included, up to
/// reductions of earlier passes and to what is stored.
static NodeSet getComputed(const RowPlan &plan, ArrayRef<unsigned> roots,
                           const StoredOutputs &stored) {
  NodeSet nodes;
  nodes.insert(roots.begin(), roots.end());
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const RowOperand &operand : plan.nodes[nodes[i]].operands)
      if (operand.kind == RowOperand::Kind::Node &&
          !plan.nodes[operand.node].isReduction() &&
          !stored.contains({operand.node, operand.output}))
        nodes.insert(operand.node);
  return nodes;
}

/// Whether computing an element of `node` takes more than to store it and to
/// load it.
static bool isExpensive(const RowPlan &plan, unsigned node,
                        const StoredOutputs &stored) {
  return llvm::any_of(getComputed(plan, node, stored), [&](unsigned index) {
    linalg::LinalgOp op = plan.nodes[index].op;
    // Once a row, not once an element.
    if (llvm::all_of(plan.nodes[index].dims,
                     [&](unsigned dim) { return plan.isRow(dim); }))
      return false;
    return llvm::any_of(*op.getBlock(), [](Operation &inner) {
      return isFunction(&inner) || isa<arith::DivFOp, math::SqrtOp>(inner);
    });
  });
}

void KeptValues::begin() {
  // A mark to insert before; nothing uses it.
  anchor = arith::ConstantIndexOp::create(builder, loc, 0);
}

void KeptValues::end() {
  for (const RowPlanSink &sink : sinks)
    memref::DeallocOp::create(builder, loc, sink.buffer);
  builder.eraseOp(anchor);
  anchor = nullptr;
}

const RowPlanSink *KeptValues::makeScratch(unsigned node, unsigned output) {
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
  Type element = getElementTypeOrSelf(op.getDpsInits()[output].getType());
  Value scratch =
      memref::AllocOp::create(builder, loc, MemRefType::get(shape, element),
                              sizes, builder.getI64IntegerAttr(64));
  AffineMap map =
      AffineMap::get(plan.dims.size(), 0, position, builder.getContext());
  sinks.push_back({node, output, scratch, map, /*isPerRow=*/false});
  return &sinks.back();
}

SmallVector<const RowPlanSink *> KeptValues::keep(ArrayRef<unsigned> pass,
                                                  ArrayRef<unsigned> later,
                                                  const StoredOutputs &stored) {
  NodeSet here = getComputed(plan, pass, stored);
  llvm::SmallSetVector<std::pair<unsigned, unsigned>, 2> wanted;
  for (unsigned index : getComputed(plan, later, stored)) {
    // What both passes compute has its own operands kept, if any.
    if (here.contains(index))
      continue;
    for (const RowOperand &operand : plan.nodes[index].operands)
      if (operand.kind == RowOperand::Kind::Node &&
          !plan.nodes[operand.node].isReduction() &&
          !stored.contains({operand.node, operand.output}) &&
          here.contains(operand.node))
        wanted.insert({operand.node, operand.output});
  }
  for (const RowPlanSink &sink : plan.sinks)
    if (!sink.isPerRow && here.contains(sink.node) &&
        !stored.contains({sink.node, sink.output}))
      wanted.insert({sink.node, sink.output});
  SmallVector<const RowPlanSink *> kept;
  for (auto [node, output] : wanted) {
    linalg::LinalgOp op = plan.nodes[node].op;
    ArrayRef<unsigned> dims = plan.nodes[node].dims;
    bool spansRow = llvm::all_of(plan.columns, [&](unsigned dim) {
      return llvm::is_contained(dims, dim);
    });
    if (spansRow && isExpensive(plan, node, stored) &&
        isa<FloatType>(
            getElementTypeOrSelf(op.getDpsInits()[output].getType())))
      kept.push_back(makeScratch(node, output));
  }
  return kept;
}
