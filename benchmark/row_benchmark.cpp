//===- row_benchmark.cpp - Times single norms against a copy --------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   row_benchmark --ops=rmsnorm,layernorm --types=f32,bf16
//       --shapes=1x4096,128x768 --sizes=static,dynamic
//       --benchmark_enable_random_interleaving=true --benchmark_repetitions=5
//
// Kernels are compiled in this process. Each shape has a copy of the same bytes
// beside it, the bound that memory sets. Compare within one run only.
//
//===----------------------------------------------------------------------===//

#include "ToolSupport.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "xfmr/ExecutionEngine/LLVMModule.h"
#include "xfmr/ExecutionEngine/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <benchmark/benchmark.h>

#include <cstring>

using namespace mlir;
using namespace mlir::xfmr;

namespace {

/// What to measure: every combination.
struct Options {
  SmallVector<StringRef> ops{"rmsnorm", "layernorm", "add_rmsnorm",
                             "add_layernorm"};
  SmallVector<StringRef> types{"f32", "bf16"};
  SmallVector<StringRef> shapes{"1x4096", "128x768", "512x576", "1000x769"};
  SmallVector<StringRef> sizes{"static"};
};

struct Case {
  StringRef op, type, shape, sizes;
  bool adds() const { return op.starts_with("add_"); }
  bool hasBeta() const { return op.ends_with("layernorm"); }
  std::string getName() const {
    return llvm::formatv("{0}/{1}/{2}/{3}", op, type, shape, sizes);
  }
};

/// A compiled case on arrays of its own.
struct Kernel {
  std::unique_ptr<Program> program;
  std::optional<Arguments> arguments;
  /// Positions of what a copy reads and writes: x to y, and r to s.
  SmallVector<std::pair<unsigned, unsigned>> copies;

  int64_t getMovedBytes() const {
    int64_t bytes = 0;
    for (auto [from, to] : copies)
      bytes += 2 * (*arguments)[from].getBytes().size();
    return bytes;
  }
};

std::string describe(const Case &test) {
  auto [rows, d] = test.shape.split('x');
  bool isStatic = test.sizes == "static";
  std::string matrix =
      llvm::formatv("memref<{0}x{1}x{2}>", isStatic ? rows : "?",
                    isStatic ? d : "?", test.type);
  std::string row =
      llvm::formatv("memref<{0}x{1}>", isStatic ? d : "?", test.type);
  auto clause = [](StringRef keyword, StringRef name, StringRef type) {
    return llvm::formatv("{0}(%{1} : {2}) ", keyword, name, type).str();
  };
  std::string arguments = "%x: " + matrix, op = clause("ins", "x", matrix);
  if (test.adds()) {
    arguments += ", %r: " + matrix;
    op += clause("residual", "r", matrix);
  }
  arguments += ", %g: " + row;
  op += clause("gamma", "g", row);
  if (test.hasBeta()) {
    arguments += ", %b: " + row;
    op += clause("beta", "b", row);
  }
  arguments += ", %y: " + matrix;
  if (test.adds()) {
    arguments += ", %s: " + matrix;
    op += clause("sum", "s", matrix);
  }
  op += clause("outs", "y", matrix) + "eps(1.0e-05)";
  if (test.type != "f32") {
    if (test.adds())
      op += " residual_rounding(round_then_norm)";
    op += " rounding(scale_then_cast)";
  }
  return llvm::formatv(
      "func.func @kernel({0}) {{\n  xfmr.{1} {2}\n  return\n}\n", arguments,
      test.op, op);
}

llvm::Expected<std::shared_ptr<Kernel>> compile(const Case &test,
                                                MLIRContext &context) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(describe(test), &context);
  if (!module)
    return llvm::createStringError("no case " + test.getName());
  llvm::Expected<func::FuncOp> entry = findEntry(*module, "kernel");
  if (!entry)
    return entry.takeError();
  llvm::Expected<EntrySignature> signature = EntrySignature::get(*entry);
  if (!signature)
    return signature.takeError();

