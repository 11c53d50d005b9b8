//===- Matrix.cpp - Every op in all its variants against the reference ----===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each op: element types and subsets of optional operands are crossed in
// full; attributes, types of the other operands, shapes, ranks and storage are
// chosen so that every possible pair of values occurs (see Covering.h). A
// function with dynamic dims runs on every size. Each run is compared with the
// reference; memory around the results and the inputs must be untouched; rows
// alone, and two threads, must give the same bits.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "xfmr/Dialect/IR/Xfmr.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::test;
using llvm::cl::desc;
using llvm::cl::init;

namespace {

enum class Level { Quick, Full };

struct Options {
  llvm::cl::OptionCategory category{"Options of xfmr-matrix"};
  llvm::cl::opt<Level> level{
      llvm::cl::cat(category), "level", desc("how much to run"),
      init(Level::Quick),
      llvm::cl::values(
          clEnumValN(Level::Quick, "quick", "all pairs once"),
          clEnumValN(Level::Full, "full", "all pairs in eight surroundings"))};
  llvm::cl::opt<std::string> filter{llvm::cl::cat(category), "filter",
                                    desc("run functions whose name holds this"),
                                    init("")};
  llvm::cl::opt<std::string> choice{
      llvm::cl::cat(category), "choice",
      desc("run functions with this choice, such as data=bf16"), init("")};
  llvm::cl::opt<std::string> cpu{llvm::cl::cat(category), "cpu",
                                 desc("the CPU to compile for"), init("host")};
  llvm::cl::opt<bool> emulate{
      llvm::cl::cat(category), "emulate",
      desc("lower as for cpu, and make code for this machine"), init(false)};
  llvm::cl::opt<bool> batchInvariant{llvm::cl::cat(category), "batch-invariant",
                                     desc("the pipeline's option"),
                                     init(false)};
  llvm::cl::opt<unsigned> jobs{llvm::cl::cat(category), "jobs",
                               desc("how many batches at a time"),
                               init(std::thread::hardware_concurrency())};
  llvm::cl::opt<unsigned> batch{llvm::cl::cat(category), "batch",
                                desc("functions a module"), init(16)};
  llvm::cl::opt<unsigned> optLevel{llvm::cl::cat(category), "O",
                                   llvm::cl::Prefix, desc("optimisation level"),
                                   init(1)};
  llvm::cl::opt<uint64_t> seed{llvm::cl::cat(category), "seed",
                               desc("of the contents"), init(1)};
  llvm::cl::opt<int64_t> minRuns{llvm::cl::cat(category), "min-runs",
                                 desc("fail when fewer runs were compared"),
                                 init(0)};
  llvm::cl::opt<bool> print{llvm::cl::cat(category), "print",
                            desc("print the functions' text only"),
                            init(false)};
  llvm::cl::opt<unsigned> maxFailures{
      llvm::cl::cat(category), "max-failures",
      desc("how many failures to print in full"), init(20)};
};

/// Adds the counts of a batch to the sum.
void add(BatchResult &sum, const BatchResult &batch) {
  sum.functions += batch.functions;
  sum.runs += batch.runs;
  sum.threadRuns += batch.threadRuns;
  sum.rowRuns += batch.rowRuns;
  llvm::append_range(sum.failures, batch.failures);
}

} // namespace

static void reportCrash(int signal) {
  auto write = [](const char *text) {
    [[maybe_unused]] ssize_t written = ::write(2, text, std::strlen(text));
  };
  write("\ncrashed in ");
  write(currentCombination ? currentCombination : "no function");
  write("; run again with --jobs=1 --batch=1 --filter=<the name>\n");
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// An op of the dialect without a plan is an op without a row of the matrix.
static bool checkAllOpsHavePlans(ArrayRef<OpPlan> plans) {
  std::unique_ptr<MLIRContext> context = createContext();
  context->loadDialect<XfmrDialect>();
  bool allHave = true;
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    // The terminator has its row in that of the op around it, and what the back
    // end makes is in rows of what it makes it of.
    if (name.getDialectNamespace() != XfmrDialect::getDialectNamespace() ||
        name.getStringRef() == YieldOp::getOperationName() ||
        name.getStringRef() == PackWeightOp::getOperationName())
      continue;
    if (llvm::none_of(plans, [&](const OpPlan &plan) {
          return name.getStringRef() == "xfmr." + plan.op;
        })) {
      llvm::errs() << "error: " << name.getStringRef()
                   << " has no row in the matrix\n";
      allHave = false;
    }
  }
  return allHave;
}

