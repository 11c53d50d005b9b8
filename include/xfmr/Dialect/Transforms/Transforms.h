//===- Transforms.h - Rewrites of the dialect's ops -------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes on the dialect's ops are made of, for use in other passes.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_TRANSFORMS_TRANSFORMS_H
#define XFMR_DIALECT_TRANSFORMS_TRANSFORMS_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/PatternMatch.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

/// The norm op that `norm` describes, of the rows of `input`, into `init`.
/// `gamma` and `beta` may be null. Returns the result on tensors, else `init`.
Value createNorm(OpBuilder &builder, Location loc, NormAttr norm, Value input,
                 Value gamma, Value beta, Value init);

/// The same of `alpha * input + residual`. `residualRounding` may be null where
/// the data are as wide as the accumulator.
Value createAddNorm(OpBuilder &builder, Location loc, NormAttr norm,
                    double alpha, ResidualRoundingAttr residualRounding,
                    Value input, Value residual, Value gamma, Value beta,
                    Value init);

/// Replaces the block by its norms, its region and its residual add. On memrefs
/// temporaries are allocated and freed. Fails, without a change, when the
/// region uses its argument in a way that a temporary's layout does not allow.
LogicalResult expandResidualBlock(RewriterBase &rewriter,
                                  ResidualBlockOp block);

/// Expands all residual blocks below `root`, reporting those that fail.
LogicalResult expandResidualBlocks(RewriterBase &rewriter, Operation *root);

/// Replaces `op` by its decomposition into linalg; on memrefs too.
LogicalResult decomposeToLinalg(RewriterBase &rewriter,
                                linalg::AggregatedOpInterface op);

} // namespace mlir::xfmr

#endif // XFMR_DIALECT_TRANSFORMS_TRANSFORMS_H
