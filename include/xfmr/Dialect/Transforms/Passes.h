//===- Passes.h - Passes on the ops of the dialect --------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_TRANSFORMS_PASSES_H
#define XFMR_DIALECT_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::xfmr {

#define GEN_PASS_DECL
#include "xfmr/Dialect/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "xfmr/Dialect/Transforms/Passes.h.inc"

} // namespace mlir::xfmr

#endif // XFMR_DIALECT_TRANSFORMS_PASSES_H
