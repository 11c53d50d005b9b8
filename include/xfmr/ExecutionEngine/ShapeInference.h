//===- ShapeInference.h - Sizes that follow from other sizes ----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_SHAPEINFERENCE_H
#define XFMR_EXECUTIONENGINE_SHAPEINFERENCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::xfmr {

/// Fills sizes of the arguments of `function` that are ShapedType::kDynamic and
/// must equal a size that is known for the call to pass its runtime checks: the
/// rows of a destination are those of the input, the elements of gamma those of
/// a row. `shapes` has an entry for every argument, empty for scalars.
void inferArgumentShapes(func::FuncOp function,
                         MutableArrayRef<SmallVector<int64_t>> shapes);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_SHAPEINFERENCE_H
