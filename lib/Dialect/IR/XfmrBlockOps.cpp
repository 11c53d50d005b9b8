//===- XfmrBlockOps.cpp - Residual blocks: their parts and verifiers ------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "VerifierUtils.h"

using namespace mlir;
using namespace mlir::xfmr;

Value ResidualBlockOp::getBranchOutput() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValue();
}

SmallVector<OperandDim> ResidualBlockOp::getOperandDims(OpOperand &operand) {
  // The symbols are the dims of the input.
  int64_t last = shapedType(getInput()).getRank() - 1;
  StringRef name = getOperandName(operand);
  if (name == "ins" || name == "outs" || name == "mask")
    return llvm::map_to_vector(
        llvm::seq<int64_t>(0, name == "mask" ? last : last + 1),
        [](int64_t dim) { return OperandDim{dim}; });
  return {{last}}; // A gamma or beta.
}

/// C3: the norms that the topology has, and their gammas and betas.
static LogicalResult verifyTopology(ResidualBlockOp op) {
  StringRef topology = stringifyTopology(op.getTopology());
  bool needsNorm1 = op.getTopology() != Topology::None;
  bool needsNorm2 = op.getTopology() == Topology::Sandwich;
  if (bool(op.getNorm1Attr()) != needsNorm1)
    return op.emitOpError("expected ") << (needsNorm1 ? "norm1" : "no norm1")
                                       << " for topology " << topology;
  if (bool(op.getNorm2Attr()) != needsNorm2)
    return op.emitOpError("expected ") << (needsNorm2 ? "norm2" : "no norm2")
                                       << " for topology " << topology;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    StringRef name = op.getOperandName(*operand);
    if ((name.starts_with("norm1") && !needsNorm1) ||
        (name.starts_with("norm2") && !needsNorm2))
      return op.emitOpError("expected no ") << name << " without the norm";
  }
  return success();
}

LogicalResult ResidualBlockOp::verify() {
  // C10, C1, C2, C7.
  if (failed(verifyNoUnknownAttributes(*this)))
    return failure();
  ShapedType input = shapedType(getInput());
  if (input.getRank() < 1)
    return emitOpError("expected ins of rank 1 or more, got rank 0");
  if (failed(verifyKinds(*this)))
    return failure();
  Type element = input.getElementType();
  if (Type outs = elementType(getInit()); outs != element)
    return emitOpError("expected outs of element type ")
           << element << ", got " << outs;
  // C3, C4, and the shapes of C1 and C7.
  Type accumulator = getAccumulatorType(element);
  if (failed(verifyTopology(*this)) || failed(verifyOperandDims(*this)) ||
      failed(verifyNotWider(*this, accumulator)))
    return failure();
  // C5.
  auto verifyNorm = [&](StringRef prefix, NormAttr norm, Value gamma) {
    if (!norm)
      return success();
    if (failed(verifyNormAttributes(*this, prefix, norm.getEps().getValue(),
                                    norm.getWeightOffset().getValue(),
                                    bool(gamma), norm.getRounding(), element,
                                    element)))
      return failure();
    return verifyUnbiased(*this, norm.getUnbiased(),
                          input.getShape().take_back());
  };
  if (failed(verifyNorm("norm1 ", getNorm1Attr(), getGamma1())) ||
      failed(verifyNorm("norm2 ", getNorm2Attr(), getGamma2())))
    return failure();
  // C6.
  bool isPost = getTopology() == Topology::Post;
  if (getResidualRounding() && !isPost)
    return emitOpError("expected residual_rounding for topology post only");
  if (!getResidualRounding() && isPost && element != accumulator)
    return emitOpError("expected residual_rounding, as the sum's type ")
           << element << " is narrower than the accumulator " << accumulator;
  if (!isFiniteIn(accumulator, getAlpha()))
    return emitOpError("expected alpha finite in ")
           << accumulator << ", got "
           << toShortest(getAlpha().convertToDouble());
  // C9: DestinationStyleOpInterface.
  return success();
}

LogicalResult ResidualBlockOp::verifyRegions() {
  // C8.
  Type type = getInput().getType();
  Block &block = getBody().front();
  if (block.getNumArguments() != 1)
    return emitOpError("expected a region of one argument, got ")
           << block.getNumArguments();
  if (block.getArgument(0).getType() != type)
    return emitOpError("expected the region's argument of type ")
           << type << ", got " << block.getArgument(0).getType();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("expected the region to end in xfmr.yield, got ")
           << block.getTerminator()->getName();
  if (yield.getValue().getType() != type)
    return emitOpError("expected the region to yield type ")
           << type << ", got " << yield.getValue().getType();
  return success();
}
