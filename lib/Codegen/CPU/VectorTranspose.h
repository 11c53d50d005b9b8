//===- VectorTranspose.h - Square transposes in registers -------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_VECTORTRANSPOSE_H
#define XFMR_LIB_CODEGEN_CPU_VECTORTRANSPOSE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::xfmr {

/// Transposes as many vectors as one has lanes, a power of two, of 32 or 64
/// bits each: lane j of result i is lane i of `rows[j]`. Every shuffle is one
/// instruction where registers are made of 128-bit parts.
SmallVector<Value> transposeVectors(OpBuilder &builder, Location loc,
                                    ArrayRef<Value> rows);

/// The lanes of two vectors in turn: a0 b0 a1 b1 ...
Value interleaveVectors(OpBuilder &builder, Location loc, Value a, Value b);

/// Every second lane of two vectors, those of `a` first: the even lanes, or the
/// odd ones.
Value takeEveryOther(OpBuilder &builder, Location loc, Value a, Value b,
                     bool odd);

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_VECTORTRANSPOSE_H
