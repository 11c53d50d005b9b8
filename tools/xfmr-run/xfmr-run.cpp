//===- xfmr-run.cpp - Compiles, runs, checks and times a function ---------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTool.h"
#include "Report.h"

#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "xfmr/ExecutionEngine/Npy.h"
#include "xfmr/ExecutionEngine/ShapeInference.h"
#include "xfmr/ExecutionEngine/Workload.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::xfmr;
namespace cl = llvm::cl;

namespace {

struct Options : CompilerOptions {
  Options() : CompilerOptions("xfmr-run") {}

  cl::opt<std::string> entry{
      "entry",
      cl::desc("The function to run; needed when the file has several"),
      cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> arg{
      "arg",
      cl::desc(
          "Argument N, counted from 0: a .npy file, the value of a scalar, "
          "or @M to share the memory of argument M. bf16 is in .npy files "
          "as the bits of <u2 or <V2"),
      cl::value_desc("N=file.npy|value|@M"), cl::cat(category)};
  cl::list<std::string> init{
      "init",
      cl::desc("How to fill arguments, or argument N alone: normal (the "
               "default; mean 0, deviation 1, and 0.02 in weights), uniform "
               "(from -1 to 1), const or range (evenly from -1 to 1), with a "
               "scale or constant as in const:0.5"),
      cl::value_desc("[N=]kind[:value]"), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of normal and uniform"),
                         cl::init(0), cl::cat(category)};
  cl::list<std::string> shape{
      "shape",
      cl::desc(
          "The shape of argument N, where its type has a ? and other arguments "
          "do not tell"),
      cl::value_desc("N=128x576"), cl::cat(category)};
  cl::opt<uint64_t> dynamicSize{
      "dynamic-size", cl::desc("Every other size that a type leaves open"),
      cl::value_desc("size"), cl::cat(category)};
  cl::opt<bool> check{
      "check",
      cl::desc("Compare the results with a reference in wider arithmetic; "
               "errors beyond the bounds of docs/Numerics.md are an error"),
      cl::cat(category)};
  cl::opt<bool> time{"time", cl::desc("Measure the time of a call"),
                     cl::cat(category)};
  cl::opt<unsigned> repetitions{
      "repetitions", cl::desc("Measured repetitions; by default for a second"),
      cl::init(0), cl::cat(category)};
  cl::list<std::string> output{
      "output",
      cl::desc("Write result N, or argument N as it is after the call, to a "
               ".npy file"),
      cl::value_desc("N=file.npy|argN=file.npy"), cl::cat(category)};
  cl::opt<bool> print{"print", cl::desc("Print the elements of the results"),
                      cl::cat(category)};
  cl::opt<std::string> cpu{
      "cpu", cl::desc("The CPU to compile for; help lists the names"),
      cl::init("host"), cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> openMPLibrary{
      "openmp-library",
      cl::desc("The OpenMP library; by default that of this LLVM"),
      cl::value_desc("libomp.so"), cl::cat(category)};
};

/// Reads `N=text`.
llvm::Expected<std::pair<unsigned, StringRef>> splitPosition(StringRef option,
                                                             StringRef value) {
  auto [position, text] = value.split('=');
  unsigned index;
  if (!value.contains('=') || position.getAsInteger(10, index))
    return makeError(option + ": expected N=..., got '" + value + "'");
  return std::make_pair(index, text);
}

llvm::Expected<ArgumentOptions> getArgumentOptions(const Options &options) {
  ArgumentOptions result;
  result.seed = options.seed;
  if (options.dynamicSize.getNumOccurrences()) {
    if (options.dynamicSize > INT64_MAX)
      return makeError("--dynamic-size is too large");
    result.dynamicSize = options.dynamicSize;
  }
  for (StringRef text : options.arg) {
    auto given = splitPosition("--arg", text);
    if (!given)
      return given.takeError();
    if (!result.given.insert({given->first, given->second.str()}).second)
      return makeError("--arg: argument " + Twine(given->first) +
                       " is given twice");
  }
  for (StringRef text : options.init) {
    unsigned index = 0;
    StringRef kind = text;
    if (text.contains('=')) {
      auto given = splitPosition("--init", text);
      if (!given)
        return given.takeError();
      std::tie(index, kind) = *given;
    }
    llvm::Expected<Initializer> initializer = Initializer::parse(kind);
    if (!initializer)
      return initializer.takeError();
    if (text.contains('='))
      result.initializers[index] = *initializer;
    else
      result.initializer = *initializer;
  }
  for (StringRef text : options.shape) {
    auto given = splitPosition("--shape", text);
    if (!given)
      return given.takeError();
    llvm::Expected<SmallVector<int64_t>> shape = parseShape(given->second);
    if (!shape)
      return shape.takeError();
    result.shapes[given->first] = *shape;
  }
  return result;
}

/// Whether --output asks for argument `index`.
bool isOutput(const Options &options, unsigned index) {
  return llvm::any_of(options.output, [&](StringRef text) {
    return text.starts_with(("arg" + Twine(index) + "=").str());
  });
}

/// Writes what --output asks for.
llvm::Error writeOutputs(const Options &options, const Results &results,
                         const Arguments &arguments) {
  for (StringRef text : options.output) {
    bool isArgument = text.consume_front("arg");
    auto given = splitPosition("--output", text);
    if (!given)
      return given.takeError();
    auto [index, path] = *given;
    unsigned count = isArgument ? arguments.size() : results.size();
    if (index >= count)
      return makeError(Twine("--output: there is no ") +
                       (isArgument ? "argument " : "result ") + Twine(index));
    if (isArgument) {
      const HostArray &array = arguments[index];
      if (llvm::Error error =
              writeNpy(path, array.getElementType(), array.getShape(),
                       array.getStrides(), array.getData()))
        return error;
      continue;
    }
    if (llvm::Error error = writeNpy(
            path, results.getElementType(index), results.getShape(index),
            results.getStrides(index), results.getData(index)))
      return error;
  }
  return llvm::Error::success();
}

/// Compares what the call made with the reference.
llvm::Error check(func::FuncOp original, const Results &results,
                  const Arguments &arguments, const Arguments &before,
                  bool relaxed) {
  SmallVector<reference::ArrayView> views;
  for (unsigned index = 0; index < before.size(); ++index)
    views.push_back(getView(before[index]));
  FailureOr<SmallVector<reference::Expected>> expected =
      reference::evaluate(original, views, relaxed);
  if (failed(expected))
    return makeError("the reference cannot evaluate '" + original.getName() +
                     "'");
  unsigned wrong = 0, result = 0;
  for (const reference::Expected &value : *expected) {
    std::string name;
    reference::ArrayView got;
    if (value.argument >= 0) {
      name = "argument " + std::to_string(value.argument);
      got = getView(arguments[value.argument]);
    } else {
      name = "result " + std::to_string(result);
      got = {results.getData(result), results.getElementType(result),
             SmallVector<int64_t>(results.getShape(result)),
             SmallVector<int64_t>(results.getStrides(result))};
      ++result;
    }
    wrong += !printComparison(llvm::outs(), name, got, value);
  }
  if (wrong)
    return makeError(Twine(wrong) + " of " + Twine(expected->size()) +
                     " results are beyond their bounds");
  return llvm::Error::success();
}

llvm::Error run(const Options &options) {
  if (llvm::Error error = options.verify())
    return error;
  if (options.cpu == "help") {
    printCPUNames(llvm::outs());
    return llvm::Error::success();
  }
  llvm::Expected<ArgumentOptions> argumentOptions = getArgumentOptions(options);
  if (!argumentOptions)
    return argumentOptions.takeError();

  auto input = InputModule::read(options.input);
  if (!input)
    return input.takeError();
  ModuleOp module = (*input)->get();
  llvm::Expected<func::FuncOp> entry = findEntry(module, options.entry);
  if (!entry)
    return entry.takeError();
  llvm::Expected<EntrySignature> signature = EntrySignature::get(*entry);
  if (!signature)
    return signature.takeError();
  argumentOptions->inferShapes =
      [&](MutableArrayRef<SmallVector<int64_t>> shapes) {
        inferArgumentShapes(*entry, shapes);
      };
  llvm::Expected<Arguments> arguments =
      Arguments::create(*signature, *argumentOptions);
  if (!arguments)
    return arguments.takeError();
  // Weights are read where they are packed, and not again unless to be compared
  // or written to a file.
  auto isForPacking = [&](unsigned index) {
    return !options.check && signature->arguments[index].isWeight &&
           arguments->isAlone(index) && !isOutput(options, index);
  };
  llvm::Expected<Arguments> before = arguments->clone(isForPacking);
  if (!before)
    return before.takeError();

  // The reference works on the description, not on what passes make of it.
  OwningOpRef<ModuleOp> lowered(module.clone());
  ProgramOptions programOptions;
  programOptions.lowering = options.getLowering();
  programOptions.lowering.cpu = options.cpu;
  programOptions.optLevel = options.optLevel;
  programOptions.openMPLibrary = options.openMPLibrary;
  if (options.threads > 1)
    setenv("OMP_NUM_THREADS", std::to_string(options.threads).c_str(), 1);
  auto program = Program::create(*lowered, *signature, programOptions);
  if (!program)
    return program.takeError();

  auto call = Program::Call::create(**program, *arguments, isForPacking);
  if (!call)
    return call.takeError();
  if (int32_t status = (**call)())
    return makeError((*program)->getMessage(status));
  Results &results = (*call)->getResults();
  SmallVector<Output> outputs = getOutputs(results, *arguments, *before);
  for (const Output &output : outputs)
    printOutput(llvm::outs(), output, options.print);
  if (llvm::Error error = writeOutputs(options, results, *arguments))
    return error;
  if (options.check)
    if (llvm::Error error = check(*entry, results, *arguments, *before,
                                  options.getLowering().relaxed))
      return error;
  if (options.time) {
    TimeOptions time;
    time.repetitions = options.repetitions;
    time.flops = countFlops(*entry, arguments->getShapes());
    for (unsigned index = 0; index < arguments->size(); ++index)
      if (arguments->getOwner(index) == index &&
          !arguments->isEqual(index, *before) && readsArgument(*entry, index))
        time.restored.push_back(index);
    results.release();
    printTime(llvm::outs(), **call, *arguments, *before, time);
  }
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  initCompilerTool("xfmr-run");
  Options options;
  parseCommandLine(
      argc, argv, options,
      "Compiles a function of xfmr ops for this machine and runs it.\n\n"
      "  xfmr-run block.mlir --shape 0=128x576 --shape 5=128x576 --check "
      "--time\n");
  return finishTool("xfmr-run", run(options));
}
