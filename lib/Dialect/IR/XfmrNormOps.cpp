//===- XfmrNormOps.cpp - Norm ops: what they are made of, and their verifiers
//-*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"
#include "xfmr/Dialect/IR/Xfmr.h"

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

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyNorm(OpTy op) {
  NormSpec spec = getSpec(op);
  ShapedType input = shapedType(spec.input);
  int64_t rank = input.getRank();
  Type inputElement = input.getElementType();
  // C11.
  if (failed(verifyNoUnknownAttributes(op)))
    return failure();
  // C1.
  if (rank < 1)
    return op.emitOpError("expected ins of rank 1 or more, got rank 0");
  if (spec.normalizedDims < 1 || spec.normalizedDims > rank)
    return op.emitOpError("expected normalized_dims from 1 to ")
           << rank << ", the rank of ins, got " << spec.normalizedDims;
  // C2.
  if (failed(verifyKinds(op, {{"ins", spec.input},
                              {"residual", spec.residual},
                              {"gamma", spec.gamma},
                              {"beta", spec.beta},
                              {"sum", spec.sumInit},
                              {"outs", spec.init},
                              {"rstd", spec.rstdInit},
                              {"mean", spec.meanInit}})))
    return failure();
  // C3, C13.
  for (NamedOperand operand : {NamedOperand{"outs", spec.init},
                               NamedOperand{"residual", spec.residual},
                               NamedOperand{"sum", spec.sumInit}})
    if (failed(verifyShape(op, operand, input.getShape())))
      return failure();
  if (spec.sumInit && shapedType(spec.sumInit).getElementType() != inputElement)
    return op.emitOpError("expected sum of element type ")
           << inputElement << ", got "
           << shapedType(spec.sumInit).getElementType();
  // C4.
  ArrayRef<int64_t> row = input.getShape().take_back(spec.normalizedDims);
  if (failed(verifyShape(op, {"gamma", spec.gamma}, row)) ||
      failed(verifyShape(op, {"beta", spec.beta}, row)))
    return failure();
  // C5.
  Type accumulator = getAccumulatorType(inputElement);
  if (failed(verifyNotWider(op,
                            {{"residual", spec.residual},
                             {"gamma", spec.gamma},
                             {"beta", spec.beta}},
                            accumulator)))
    return failure();
  // C6 to C8.
  if (failed(verifyNormAttributes(op, "", op.getEps(), op.getWeightOffset(),
                                  bool(spec.gamma), spec.rounding, inputElement,
                                  shapedType(spec.init).getElementType())))
    return failure();
  // C9.
  for (NamedOperand operand : {NamedOperand{"rstd", spec.rstdInit},
                               NamedOperand{"mean", spec.meanInit}}) {
    if (!operand.value)
      continue;
    if (failed(verifyShape(op, operand,
                           input.getShape().drop_back(spec.normalizedDims))))
      return failure();
    Type element = shapedType(operand.value).getElementType();
    if (element != accumulator)
      return op.emitOpError("expected ") << operand.name << " of element type "
                                         << accumulator << ", got " << element;
  }
  // C10.
  if (failed(verifyResults(op)))
    return failure();
  // C12.
  if (spec.unbiased && !ShapedType::isDynamicShape(row) &&
      ShapedType::getNumElements(row) == 1)
    return op.emitOpError(
        "expected 2 elements or more a row for unbiased, got 1");
  if constexpr (std::is_same_v<OpTy, AddRMSNormOp> ||
                std::is_same_v<OpTy, AddLayerNormOp>) {
    // C14.
    if (!isFiniteIn(accumulator, op.getAlpha()))
      return op.emitOpError("expected alpha finite in ") << accumulator;
    // C15.
    if (!op.getResidualRounding() && inputElement != accumulator)
      return op.emitOpError("expected residual_rounding, as the sum's type ")
             << inputElement << " is narrower than the accumulator "
             << accumulator;
  }
  return success();
}

LogicalResult RMSNormOp::verify() { return verifyNorm(*this); }
LogicalResult LayerNormOp::verify() { return verifyNorm(*this); }
LogicalResult AddRMSNormOp::verify() { return verifyNorm(*this); }
LogicalResult AddLayerNormOp::verify() { return verifyNorm(*this); }

//===----------------------------------------------------------------------===//
// RowOpInterface
//===----------------------------------------------------------------------===//

template <typename OpTy>
static SmallVector<int64_t> getNormDomainDims(OpTy op, OpOperand &operand) {
  NormSpec spec = getSpec(op);
  int64_t rank = shapedType(spec.input).getRank();
  int64_t rows = rank - spec.normalizedDims;
  Value value = operand.get();
  // Operands are compared by number: one value may be several operands.
  unsigned number = operand.getOperandNumber();
  auto isOperand = [&](unsigned group) {
    auto [start, length] = op.getODSOperandIndexAndLength(group);
    return number >= start && number < start + length;
  };
  constexpr bool hasResidual = std::is_same_v<OpTy, AddRMSNormOp> ||
                               std::is_same_v<OpTy, AddLayerNormOp>;
  constexpr unsigned gammaGroup = hasResidual ? 2 : 1;
  constexpr unsigned rstdGroup = hasResidual ? 6 : 4;
  auto [rstdStart, rstdLength] = op.getODSOperandIndexAndLength(rstdGroup);
  int64_t begin = 0, end = rank;
  if (isOperand(gammaGroup) || isOperand(gammaGroup + 1))
    begin = rows;
  else if (number >= rstdStart)
    end = rows; // rstd and mean, the last groups.
  assert(shapedType(value).getRank() == end - begin && "verified before");
  (void)value;
  (void)rstdLength;
  return llvm::to_vector(llvm::seq<int64_t>(begin, end));
}

#define XFMR_NORM_ROW_INTERFACE(OpTy)                                          \
  int64_t OpTy::getNumRowDims() {                                              \
    return shapedType(getInput()).getRank() - getNormalizedDims();             \
  }                                                                            \
  SmallVector<utils::IteratorType> OpTy::getInnerIteratorTypes() {             \
    return SmallVector<utils::IteratorType>(getNormalizedDims(),               \
                                            utils::IteratorType::reduction);   \
  }                                                                            \
  SmallVector<int64_t> OpTy::getDomainDims(OpOperand &operand) {               \
    return getNormDomainDims(*this, operand);                                  \
  }                                                                            \
  bool OpTy::isElementwiseInPlace() { return true; }

XFMR_NORM_ROW_INTERFACE(RMSNormOp)
XFMR_NORM_ROW_INTERFACE(LayerNormOp)
XFMR_NORM_ROW_INTERFACE(AddRMSNormOp)
XFMR_NORM_ROW_INTERFACE(AddLayerNormOp)

#undef XFMR_NORM_ROW_INTERFACE
