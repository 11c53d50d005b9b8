//===- Workload.h - How much work a call is ---------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_EXECUTIONENGINE_WORKLOAD_H
#define XFMR_EXECUTIONENGINE_WORKLOAD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace mlir::xfmr {

/// The floating-point operations of one call of `function`, as written, with
/// arguments of the given shapes (scalars have none): 2 for every product of a
/// contraction; for every element of a norm 4 (rmsnorm) or 7 (layernorm), 2
/// more with a residual; one for every other operation of a linalg body; one
/// for every activation. Nothing when a size or the number of times that an op
/// runs does not follow from the arguments' shapes.
std::optional<double> countFlops(func::FuncOp function,
                                 ArrayRef<SmallVector<int64_t>> argumentShapes);

/// Whether what argument `index` holds before a call may matter to the call: it
/// is not only the destination of ops of the dialect, which never read theirs.
bool readsArgument(func::FuncOp function, unsigned index);

} // namespace mlir::xfmr

#endif // XFMR_EXECUTIONENGINE_WORKLOAD_H
