//===- EmulateTiles.h - Values of AMX tiles as buffers ----------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_EMULATETILES_H
#define XFMR_LIB_CODEGEN_CPU_EMULATETILES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::xfmr {

/// A vector of f32 with its subnormals as zeros of their signs, as the bf16 dot
/// products read and write them.
Value flushSubnormals(OpBuilder &builder, Location loc, Value vector);

/// The even (0) or odd (1) elements of a vector of bf16, as f32.
Value widenHalf(OpBuilder &builder, Location loc, Value pairs, unsigned odd);

/// `acc` plus the products of the bf16 pairs, as `vdpbf16ps` does it.
Value emulateDot(OpBuilder &builder, Location loc, Value acc, Value a, Value b);

/// Rewrites the ops of the AMX dialect in `function` onto buffers on the stack.
/// What cannot be rewritten is an error at the op.
LogicalResult emulateTiles(RewriterBase &rewriter, Operation *function);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_EMULATETILES_H
