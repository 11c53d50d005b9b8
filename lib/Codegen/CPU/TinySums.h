//===- TinySums.h - Sums that instructions may flush to zero ----*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions that multiply pairs of bf16 values take subnormal inputs for
// zero and make zeros of subnormal sums. Next to a sum of 2^-60 that is
// nothing; a sum below is computed again, by multiply-adds in the same order.
// Whether it is depends on the sum alone, and not on its neighbours.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_CODEGEN_CPU_TINYSUMS_H
#define XFMR_LIB_CODEGEN_CPU_TINYSUMS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace mlir::xfmr {

/// Emits the parts of code that finds tiny sums among vectors of f32, and
/// computes them again.
class TinySums {
public:
  TinySums(OpBuilder &builder, Location loc, int64_t lanes)
      : builder(builder), loc(loc), lanes(lanes) {}

  /// The bits of the lanes' magnitudes; those of infinity where `mask`, if
  /// there is one, is false.
  Value getMagnitude(Value sum, Value mask = {});
  /// The lanes of magnitudes that are tiny: a vector of i1.
  Value isTiny(Value magnitude);
  /// Whether any lane is.
  Value isAnyTiny(Value magnitude);
  /// Whether any of `inputs` bf16 values that `load` gives is not zero.
  Value emitHasInputs(Value inputs, function_ref<Value(Value)> load);
  /// The sums of `inputs` bf16 values, which `loadInput` gives, times pairs of
  /// bf16 weights, which `loadPairs` gives for an even input and the next.
  Value emitExactSum(Value inputs, function_ref<Value(Value)> loadInput,
                     function_ref<Value(Value)> loadPairs);

private:
  /// Every lane of a vector of integers.
  Value splat(int64_t value);
  Value index(int64_t value);

  OpBuilder &builder;
  Location loc;
  int64_t lanes;
};

} // namespace mlir::xfmr

#endif // XFMR_LIB_CODEGEN_CPU_TINYSUMS_H
