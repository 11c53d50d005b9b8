//===- RowLoweringBuffers.cpp - From clusters of tensor ops to buffers ----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cluster is lowered on demand: its ops outside the class of row groups
// (contractions, say) are rewritten onto memrefs in program order, and whatever
// they read of row ops becomes a row group that writes a temporary; at the end
// one row group writes all the sinks. Temporaries live from here to the last
// sink.
//
//===----------------------------------------------------------------------===//

#include "RowLoweringClusters.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::rows;

static void remarkLowered(const RowGroup &group, Location loc,
                          StringRef category) {
  remark::passed(loc,
                 remark::RemarkOpts::name("RowGroupLowered").category(category))
      << "lowered a row group" << remark::metric("ops", group.ops.size())
      << remark::metric("results", group.sinks.size());
}

namespace {

/// A tensor that is wanted in a buffer: `dest`, or any when that is null.
struct Request {
  Value value;
  Value dest;
};

class ClusterLowering {
public:
  ClusterLowering(RewriterBase &rewriter, const TensorCluster &cluster,
                  const RowLoweringOptions &options)
      : rewriter(rewriter), cluster(cluster), options(options),
        loc(cluster.ops.back()->getLoc()) {}

  void run();

private:
  bool isAvailable(Value value) const;
  Value getBuffer(Value value);
  Value makeView(Operation *op, Value source);
  Value makeTemporary(Value tensor);
  Value makeTemporary(RankedTensorType type, ArrayRef<Value> sizes);
  Value copyToTemporary(Value buffer);
  void emitBufferOp(Operation *op);

  void materialize(ArrayRef<Request> requests);
  void materializeInputs(Operation *op);
  void initialize(Value dest, Value tensor);
  void demote(linalg::LinalgOp op);
  Value chooseDest(OpResult result, OpOperand &init);
  linalg::LinalgOp getRowOp(Value value) const;
  SmallVector<linalg::LinalgOp> getSlice(ArrayRef<Request> requests) const;
  RowGroup makeGroup(ArrayRef<linalg::LinalgOp> ops,
                     ArrayRef<Request> requests);
  bool tryGroup(ArrayRef<linalg::LinalgOp> ops, ArrayRef<Request> requests);
  SmallVector<Request> getCut(ArrayRef<linalg::LinalgOp> ops,
                              ArrayRef<linalg::LinalgOp> rest,
                              ArrayRef<Request> requests) const;
  void writeSinks();

  RewriterBase &rewriter;
  const TensorCluster &cluster;
  const RowLoweringOptions &options;
  Location loc;
  DenseMap<Value, Value> buffers;
  llvm::SmallDenseSet<Operation *> rowOps;
  SmallVector<Value> temporaries;
  /// Tensor ops made here to copy a buffer or a splat to a sink.
  SmallVector<Operation *> made;
};

} // namespace

//===----------------------------------------------------------------------===//
// Buffers of tensors
//===----------------------------------------------------------------------===//

bool ClusterLowering::isAvailable(Value value) const {
  while (!buffers.contains(value)) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<bufferization::ToTensorOp>(op))
      return true;
    if (!isa<tensor::CastOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return true;
}

Value ClusterLowering::getBuffer(Value value) {
  if (Value known = buffers.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value buffer;
  if (auto toTensor = dyn_cast<bufferization::ToTensorOp>(op))
    buffer = toTensor.getBuffer();
  else
    buffer = makeView(op, getBuffer(op->getOperand(0)));
  buffers[value] = buffer;
  return buffer;
}

Value ClusterLowering::makeView(Operation *op, Value source) {
  auto sourceType = cast<MemRefType>(source.getType());
  if (isa<tensor::CastOp>(op))
    return source;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    MemRefType viewType = memref::SubViewOp::inferRankReducedResultType(
        type.getShape(), sourceType, slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
    return memref::SubViewOp::create(
        rewriter, loc, viewType, source, slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
    FailureOr<MemRefType> viewType = memref::ExpandShapeOp::computeExpandedType(
        sourceType, type.getShape(), groups);
    if (failed(viewType))
      return makeView(op, copyToTemporary(source));
    return memref::ExpandShapeOp::create(rewriter, loc, *viewType, source,
                                         groups, expand.getMixedOutputShape());
  }
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(sourceType, groups))
    return makeView(op, copyToTemporary(source));
  return memref::CollapseShapeOp::create(rewriter, loc, source, groups);
}

Value ClusterLowering::makeTemporary(RankedTensorType type,
                                     ArrayRef<Value> sizes) {
  auto memrefType = MemRefType::get(type.getShape(), type.getElementType());
  Value temporary = memref::AllocOp::create(rewriter, loc, memrefType, sizes,
                                            rewriter.getI64IntegerAttr(64));
  temporaries.push_back(temporary);
  return temporary;
}

Value ClusterLowering::makeTemporary(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    // An op's results have the extents of its inits; views have theirs.
    Value root = tensor;
    OpFoldResult extent;
    while (!extent) {
      if (isAvailable(root)) {
        extent =
            rewriter.createOrFold<memref::DimOp>(loc, getBuffer(root), dim);
        break;
      }
      if (auto op = root.getDefiningOp<linalg::LinalgOp>())
        root = op.getTiedOpOperand(cast<OpResult>(root))->get();
      else if (auto castOp = root.getDefiningOp<tensor::CastOp>())
        root = castOp.getSource();
      else
        extent = getTensorExtent(rewriter, loc, root, dim);
    }
    sizes.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, extent));
  }
  return makeTemporary(type, sizes);
}

