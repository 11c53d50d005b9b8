//===- PackedWeights.h - Functions whose weights are packed -----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function whose weights are packed outside of it takes packed weights in
// their place. What each of its arguments was is an attribute of the function,
// which stays on it down to the LLVM dialect:
//
//   xfmr.packed_weights = [{argument = 0}, {argument = 1, packed = memref<..>}]
//
// The function that packs them has the attribute too.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_PACKEDWEIGHTS_H
#define XFMR_DIALECT_IR_PACKEDWEIGHTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlir::xfmr {

inline constexpr llvm::StringLiteral kPackedWeightsAttrName =
    "xfmr.packed_weights";

/// What packed weights are aligned to, in bytes.
inline constexpr int64_t kPackedAlignment = 64;

/// What follows a function's name in those of the function that packs its
/// weights and of the one that gives the sizes of its packed weights.
inline constexpr llvm::StringLiteral kPackWeightsSuffix = "_pack_weights";
inline constexpr llvm::StringLiteral kPackedSizesSuffix = "_packed_sizes";

/// What an argument of such a function is.
struct PackedArgument {
  /// The argument's number before weights were packed.
  unsigned argument = 0;
  /// The packed form that it is of that argument; null for the argument itself.
  MemRefType packed;
  /// Of a weight that is an argument beside its packed form: nothing but its
  /// sizes are read.
  bool sizesOnly = false;
  /// Of a packed form: it may have the weight's own memory, if that is as
  /// large.
  bool mayBeInPlace = false;
};

/// The attribute for a function with these arguments.
ArrayAttr getPackedWeightsAttr(MLIRContext *context,
                               ArrayRef<PackedArgument> arguments);

/// The arguments of `function`; none when no weight of it is packed outside, or
/// the attribute does not say so.
SmallVector<PackedArgument> getPackedArguments(Operation *function);

} // namespace mlir::xfmr

#endif // XFMR_DIALECT_IR_PACKEDWEIGHTS_H
