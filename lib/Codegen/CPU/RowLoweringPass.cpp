//===- RowLoweringPass.cpp - xfmr-lower-row-groups ------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xfmr/Codegen/CPU/Passes.h"
#include "xfmr/Codegen/CPU/RowLowering.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::xfmr {
#define GEN_PASS_DEF_LOWERROWGROUPS
#include "xfmr/Codegen/CPU/Passes.h.inc"
} // namespace mlir::xfmr

using namespace mlir;
using namespace mlir::xfmr;

namespace {

struct LowerRowGroups : xfmr::impl::LowerRowGroupsBase<LowerRowGroups> {
  using LowerRowGroupsBase::LowerRowGroupsBase;

  void runOnOperation() override {
    for (unsigned value : {vectorBytes.getValue(), accumulators.getValue(),
                           unroll.getValue(), vectorRegisters.getValue()})
      if (!llvm::isPowerOf2_32(value) || value > 64) {
        emitError(getOperation()->getLoc())
            << getArgument() << ": " << value
            << " is not a power of two from 1 to 64";
        return signalPassFailure();
      }
    RowLoweringOptions options;
    options.vectorBytes = vectorBytes;
    options.accumulators = accumulators;
    options.unroll = unroll;
    options.vectorRegisters = vectorRegisters;
    options.useBF16Dot = bf16Dot && vectorBytes == 64;
    options.prefetchFromBytes = prefetchFromBytes;
    options.lastLevelBytes = lastLevelBytes;
    options.nonTemporalFromBytes = nonTemporalFromBytes;
    options.isX86 = x86;
    // Their number is asked of functions that are declared in the module.
    if (getOperation()->hasTrait<OpTrait::SymbolTable>())
      options.shareRowsFrom = shareRowsFrom;
    options.shortRows = shortRows;
    options.shortFunctions = shortFunctions;
    options.remarkCategory = getArgument();

    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      // Bodies of linalg ops are no code to lower.
      if (!isa_and_nonnull<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    IRRewriter rewriter(&getContext());
    for (Block *block : blocks)
      lowerRowGroupsInBlock(rewriter, *block, options);
  }
};

} // namespace
