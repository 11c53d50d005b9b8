//===- Specs.h - What a norm or a network is --------------------*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef XFMR_DIALECT_IR_SPECS_H
#define XFMR_DIALECT_IR_SPECS_H

#include "xfmr/Dialect/IR/XfmrAttributes.h"

namespace mlir::xfmr {

/// A norm with its operands, in the form that the four norm ops share. Optional
/// operands are null when absent.
struct NormSpec {
  NormKind kind = NormKind::RMSNorm;
  /// Added to the statistic; kept as f32 unless the data are f64.
  double eps = 0.0;
  EpsPosition epsPosition = EpsPosition::Inside;
  Statistic statistic = Statistic::RMS;
  bool unbiased = false;
  /// Added to gamma in the accumulator type.
  double weightOffset = 0.0;
  /// How many trailing dims of the input are one row.
  int64_t normalizedDims = 1;
  /// Null where rounding means nothing.
  RoundingAttr rounding;

  /// Set for the ops that add a residual first.
  bool hasResidual = false;
  /// Multiplies the skip path.
  double alpha = 1.0;
  /// The default means nothing when the data are as wide as the accumulator.
  ResidualRounding residualRounding = ResidualRounding::RoundThenNorm;

  Value input, residual, gamma, beta;
  Value sumInit, init, rstdInit, meanInit;
};

/// A feed-forward network with its operands, in the form that the three network
/// ops share. Optional operands are null when absent; a gated network has
/// `gate` and `up`, or `gateUp`; `ffn` has `up` alone.
struct FFNSpec {
  bool gated = false;
  ActivationAttr activation;
  WeightLayout gateLayout = WeightLayout::InOut;
  WeightLayout upLayout = WeightLayout::InOut;
  WeightLayout downLayout = WeightLayout::InOut;
  /// Set for a packed `gateUp`.
  std::optional<GateUpOrder> order;
  /// The type to which the activation is rounded.
  Type hiddenType;

  Value input, gate, up, gateUp, down;
  Value gateBias, upBias, gateUpBias, downBias;
  Value init;
};

} // namespace mlir::xfmr

#endif // XFMR_DIALECT_IR_SPECS_H
