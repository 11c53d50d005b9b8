//===- ContractionLoweringPass.cpp - xfmr-lower-contractions --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/ContractionLowering.h"
#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_LOWERCONTRACTIONS
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {

struct LowerContractions
    : xfmr::impl::LowerContractionsBase<LowerContractions> {
  using LowerContractionsBase::LowerContractionsBase;

  void runOnOperation() override {
    ContractionLoweringOptions options;
    options.vectorBytes = vectorBytes;
    // Sixteen accumulators of two vectors a row need 32 registers.
    options.tileRows =
        tileRows != 0u ? tileRows.getValue() : (vectorBytes >= 64 ? 8 : 4);
    for (unsigned value : {options.vectorBytes, options.tileRows})
      if (!llvm::isPowerOf2_32(value) || value > 64) {
        getOperation()->emitError() << getArgument() << ": " << value
                                    << " is not a power of two from 1 to 64";
        return signalPassFailure();
      }

    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.getNumReductionLoops() > 0)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      std::string reason;
      FailureOr<ContractionInfo> info = matchContraction(op, &reason);
      rewriter.setInsertionPoint(op);
      if (succeeded(info) &&
          succeeded(lowerContraction(rewriter, *info, options, &reason))) {
        remark::passed(op.getLoc(),
                       remark::RemarkOpts::name("ContractionLowered")
                           .category(getArgument()))
            << "lowered a contraction"
            << remark::metric("form", info->isDotForm() ? "dot" : "panel");
        rewriter.eraseOp(op);
        continue;
      }
      remark::missed(op.getLoc(),
                     remark::RemarkOpts::name("OpLeft").category(getArgument()))
          << "left an op alone" << remark::reason("{0}", reason);
    }
  }
};

} // namespace
