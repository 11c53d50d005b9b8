//===- Runner.cpp - Compiles, runs and checks combinations ----------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <sstream>

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::test;

thread_local const char *mlir::xfmr::test::currentCombination = nullptr;

static std::string describe(const Sizes &sizes) {
  std::string text;
  for (const auto &[symbol, size] : sizes)
    text += (text.empty() ? "" : " ") + symbol + "=" + std::to_string(size);
  return text;
}

static std::string describe(const reference::Comparison &comparison) {
  std::ostringstream os;
  os << comparison.mismatches << " of " << comparison.count
     << " elements are wrong; the worst at [";
  for (size_t i = 0; i < comparison.worstIndex.size(); ++i)
    os << (i ? ", " : "") << comparison.worstIndex[i];
  os.precision(12);
  os << "]: got " << comparison.worstGot << ", expected "
     << comparison.worstExpected << " within " << comparison.worstBound;
  return os.str();
}

namespace {

/// What a call wrote: results in order, then written memrefs.
using Outputs = std::vector<std::vector<char>>;

class FunctionRunner {
public:
  FunctionRunner(const Combination &combination, Program &program,
                 Program *threaded, const BatchOptions &options,
                 BatchResult &result)
      : combination(combination), program(program), threaded(threaded),
        options(options), result(result) {}

  /// Runs all sizes; the message is empty when all is right.
  std::string run() {
    for (const Sizes &sizes : combination.runs) {
      std::string wrong = run(sizes);
      if (!wrong.empty())
        return "with " + describe(sizes) + ": " + wrong;
      ++result.runs;
    }
    return "";
  }

private:
  std::string run(const Sizes &sizes) {
    Inputs inputs(combination, sizes, program, options.seed + result.runs);
    SmallVector<reference::Expected> expected;
    std::string wrong = evaluate(inputs, expected);
    if (!wrong.empty())
      return wrong;
    SmallVector<Returned> returned;
    wrong = call(program, inputs, returned);
    if (wrong.empty())
      wrong = check(expected, inputs, returned);
    Outputs outputs = collect(inputs, returned);
    freeResults(returned);
    if (wrong.empty())
      wrong = inputs.findStrayWrites();
    if (wrong.empty() && options.compareRows &&
        combination.rowsAreIndependent && sizes.count("r") &&
        (!combination.rowsNeedBatchInvariant || options.program.batchInvariant))
      wrong = checkRows(inputs, sizes.at("r"), outputs);
    if (!wrong.empty() || !threaded)
      return wrong;
    inputs.reset();
    wrong = call(*threaded, inputs, returned);
    if (wrong.empty() && collect(inputs, returned) != outputs)
      wrong = "two threads give other bits than one";
    freeResults(returned);
    ++result.threadRuns;
    return wrong;
  }

  std::string call(Program &program, const Inputs &inputs,
                   SmallVectorImpl<Returned> &returned) {
    if (llvm::Error error =
            program.call(combination.name, inputs.getArguments(), returned))
      return "the call failed: " + llvm::toString(std::move(error));
    return "";
  }

  Outputs collect(const Inputs &inputs, ArrayRef<Returned> returned) {
    Outputs outputs;
    for (const Returned &value : returned)
      outputs.push_back(test::getElementBytes(value.view));
    for (auto [index, plan] : llvm::enumerate(combination.arguments))
      if (returned.empty() && plan.content == Content::Destination)
        outputs.push_back(inputs.getBytes(index));
    return outputs;
  }

  /// The reference's results; a message when there are none.
  std::string evaluate(const Inputs &inputs,
                       SmallVector<reference::Expected> &expected) {
    std::string diagnostics;
    ScopedDiagnosticHandler handler(program.getContext(),
                                    [&](Diagnostic &diagnostic) {
                                      diagnostics += diagnostic.str() + "\n";
                                    });
    FailureOr<SmallVector<reference::Expected>> evaluated = reference::evaluate(
        program.getSource(combination.name), inputs.getViews());
    if (failed(evaluated))
      return "the reference failed: " + diagnostics;
    expected = std::move(*evaluated);
    return "";
  }

