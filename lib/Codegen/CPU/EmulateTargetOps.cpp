//===- EmulateTargetOps.cpp - Instructions that the host may lack ---------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMXPermission.h"
#include "EmulateTiles.h"
#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_EMULATETARGETOPS
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {

struct EmulateTargetOps : xfmr::impl::EmulateTargetOpsBase<EmulateTargetOps> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    llvm::SetVector<Operation *> functions;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<x86vector::X86VectorDialect>(op->getDialect()))
        ops.push_back(op);
      else if (isa_and_nonnull<amx::AMXDialect>(op->getDialect()))
        functions.insert(op->getParentOfType<FunctionOpInterface>());
    });
    grantAMXPermission(getOperation());
    IRRewriter rewriter(&getContext());
    for (Operation *function : functions)
      if (!function || failed(emulateTiles(rewriter, function)))
        return signalPassFailure();
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      Location loc = op->getLoc();
      if (auto dot = dyn_cast<x86vector::DotBF16Op>(op)) {
        rewriter.replaceOp(op, emulateDot(rewriter, loc, dot.getSrc(),
                                          dot.getA(), dot.getB()));
      } else if (auto convert = dyn_cast<x86vector::CvtPackedF32ToBF16Op>(op)) {
        Value flushed = flushSubnormals(rewriter, loc, convert.getA());
        rewriter.replaceOpWithNewOp<arith::TruncFOp>(
            op, convert.getDst().getType(), flushed);
      } else {
        op->emitOpError("cannot be emulated: it has no emulation");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
