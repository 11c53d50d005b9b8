//===- XfmrBlockOps.cpp - Residual blocks: verifiers and interfaces -*- C++
//-*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "xfmr/Dialect/IR/Xfmr.h"

using namespace mlir;
using namespace mlir::xfmr;

Value ResidualBlockOp::getBranchOutput() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValue();
}

LogicalResult ResidualBlockOp::verify() {
  // C10.
  if (failed(verifyNoUnknownAttributes(*this)))
    return failure();
  // C1.
  ShapedType input = shapedType(getInput());
  Type element = input.getElementType();
  Type accumulator = getAccumulatorType(element);
  if (input.getRank() < 1)
    return emitOpError("expected ins of rank 1 or more, got rank 0");
  // C2.
  if (failed(verifyKinds(*this, {{"ins", getInput()},
                                 {"norm1 gamma", getGamma1()},
                                 {"norm1 beta", getBeta1()},
                                 {"norm2 gamma", getGamma2()},
                                 {"norm2 beta", getBeta2()},
                                 {"outs", getInit()}})))
    return failure();
  if (shapedType(getInit()).getElementType() != element)
    return emitOpError("expected outs of element type ")
           << element << ", got " << shapedType(getInit()).getElementType();
  if (failed(verifyShape(*this, {"outs", getInit()}, input.getShape())))
    return failure();
  // C3.
  StringRef topology = stringifyTopology(getTopology());
  bool needsNorm1 = getTopology() != Topology::None;
  bool needsNorm2 = getTopology() == Topology::Sandwich;
  if (bool(getNorm1Attr()) != needsNorm1)
    return emitOpError("expected ") << (needsNorm1 ? "norm1" : "no norm1")
                                    << " for topology " << topology;
  if (bool(getNorm2Attr()) != needsNorm2)
    return emitOpError("expected ") << (needsNorm2 ? "norm2" : "no norm2")
                                    << " for topology " << topology;
  struct Norm {
    StringRef name;
    NormAttr norm;
    Value gamma, beta;
  };
  for (const Norm &norm :
       {Norm{"norm1 ", getNorm1Attr(), getGamma1(), getBeta1()},
        Norm{"norm2 ", getNorm2Attr(), getGamma2(), getBeta2()}}) {
    if (!norm.norm && (norm.gamma || norm.beta))
      return emitOpError("expected no ")
             << norm.name << (norm.gamma ? "gamma" : "beta")
             << " without the norm";
    // C4.
    std::string gammaName = (norm.name + "gamma").str();
    std::string betaName = (norm.name + "beta").str();
    int64_t d = input.getShape().back();
    if (failed(verifyShape(*this, {gammaName, norm.gamma}, {d})) ||
        failed(verifyShape(*this, {betaName, norm.beta}, {d})) ||
        failed(verifyNotWider(*this,
                              {{gammaName, norm.gamma}, {betaName, norm.beta}},
                              accumulator)))
      return failure();
    // C5.
    if (!norm.norm)
      continue;
    if (failed(verifyNormAttributes(
            *this, norm.name, norm.norm.getEps().getValue(),
            norm.norm.getWeightOffset().getValue(), bool(norm.gamma),
            norm.norm.getRounding(), element, element)))
      return failure();
    if (norm.norm.getUnbiased() && d == 1)
      return emitOpError(
          "expected 2 elements or more a row for unbiased, got 1");
  }
  // C6.
  bool isPost = getTopology() == Topology::Post;
  if (getResidualRounding() && !isPost)
    return emitOpError("expected residual_rounding for topology post only");
  if (!getResidualRounding() && isPost && element != accumulator)
    return emitOpError("expected residual_rounding, as the sum's type ")
           << element << " is narrower than the accumulator " << accumulator;
  if (!isFiniteIn(accumulator, getAlpha()))
    return emitOpError("expected alpha finite in ") << accumulator;
  // C7.
  if (Value mask = getMask()) {
    Type maskElement = shapedType(mask).getElementType();
    if (!maskElement.isInteger(1))
      return emitOpError("expected mask of element type i1, got ")
             << maskElement;
    if (isa<TensorType>(mask.getType()) != isa<TensorType>(input))
      return emitOpError("expected mask to be a ")
             << (isa<TensorType>(input) ? "tensor" : "memref")
             << " as ins is, got " << mask.getType();
    if (failed(
            verifyShape(*this, {"mask", mask}, input.getShape().drop_back())))
      return failure();
  }
  // C9.
  return verifyResults(*this);
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

LogicalResult
ResidualBlockOp::reifyResultShapes(OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &shapes) {
  if (isa<TensorType>(getInit().getType()))
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getInit()));
  return success();
}
