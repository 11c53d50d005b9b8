//===- RowLoweringAnalysis.cpp - From ops to the plan of a row group ------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoweringDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

namespace {

class RowPlanner {
public:
  RowPlanner(const RowGroup &group, const RowLoweringOptions &options,
             std::string &reason)
      : group(group), options(options), reason(reason) {}

  FailureOr<RowPlan> run();

private:
  LogicalResult fail(const Twine &text) {
    reason = text.str();
    return failure();
  }
  LogicalResult addNodes();
  LogicalResult resolveOperand(Value value, RowOperand &result);
  LogicalResult assignDims();
  void joinLeafLoops(llvm::IntEqClasses &classes, ArrayRef<unsigned> firstLoop);
  LogicalResult chooseColumns();
  LogicalResult addSinks();
  LogicalResult findExtents();
  LogicalResult checkStrips();
  void findLevels();
  void chooseLanes();

  AffineMap toGroupMap(AffineMap map, const RowNode &node) const;
  unsigned getWidestSinkNode() const;
  void takeExtent(Value value, AffineMap map);

  const RowGroup &group;
  const RowLoweringOptions &options;
  std::string &reason;
  RowPlan plan;
  DenseMap<Operation *, unsigned> nodeOf;
};

} // namespace

FailureOr<RowPlan> RowPlanner::run() {
  if (group.ops.empty() || group.sinks.empty()) {
    reason = "the group computes nothing";
    return failure();
  }
  if (failed(addNodes()) || failed(assignDims()) || failed(chooseColumns()) ||
      failed(addSinks()) || failed(findExtents()) || failed(checkStrips()))
    return failure();
  findLevels();
  chooseLanes();
  return std::move(plan);
}

LogicalResult RowPlanner::addNodes() {
  for (linalg::LinalgOp op : group.ops)
    nodeOf.try_emplace(op, nodeOf.size());
  for (linalg::LinalgOp op : group.ops) {
    std::string why;
    if (failed(checkRowOp(op, &why)))
      return fail("'" + op->getName().getStringRef() + "': " + why);
    RowNode &node = plan.nodes.emplace_back();
    node.op = op;
    for (OpOperand &operand : op->getOpOperands()) {
      RowOperand &resolved = node.operands.emplace_back();
      if (op.payloadUsesValueFromOperand(&operand) &&
          failed(resolveOperand(operand.get(), resolved)))
        return failure();
    }
    for (unsigned output = 0, e = op.getNumDpsInits(); output < e; ++output)
      if (Operation *combiner = getCombiner(op, output))
        node.combiners.push_back(combiner);
  }
  return success();
}

LogicalResult RowPlanner::resolveOperand(Value value, RowOperand &result) {
  using Kind = RowOperand::Kind;
  if (!isa<ShapedType>(value.getType())) {
    result.kind = Kind::Scalar;
    result.value = value;
    return success();
  }
  while (true) {
    Value buffer =
        isa<MemRefType>(value.getType()) ? value : group.buffers.lookup(value);
    if (buffer) {
      auto type = dyn_cast<MemRefType>(buffer.getType());
      if (!type || !type.isStrided())
        return fail("a memref's layout is not strided");
      result.kind = Kind::Buffer;
      result.value = buffer;
      return success();
    }
    auto cast = value.getDefiningOp<tensor::CastOp>();
    if (!cast)
      break;
    value = cast.getSource();
  }
  auto elementType = cast<ShapedType>(value.getType()).getElementType();
  if (auto fill = value.getDefiningOp<linalg::FillOp>();
      fill && fill.value().getType() == elementType) {
    result.kind = Kind::Scalar;
    result.value = fill.value();
    return success();
  }
  if (auto op = value.getDefiningOp<linalg::LinalgOp>())
    if (auto it = nodeOf.find(op); it != nodeOf.end()) {
      result.kind = Kind::Node;
      result.node = it->second;
      result.output = cast<OpResult>(value).getResultNumber();
      return success();
    }
  if (value.getDefiningOp<tensor::EmptyOp>()) {
    result.kind = Kind::Undefined;
    return success();
  }
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat()) {
    result.kind = Kind::Splat;
    result.attr = cast<TypedAttr>(constant.getSplatValue<Attribute>());
    return success();
  }
  return fail("an operand is neither in a buffer nor computed by the group");
}

