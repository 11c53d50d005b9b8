//===- Norm.cpp - Norms of one row -*- C++ -*-===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Norm.h"
#include "Bounds.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::reference;

Norm Norm::create(const NormSpec &spec, const FloatFormat &data, Type result) {
  Norm norm;
  norm.acc = getAccumulatorFormat(data);
  norm.kind = spec.kind;
  norm.eps = roundTo(norm.acc, spec.eps);
  norm.weightOffset = roundTo(norm.acc, spec.weightOffset);
  norm.epsPosition = spec.epsPosition;
  norm.statistic = spec.statistic;
  norm.unbiased = spec.unbiased;
  if (spec.rounding && spec.rounding.getMode() == RoundingMode::CastThenScale) {
    Type storage = spec.rounding.getStorage();
    norm.storage = getFloatFormat(storage ? storage : result);
    // As wide as the accumulator, it rounds nothing.
    if (norm.storage && norm.storage->precision >= norm.acc.precision)
      norm.storage.reset();
  }
  return norm;
}

LogicalResult Norm::readWeights(Interpreter &interpreter, Operation *op,
                                const NormSpec &spec,
                                ArrayRef<int64_t> rowShape) {
  auto read = [&](Value value, StringRef name,
                  std::vector<Number> &to) -> LogicalResult {
    if (!value)
      return success();
    FailureOr<Array> array = interpreter.array(op, value);
    if (failed(array) ||
        failed(interpreter.expectShape(op, *array, rowShape, name)))
      return failure();
    for (int64_t position : array->offsets())
      to.push_back(array->read(array->offset + position));
    return success();
  };
  return success(succeeded(read(spec.gamma, "gamma", gamma)) &&
                 succeeded(read(spec.beta, "beta", beta)));
}

long double Norm::rstdOf(long double statistic) const {
  return epsPosition == EpsPosition::Inside ? 1 / std::sqrt(statistic + eps)
                                            : 1 / (std::sqrt(statistic) + eps);
}

Norm::Statistics Norm::normalize(ArrayRef<Number> x,
                                 MutableArrayRef<Number> y) const {
  const auto d = static_cast<int64_t>(x.size());
  const long double n = d;
  const bool centred = kind == NormKind::LayerNorm;
  auto leaveOpen = [&](Number number) -> Statistics {
    std::fill(y.begin(), y.end(), number);
    return {number, number};
  };
  if (d == 0)
    return leaveOpen(Number::unconstrained());

  long double sum = 0, magnitudes = 0, largest = 0, hardSum = 0, softSum = 0;
  bool finite = true, unconstrained = false, constant = true;
  for (const Number &element : x) {
    constant &= element.value == x.front().value && element.isExact();
    unconstrained |= element.isUnconstrained();
    finite &= std::isfinite(element.value);
    sum += element.value;
    magnitudes += std::fabs(element.value);
    largest = std::fmax(largest, std::fabs(element.value));
    hardSum += element.hard;
    softSum += element.soft;
  }
  if (unconstrained)
    return leaveOpen(Number::unconstrained());

  // The mean of a constant row has no error, nor has the result: it is beta.
  constant &= centred && finite;
  long double mean = constant ? x.front().value : (centred ? sum / n : 0);
  // A long sum of large elements errs by more than the bound of f64 allows.
  if (centred && finite && !constant) {
    long double rest = 0;
    for (const Number &element : x)
      rest += element.value - mean;
    mean += rest / n;
  }
  const long double meanHard = centred ? hardSum / n : 0;
  const long double meanSoft = centred ? softSum / n : 0;
  long double squares = 0, hardDot = 0, softDot = 0, radiusSquares = 0;
  for (const Number &element : x) {
    long double deviation = element.value - mean;
    squares += deviation * deviation;
    hardDot += scaleRadius(deviation, element.hard);
    softDot += scaleRadius(deviation, element.soft);
    radiusSquares += element.error() * element.error();
  }
  const long double count =
      centred ? (unbiased ? n - 1 : n) : (statistic == Statistic::L2 ? 1 : n);
  const long double stat = squares / count;
  const long double rstd = rstdOf(stat);

  // Squares beyond the safe magnitude may overflow into infinity minus
  // infinity; below it only their sum may, which gives no NaN.
  if (finite && (squares >= acc.largest() * 0.999L ||
                 magnitudes >= acc.largest() * 0.999L))
    return leaveOpen(eps > 0 && largest <= safeMagnitude(acc)
                         ? Number::anyButNaN()
                         : Number::unconstrained());
  // Without eps, a constant row is 0/0 if its mean is exact and 0/tiny if not;
  // that of zeros is certain.
  if (centred && finite && squares == 0 && eps == 0 && largest != 0)
    return leaveOpen(Number::unconstrained());

  // What errors of the elements, and squares that underflow, make of rstd. The
  // shift of the mean cancels in the sum of the deviations.
  long double hardShift = 0, softShift = 0;
  if (finite) {
    auto shift = [&](long double change) -> long double {
      if (change == 0)
        return 0;
      return std::fmax(std::fabs(rstdOf(stat + change) - rstd),
                       std::fabs(rstdOf(std::fmax(stat - change, 0)) - rstd));
    };
    long double underflow =
        squares == 0 ? 0 : acc.smallest() * (count == 1 ? n / 2 : 1);
    hardShift = hardDot == 0 && hardSum == 0
                    ? 0
                    : shift((2 * hardDot + radiusSquares) / count);
    softShift = shift(
        (2 * softDot + (softSum == 0 ? 0 : radiusSquares)) / count + underflow);
    // The statistic may be 0, or has no digit left.
    if (hardShift + softShift > rstd || std::isnan(hardShift + softShift))
      return leaveOpen(Number::unconstrained());
  }

  for (int64_t i = 0; i < d; ++i) {
    const long double deviation = x[i].value - mean;
    Number xhat = {deviation * rstd, 0, 0};
    if (finite) {
      long double hard = x[i].hard + meanHard, soft = x[i].soft + meanSoft;
      xhat.hard = scaleRadius(deviation, hardShift) + (rstd + hardShift) * hard;
      xhat.soft = scaleRadius(deviation, softShift) +
                  (rstd + softShift) * soft + hard * softShift +
                  soft * hardShift;
    }
    const Number scale = gamma.empty() ? Number{1, 0, 0}
                                       : Number{gamma[i].value + weightOffset,
                                                gamma[i].hard, gamma[i].soft};
    const Number shift = beta.empty() ? Number() : beta[i];
    Number stored = xhat;
    if (storage) {
      if (!constant)
        stored.soft += normalizedError(acc, kind, d, xhat.value);
      stored = roundWithin(*storage, stored);
    }
    y[i] = add(multiply(scale, stored), shift);
    if (!constant && !y[i].isUnconstrained() && std::isfinite(y[i].value))
      y[i].soft += normError(acc, d, scale.value, xhat.value, shift.value);
  }

  Statistics result;
  result.rstd = normalized(
      {rstd, hardShift, softShift + normFactor(d) * acc.unitRoundoff() * rstd});
  // The mean is m + dm: where m is infinite, dm is NaN.
  result.mean = normalized(
      {finite || !centred ? mean
                          : std::numeric_limits<long double>::quiet_NaN(),
       meanHard,
       meanSoft + normFactor(d) * acc.unitRoundoff() * magnitudes / n});
  return result;
}

