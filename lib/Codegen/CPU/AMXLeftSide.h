//===- AMXLeftSide.h - Rows as tiles can read them --------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_AMXLEFTSIDE_H
#define XFMR_LIB_CODEGEN_CPU_AMXLEFTSIDE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::xfmr {

/// The left sides of a function's products on tiles. Where tiles cannot read
/// one as it lies in memory it is copied, before the outermost loop in which it
/// does not change. Products of the same rows in one loop, such as gate and up,
/// share a copy: two would take turns in the cache that has room for one.
class AMXLeftSides {
public:
  /// `lhs` as a product at the insertion point gets it, of type `kernelType`.
  /// `freed` is what has to be freed, if anything: after `end`, or after the
  /// product where that is null.
  Value emit(RewriterBase &rewriter, Location loc, Value lhs,
             MemRefType kernelType, Value &freed, Operation *&end);

private:
  struct Readable {
    Value lhs;
    Operation *scope;
    Value operand;
  };

  SmallVector<Readable> readable;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_AMXLEFTSIDE_H
