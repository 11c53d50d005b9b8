//===- RoundedTo.h - Functions whose values are rounded next ----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exponential in f32 of which no more digits are wanted than a rounding to
// f16 or bf16 leaves, has that type as an attribute:
//
//   %e = math.exp %d {xfmr.rounded_to = bf16} : f32
//
// Its value, and sums of such values, go into products and quotients alone, and
// those into roundings to the type, with at most two of them in each. The error
// of all together is within the hundredth of an ulp of the type that the bounds
// leave on top of the rounding. A power of two may have the attribute bf16 too:
// its operand is no NaN that matters, and not more than `kMostExp2`.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_ROUNDEDTO_H
#define XFMR_DIALECT_IR_ROUNDEDTO_H

#include "llvm/ADT/StringRef.h"

namespace mlir::xfmr {

inline constexpr llvm::StringLiteral kRoundedToAttrName = "xfmr.rounded_to";

/// 2^t is infinite in f32 long before.
inline constexpr double kMostExp2 = 134.75;

} // namespace mlir::xfmr

#endif // XFMR_DIALECT_IR_ROUNDEDTO_H
