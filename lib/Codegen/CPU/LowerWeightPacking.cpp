//===- LowerWeightPacking.cpp - xfmr-lower-weight-packing -----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightPacking.h"
#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_LOWERWEIGHTPACKING
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

static StringRef getName(PackingForm form) {
  switch (form) {
  case PackingForm::Copy:
    return "copy";
  case PackingForm::CopyEveryOther:
    return "copy-every-other";
  case PackingForm::Transpose:
    return "transpose";
  case PackingForm::Gather:
    return "gather";
  }
  return "";
}

/// The op that packs the elements between those of `op`, with nothing between
/// the two that could write what `op` reads or read what it writes.
static PackWeightOp findOdd(PackWeightOp op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (auto odd = dyn_cast<PackWeightOp>(next))
      return isInterleavedPair(op, odd) ? odd : PackWeightOp();
    if (!isa<memref::AllocOp>(next) && !isMemoryEffectFree(next))
      return {};
  }
  return {};
}

namespace {
struct LowerWeightPacking
    : xfmr::impl::LowerWeightPackingBase<LowerWeightPacking> {
  using LowerWeightPackingBase::LowerWeightPackingBase;

  void runOnOperation() override {
    WeightPackingOptions options;
    options.vectorBytes = vectorBytes;
    options.nonTemporalFrom = nonTemporalFrom;
    options.l2Bytes = l2Bytes;
    options.parallelFrom = parallelFrom;
    options.threads = threads;
    if (!llvm::isPowerOf2_32(vectorBytes) || vectorBytes < 16 ||
        vectorBytes > 64) {
      emitError(getOperation()->getLoc())
          << getArgument()
          << ": expected vector-bytes 16, 32 or 64, "
             "got "
          << vectorBytes.getValue();
      return signalPassFailure();
    }
    SmallVector<PackWeightOp> ops;
    getOperation()->walk([&](PackWeightOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    SmallPtrSet<Operation *, 4> done;
    for (PackWeightOp op : ops) {
      if (done.contains(op))
        continue;
      PackWeightOp odd = findOdd(op);
      PackingForm form = emitWeightPacking(rewriter, op, odd, options);
      for (PackWeightOp packing : {op, odd}) {
        if (!packing)
          continue;
        done.insert(packing);
        remark::passed(
            packing.getLoc(),
            remark::RemarkOpts::name("WeightPacking").category(getArgument()))
            << "loops that pack a weight"
            << remark::metric("form", ::getName(form));
      }
    }
    for (PackWeightOp op : ops)
      rewriter.eraseOp(op);
  }
};
} // namespace
