//===- XfmrEnums.h - Enumerations of the xfmr dialect -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_XFMRENUMS_H
#define XFMR_DIALECT_IR_XFMRENUMS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

#include "xfmr/Dialect/IR/XfmrEnums.h.inc"

#endif // XFMR_DIALECT_IR_XFMRENUMS_H
