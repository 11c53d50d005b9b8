//===- Subject.cpp - What is done with an input ---------------------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subject.h"
#include "Feedback.h"
#include "UpstreamCrashes.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "xfmr/InitAll.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::xfmr;
using namespace mlir::xfmr::fuzz;

[[noreturn]] static void fail(const Twine &what, StringRef details = {}) {
  llvm::errs() << "fuzzer: " << what << '\n' << details << '\n';
  std::abort();
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

const std::vector<std::string> &fuzz::getPassNames() {
  static const std::vector<std::string> names = {
      "canonicalize",
      "cse",
#define XFMR_PASS(NAME) NAME,
#include "Passes.def"
  };
  return names;
}

/// Whether the text is a list of passes that inputs may name, as far as can be
/// seen before it is parsed: MLIR's other passes are not for this fuzzer.
static bool namesKnownPasses(StringRef passes) {
  while (!passes.empty()) {
    size_t end = passes.find_first_of(",{");
    if (!llvm::is_contained(getPassNames(), passes.take_front(end)))
      return false;
    passes = passes.substr(std::min(end, passes.size()));
    if (passes.consume_front("{"))
      passes = passes.substr(std::min(passes.find('}'), passes.size() - 1) + 1);
    if (!passes.empty() && !passes.consume_front(","))
      return false;
  }
  return true;
}

/// A program may hide by a cast that its sizes do not agree, or that a row is
/// too short; the canonical form has the static sizes, and the verifier the
/// last word.
static bool isRevealedByStaticSizes(StringRef passName, StringRef messages) {
  return passName == "Canonicalizer" &&
         (messages.contains("op expected dim ") ||
          messages.contains("a row for unbiased, got"));
}

namespace {
/// Tells passes that fail from those that leave a module which does not verify.
class PassWatch : public PassInstrumentation {
public:
  explicit PassWatch(std::string &messages) : messages(messages) {}

  void runBeforePass(Pass *, Operation *) override { messages.clear(); }

  void runAfterPass(Pass *pass, Operation *op) override {
    countOps(pass->getName(), op);
  }

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    // When the pass manager's verifier was the one to complain, it does so
    // again.
    std::string before = std::move(messages);
    messages.clear();
    if (failed(verify(op)) && messages == before &&
        !isRevealedByStaticSizes(pass->getName(), messages) &&
        !isMadeInvalidByMLIR(pass->getName(), messages))
      fail("the pass " + pass->getName() + " made an invalid module", messages);
    messages = std::move(before);
  }

private:
  std::string &messages;
};
} // namespace

//===----------------------------------------------------------------------===//
// Subject
//===----------------------------------------------------------------------===//

struct Subject::Session {
  Session() {
    // All of them, since their dialects' interfaces come with them.
    DialectRegistry registry;
    mlir::registerAllDialects(registry);
    registerAllExtensions(registry);
    xfmr::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      countMessage(diagnostic);
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
        ++errors;
        if (messages.size() < 4096)
          messages += diagnostic.str() + '\n';
      }
      for (Diagnostic &note : diagnostic.getNotes())
        countMessage(note);
      return success();
    });
    // Remarks are built only when somebody listens.
    remark::RemarkCategories categories;
    categories.all = "xfmr.*";
    (void)remark::enableOptimizationRemarks(
        context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(),
        categories, /*printAsEmitRemarks=*/true);
  }

  /// Text or bytecode; not verified.
  OwningOpRef<ModuleOp> parse(StringRef text) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), {});
    return parseSourceFile<ModuleOp>(
        sources, ParserConfig(&context, /*verifyAfterParse=*/false));
  }

  /// The pass manager of a pipeline, kept: patterns are collected but once.
  PassManager *getPasses(StringRef passes) {
    std::unique_ptr<PassManager> &manager = managers[passes];
    if (manager)
      return manager.get();
    manager =
        std::make_unique<PassManager>(&context, ModuleOp::getOperationName(),
                                      OpPassManager::Nesting::Implicit);
    std::string message;
    llvm::raw_string_ostream os(message);
    if (failed(parsePassPipeline(passes, *manager, os))) {
      if (message.empty() && errors == 0)
        fail("pipeline refused without a message: " + passes);
      managers.erase(passes);
      return nullptr;
    }
    manager->addInstrumentation(std::make_unique<PassWatch>(messages));
    return manager.get();
  }

  MLIRContext context;
  llvm::StringMap<std::unique_ptr<PassManager>> managers;
  unsigned errors = 0;
  std::string messages;
};

