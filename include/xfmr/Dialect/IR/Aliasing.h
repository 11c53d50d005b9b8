//===- Aliasing.h - Which buffers may share memory --------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_ALIASING_H
#define XFMR_DIALECT_IR_ALIASING_H

#include "mlir/IR/Value.h"

namespace mlir::xfmr {

/// The buffer that `buffer` is a view of.
Value getBaseBuffer(Value buffer);

/// Whether writing one buffer may change the other.
bool mayOverlap(Value a, Value b);

} // namespace mlir::xfmr

#endif // XFMR_DIALECT_IR_ALIASING_H
