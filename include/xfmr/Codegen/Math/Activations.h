//===- Activations.h - Activations as arith and math ops --------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The values of the activation functions, built from upstream's arith and math
// ops on a scalar or vector of the accumulator type. They hold the bounds of
// docs/Numerics.md whether the math ops then become libm calls or arithmetic
// (`xfmr-expand-math`): what loses digits in the textbook formulas (the
// negative tails, where a relative error of the exponent's argument is
// multiplied by the argument) is compensated here.
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_CODEGEN_MATH_ACTIVATIONS_H
#define XFMR_CODEGEN_MATH_ACTIVATIONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "xfmr/Dialect/IR/XfmrEnums.h"

namespace mlir::xfmr {

/// An activation function with its parameters.
struct ActivationSpec {
  ActivationKind kind = ActivationKind::Identity;
  /// `Swish` and `ClampedSwish`: the slope of the sigmoid.
  double beta = 1.0;
  /// `ClampedSwish`: the bound of the gate from above and of |up|.
  double limit = 0.0;
  /// `ClampedSwish`: added to up.
  double upOffset = 0.0;
};

/// Builds `act(z)` for `z` of type f32 or f64 or a vector of these, computed in
/// that type. NaN gives NaN; -inf gives zero for the gelu and swish kinds
/// (their limit) and +inf gives +inf. `spec.kind` must not be `ClampedSwish`,
/// which needs two operands. The caller rounds the result to `resultType`, if
/// that is given: to bf16, gelu and swish kinds keep no more digits than give
/// 0.51 ulp.
Value buildActivation(OpBuilder &builder, Location loc,
                      const ActivationSpec &spec, Value z,
                      Type resultType = {});

/// Builds the gate `act(gate) * up`, and for `ClampedSwish`
/// `g' * sigmoid(beta * g') * (u' + upOffset)` with `g' = min(gate, limit)` and
/// `u' = max(min(up, limit), -limit)`. Both operands have one type, as above.
Value buildGate(OpBuilder &builder, Location loc, const ActivationSpec &spec,
                Value gate, Value up, Type resultType = {});

} // namespace mlir::xfmr

#endif // XFMR_CODEGEN_MATH_ACTIVATIONS_H