/// Ops that read one buffer alike go over it together, so that a pass serves
/// them all; unless that made one dim of two loops of an op.
void RowPlanner::joinLeafLoops(llvm::IntEqClasses &classes,
                               ArrayRef<unsigned> firstLoop) {
  auto tryJoin = [&](unsigned a, unsigned b) {
    a = classes.findLeader(a);
    b = classes.findLeader(b);
    for (auto [first, node] : llvm::zip_equal(firstLoop, plan.nodes)) {
      unsigned members = 0;
      for (unsigned loop = 0, e = node.op.getNumLoops(); loop < e; ++loop) {
        unsigned leader = classes.findLeader(first + loop);
        members += leader == a || leader == b;
      }
      if (members > 1)
        return;
    }
    classes.join(a, b);
  };
  struct Use {
    unsigned node;
    Value buffer;
    AffineMap map;
  };
  SmallVector<Use> uses;
  for (auto [index, node] : llvm::enumerate(plan.nodes))
    for (auto [operand, map] :
         llvm::zip_equal(node.operands, node.op.getIndexingMapsArray()))
      if (operand.kind == RowOperand::Kind::Buffer)
        uses.push_back({static_cast<unsigned>(index), operand.value, map});
  for (size_t i = 0; i < uses.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!isSameView(uses[i].buffer, uses[j].buffer))
        continue;
      for (auto [exprI, exprJ] : llvm::zip_equal(uses[i].map.getResults(),
                                                 uses[j].map.getResults())) {
        auto dimI = dyn_cast<AffineDimExpr>(exprI);
        auto dimJ = dyn_cast<AffineDimExpr>(exprJ);
        if (dimI && dimJ)
          tryJoin(firstLoop[uses[i].node] + dimI.getPosition(),
                  firstLoop[uses[j].node] + dimJ.getPosition());
      }
    }
}

/// Loops become one dim when a value passes from one to the other.
LogicalResult RowPlanner::assignDims() {
  SmallVector<unsigned> firstLoop;
  unsigned numLoops = 0;
  for (const RowNode &node : plan.nodes) {
    firstLoop.push_back(numLoops);
    numLoops += linalg::LinalgOp(node.op).getNumLoops();
  }
  llvm::IntEqClasses classes(numLoops);
  for (auto [index, node] : llvm::enumerate(plan.nodes)) {
    SmallVector<AffineMap> maps = node.op.getIndexingMapsArray();
    for (auto [operand, map] : llvm::zip_equal(node.operands, maps)) {
      if (operand.kind != RowOperand::Kind::Node)
        continue;
      linalg::LinalgOp producer = plan.nodes[operand.node].op;
      AffineMap outMap = producer.getMatchingIndexingMap(
          producer.getDpsInitOperand(operand.output));
      SmallVector<int64_t> extents = producer.getStaticLoopRanges();
      for (auto [use, out] :
           llvm::zip_equal(map.getResults(), outMap.getResults())) {
        unsigned outLoop = cast<AffineDimExpr>(out).getPosition();
        if (auto useDim = dyn_cast<AffineDimExpr>(use))
          classes.join(firstLoop[index] + useDim.getPosition(),
                       firstLoop[operand.node] + outLoop);
        else if (!isa<AffineConstantExpr>(use) || extents[outLoop] != 1)
          return fail("a computed value is read at another position");
      }
    }
  }
  joinLeafLoops(classes, firstLoop);
  classes.compress();
  plan.dims.resize(classes.getNumClasses());
  for (auto [index, node] : llvm::enumerate(plan.nodes)) {
    llvm::SmallDenseSet<unsigned> seen;
    for (unsigned loop = 0, e = node.op.getNumLoops(); loop < e; ++loop) {
      unsigned dim = classes[firstLoop[index] + loop];
      if (!seen.insert(dim).second)
        return fail("two loops of one op are the same dim of the group");
      node.dims.push_back(dim);
    }
    SmallVector<AffineMap> maps = node.op.getIndexingMapsArray();
    for (auto [operand, map] : llvm::zip_equal(node.operands, maps))
      operand.map = toGroupMap(map, node);
  }
  return success();
}