Subject::Subject() {
  registerCanonicalizerPass();
  registerCSEPass();
  xfmr::registerAllPasses();
  xfmr::registerAllPipelines();
}

Subject::~Subject() = default;

Subject::Session &Subject::getSession() {
  constexpr unsigned kInputsPerSession = 300;
  if (inputsLeft-- == 0) {
    session.reset();
    session = std::make_unique<Session>();
    inputsLeft = kInputsPerSession;
  }
  session->errors = 0;
  session->messages.clear();
  return *session;
}

static std::string print(ModuleOp module, OpPrintingFlags flags = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, flags);
  return text;
}

std::string Subject::toGenericForm(StringRef text) {
  Session &session = getSession();
  OwningOpRef<ModuleOp> module = session.parse(text);
  if (!module || failed(verify(*module)))
    return {};
  return print(*module, OpPrintingFlags().printGenericOpForm());
}

/// Whether the text may use a dialect that this project's passes neither read
/// nor are meant for: what its parser does is not of interest here.
static bool usesOtherDialects(MLIRContext &context, StringRef text) {
  static const llvm::StringSet<> ours = {
      "affine", "arith",  "bufferization", "builtin", "cf",
      "func",   "linalg", "math",          "memref",  "scf",
      "tensor", "vector", "xfmr"};
  for (StringRef dialect : context.getAvailableDialects()) {
    if (ours.contains(dialect))
      continue;
    std::string prefix = dialect.str() + ".";
    for (size_t at = text.find(prefix); at != StringRef::npos;
         at = text.find(prefix, at + 1))
      if (at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_' ||
                       text[at - 1] == '.'))
        return true;
  }
  return false;
}

bool Subject::run(StringRef text) {
  if (breaksParser(text))
    return false;
  StringRef passes = "xfmr-lower-to-cpu{cpu=x86-64-v3}";
  if (text.starts_with(kPassesMarker)) {
    passes = text.drop_front(kPassesMarker.size()).split('\n').first;
    if (!namesKnownPasses(passes))
      return false;
  }
  Session &session = getSession();
  if (usesOtherDialects(session.context, text))
    return false;
  ++progress.inputs;

  OwningOpRef<ModuleOp> module = session.parse(text);
  if (!module) {
    if (session.errors == 0)
      fail("the parser failed without an error");
    return true;
  }
  if (breaksVerifier(*module))
    return false;
  if (failed(verify(*module))) {
    if (session.errors == 0)
      fail("the verifier failed without an error");
    return true;
  }
  ++progress.verified;
  countOps("parsed", *module);

  std::string pretty = print(*module);
  auto checkReadsBack = [&](const Twine &form, StringRef written) {
    session.messages.clear();
    OwningOpRef<ModuleOp> again = session.parse(written);
    if (!again || failed(verify(*again)))
      fail(form + " form does not read back",
           session.messages + pretty + written.str());
    if (std::string other = print(*again); other != pretty)
      fail(form + " form reads back as another module", pretty + "\n" + other);
  };
  checkReadsBack("the pretty", pretty);
  checkReadsBack("the generic",
                 print(*module, OpPrintingFlags().printGenericOpForm()));
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  if (failed(writeBytecodeToFile(*module, os)))
    fail("no bytecode can be written");
  checkReadsBack("the bytecode", bytecode);

  if (passes.empty() || breaksPasses(*module))
    return true;
  PassManager *manager = session.getPasses(passes);
  if (!manager)
    return true;
  ++progress.passesRun;
  session.errors = 0;
  if (succeeded(manager->run(*module)))
    ++progress.passesSucceeded;
  else if (session.errors == 0)
    fail("passes failed without an error: " + passes);
  return true;
}
