//===- ResidualBlockOps.cpp - Residual blocks -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"
#include "Norm.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::reference;

/// The norm that the attribute and its weights describe.
static NormSpec getNormSpec(NormAttr attribute, Value gamma, Value beta) {
  NormSpec spec;
  spec.kind = attribute.getKind();
  spec.eps = attribute.getEps().getValueAsDouble();
  spec.epsPosition = attribute.getEpsPosition();
  spec.statistic = attribute.getStatistic();
  spec.unbiased = attribute.getUnbiased();
  if (FloatAttr offset = attribute.getWeightOffset())
    spec.weightOffset = offset.getValueAsDouble();
  spec.rounding = attribute.getRounding();
  spec.gamma = gamma;
  spec.beta = beta;
  return spec;
}

namespace {
/// A residual block being run.
class ResidualBlock {
public:
  ResidualBlock(Interpreter &interpreter, ResidualBlockOp op)
      : interpreter(interpreter), op(op) {}

  LogicalResult run();

private:
  using RowFunction =
      function_ref<void(size_t row, ArrayRef<int64_t> positions)>;

  FailureOr<Norm> makeNorm(std::optional<NormAttr> attribute, Value gamma,
                           Value beta);
  /// Calls the function for every row.
  FailureOr<Array> normalizeRows(const Norm &norm, const Array &array);
  /// Runs the region on z and gives f.
  FailureOr<Array> runBranch(const Array &z);
  LogicalResult readMask(std::vector<bool> &real);

  Interpreter &interpreter;
  ResidualBlockOp op;
  FloatFormat data, acc;
  Array x;
};
} // namespace

FailureOr<Norm> ResidualBlock::makeNorm(std::optional<NormAttr> attribute,
                                        Value gamma, Value beta) {
  if (!attribute || !*attribute) {
    op.emitOpError("expected a norm for its topology");
    return failure();
  }
  NormSpec spec = getNormSpec(*attribute, gamma, beta);
  Norm norm = Norm::create(spec, data, x.elementType);
  if (failed(norm.readWeights(interpreter, op, spec, {x.shape.back()})))
    return failure();
  return norm;
}

FailureOr<Array> ResidualBlock::normalizeRows(const Norm &norm,
                                              const Array &array) {
  FailureOr<Array> result = interpreter.create(op, x.elementType, x.shape);
  if (failed(result))
    return failure();
  const int64_t d = array.shape.back();
  std::vector<Number> in(d), out(d);
  int64_t start = 0;
  for (int64_t row : array.offsets(0, array.rank() - 1)) {
    for (int64_t i = 0; i < d; ++i)
      in[i] = array.read(array.offset + row + i * array.strides.back());
    norm.normalize(in, out);
    for (int64_t i = 0; i < d; ++i)
      result->set(start++, out[i]);
  }
  return result;
}

FailureOr<Array> ResidualBlock::runBranch(const Array &z) {
  SmallVector<RuntimeValue> results;
  if (failed(interpreter.runBlock(op.getBody().front(), {RuntimeValue(z)},
                                  results)))
    return failure();
  if (results.size() != 1 || !results[0].array) {
    op.emitOpError("expected its region to yield one array");
    return failure();
  }
  if (failed(interpreter.expectShape(op, *results[0].array, x.shape,
                                     "what its region yields")))
    return failure();
  return *results[0].array;
}

LogicalResult ResidualBlock::readMask(std::vector<bool> &real) {
  if (!op.getMask())
    return success();
  FailureOr<Array> mask = interpreter.array(op, op.getMask());
  if (failed(mask) ||
      failed(interpreter.expectShape(
          op, *mask, ArrayRef<int64_t>(x.shape).drop_back(), "the mask")))
    return failure();
  for (int64_t position : mask->offsets())
    real.push_back(mask->read(mask->offset + position).value != 0);
  return success();
}

