//===- ContractionLoweringPass.cpp - xfmr-lower-contractions --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionPanels.h"
#include "xfmr/Codegen/CPU/ContractionLowering.h"
#include "xfmr/Codegen/CPU/Passes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
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

  FailureOr<ContractionLoweringOptions> getOptions() {
    ContractionLoweringOptions options;
    options.batchInvariant = batchInvariant;
    options.threads = threads;
    if (!cpu.empty()) {
      llvm::Expected<CPUTarget> target = CPUTarget::get(cpu);
      if (!target) {
        emitError(getOperation()->getLoc(), llvm::toString(target.takeError()));
        return failure();
      }
      options.target = *target;
    }
    if (cpu.empty() || vectorBytes != 0u) {
      options.target.vectorBytes = vectorBytes != 0u ? vectorBytes : 64u;
      options.target.vectorRegisters =
          options.target.vectorBytes >= 64 ? 32 : 16;
      options.target.hasFMA = true;
    }
    // Sixteen accumulators of two vectors a row need 32 registers.
    options.tileRows = tileRows != 0u
                           ? tileRows.getValue()
                           : (options.target.vectorBytes >= 64 ? 8 : 4);
    for (unsigned value : {options.target.vectorBytes, options.tileRows})
      if (!llvm::isPowerOf2_32(value) || value > 64) {
        emitError(getOperation()->getLoc())
            << getArgument() << ": " << value
            << " is not a power of two from 1 to 64";
        return failure();
      }
    return options;
  }

  void runOnOperation() override {
    FailureOr<ContractionLoweringOptions> options = getOptions();
    if (failed(options))
      return signalPassFailure();
    // Lowering adds functions.
    SmallVector<FunctionOpInterface> functions;
    getOperation()->walk(
        [&](FunctionOpInterface function) { functions.push_back(function); });
    for (FunctionOpInterface function : functions)
      lower(function, *options);
  }

  void lower(FunctionOpInterface function,
             const ContractionLoweringOptions &options) {
    SmallVector<linalg::LinalgOp> ops;
    function->walk([&](linalg::LinalgOp op) {
      if (op.getNumReductionLoops() > 0)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    PackedWeights weights(function);
    AMXLeftSides leftSides;
    for (linalg::LinalgOp op : ops) {
      std::string reason;
      FailureOr<ContractionInfo> info = matchContraction(op, &reason);
      if (succeeded(info) && failed(checkMemrefs(op, &reason)))
        info = failure();
      rewriter.setInsertionPoint(op);
      if (succeeded(info)) {
        PanelForm form =
            panels ? lowerToPanels(rewriter, *info, options, weights, leftSides)
                   : PanelForm::None;
        if (form != PanelForm::None) {
          remarkPanels(op, *info, form);
          rewriter.eraseOp(op);
          continue;
        }
        if (succeeded(lowerContraction(rewriter, *info, options, &reason))) {
          remark::passed(op.getLoc(),
                         remark::RemarkOpts::name("ContractionLowered")
                             .category(getArgument()))
              << "lowered a contraction"
              << remark::metric("form", info->isDotForm() ? "dot" : "panel");
          rewriter.eraseOp(op);
          continue;
        }
      }
      remark::missed(op.getLoc(),
                     remark::RemarkOpts::name("OpLeft").category(getArgument()))
          << "left an op alone" << remark::reason("{0}", reason);
    }
  }

  void remarkPanels(linalg::LinalgOp op, const ContractionInfo &info,
                    PanelForm form) {
    bool each = form == PanelForm::PackedEachTime;
    StringRef name = each                        ? "panels packed each time"
                     : form == PanelForm::Packed ? "packed panels"
                                                 : "empty";
    remark::passed(
        op.getLoc(),
        remark::RemarkOpts::name("ContractionLowered").category(getArgument()))
        << "lowered a contraction" << remark::metric("form", name);
    if (!each)
      return;
    // Each element is read and written once more than it is multiplied.
    int64_t bytes =
        2 * llvm::divideCeil(getElementTypeOrSelf(op->getOperand(info.rhs))
                                 .getIntOrFloatBitWidth(),
                             8);
    remark::missed(
        op.getLoc(),
        remark::RemarkOpts::name("PackedEachTime").category(getArgument()))
        << "packs a matrix each time that it is multiplied: mark it "
           "xfmr.weight if it never changes"
        << remark::metric("bytesMovedPerElement", bytes)
        << remark::metric("multiplyAddsPerElement", getRows(op, info));
  }

  /// The rows that each element is multiplied by, in words if they are unknown.
  static std::string getRows(linalg::LinalgOp op, const ContractionInfo &info) {
    int64_t rows = 1;
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    for (unsigned loop : info.m) {
      if (ShapedType::isDynamic(extents[loop]))
        return "the number of rows";
      rows *= extents[loop];
    }
    return std::to_string(rows);
  }
};

} // namespace