static std::vector<Combination> write(const OpPlan &plan, Level level) {
  std::vector<Combination> combinations;
  for (const Choice &choice :
       cover(plan.parameters, plan.isPossible, level == Level::Quick ? 1 : 8)) {
    Combination combination = plan.write(choice);
    combination.name =
        llvm::formatv("{0}_{1,0+5}", plan.op, combinations.size());
    size_t place = combination.text.find("$NAME");
    combination.text.replace(place, 5, combination.name);
    combinations.push_back(std::move(combination));
  }
  return combinations;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  Options options;
  llvm::cl::HideUnrelatedOptions(options.category);
  llvm::cl::ParseCommandLineOptions(argc, argv);
  for (int signal : {SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGBUS})
    ::signal(signal, reportCrash);

  std::vector<OpPlan> plans;
#define XFMR_PLANS(FAMILY) llvm::append_range(plans, get##FAMILY##Plans());
#include "Plans.def"
  if (!checkAllOpsHavePlans(plans))
    return 1;

  std::vector<Combination> all;
  for (const OpPlan &plan : plans)
    for (Combination &combination : write(plan, options.level))
      if (StringRef(combination.name).contains(options.filter) &&
          StringRef(combination.description).contains(options.choice))
        all.push_back(std::move(combination));
  if (options.print) {
    for (const Combination &combination : all)
      llvm::outs() << "// " << combination.description << '\n'
                   << combination.text;
    return 0;
  }

  std::vector<std::vector<const Combination *>> batches;
  for (const Combination &combination : all) {
    if (batches.empty() || batches.back().size() >= options.batch ||
        batches.back().front()->op != combination.op)
      batches.emplace_back();
    batches.back().push_back(&combination);
  }

  std::map<std::string, BatchResult> results;
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  unsigned printed = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < batches.size();) {
      BatchOptions batchOptions;
      batchOptions.program.optLevel = options.optLevel;
      batchOptions.program.cpu = options.cpu;
      batchOptions.program.emulate = options.emulate;
      batchOptions.program.batchInvariant = options.batchInvariant;
      // Other processors' products of bf16 may depend on the number of rows.
      batchOptions.compareRows = !options.emulate || options.batchInvariant;
      batchOptions.seed = options.seed + 1000 * i;
      batchOptions.compareThreads = i % 4 == 0;
      BatchResult result = runBatch(batches[i], batchOptions);
      std::lock_guard<std::mutex> lock(mutex);
      // At once, in case a later one crashes.
      for (const std::string &failure : result.failures)
        if (printed++ < options.maxFailures)
          llvm::errs() << "\nfailed: " << failure;
      add(results[batches[i].front()->op], result);
    }
  };
  auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (unsigned job = 0; job < std::max(1u, options.jobs.getValue()); ++job)
    workers.emplace_back(work);
  for (std::thread &worker : workers)
    worker.join();
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;

  BatchResult sum;
  for (const auto &[op, result] : results) {
    llvm::outs() << llvm::formatv(
        "{0,-22} {1,5} functions, {2,6} combinations run, {3,5} with two "
        "threads, {4,6} rows alone, {5} failures\n",
        op, result.functions, result.runs, result.threadRuns, result.rowRuns,
        result.failures.size());
    add(sum, result);
  }
  llvm::outs() << llvm::formatv(
      "{0} functions, {1} combinations run in {2:F1} s\n", sum.functions,
      sum.runs, elapsed.count());
  if (!sum.failures.empty()) {
    llvm::errs() << sum.failures.size() << " of " << sum.functions
                 << " functions failed\n";
    return 1;
  }
  if (sum.runs < options.minRuns) {
    llvm::errs() << "error: expected " << options.minRuns
                 << " runs or more, got " << sum.runs << '\n';
    return 1;
  }
  return 0;
}
