//===- Aliasing.cpp - Which buffers may share memory ----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Dialect/IR/Aliasing.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::xfmr;

Value mlir::xfmr::getBaseBuffer(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
      buffer = metadata.getSource();
      continue;
    }
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

/// Buffers of a function's own, or handed to it, are taken to be distinct or
/// the same; of others (a loop's, a call's result) nothing is known.
static bool isIdentifiedBuffer(Value base) {
  if (Operation *op = base.getDefiningOp())
    return isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(op);
  auto arg = cast<BlockArgument>(base);
  return arg.getOwner()->isEntryBlock() &&
         isa<FunctionOpInterface>(arg.getOwner()->getParentOp());
}

/// Whether `base` was allocated after `other` came to be, so that it is
/// neither.
static bool isNewerThan(Value base, Value other) {
  Operation *alloc = base.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return false;
  Operation *inBlock = other.getParentBlock()->findAncestorOpInBlock(*alloc);
  Operation *otherOp = other.getDefiningOp();
  return inBlock && (!otherOp || otherOp->isBeforeInBlock(inBlock));
}

bool mlir::xfmr::mayOverlap(Value a, Value b) {
  Value baseA = getBaseBuffer(a), baseB = getBaseBuffer(b);
  if (baseA == baseB)
    return true;
  if (isIdentifiedBuffer(baseA) && isIdentifiedBuffer(baseB))
    return false;
  return !isNewerThan(baseA, baseB) && !isNewerThan(baseB, baseA);
}
