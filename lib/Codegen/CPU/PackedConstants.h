//===- PackedConstants.h - Constant weights, packed -------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_PACKEDCONSTANTS_H
#define XFMR_LIB_CODEGEN_CPU_PACKEDCONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "xfmr/Dialect/IR/Xfmr.h"

namespace mlir::xfmr {

/// What `op` makes of the view that it reads of `constant`, whose elements are
/// row-major; the view's strides and offset are static. Fails for an attribute
/// whose elements are not in memory.
FailureOr<ElementsAttr> packConstant(PackWeightOp op, ElementsAttr constant);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_PACKEDCONSTANTS_H