Value ClusterLowering::copyToTemporary(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(rewriter.createOrFold<memref::DimOp>(loc, buffer, dim));
  Value temporary = makeTemporary(
      RankedTensorType::get(type.getShape(), type.getElementType()), sizes);
  emitBufferOp(linalg::CopyOp::create(rewriter, loc, buffer, temporary));
  return temporary;
}

/// Lowers an op on memrefs that was just made, or leaves it to later passes.
void ClusterLowering::emitBufferOp(Operation *op) {
  std::string reason;
  (void)lowerBufferOp(rewriter, cast<linalg::LinalgOp>(op), options, reason);
}

//===----------------------------------------------------------------------===//
// Row groups
//===----------------------------------------------------------------------===//

linalg::LinalgOp ClusterLowering::getRowOp(Value value) const {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && rowOps.contains(op) ? op : linalg::LinalgOp();
}

static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value;
}

/// The row ops that compute the requested tensors from buffers, in program
/// order.
SmallVector<linalg::LinalgOp>
ClusterLowering::getSlice(ArrayRef<Request> requests) const {
  SmallVector<linalg::LinalgOp> slice;
  llvm::SmallDenseSet<Operation *> visited;
  SmallVector<Value> worklist;
  for (const Request &request : requests)
    worklist.push_back(request.value);
  while (!worklist.empty()) {
    Value value = skipCasts(worklist.pop_back_val());
    if (isAvailable(value))
      continue;
    linalg::LinalgOp op = getRowOp(value);
    if (!op || !visited.insert(op).second)
      continue;
    slice.push_back(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isa<TensorType>(operand.get().getType()) &&
          !isFreeTensor(operand.get()))
        worklist.push_back(operand.get());
  }
  llvm::sort(slice, [](linalg::LinalgOp a, linalg::LinalgOp b) {
    return a->isBeforeInBlock(b);
  });
  return slice;
}

RowGroup ClusterLowering::makeGroup(ArrayRef<linalg::LinalgOp> ops,
                                    ArrayRef<Request> requests) {
  RowGroup group;
  group.ops.assign(ops.begin(), ops.end());
  for (linalg::LinalgOp op : ops)
    for (Value operand : op->getOperands())
      if (isa<TensorType>(operand.getType()) && isAvailable(operand))
        group.buffers[operand] = getBuffer(operand);
  for (const Request &request : requests) {
    auto result = cast<OpResult>(skipCasts(request.value));
    group.sinks.push_back({cast<linalg::LinalgOp>(result.getOwner()),
                           result.getResultNumber(), request.dest});
  }
  return group;
}

/// Lowers `ops` to one group that writes all the requests, or does nothing.
bool ClusterLowering::tryGroup(ArrayRef<linalg::LinalgOp> ops,
                               ArrayRef<Request> requests) {
  SmallVector<Request> targets = llvm::to_vector(requests);
  SmallVector<Value> ownTemporaries;
  for (Request &target : targets)
    if (!target.dest)
      target.dest = makeTemporary(target.value);
  std::string reason;
  SmallVector<std::pair<Value, Value>> copies;
  RowGroup group;
  while (true) {
    group = makeGroup(ops, targets);
    FailureOr<RowPlan> plan = planRowGroup(group, options, reason);
    if (failed(plan))
      return false;
    std::optional<unsigned> aliased = findAliasedSink(*plan);
    if (!aliased)
      break;
    Value temporary = makeTemporary(targets[*aliased].value);
    copies.push_back({temporary, targets[*aliased].dest});
    targets[*aliased].dest = temporary;
  }
  if (failed(lowerRowGroup(rewriter, group, options, &reason)))
    return false;
  remarkLowered(group, RowSink(group.sinks.back()).op.getLoc(),
                options.remarkCategory);
  for (auto [from, to] : copies)
    emitBufferOp(linalg::CopyOp::create(rewriter, loc, from, to));
  for (auto [request, target] : llvm::zip_equal(requests, targets))
    if (!request.dest)
      buffers[skipCasts(request.value)] = target.dest;
  return true;
}

