//===- NormOps.cpp - Norm ops -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"
#include "Norm.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::reference;

static Type elementType(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// Any of the four norm ops.
static LogicalResult runNorm(Interpreter &interpreter, Operation *op) {
  NormSpec spec =
      TypeSwitch<Operation *, NormSpec>(op)
          .Case<RMSNormOp, LayerNormOp, AddRMSNormOp, AddLayerNormOp>(
              [](auto norm) { return norm.getNormSpec(); });
  auto destinations = cast<DestinationStyleOpInterface>(op);
  FailureOr<Array> x = interpreter.array(op, spec.input);
  if (failed(x))
    return failure();
  std::optional<FloatFormat> data = getFloatFormat(elementType(spec.input));
  if (!data || spec.normalizedDims < 1 || spec.normalizedDims > x->rank())
    return op->emitOpError("has no meaning for its input");

  const int64_t rowDims = x->rank() - spec.normalizedDims;
  ArrayRef<int64_t> shape = x->shape;
  Norm norm = Norm::create(spec, *data, elementType(spec.init));
  if (failed(
          norm.readWeights(interpreter, op, spec, shape.drop_front(rowDims))))
    return failure();

  std::optional<Array> residual;
  if (spec.residual) {
    FailureOr<Array> found = interpreter.array(op, spec.residual);
    if (failed(found) ||
        failed(interpreter.expectShape(op, *found, shape, "the residual")))
      return failure();
    residual = *found;
  }
  // A destination, made when the op has it.
  auto make = [&](Value init, ArrayRef<int64_t> resultShape,
                  std::optional<Array> &to) -> LogicalResult {
    if (!init)
      return success();
    FailureOr<Array> destination = interpreter.array(op, init);
    if (failed(destination) ||
        failed(interpreter.expectShape(op, *destination, resultShape,
                                       "a destination")))
      return failure();
    FailureOr<Array> made =
        interpreter.create(op, elementType(init), resultShape);
    if (failed(made))
      return failure();
    to = *made;
    return success();
  };
  std::optional<Array> sum, result, rstd, mean;
  if (failed(make(spec.sumInit, shape, sum)) ||
      failed(make(spec.init, shape, result)) ||
      failed(make(spec.rstdInit, shape.take_front(rowDims), rstd)) ||
      failed(make(spec.meanInit, shape.take_front(rowDims), mean)))
    return failure();

  const long double alpha = roundTo(norm.acc, spec.alpha);
  std::vector<int64_t> rows = x->offsets(0, rowDims);
  std::vector<int64_t> inner = x->offsets(rowDims, x->rank());
  std::vector<int64_t> residualRows, residualInner;
  if (residual) {
    residualRows = residual->offsets(0, rowDims);
    residualInner = residual->offsets(rowDims, x->rank());
  }
  std::vector<Number> in(inner.size()), out(inner.size());
  for (size_t row = 0; row < rows.size(); ++row) {
    const int64_t start = row * inner.size();
    for (size_t i = 0; i < inner.size(); ++i) {
      in[i] = x->read(x->offset + rows[row] + inner[i]);
      if (!residual)
        continue;
      Number branch = residual->read(residual->offset + residualRows[row] +
                                     residualInner[i]);
      if (sum)
        sum->set(start + i, residualSum(*data, norm.acc, alpha, in[i], branch));
      in[i] = visibleSum(*data, norm.acc, alpha, in[i], branch,
                         spec.residualRounding);
    }
    Norm::Statistics statistics = norm.normalize(in, out);
    for (size_t i = 0; i < inner.size(); ++i)
      result->set(start + i, out[i]);
    if (rstd)
      rstd->set(row, statistics.rstd);
    if (mean)
      mean->set(row, statistics.mean);
  }

  // All inputs are read by now: destinations may be inputs.
  unsigned init = 0;
  for (std::optional<Array> *what : {&sum, &result, &rstd, &mean})
    if (*what && failed(interpreter.deliver(destinations, init++, **what)))
      return failure();
  return success();
}

void mlir::xfmr::reference::addNormHandlers(HandlerTable &table) {
  static constexpr char norm[] =
      "1/2 ulp(y) + (16 + d/256) u (|gamma| max(1, |xhat|) + |beta|), and "
      "|gamma| times the difference where xhat is within its error of a "
      "rounding boundary (cast_then_scale); rstd: 1/2 ulp + (16 + d/256) u "
      "rstd; mean: 1/2 ulp + (16 + d/256) u mean(|x|)";
  static constexpr char addNorm[] =
      "sum: 1/2 ulp(s), and u |s| when T is narrower than acc; norm: as the "
      "norm alone, on the sum that it sees, both neighbours where the sum is "
      "within its error of a rounding boundary (round_then_norm)";
  table["xfmr.rmsnorm"] = {runNorm, norm};
  table["xfmr.layernorm"] = {runNorm, norm};
  table["xfmr.add_rmsnorm"] = {runNorm, addNorm};
  table["xfmr.add_layernorm"] = {runNorm, addNorm};
}
