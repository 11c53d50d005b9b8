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
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_CONVERTBRANCHESTOLLVM
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

/// LLVM's own weights for what is expected.
constexpr int32_t kLikely = 2000, kUnlikely = 1;

/// LLVM finds an expectation in front of the branch alone, and not where
/// several branches have one in common that is far away.
static void takeExpectation(LLVM::CondBrOp branch) {
  auto expect = branch.getCondition().getDefiningOp<LLVM::ExpectOp>();
  IntegerAttr expected;
  if (!expect || !matchPattern(expect.getExpected(), m_Constant(&expected)))
    return;
  branch.setBranchWeights(expected.getValue().isZero()
                              ? ArrayRef<int32_t>{kUnlikely, kLikely}
                              : ArrayRef<int32_t>{kLikely, kUnlikely});
  branch.getConditionMutable().assign(expect.getVal());
}

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
      if (auto branch = dyn_cast<LLVM::CondBrOp>(op))
        takeExpectation(branch);
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
