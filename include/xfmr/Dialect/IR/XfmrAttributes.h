//===- XfmrAttributes.h - Attributes of the xfmr dialect -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMRATTRIBUTES_H
#define XFMR_DIALECT_IR_XFMRATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "xfmr/Dialect/IR/XfmrEnums.h"

#define GET_ATTRDEF_CLASSES
#include "xfmr/Dialect/IR/XfmrAttributes.h.inc"

#endif // XFMR_DIALECT_IR_XFMRATTRIBUTES_H