/// What of `ops` is needed later: by the rest of a slice or as a request.
SmallVector<Request> ClusterLowering::getCut(ArrayRef<linalg::LinalgOp> ops,
                                             ArrayRef<linalg::LinalgOp> rest,
                                             ArrayRef<Request> requests) const {
  llvm::SmallDenseSet<Value> needed;
  for (const Request &request : requests)
    needed.insert(skipCasts(request.value));
  for (linalg::LinalgOp op : rest)
    for (Value operand : op->getOperands())
      needed.insert(skipCasts(operand));
  SmallVector<Request> cut;
  for (linalg::LinalgOp op : ops)
    for (Value result : op->getResults())
      if (needed.contains(result))
        cut.push_back({result, Value()});
  return cut;
}

/// Computes the requested tensors: in one group if possible, else in several
/// with temporaries between them, which keeps every request from being written
/// before all are computed.
void ClusterLowering::materialize(ArrayRef<Request> requests) {
  if (requests.empty())
    return;
  SmallVector<linalg::LinalgOp> slice = getSlice(requests);
  if (!slice.empty() && tryGroup(slice, requests))
    return;
  ArrayRef<linalg::LinalgOp> rest = slice;
  while (!rest.empty()) {
    size_t fitting = 0;
    std::string reason;
    for (size_t count = 1; count <= rest.size(); ++count) {
      SmallVector<Request> cut =
          getCut(rest.take_front(count), rest.drop_front(count), requests);
      for (Request &request : cut)
        request.dest = makeTemporary(request.value);
      RowGroup group = makeGroup(rest.take_front(count), cut);
      if (failed(planRowGroup(group, options, reason)))
        break;
      fitting = count;
    }
    SmallVector<Request> cut =
        getCut(rest.take_front(fitting), rest.drop_front(fitting), requests);
    if (fitting == 0 || !tryGroup(rest.take_front(fitting), cut)) {
      demote(rest.front());
      fitting = 1;
    }
    rest = rest.drop_front(fitting);
  }
  for (const Request &request : requests)
    if (request.dest)
      emitBufferOp(linalg::CopyOp::create(
          rewriter, loc, getBuffer(skipCasts(request.value)), request.dest));
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

void ClusterLowering::materializeInputs(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  SmallVector<Request> requests;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = skipCasts(operand.get());
    if (!isa<TensorType>(value.getType()) || isAvailable(value) ||
        (linalgOp && linalgOp.isDpsInit(&operand)))
      continue;
    if (isFreeTensor(value)) {
      // Ops on memrefs want the elements themselves.
      Value temporary = makeTemporary(value);
      initialize(temporary, value);
      buffers[value] = temporary;
      continue;
    }
    if (!llvm::any_of(requests, [&](const Request &request) {
          return request.value == value;
        }))
      requests.push_back({value, Value()});
  }
  materialize(requests);
}

/// Gives `dest` the content of `tensor`.
void ClusterLowering::initialize(Value dest, Value tensor) {
  tensor = skipCasts(tensor);
  if (isAvailable(tensor)) {
    emitBufferOp(
        linalg::CopyOp::create(rewriter, loc, getBuffer(tensor), dest));
    return;
  }
  DenseElementsAttr constant;
  Value scalar;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>();
      fill && isFreeTensor(tensor))
    scalar = fill.value();
  else if (matchPattern(tensor, m_Constant(&constant)) && constant.isSplat())
    scalar = arith::ConstantOp::create(
        rewriter, loc, cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  if (scalar)
    emitBufferOp(linalg::FillOp::create(rewriter, loc, scalar, dest));
  else if (!isFreeTensor(tensor))
    materialize(Request{tensor, dest});
}