AffineMap RowPlanner::toGroupMap(AffineMap map, const RowNode &node) const {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims;
  for (unsigned dim : node.dims)
    dims.push_back(getAffineDimExpr(dim, context));
  return map.replaceDimsAndSymbols(dims, {}, plan.dims.size(), 0);
}

unsigned RowPlanner::getWidestSinkNode() const {
  unsigned widest = nodeOf.lookup(group.sinks.front().op);
  for (const RowSink &sink : group.sinks) {
    unsigned node = nodeOf.lookup(sink.op);
    if (plan.nodes[node].dims.size() > plan.nodes[widest].dims.size())
      widest = node;
  }
  return widest;
}

/// With reductions, the rows are what is not reduced; without, all but the last
/// dim.
LogicalResult RowPlanner::chooseColumns() {
  RowNode &widest = plan.nodes[getWidestSinkNode()];
  llvm::SmallDenseSet<unsigned> rows;
  bool anyReduction = false;
  for (RowNode &node : plan.nodes) {
    if (!node.isReduction())
      continue;
    anyReduction = true;
    ArrayRef<unsigned> dims = node.dims;
    unsigned numParallel = node.op.getNumParallelLoops();
    node.columns.assign(dims.begin() + numParallel, dims.end());
    rows.insert(dims.begin(), dims.begin() + numParallel);
  }
  for (const RowNode &node : plan.nodes)
    for (unsigned dim : node.columns)
      if (rows.contains(dim))
        return fail("the rows of one op are reduced by another");
  if (!anyReduction && !widest.dims.empty()) {
    // Strips along a dim of size 1 would be all tail.
    SmallVector<int64_t> extents = widest.op.getStaticLoopRanges();
    unsigned column = widest.dims.size() - 1;
    while (column > 0 && extents[column] == 1)
      --column;
    if (extents[column] == 1)
      column = widest.dims.size() - 1;
    rows.insert(widest.dims.begin(), widest.dims.end());
    rows.erase(widest.dims[column]);
  }
  // In the order of the widest result's loops.
  for (unsigned dim : widest.dims)
    if (rows.erase(dim))
      plan.rows.push_back(dim);
  plan.rows.append(rows.begin(), rows.end());
  llvm::sort(plan.rows.begin() + (plan.rows.size() - rows.size()),
             plan.rows.end());
  return success();
}

LogicalResult RowPlanner::addSinks() {
  bool anyColumns = false;
  for (const RowSink &sink : group.sinks) {
    unsigned index = nodeOf.lookup(sink.op);
    RowNode &node = plan.nodes[index];
    auto type = dyn_cast<MemRefType>(sink.buffer.getType());
    if (!type || !type.isStrided())
      return fail("a memref's layout is not strided");
    AffineMap map = toGroupMap(
        node.op.getMatchingIndexingMap(node.op.getDpsInitOperand(sink.output)),
        node);
    if (!llvm::all_of(plan.rows,
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); }))
      return fail("a result does not span all rows");
    SmallVector<unsigned> columns;
    for (unsigned dim : node.dims)
      if (!plan.isRow(dim) && map.isFunctionOfDim(dim))
        columns.push_back(dim);
    // Results of different columns would be stored in different passes, and one
    // pass might overwrite what the next one reads.
    if (!columns.empty() && std::exchange(anyColumns, true) &&
        columns != plan.columns)
      return fail("results have different dims along the row");
    if (!columns.empty())
      plan.columns = columns;
    plan.sinks.push_back({index, sink.output, sink.buffer, map,
                          /*isPerRow=*/columns.empty()});
  }
  return success();
}

