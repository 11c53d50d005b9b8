//===- XfmrNormOps.cpp - Norm ops: their parts and their verifiers --------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "InterfaceImpl.h"
#include "VerifierUtils.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::xfmr;

//===----------------------------------------------------------------------===//
// What a norm is
//===----------------------------------------------------------------------===//

template <typename OpTy> static NormSpec getSpec(OpTy op) {
  constexpr bool isRMS =
      std::is_same_v<OpTy, RMSNormOp> || std::is_same_v<OpTy, AddRMSNormOp>;
  constexpr bool hasResidual = std::is_same_v<OpTy, AddRMSNormOp> ||
                               std::is_same_v<OpTy, AddLayerNormOp>;
  NormSpec spec;
  spec.kind = isRMS ? NormKind::RMSNorm : NormKind::LayerNorm;
  spec.eps = op.getEps().convertToDouble();
  spec.epsPosition = op.getEpsPosition();
  spec.weightOffset = op.getWeightOffset().convertToDouble();
  spec.normalizedDims = op.getNormalizedDims();
  spec.rounding = op.getRoundingAttr();
  spec.input = op.getInput();
  spec.gamma = op.getGamma();
  spec.beta = op.getBeta();
  spec.init = op.getInit();
  spec.rstdInit = op.getRstdInit();
  if constexpr (isRMS) {
    spec.statistic = op.getStatistic();
  } else {
    spec.unbiased = op.getUnbiased();
    spec.meanInit = op.getMeanInit();
  }
  if constexpr (hasResidual) {
    spec.hasResidual = true;
    spec.alpha = op.getAlpha().convertToDouble();
    spec.residualRounding =
        op.getResidualRounding().value_or(ResidualRounding::RoundThenNorm);
    spec.residual = op.getResidual();
    spec.sumInit = op.getSumInit();
  }
  return spec;
}

NormSpec RMSNormOp::getNormSpec() { return getSpec(*this); }
NormSpec LayerNormOp::getNormSpec() { return getSpec(*this); }
NormSpec AddRMSNormOp::getNormSpec() { return getSpec(*this); }
NormSpec AddLayerNormOp::getNormSpec() { return getSpec(*this); }

SmallVector<OperandDim> norm_op::getOperandDims(const NormSpec &spec,
                                                RowOpInterface op,
                                                OpOperand &operand) {
  // The symbols are the dims of the input: rows, then those of one row.
  int64_t rank = shapedType(spec.input).getRank();
  int64_t rows = rank - spec.normalizedDims;
  using Range = std::pair<int64_t, int64_t>;
  auto [begin, end] = llvm::StringSwitch<Range>(op.getOperandName(operand))
                          .Cases({"gamma", "beta"}, Range(rows, rank))
                          .Cases({"rstd", "mean"}, Range(0, rows))
                          .Default(Range(0, rank));
  return llvm::map_to_vector(llvm::seq(begin, end),
                             [](int64_t dim) { return OperandDim{dim}; });
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyNorm(OpTy op) {
  NormSpec spec = getSpec(op);
  ShapedType input = shapedType(spec.input);
  int64_t rank = input.getRank();
  Type inputElement = input.getElementType();
  // C11, C1, C2.
  if (failed(verifyNoUnknownAttributes(op)))
    return failure();
  if (rank < 1)
    return op.emitOpError("expected ins of rank 1 or more, got rank 0");
  if (spec.normalizedDims < 1 || spec.normalizedDims > rank)
    return op.emitOpError("expected normalized_dims from 1 to ")
           << rank << ", the rank of ins, got " << spec.normalizedDims;
  if (failed(verifyKinds(op)))
    return failure();
  // C3 to C5, and the shapes of C9 and C13.
  Type accumulator = getAccumulatorType(inputElement);
  if (failed(verifyOperandDims(op)) || failed(verifyNotWider(op, accumulator)))
    return failure();
  // C6 to C8.
  if (failed(verifyNormAttributes(op, "", op.getEps(), op.getWeightOffset(),
                                  bool(spec.gamma), spec.rounding, inputElement,
                                  elementType(spec.init))))
    return failure();
  // C9, C13: types of destinations. C10: DestinationStyleOpInterface.
  for (OpOperand &destination : op.getDpsInitsMutable()) {
    StringRef name = op.getOperandName(destination);
    if (name == "outs")
      continue;
    Type expected = name == "sum" ? inputElement : accumulator;
    if (Type element = elementType(destination.get()); element != expected)
      return op.emitOpError("expected ")
             << name << " of element type " << expected << ", got " << element;
  }
  // C12.
  if (failed(verifyDestinations(op, op.isElementwiseInPlace())))
    return failure();
  if constexpr (std::is_same_v<OpTy, AddRMSNormOp> ||
                std::is_same_v<OpTy, AddLayerNormOp>) {
    // C14.
    if (!isFiniteIn(accumulator, op.getAlpha()))
      return op.emitOpError("expected alpha finite in ")
             << accumulator << ", got "
             << toShortest(op.getAlpha().convertToDouble());
    // C15.
    if (!op.getResidualRounding() && inputElement != accumulator)
      return op.emitOpError("expected residual_rounding, as the sum's type ")
             << inputElement << " is narrower than the accumulator "
             << accumulator;
  }
  // C13 of layernorm, C16 of add_layernorm.
  return verifyUnbiased(op, spec.unbiased,
                        input.getShape().take_back(spec.normalizedDims));
}

LogicalResult RMSNormOp::verify() { return verifyNorm(*this); }
LogicalResult LayerNormOp::verify() { return verifyNorm(*this); }
LogicalResult AddRMSNormOp::verify() { return verifyNorm(*this); }
LogicalResult AddLayerNormOp::verify() { return verifyNorm(*this); }