/// The sink's own buffer when nothing else of the cluster lies in it, else a
/// new one.
Value ClusterLowering::chooseDest(OpResult result, OpOperand &init) {
  bufferization::MaterializeInDestinationOp sink;
  if (result.hasOneUse())
    sink = dyn_cast<bufferization::MaterializeInDestinationOp>(
        *result.user_begin());
  if (!sink)
    return makeTemporary(result);
  Value dest = sink.getDest();
  if (cast<ShapedType>(dest.getType()).getShape() !=
      cast<ShapedType>(result.getType()).getShape())
    return makeTemporary(result);
  for (Operation *op : cluster.ops) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<TensorType>(operand.get().getType()) || !isLeaf(operand.get()) ||
          (linalgOp && !linalgOp.payloadUsesValueFromOperand(&operand)))
        continue;
      Value buffer = getBuffer(operand.get());
      bool isOwnInit = &operand == &init && isSameView(buffer, dest);
      if (!isOwnInit && mayOverlap(buffer, dest))
        return makeTemporary(result);
    }
    auto other = dyn_cast<bufferization::MaterializeInDestinationOp>(op);
    if (other && other != sink && mayOverlap(other.getDest(), dest))
      return makeTemporary(result);
  }
  return dest;
}

/// Rewrites an op onto memrefs.
void ClusterLowering::demote(linalg::LinalgOp op) {
  materializeInputs(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isa<TensorType>(value.getType())) {
      operands.push_back(value);
    } else if (!op.isDpsInit(&operand)) {
      operands.push_back(getBuffer(skipCasts(value)));
    } else {
      OpResult result = op.getTiedOpResult(&operand);
      Value dest = chooseDest(result, operand);
      bool isInPlace = isAvailable(value) && isSameView(getBuffer(value), dest);
      if (op.payloadUsesValueFromOperand(&operand) && !isInPlace)
        initialize(dest, value);
      buffers[result] = dest;
      operands.push_back(dest);
    }
  }
  mlir::clone(rewriter, op.getOperation(), TypeRange(), operands);
}

/// The last step: everything left is computed and written by one group, so that
/// sinks may lie over leaves.
void ClusterLowering::writeSinks() {
  SmallVector<Request> requests;
  for (bufferization::MaterializeInDestinationOp sink : cluster.sinks) {
    Value value = skipCasts(sink.getSource()), dest = sink.getDest();
    if (value.getDefiningOp<tensor::EmptyOp>() ||
        (isAvailable(value) && isSameView(getBuffer(value), dest)))
      continue;
    if (linalg::LinalgOp op = getRowOp(value); !op || isAvailable(value)) {
      // A buffer's content, or a splat: an op of the group copies it.
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<Value> sizes;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          sizes.push_back(rewriter.createOrFold<memref::DimOp>(loc, dest, dim));
      Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
      made.push_back(empty.getDefiningOp());
      Operation *copy;
      DenseElementsAttr constant;
      if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
        copy = linalg::FillOp::create(rewriter, loc, fill.value(), empty);
      } else if (matchPattern(value, m_Constant(&constant))) {
        Value scalar = arith::ConstantOp::create(
            rewriter, loc,
            cast<TypedAttr>(constant.getSplatValue<Attribute>()));
        copy = linalg::FillOp::create(rewriter, loc, scalar, empty);
      } else {
        copy = linalg::CopyOp::create(rewriter, loc, value, empty);
      }
      made.push_back(copy);
      rowOps.insert(copy);
      value = copy->getResult(0);
    }
    requests.push_back({value, dest});
  }
  materialize(requests);
}

void ClusterLowering::run() {
  rewriter.setInsertionPoint(cluster.ops.back());
  for (Operation *op : cluster.ops)
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      std::string reason;
      if (succeeded(checkRowOp(linalgOp, &reason)))
        rowOps.insert(op);
    }
  for (Operation *op : cluster.ops) {
    if (rowOps.contains(op) ||
        isa<bufferization::MaterializeInDestinationOp, tensor::CastOp>(op))
      continue;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      demote(linalgOp);
      continue;
    }
    materializeInputs(op);
    buffers[op->getResult(0)] =
        makeView(op, getBuffer(skipCasts(op->getOperand(0))));
  }
  writeSinks();
  for (Value temporary : llvm::reverse(temporaries)) {
    // Trials may leave temporaries that nothing uses.
    if (temporary.use_empty())
      rewriter.eraseOp(temporary.getDefiningOp());
    else
      memref::DeallocOp::create(rewriter, loc, temporary);
  }
  for (Operation *op : llvm::reverse(made))
    rewriter.eraseOp(op);
  for (Operation *op : llvm::reverse(cluster.ops))
    rewriter.eraseOp(op);
}

void rows::lowerCluster(RewriterBase &rewriter, const TensorCluster &cluster,
                        const RowLoweringOptions &options) {
  OpBuilder::InsertionGuard guard(rewriter);
  ClusterLowering(rewriter, cluster, options).run();
}