/// Learns extents from a value indexed by `map`.
void RowPlanner::takeExtent(Value value, AffineMap map) {
  if (Value buffer = group.buffers.lookup(value))
    value = buffer;
  while (true) {
    if (auto cast = value.getDefiningOp<tensor::CastOp>())
      value = cast.getSource();
    else if (auto fill = value.getDefiningOp<linalg::FillOp>();
             fill && isa<RankedTensorType>(value.getType()))
      value = fill.output();
    else
      break;
  }
  if (Value buffer = group.buffers.lookup(value))
    value = buffer;
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type || !type.hasRank())
    return;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    auto dimExpr = dyn_cast<AffineDimExpr>(expr);
    if (!dimExpr)
      continue;
    LoopExtent &dim = plan.dims[dimExpr.getPosition()];
    if (!type.isDynamicDim(position)) {
      dim.extent = type.getDimSize(position);
    } else if (!dim.source) {
      if (isa<MemRefType>(type)) {
        dim.source = value;
        dim.sourceDim = position;
      } else if (auto empty = value.getDefiningOp<tensor::EmptyOp>()) {
        dim.source = empty.getDynamicSize(position);
      }
    }
  }
}

LogicalResult RowPlanner::findExtents() {
  for (const RowPlanSink &sink : plan.sinks)
    takeExtent(sink.buffer, sink.map);
  for (RowNode &node : plan.nodes) {
    for (auto [dim, extent] :
         llvm::zip_equal(node.dims, node.op.getStaticLoopRanges()))
      if (!ShapedType::isDynamic(extent))
        plan.dims[dim].extent = extent;
    for (auto [operand, value] :
         llvm::zip_equal(node.operands, node.op->getOperands()))
      takeExtent(value, operand.map);
  }
  if (!llvm::all_of(plan.dims,
                    [](const LoopExtent &dim) { return dim.isKnown(); }))
    return fail("the extent of a dim is not known");
  return success();
}

/// Lanes of a strip must lie evenly in every buffer.
LogicalResult RowPlanner::checkStrips() {
  llvm::SmallDenseSet<unsigned> stripDims;
  if (!plan.columns.empty())
    stripDims.insert(plan.columns.back());
  for (const RowNode &node : plan.nodes)
    if (node.isReduction())
      stripDims.insert(node.columns.back());
  for (const RowNode &node : plan.nodes)
    for (const RowOperand &operand : node.operands)
      for (unsigned dim : stripDims)
        if (operand.kind == RowOperand::Kind::Buffer &&
            !getSteps(operand.map, dim))
          return fail("an operand is not read at even distances");
  return success();
}

/// Whether `operand` is bf16 in a buffer, or widened from there.
static bool isWidenedBF16(const RowPlan &plan, const RowOperand &operand) {
  if (operand.kind == RowOperand::Kind::Buffer)
    return getElementTypeOrSelf(operand.value.getType()).isBF16();
  if (operand.kind != RowOperand::Kind::Node)
    return false;
  const RowNode &node = plan.nodes[operand.node];
  linalg::LinalgOp op = node.op;
  Operation *terminator = op.getBlock()->getTerminator();
  auto widened =
      terminator->getOperand(operand.output).getDefiningOp<arith::ExtFOp>();
  auto argument =
      widened ? dyn_cast<BlockArgument>(widened.getIn()) : BlockArgument();
  if (!argument || argument.getOwner() != op.getBlock())
    return false;
  OpOperand *source = op.getOpOperandsMatchingBBargs()[argument.getArgNumber()];
  return isWidenedBF16(plan, node.operands[source->getOperandNumber()]);
}

