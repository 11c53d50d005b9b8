//===- Report.cpp - What xfmr-run prints of a run -------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/Support/Format.h"

#include <chrono>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::xfmr;
using llvm::format;

reference::ArrayView mlir::xfmr::getView(const HostArray &array) {
  return {array.getData(), array.getElementType(),
          SmallVector<int64_t>(array.getShape()),
          SmallVector<int64_t>(array.getStrides())};
}

SmallVector<Output> mlir::xfmr::getOutputs(const Results &results,
                                           const Arguments &arguments,
                                           const Arguments &before) {
  SmallVector<Output> outputs;
  SmallVector<bool> isReturned(arguments.size(), false);
  for (unsigned index = 0; index < results.size(); ++index) {
    outputs.push_back({"result " + std::to_string(index),
                       {results.getData(index), results.getElementType(index),
                        SmallVector<int64_t>(results.getShape(index)),
                        SmallVector<int64_t>(results.getStrides(index))}});
    if (std::optional<unsigned> argument = results.getAliasedArgument(index))
      isReturned[*argument] = true;
  }
  for (unsigned index = 0; index < arguments.size(); ++index)
    if (arguments.getOwner(index) == index && !isReturned[index] &&
        !arguments.isEqual(index, before))
      outputs.push_back(
          {"argument " + std::to_string(index), getView(arguments[index])});
  return outputs;
}

void mlir::xfmr::printOutput(raw_ostream &os, const Output &output, bool all) {
  const reference::ArrayView &view = output.view;
  int64_t bytes = getElementBytes(view.elementType);
  auto read = [&](int64_t place) {
    return readElement(static_cast<char *>(view.data) + place * bytes,
                       view.elementType);
  };
  os << output.name << ": " << formatShape(view.shape, view.elementType);
  if (view.shape.empty()) {
    os << " " << format("%.9g", read(0)) << "\n";
    return;
  }
  double smallest = INFINITY, largest = -INFINITY, sum = 0;
  int64_t numbers = 0, nans = 0;
  forEachElement(view.shape, view.strides, [&](int64_t place) {
    double value = read(place);
    if (std::isnan(value)) {
      ++nans;
      return;
    }
    ++numbers;
    sum += value;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  });
  if (numbers)
    os << format(", minimum %.6g, maximum %.6g, mean %.6g", smallest, largest,
                 sum / numbers);
  if (nans)
    os << ", " << nans << " NaN";
  os << "\n";
  if (!all)
    return;
  int64_t column = 0, width = view.shape.back();
  forEachElement(view.shape, view.strides, [&](int64_t place) {
    os << (column == 0 ? "  " : " ") << format("%.9g", read(place));
    if (++column == width) {
      os << "\n";
      column = 0;
    }
  });
}

bool mlir::xfmr::printComparison(raw_ostream &os, StringRef name,
                                 const reference::ArrayView &got,
                                 const reference::Expected &expected) {
  reference::Comparison comparison = reference::compare(got, expected);
  os << "check " << name << ": " << comparison.count << " elements";
  if (comparison.count > 0) {
    auto number = [](long double value) {
      return format("%.9g", static_cast<double>(value));
    };
    os << format(", largest error %.3g ulp, %.3g relative",
                 static_cast<double>(comparison.worstUlp),
                 static_cast<double>(comparison.worstRelative))
       << format(", %.3g of the bound at [",
                 static_cast<double>(comparison.worstBoundFraction));
    llvm::interleaveComma(comparison.worstIndex, os);
    os << "] (" << number(comparison.worstGot) << ", expected "
       << number(comparison.worstExpected) << " +- "
       << number(comparison.worstBound) << ")";
  }
  if (comparison.mismatches > 0)
    os << ": " << comparison.mismatches << " WRONG\n";
  else
    os << ": ok\n";
  return comparison.mismatches == 0;
}

void mlir::xfmr::printTime(raw_ostream &os, Program::Call &call,
                           Arguments &arguments, const Arguments &before,
                           const TimeOptions &options) {
  using Clock = std::chrono::steady_clock;
  bool restores = !options.restored.empty();
  // Seconds of `batch` calls. The memory that they allocate is part of them.
  auto measure = [&](unsigned batch) {
    for (unsigned index : options.restored)
      arguments.restore(index, before);
    auto start = Clock::now();
    for (unsigned i = 0; i < batch; ++i) {
      call.getResults().release();
      (void)call();
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
  };

  // The processor's clock and caches, and threads that sleep, take a while.
  unsigned warmUps = 0;
  double last = 0;
  for (auto start = Clock::now();
       warmUps < 3 || Clock::now() - start < std::chrono::milliseconds(200);
       ++warmUps)
    last = measure(1);
  // Reading the clock takes about 30 ns.
  unsigned batch =
      restores || last > 1e-5 ? 1 : std::ceil(1e-5 / std::max(last, 1e-8));
  unsigned repetitions = options.repetitions;
  if (repetitions == 0)
    repetitions = std::clamp(1.0 / std::max(last * batch, 1e-9), 10.0, 2000.0);
  std::vector<double> seconds;
  for (unsigned i = 0; i < repetitions; ++i)
    seconds.push_back(measure(batch) / batch);
  llvm::sort(seconds);
  auto quantile = [&](double part) {
    double place = part * (seconds.size() - 1);
    size_t below = place;
    size_t above = std::min(below + 1, seconds.size() - 1);
    return seconds[below] + (place - below) * (seconds[above] - seconds[below]);
  };
  double median = quantile(0.5);
  double spread = (quantile(0.75) - quantile(0.25)) / median;

  // Every array counts once: what an argument holds is read or written.
  double bytes = 0;
  for (unsigned index = 0; index < arguments.size(); ++index)
    if (arguments.getOwner(index) == index)
      bytes += arguments[index].getNumElements() *
               getElementBytes(arguments[index].getElementType());
  Results &results = call.getResults();
  for (unsigned index = 0; index < results.size(); ++index)
    if (!results.getAliasedArgument(index))
      bytes += std::accumulate(
          results.getShape(index).begin(), results.getShape(index).end(),
          static_cast<double>(getElementBytes(results.getElementType(index))),
          std::multiplies<double>());

  os << format("time: median %.3f us, minimum %.3f us, spread %.1f %%",
               median * 1e6, seconds.front() * 1e6, spread * 100)
     << ", " << seconds.size() << " repetitions"
     << format("; %.2f GB/s", bytes / median * 1e-9);
  if (options.flops)
    os << format(", %.2f GFLOP/s", *options.flops / median * 1e-9);
  os << "\n";
  if (const PackedWeights *weights = call.getPackedWeights())
    os << format("time: weights were packed once before, %.3f MB in %.3f ms, "
                 "%.3f MB of them in place\n",
                 weights->getNumBytes() * 1e-6, weights->getSeconds() * 1e3,
                 weights->getNumBytesInPlace() * 1e-6);
  if (restores)
    os << "time: the arguments that a call changes and reads were restored "
          "before each repetition\n";
}
