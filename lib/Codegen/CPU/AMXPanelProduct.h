//===- AMXPanelProduct.h - Panel products on AMX tiles ----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of bf16 rows and bf16 weights by `tdpbf16ps`. The sums of 2048
// inputs are one chain from zero, in steps of 32 inputs; they are added to the
// running total in the output. A product may be split along its inputs at any
// multiple of 2048, and anywhere along rows and panels, without a change of
// bits. They differ from those of vector code, so that the choice between the
// two is made by the number of rows of the whole op: were it made by that of a
// tile, a row's bits would depend on its place.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_AMXPANELPRODUCT_H
#define XFMR_LIB_CODEGEN_CPU_AMXPANELPRODUCT_H

#include "AMXLeftSide.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "xfmr/Codegen/CPU/PanelProduct.h"

namespace mlir::xfmr {

/// Inputs that share partial sums on tiles.
inline constexpr int64_t kAMXSummationBlock = 2048;

/// Emits `product` by tiles, by vectors, or by both with a choice between them
/// at run time.
void emitPanelProduct(RewriterBase &rewriter, Location loc,
                      const PanelProduct &product,
                      const ContractionLoweringOptions &options,
                      AMXLeftSides &leftSides);

/// Whether tiles may be used for `product` at all, for as many rows as it takes
/// (see `emitAMXCondition`). `reason` says why not.
bool canUseAMX(const PanelProduct &product,
               const ContractionLoweringOptions &options,
               StringRef *reason = nullptr);

/// An i1 that is true where tiles are to be used for `product`: the process has
/// permission, and the op that it is a part of has rows enough.
Value emitAMXCondition(OpBuilder &builder, Location loc,
                       const PanelProduct &product,
                       const ContractionLoweringOptions &options);

/// Emits `product` on tiles: a call of the module's kernel.
void emitAMXPanelProduct(RewriterBase &rewriter, Location loc,
                         const PanelProduct &product,
                         const ContractionLoweringOptions &options,
                         AMXLeftSides &leftSides);

/// What the kernel is called.
inline constexpr StringLiteral kAMXPanelKernel = "xfmr_amx_panel_product";

/// The module's kernel of panel products on tiles, for code of `caller`'s
/// target:
///   (lhs, packed, out, rows, columns, inputs, first panel, first pair, fetch,
///    overwrite)
/// Rows are read up to a multiple of 16 and inputs up to one of 32, where the
/// left side has to be zero. With `fetch`, weights are prefetched;
/// with `overwrite`, the output holds the product alone. Else it is added.
func::FuncOp getAMXPanelKernel(OpBuilder &builder, func::FuncOp caller);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_AMXPANELPRODUCT_H
