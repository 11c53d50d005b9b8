//===- ConvertBranchesToLLVM.cpp - Branches that carry tiles --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/AMX/Transforms.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_CONVERTBRANCHESTOLLVM
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {
struct ConvertBranchesToLLVM
    : xfmr::impl::ConvertBranchesToLLVMBase<ConvertBranchesToLLVM> {
  void runOnOperation() override {
    LLVMTypeConverter converter(&getContext());
    LLVMConversionTarget target(getContext());
    configureAMXLegalizeForExportTarget(target);
    RewritePatternSet patterns(&getContext());
    populateAMXLegalizeForLLVMExportPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    cf::populateAssertToLLVMConversionPattern(converter, patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    // What a loop's op says of it arrives as an attribute that translation to
    // LLVM IR does not read.
    getOperation()->walk([](Operation *op) {
      constexpr StringLiteral name = "llvm.loop_annotation";
      auto annotation = op->getAttrOfType<LLVM::LoopAnnotationAttr>(name);
      if (!annotation)
        return;
      if (auto branch = dyn_cast<LLVM::BrOp>(op))
        branch.setLoopAnnotationAttr(annotation);
      else if (auto branch = dyn_cast<LLVM::CondBrOp>(op))
        branch.setLoopAnnotationAttr(annotation);
      else
        return;
      op->removeDiscardableAttr(name);
    });
  }
};
} // namespace
