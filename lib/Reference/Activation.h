//===- Activation.h - Activation functions -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_LIB_REFERENCE_ACTIVATION_H
#define XFMR_LIB_REFERENCE_ACTIVATION_H

#include "Number.h"
#include "xfmr/Dialect/IR/XfmrAttributes.h"

namespace mlir::xfmr::reference {

/// An activation with its parameters as the accumulator holds them.
struct Activation {
  ActivationKind kind = ActivationKind::Identity;
  long double beta = 1, limit = HUGE_VALL, upOffset = 0;

  Activation(ActivationAttr attribute, const FloatFormat &acc);

  /// The value at one gate, its limits at the infinities included.
  long double operator()(long double gate) const;
  /// What multiplies the activated gate: clamped and offset for clamped swish.
  Number transformUp(const Number &up) const;
};

} // namespace mlir::xfmr::reference

#endif // XFMR_LIB_REFERENCE_ACTIVATION_H
