//===- RowGroups.cpp - Which ops work on the same rows --------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroups.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::xfmr;

/// How many of the first loops are the map's first results, in order, and in no
/// other result.
static unsigned getAlignedPrefix(AffineMap map) {
  unsigned prefix = 0;
  while (prefix < map.getNumResults() && prefix < map.getNumDims() &&
         map.getResult(prefix) == getAffineDimExpr(prefix, map.getContext()))
    ++prefix;
  for (unsigned dim = 0; dim < prefix; ++dim)
    for (unsigned result = prefix; result < map.getNumResults(); ++result)
      if (map.getResult(result).isFunctionOfDim(dim))
        return dim;
  return prefix;
}

static std::optional<RowDims> getLinalgRowDims(linalg::LinalgOp op,
                                               std::string &reason) {
  unsigned numParallel = 0;
  for (utils::IteratorType type : op.getIteratorTypesArray()) {
    if (type != utils::IteratorType::parallel)
      break;
    ++numParallel;
  }
  RowDims rows;
  rows.most = numParallel;
  for (OpOperand &init : op.getDpsInitsMutable())
    rows.most =
        std::min(rows.most, getAlignedPrefix(op.getMatchingIndexingMap(&init)));
  if (rows.most == 0) {
    reason = "its first loop does not number the rows of its results";
    return std::nullopt;
  }
  if (op.getNumReductionLoops() == 0) {
    // The last dim lies along a row.
    unsigned rank =
        op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getNumResults();
    rows.preferred = std::min(rows.most, rank - 1);
    return rows;
  }
  // Rows of a contraction are those of one of its inputs.
  for (OpOperand *input : op.getDpsInputOperands())
    rows.preferred =
        std::max(rows.preferred,
                 std::min(rows.most,
                          getAlignedPrefix(op.getMatchingIndexingMap(input))));
  return rows;
}

std::optional<RowDims> xfmr::getRowDims(Operation *op, std::string *reason) {
  std::string scratch;
  std::string &why = reason ? *reason : scratch;
  // Upstream's slices of such an array do not verify.
  if (llvm::any_of(op->getOperandTypes(), [](Type type) {
        auto shaped = dyn_cast<ShapedType>(type);
        return shaped && shaped.hasRank() &&
               llvm::is_contained(shaped.getShape(), 0);
      })) {
    why = "an operand is empty";
    return std::nullopt;
  }
  if (llvm::any_of(op->getOperandTypes(), [](Type type) {
        auto memref = dyn_cast<MemRefType>(type);
        return memref && !memref.isStrided();
      })) {
    why = "a memref is not strided, so that its tiles have no type";
    return std::nullopt;
  }
  if (auto rowOp = dyn_cast<RowOpInterface>(op)) {
    if (rowOp.getNumRowDims() == 0) {
      why = "it has one row";
      return std::nullopt;
    }
    unsigned rows = rowOp.getNumRowDims();
    return RowDims{rows, rows};
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp) {
    why = "it is neither a linalg op nor one of the dialect's row ops";
    return std::nullopt;
  }
  return getLinalgRowDims(linalgOp, why);
}

RowAccess xfmr::getRowAccess(OpOperand &operand, unsigned numRowDims) {
  if (!isa<ShapedType>(operand.get().getType()))
    return RowAccess::Free;
  if (auto rowOp = dyn_cast<RowOpInterface>(operand.getOwner())) {
    SmallVector<int64_t> dims = rowOp.getDomainDims(operand);
    bool isFree = true, isAligned = dims.size() >= numRowDims;
    for (auto [position, dim] : llvm::enumerate(dims)) {
      bool isRow = dim >= 0 && dim < int64_t(numRowDims);
      isFree &= !isRow;
      isAligned &= position < numRowDims ? dim == int64_t(position) : !isRow;
    }
    return isAligned ? RowAccess::Aligned
           : isFree  ? RowAccess::Free
                     : RowAccess::Other;
  }
  auto linalgOp = cast<linalg::LinalgOp>(operand.getOwner());
  AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
  if (getAlignedPrefix(map) >= numRowDims)
    return RowAccess::Aligned;
  for (unsigned dim = 0; dim < numRowDims; ++dim)
    if (map.isFunctionOfDim(dim))
      return RowAccess::Other;
  return RowAccess::Free;
}

namespace {
/// A group that grows while the block is walked.
struct OpenGroup {
  SetVector<Operation *> ops;
  /// The row dims that all members share.
  unsigned most = 0;
  unsigned preferred = 0;
  /// Nothing outside the group has used its results yet, so that its ops may
  /// still move down.
  bool isOpen = true;
};

class GroupFinder {
public:
  using Report = function_ref<void(Operation *, Operation *, StringRef)>;
  explicit GroupFinder(Report report) : report(report) {}

