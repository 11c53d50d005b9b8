//===- VerifyLowered.cpp - Nothing is left but LLVM -----------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/Passes.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_VERIFYLOWERED
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {
struct VerifyLowered : xfmr::impl::VerifyLoweredBase<VerifyLowered> {
  void runOnOperation() override {
    // The ops that a conversion left hold on to casts; those are not the cause.
    Operation *left = nullptr, *cast = nullptr;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      StringRef dialect = op->getName().getDialectNamespace();
      if (dialect == "llvm" || dialect == "omp" ||
          (op == getOperation() && dialect == "builtin"))
        return WalkResult::advance();
      if (isa<UnrealizedConversionCastOp>(op)) {
        cast = cast ? cast : op;
        return WalkResult::advance();
      }
      if (dialect == "builtin")
        return WalkResult::advance();
      left = op;
      // A function is named when nothing in it is.
      return op->getName().getStringRef() == "func.func"
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    Operation *culprit = left ? left : cast;
    if (!culprit)
      return;
    // Constants that were folded together have no location of their own.
    Operation *located = culprit;
    while (isa<UnknownLoc>(located->getLoc()) && located->getParentOp())
      located = located->getParentOp();
    emitError(located->getLoc())
        << "'" << culprit->getName()
        << "' op is left: the CPU pipeline has no lowering for it, or an "
           "earlier stage was not run";
    signalPassFailure();
  }
};
} // namespace