LogicalResult ResidualBlock::run() {
  FailureOr<Array> input = interpreter.array(op, op.getInput());
  FailureOr<Array> init = interpreter.array(op, op.getInit());
  if (failed(input) || failed(init))
    return failure();
  x = *input;
  std::optional<FloatFormat> format = getFloatFormat(x.elementType);
  if (!format || x.rank() == 0)
    return op.emitOpError("has no meaning for its input");
  data = *format;
  acc = getAccumulatorFormat(data);
  if (failed(interpreter.expectShape(op, *init, x.shape, "the destination")))
    return failure();
  std::vector<bool> real;
  if (failed(readMask(real)))
    return failure();

  const Topology topology = op.getTopology();
  const bool normBefore =
      topology == Topology::Pre || topology == Topology::Sandwich;
  Array z = x;
  if (normBefore) {
    FailureOr<Norm> norm =
        makeNorm(op.getNorm1(), op.getGamma1(), op.getBeta1());
    if (failed(norm))
      return failure();
    FailureOr<Array> normed = normalizeRows(*norm, x);
    if (failed(normed))
      return failure();
    z = *normed;
  }
  FailureOr<Array> branch = runBranch(z);
  if (failed(branch))
    return failure();
  Array f = *branch;

  std::optional<Norm> norm;
  if (topology == Topology::Sandwich || topology == Topology::BranchPost ||
      topology == Topology::Post) {
    const bool second = topology == Topology::Sandwich;
    FailureOr<Norm> made =
        second ? makeNorm(op.getNorm2(), op.getGamma2(), op.getBeta2())
               : makeNorm(op.getNorm1(), op.getGamma1(), op.getBeta1());
    if (failed(made))
      return failure();
    norm = *made;
  }
  if (norm && topology != Topology::Post) {
    FailureOr<Array> normed = normalizeRows(*norm, f);
    if (failed(normed))
      return failure();
    f = *normed;
  }

  FailureOr<Array> result = interpreter.create(op, x.elementType, x.shape);
  if (failed(result))
    return failure();
  const long double alpha = roundTo(acc, op.getAlpha().convertToDouble());
  const ResidualRounding rounding =
      op.getResidualRounding().value_or(ResidualRounding::RoundThenNorm);
  std::vector<int64_t> rows = x.offsets(0, x.rank() - 1);
  std::vector<int64_t> branchRows = f.offsets(0, x.rank() - 1);
  const int64_t d = x.shape.back();
  std::vector<Number> sums(d), out(d);
  for (size_t row = 0; row < rows.size(); ++row) {
    for (int64_t i = 0; i < d; ++i) {
      Number skip = x.read(x.offset + rows[row] + i * x.strides.back());
      Number add = f.read(f.offset + branchRows[row] + i * f.strides.back());
      if (!real.empty() && !real[row])
        out[i] = skip;
      else if (topology == Topology::Post)
        sums[i] = visibleSum(data, acc, alpha, skip, add, rounding);
      else
        out[i] = residualSum(data, acc, alpha, skip, add);
    }
    if (topology == Topology::Post && (real.empty() || real[row]))
      norm->normalize(sums, out);
    for (int64_t i = 0; i < d; ++i)
      result->set(row * d + i, out[i]);
  }
  return interpreter.deliver(op, 0, *result);
}

static LogicalResult runResidualBlock(Interpreter &interpreter, Operation *op) {
  return ResidualBlock(interpreter, cast<ResidualBlockOp>(op)).run();
}

void mlir::xfmr::reference::addResidualBlockHandlers(HandlerTable &table) {
  table["xfmr.residual_block"] = {
      runResidualBlock,
      "1/2 ulp(y), and the errors of its norms and of its region as they reach "
      "y; u |s| when T is narrower than acc"};
  // The block that it ends reads its operand.
  table["xfmr.yield"] = {[](Interpreter &, Operation *) { return success(); },
                         "exact"};
}
