//===- RuntimeVerification.cpp - Run-time checks of dims -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimChecks.h"
#include "VerifierUtils.h"

using namespace mlir;
using namespace mlir::xfmr;

static void checkNorm(const NormSpec &spec, DimChecks &checks) {
  int64_t rank = shapedType(spec.input).getRank();
  int64_t rows = rank - spec.normalizedDims;
  checks.expectSameShape("residual", spec.residual, "ins", spec.input);
  checks.expectSameShape("sum", spec.sumInit, "ins", spec.input);
  checks.expectSameShape("outs", spec.init, "ins", spec.input);
  for (int64_t dim = 0; dim < spec.normalizedDims; ++dim) {
    checks.expectEqual({"gamma", spec.gamma, dim},
                       {"ins", spec.input, rows + dim});
    checks.expectEqual({"beta", spec.beta, dim},
                       {"ins", spec.input, rows + dim});
  }
  checks.expectLeadingEqual("rstd", spec.rstdInit, "ins", spec.input, rows);
  checks.expectLeadingEqual("mean", spec.meanInit, "ins", spec.input, rows);
}

static void checkNetwork(const FFNSpec &spec, DimChecks &checks) {
  int64_t rows = shapedType(spec.input).getRank() - 1;
  auto inputs = [](StringRef name, Value weight, WeightLayout layout) {
    return Dim{name, weight, layout == WeightLayout::InOut ? 0 : 1};
  };
  auto outputs = [](StringRef name, Value weight, WeightLayout layout) {
    return Dim{name, weight, layout == WeightLayout::InOut ? 1 : 0};
  };
  Dim d{"ins", spec.input, rows};
  Dim hidden = inputs("down", spec.down, spec.downLayout);
  Dim result = outputs("down", spec.down, spec.downLayout);
  checks.expectEqual(inputs("gate", spec.gate, spec.gateLayout), d);
  checks.expectEqual(inputs("up", spec.up, spec.upLayout), d);
  checks.expectEqual(inputs("gate_up", spec.gateUp, spec.gateLayout), d);
  checks.expectEqual(outputs("gate", spec.gate, spec.gateLayout), hidden);
  checks.expectEqual(outputs("up", spec.up, spec.upLayout), hidden);
  checks.expectEqual(outputs("gate_up", spec.gateUp, spec.gateLayout), hidden,
                     2);
  checks.expectEqual({"gate_bias", spec.gateBias, 0}, hidden);
  checks.expectEqual({"up_bias", spec.upBias, 0}, hidden);
  checks.expectEqual({"gate_up_bias", spec.gateUpBias, 0}, hidden, 2);
  checks.expectEqual({"down_bias", spec.downBias, 0}, result);
  checks.expectLeadingEqual("outs", spec.init, "ins", spec.input, rows);
  checks.expectEqual({"outs", spec.init, rows}, result);
}

#define XFMR_NORM_RUNTIME_VERIFICATION(OpTy)                                   \
  void OpTy::generateRuntimeVerification(OpBuilder &b, Location loc,           \
                                         MessageBuilder message) {             \
    DimChecks checks(getOperation(), b, loc, message);                         \
    checkNorm(getNormSpec(), checks);                                          \
  }
XFMR_NORM_RUNTIME_VERIFICATION(RMSNormOp)
XFMR_NORM_RUNTIME_VERIFICATION(LayerNormOp)
XFMR_NORM_RUNTIME_VERIFICATION(AddRMSNormOp)
XFMR_NORM_RUNTIME_VERIFICATION(AddLayerNormOp)
#undef XFMR_NORM_RUNTIME_VERIFICATION

#define XFMR_FFN_RUNTIME_VERIFICATION(OpTy)                                    \
  void OpTy::generateRuntimeVerification(OpBuilder &b, Location loc,           \
                                         MessageBuilder message) {             \
    DimChecks checks(getOperation(), b, loc, message);                         \
    checkNetwork(getFFNSpec(), checks);                                        \
  }
XFMR_FFN_RUNTIME_VERIFICATION(FFNOp)
XFMR_FFN_RUNTIME_VERIFICATION(GLUFFNOp)
XFMR_FFN_RUNTIME_VERIFICATION(SwiGLUFFNOp)
#undef XFMR_FFN_RUNTIME_VERIFICATION

void GatedActOp::generateRuntimeVerification(OpBuilder &b, Location loc,
                                             MessageBuilder message) {
  DimChecks checks(getOperation(), b, loc, message);
  int64_t rows = getNumRowDims();
  if (Value packed = getGateUp()) {
    checks.expectLeadingEqual("gate_up", packed, "outs", getInit(), rows);
    checks.expectEqual({"gate_up", packed, rows}, {"outs", getInit(), rows}, 2);
    return;
  }
  checks.expectSameShape("up", getUp(), "gate", getGate());
  checks.expectSameShape("outs", getInit(), "gate", getGate());
}

void ResidualBlockOp::generateRuntimeVerification(OpBuilder &b, Location loc,
                                                  MessageBuilder message) {
  DimChecks checks(getOperation(), b, loc, message);
  int64_t last = shapedType(getInput()).getRank() - 1;
  Dim d{"ins", getInput(), last};
  checks.expectSameShape("outs", getInit(), "ins", getInput());
  checks.expectEqual({"norm1 gamma", getGamma1(), 0}, d);
  checks.expectEqual({"norm1 beta", getBeta1(), 0}, d);
  checks.expectEqual({"norm2 gamma", getGamma2(), 0}, d);
  checks.expectEqual({"norm2 beta", getBeta2(), 0}, d);
  checks.expectLeadingEqual("mask", getMask(), "ins", getInput(), last);
}