/// Whether all that a reduction reads along the reduced dims is bf16, and
/// accumulated in f32; of a maximum or minimum, which has no order, also what
/// is widened before.
static bool reducesPairs(const RowPlan &plan, const RowNode &node) {
  linalg::LinalgOp op = node.op;
  bool hasNoOrder = llvm::all_of(node.combiners, [](Operation *combiner) {
    return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
               arith::MinNumFOp>(combiner);
  });
  bool anyElements = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isElement =
        llvm::any_of(llvm::seq(op.getNumParallelLoops(), op.getNumLoops()),
                     [&](unsigned loop) { return map.isFunctionOfDim(loop); });
    if (!isElement || !op.payloadUsesValueFromOperand(input))
      continue;
    anyElements = true;
    bool isBF16 =
        hasNoOrder
            ? isWidenedBF16(plan, node.operands[input->getOperandNumber()])
            : getElementTypeOrSelf(input->get().getType()).isBF16();
    if (!isBF16)
      return false;
  }
  return anyElements &&
         llvm::all_of(op.getRegionOutputArgs(), [](BlockArgument accumulator) {
           return accumulator.getType().isF32();
         });
}

void RowPlanner::findLevels() {
  for (RowNode &node : plan.nodes) {
    for (const RowOperand &operand : node.operands)
      if (operand.kind == RowOperand::Kind::Node)
        node.level = std::max(node.level, plan.nodes[operand.node].level);
    if (node.isReduction()) {
      ++node.level;
      node.isPaired = reducesPairs(plan, node);
    }
    plan.levels = std::max(plan.levels, node.level);
  }
}

static int64_t getBits(Type type) {
  if (type.isIndex())
    return 64;
  return std::max(8u, type.getIntOrFloatBitWidth());
}

void RowPlanner::chooseLanes() {
  int64_t bits = 0;
  auto take = [&](Type type) { bits = std::max(bits, getBits(type)); };
  for (RowNode &node : plan.nodes)
    for (Operation *combiner : node.combiners)
      take(combiner->getResult(0).getType());
  if (bits == 0)
    for (RowNode &node : plan.nodes) {
      Block *body = node.op.getBlock();
      for (BlockArgument arg : body->getArguments())
        if (!arg.use_empty())
          take(arg.getType());
      for (Operation &op : body->without_terminator())
        llvm::for_each(op.getResultTypes(), take);
      llvm::for_each(body->getTerminator()->getOperandTypes(), take);
    }
  plan.lanes = std::max<int64_t>(1, options.vectorBytes * 8 / bits);
}

FailureOr<RowPlan> rows::planRowGroup(const RowGroup &group,
                                      const RowLoweringOptions &options,
                                      std::string &reason) {
  return RowPlanner(group, options, reason).run();
}

//===----------------------------------------------------------------------===//
// Aliasing
//===----------------------------------------------------------------------===//

std::optional<unsigned> rows::findAliasedSink(const RowPlan &plan) {
  for (unsigned index = 0, e = plan.sinks.size(); index < e; ++index) {
    const RowPlanSink &sink = plan.sinks[index];
    auto conflicts = [&](Value buffer, AffineMap map) {
      if (isSameView(sink.buffer, buffer))
        return map != sink.map;
      return mayOverlap(sink.buffer, buffer);
    };
    for (const RowPlanSink &other : ArrayRef(plan.sinks).drop_front(index + 1))
      if (conflicts(other.buffer, other.map))
        return index;
    for (const RowNode &node : plan.nodes)
      for (const RowOperand &operand : node.operands)
        if (operand.kind == RowOperand::Kind::Buffer &&
            conflicts(operand.value, operand.map))
          return index;
  }
  return std::nullopt;
}

LogicalResult mlir::xfmr::lowerRowGroup(RewriterBase &rewriter,
                                        const RowGroup &group,
                                        const RowLoweringOptions &options,
                                        std::string *reason) {
  std::string scratch;
  std::string &why = reason ? *reason : scratch;
  FailureOr<RowPlan> plan = planRowGroup(group, options, why);
  if (failed(plan))
    return failure();
  if (findAliasedSink(*plan)) {
    why = "a result overlaps an operand at another position";
    return failure();
  }
  Location loc = RowSink(group.sinks.back()).op.getLoc();
  emitRowGroup(rewriter, loc, *plan, options);
  return success();
}