  void visit(Operation &op);
  SmallVector<RowOpGroup> takeGroups();

private:
  OpenGroup *getGroup(Value value) {
    return value.getDefiningOp() ? groupOf.lookup(value.getDefiningOp())
                                 : nullptr;
  }
  /// The most row dims, up to `limit`, over which `op` reads the group's
  /// results row by row; 0 when there are none.
  unsigned getSharedRowDims(Operation &op, OpenGroup *group, unsigned limit);
  void closeUsedGroups(Operation &op, OpenGroup *except, StringRef reason);

  Report report;
  SmallVector<std::unique_ptr<OpenGroup>> groups;
  DenseMap<Operation *, OpenGroup *> groupOf;
};
} // namespace

unsigned GroupFinder::getSharedRowDims(Operation &op, OpenGroup *group,
                                       unsigned limit) {
  for (unsigned rows = std::min(limit, group->most); rows > 0; --rows)
    if (llvm::all_of(op.getOpOperands(), [&](OpOperand &operand) {
          return getGroup(operand.get()) != group ||
                 getRowAccess(operand, rows) == RowAccess::Aligned;
        }))
      return rows;
  return 0;
}

/// Nothing may move over `op` that it uses.
void GroupFinder::closeUsedGroups(Operation &op, OpenGroup *except,
                                  StringRef reason) {
  op.walk([&](Operation *user) {
    for (Value operand : user->getOperands()) {
      OpenGroup *group = getGroup(operand);
      if (!group || group == except)
        continue;
      group->isOpen = false;
      if (!reason.empty())
        report(&op, operand.getDefiningOp(), reason);
    }
  });
}

/// What writes memory may write what a tensor was read from.
static bool mayWrite(Operation &op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(&op);
  return !effects ||
         llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &it) {
           return !isa<MemoryEffects::Read, MemoryEffects::Allocate>(
               it.getEffect());
         });
}

void GroupFinder::visit(Operation &op) {
  if (mayWrite(op))
    for (auto &group : groups)
      group->isOpen = false;
  std::string reason;
  std::optional<RowDims> rows;
  auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op);
  // A fill is made again wherever its rows are needed.
  bool isCandidate = destinationStyle && !isa<linalg::FillOp>(op) &&
                     destinationStyle.hasPureTensorSemantics();
  if (isCandidate)
    rows = getRowDims(&op, &reason);
  if (!rows) {
    closeUsedGroups(op, /*except=*/nullptr, reason);
    return;
  }

  llvm::SmallSetVector<OpenGroup *, 2> joined;
  unsigned most = rows->most;
  for (Value operand : op.getOperands()) {
    OpenGroup *group = getGroup(operand);
    if (!group || !group->isOpen || joined.contains(group))
      continue;
    if (unsigned shared = getSharedRowDims(op, group, most)) {
      joined.insert(group);
      most = shared;
    }
  }
  OpenGroup *target = nullptr;
  if (joined.empty()) {
    groups.push_back(std::make_unique<OpenGroup>());
    target = groups.back().get();
  } else {
    target = joined.front();
    // Groups that meet in this op do not depend on each other: a group that
    // another one uses is closed.
    for (OpenGroup *other : ArrayRef(joined.getArrayRef()).drop_front()) {
      target->ops.insert_range(other->ops);
      target->preferred = std::max(target->preferred, other->preferred);
      for (Operation *member : other->ops)
        groupOf[member] = target;
      other->ops.clear();
    }
  }
  closeUsedGroups(op, target,
                  "it does not read the rows of that result one by one, or "
                  "something in between needs all of them");
  target->ops.insert(&op);
  target->most = most;
  target->preferred = std::max(target->preferred, rows->preferred);
  groupOf[&op] = target;
}

SmallVector<RowOpGroup> GroupFinder::takeGroups() {
  SmallVector<RowOpGroup> result;
  for (auto &group : groups) {
    unsigned rows = std::min(group->most, group->preferred);
    if (group->ops.empty() || rows == 0)
      continue;
    SmallVector<Operation *> ops = group->ops.takeVector();
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    result.push_back({std::move(ops), rows});
  }
  return result;
}

SmallVector<RowOpGroup> xfmr::findRowOpGroups(
    Block &block,
    function_ref<void(Operation *, Operation *, StringRef)> reportSplit) {
  GroupFinder finder(reportSplit);
  for (Operation &op : block)
    finder.visit(op);
  return finder.takeGroups();
}