/// fma(alpha, x, r) before any rounding. In f32 the product is exact here; in
/// f64 it is not, and terms that cancel leave its error.
static Number exactSum(const FloatFormat &acc, long double alpha,
                       const Number &x, const Number &r) {
  long double value = acc.precision == 24 ? alpha * x.value + r.value
                                          : std::fma(alpha, x.value, r.value);
  return normalized({value, scaleRadius(alpha, x.hard) + r.hard,
                     scaleRadius(alpha, x.soft) + r.soft});
}

Number mlir::xfmr::reference::sumInAccumulator(const FloatFormat &acc,
                                               long double alpha,
                                               const Number &x,
                                               const Number &r) {
  Number sum = exactSum(acc, alpha, x, r);
  if (!sum.isExact())
    return settle(acc, sum);
  // The sum is one fused operation: its bits are known.
  long double rounded =
      acc.precision == 24
          ? static_cast<long double>(std::fma(static_cast<float>(alpha),
                                              static_cast<float>(x.value),
                                              static_cast<float>(r.value)))
          : static_cast<long double>(std::fma(static_cast<double>(alpha),
                                              static_cast<double>(x.value),
                                              static_cast<double>(r.value)));
  return {rounded, 0, 0};
}

Number mlir::xfmr::reference::residualSum(const FloatFormat &data,
                                          const FloatFormat &acc,
                                          long double alpha, const Number &x,
                                          const Number &r) {
  Number sum = exactSum(acc, alpha, x, r);
  // A sum that acc holds exactly has no error before its last rounding.
  if (data.precision < acc.precision &&
      !(sum.isExact() && roundTo(acc, sum.value) == sum.value))
    sum.soft += acc.unitRoundoff() * std::fabs(sum.value);
  return normalized(sum);
}

Number mlir::xfmr::reference::visibleSum(const FloatFormat &data,
                                         const FloatFormat &acc,
                                         long double alpha, const Number &x,
                                         const Number &r,
                                         ResidualRounding rounding) {
  if (rounding == ResidualRounding::NormThenRound ||
      data.precision >= acc.precision)
    return sumInAccumulator(acc, alpha, x, r);
  return roundWithin(data, residualSum(data, acc, alpha, x, r));
}