  auto kernel = std::make_shared<Kernel>();
  ArgumentOptions argumentOptions;
  SmallVector<int64_t> shape;
  for (StringRef size :
       {test.shape.split('x').first, test.shape.split('x').second})
    if (size.getAsInteger(10, shape.emplace_back()) || shape.back() <= 0)
      return llvm::createStringError("no shape " + test.shape);
  for (auto [index, argument] : llvm::enumerate(signature->arguments))
    argumentOptions.shapes[index] =
        SmallVector<int64_t>(ArrayRef(shape).take_back(argument.getRank()));
  // Matrices are, in this order: x, r, y, s, or x, y.
  SmallVector<unsigned> matrices;
  for (auto [index, argument] : llvm::enumerate(signature->arguments))
    if (argument.getRank() == 2)
      matrices.push_back(index);
  unsigned half = matrices.size() / 2;
  for (unsigned i = 0; i < half; ++i)
    kernel->copies.push_back({matrices[i], matrices[i + half]});
  llvm::Expected<Arguments> arguments =
      Arguments::create(*signature, argumentOptions);
  if (!arguments)
    return arguments.takeError();
  kernel->arguments = std::move(*arguments);

  auto program = Program::create(*module, *signature, ProgramOptions());
  if (!program)
    return program.takeError();
  kernel->program = std::move(*program);
  return kernel;
}

void runKernel(benchmark::State &state, const Kernel &kernel) {
  auto call = Program::Call::create(*kernel.program, *kernel.arguments);
  if (!call)
    return state.SkipWithError(llvm::toString(call.takeError()).c_str());
  int32_t status = 0;
  for (auto _ : state)
    status |= (**call)();
  if (status)
    state.SkipWithError(kernel.program->getMessage(status).c_str());
  state.SetBytesProcessed(state.iterations() * kernel.getMovedBytes());
}

void runCopy(benchmark::State &state, const Kernel &kernel) {
  for (auto _ : state) {
    for (auto [from, to] : kernel.copies)
      std::memcpy((*kernel.arguments)[to].getData(),
                  (*kernel.arguments)[from].getData(),
                  (*kernel.arguments)[from].getBytes().size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * kernel.getMovedBytes());
}

/// Takes the arguments that Google Benchmark left.
llvm::Error parse(ArrayRef<char *> arguments, Options &options) {
  for (StringRef argument : arguments) {
    auto [name, value] = argument.split('=');
    SmallVector<StringRef> *list =
        llvm::StringSwitch<SmallVector<StringRef> *>(name)
            .Case("--ops", &options.ops)
            .Case("--types", &options.types)
            .Case("--shapes", &options.shapes)
            .Case("--sizes", &options.sizes)
            .Default(nullptr);
    if (!list || value.empty())
      return llvm::createStringError(
          "'" + argument +
          "': expected --ops=, --types=, --shapes= or --sizes= with a list, "
          "or an option of Google Benchmark");
    list->clear();
    value.split(*list, ',');
  }
  for (StringRef sizes : options.sizes)
    if (sizes != "static" && sizes != "dynamic")
      return llvm::createStringError("--sizes: expected static or dynamic");
  return llvm::Error::success();
}

llvm::Error registerCases(const Options &options, MLIRContext &context) {
  for (StringRef op : options.ops)
    for (StringRef type : options.types)
      for (StringRef shape : options.shapes) {
        std::shared_ptr<Kernel> kernel;
        for (StringRef sizes : options.sizes) {
          Case test{op, type, shape, sizes};
          auto compiled = compile(test, context);
          if (!compiled)
            return compiled.takeError();
          kernel = *compiled;
          benchmark::RegisterBenchmark(
              test.getName().c_str(),
              [kernel](benchmark::State &state) { runKernel(state, *kernel); });
        }
        benchmark::RegisterBenchmark(
            llvm::formatv("copy/{0}/{1}/{2}", op, type, shape).str().c_str(),
            [kernel](benchmark::State &state) { runCopy(state, *kernel); });
      }
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) {
  initTool("row_benchmark");
  benchmark::Initialize(&argc, argv);
  Options options;
  DialectRegistry registry;
  registerToolDialects(registry);
  registerLLVMTranslations(registry);
  MLIRContext context(registry);
  llvm::Error error = parse(ArrayRef(argv, argc).drop_front(), options);
  if (!error)
    error = registerCases(options, context);
  if (error) {
    llvm::errs() << "row_benchmark: error: " << llvm::toString(std::move(error))
                 << "\n";
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