  std::string check(ArrayRef<reference::Expected> expected,
                    const Inputs &inputs, ArrayRef<Returned> returned) {
    if (expected.size() < returned.size())
      return "the reference gave no value for some result";
    for (auto [index, plan] : llvm::enumerate(combination.arguments)) {
      int64_t number = index;
      if (plan.content == Content::Destination && returned.empty() &&
          !inputs.getBytes(index).empty() &&
          llvm::none_of(expected, [&](const reference::Expected &value) {
            return value.argument == number;
          }))
        return "the reference did not write '" + plan.name + "'";
    }
    for (auto [index, value] : llvm::enumerate(expected)) {
      bool isResult = value.argument < 0;
      if (isResult != (index < returned.size()))
        return "the reference gave results in another order";
      const ArrayView &got = isResult
                                 ? returned[index].view
                                 : inputs.getArguments()[value.argument].view;
      reference::Comparison comparison = reference::compare(got, value);
      if (comparison.mismatches)
        return (isResult
                    ? "result " + std::to_string(index)
                    : "'" + combination.arguments[value.argument].name + "'") +
               ": " + describe(comparison);
    }
    return "";
  }

  /// Every row alone gives the bits that it has among the others.
  std::string checkRows(Inputs &inputs, int64_t rows, const Outputs &outputs) {
    for (int64_t row : {int64_t(0), rows / 2, rows - 1}) {
      if (row < 0 || row >= rows)
        continue;
      inputs.reset();
      SmallVector<Argument> arguments;
      for (auto [plan, argument] :
           llvm::zip_equal(combination.arguments, inputs.getArguments())) {
        bool hasRows = !plan.dims.empty() && plan.dims.front().symbol == "r";
        arguments.push_back(
            hasRows ? Argument{takeRow(argument.view, row), argument.offset}
                    : argument);
      }
      SmallVector<Returned> returned;
      if (llvm::Error error =
              program.call(combination.name, arguments, returned))
        return "the call on one row failed: " +
               llvm::toString(std::move(error));
      Outputs alone;
      for (const Returned &value : returned)
        alone.push_back(test::getElementBytes(value.view));
      for (auto [plan, argument] :
           llvm::zip_equal(combination.arguments, arguments))
        if (returned.empty() && plan.content == Content::Destination)
          alone.push_back(test::getElementBytes(argument.view));
      freeResults(returned);
      for (auto [one, all] : llvm::zip_equal(alone, outputs)) {
        size_t bytes = all.size() / rows;
        if (one.size() != bytes ||
            !std::equal(one.begin(), one.end(), all.begin() + row * bytes))
          return "row " + std::to_string(row) +
                 " has other bits alone than among the others";
      }
      ++result.rowRuns;
    }
    return "";
  }

  const Combination &combination;
  Program &program;
  Program *threaded;
  const BatchOptions &options;
  BatchResult &result;
};

} // namespace

static std::string getModuleText(ArrayRef<const Combination *> combinations) {
  std::string text;
  for (const Combination *combination : combinations)
    text += combination->text;
  return text;
}

BatchResult
mlir::xfmr::test::runBatch(ArrayRef<const Combination *> combinations,
                           const BatchOptions &options) {
  BatchResult result;
  auto fail = [&](const Combination &combination, const std::string &what) {
    result.failures.push_back(combination.name + " (" +
                              combination.description + ")\n" + what + "\n" +
                              combination.text);
  };
  std::string text = getModuleText(combinations);
  currentCombination = combinations.front()->name.c_str();
  // Temporaries lie beside each other in one of the two programs.
  ProgramOptions programOptions = options.program;
  programOptions.separateBuffers = true;
  llvm::Expected<std::unique_ptr<Program>> program =
      Program::compile(text, programOptions);
  if (!program) {
    std::string error = llvm::toString(program.takeError());
    if (combinations.size() == 1) {
      result.functions = 1;
      fail(*combinations.front(), error);
      return result;
    }
    for (const Combination *combination : combinations) {
      BatchResult one = runBatch(combination, options);
      result.functions += one.functions;
      result.runs += one.runs;
      result.threadRuns += one.threadRuns;
      result.rowRuns += one.rowRuns;
      llvm::append_range(result.failures, one.failures);
    }
    if (result.failures.empty())
      result.failures.push_back(
          "these compile one by one, not together: " + error + text);
    return result;
  }
  std::unique_ptr<Program> threaded;
  if (options.compareThreads) {
    programOptions.threads = 2;
    programOptions.separateBuffers = false;
    llvm::Expected<std::unique_ptr<Program>> compiled =
        Program::compile(text, programOptions);
    if (!compiled)
      result.failures.push_back(
          "with two threads: " + llvm::toString(compiled.takeError()) + text);
    else
      threaded = std::move(*compiled);
  }
  for (const Combination *combination : combinations) {
    currentCombination = combination->name.c_str();
    std::string wrong =
        FunctionRunner(*combination, **program, threaded.get(), options, result)
            .run();
    ++result.functions;
    if (!wrong.empty())
      fail(*combination, wrong);
  }
  currentCombination = nullptr;
  return result;
}
