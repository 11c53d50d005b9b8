//===- ToolSupport.cpp - What every tool of the project starts with -------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolSupport.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "xfmr/InitAll.h"
#include "xfmr/Version.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#if LLVM_ADDRESS_SANITIZER_BUILD
// LLVM's arenas, which are in headers, poison what is not yet given out; the
// packaged libraries are built without the sanitizer and do not lift the poison
// from what they take of an arena that our code made.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}
#endif

void mlir::xfmr::initTool(const char *toolName) {
  llvm::setBugReportMsg(
      "This is a bug in xfmr " XFMR_VERSION_STRING
      ": please report it, with the command line, the input and this trace, to "
      "the project's issue tracker.\n");
  std::string name = toolName;
  llvm::cl::SetVersionPrinter([name](llvm::raw_ostream &os) {
    os << "xfmr " XFMR_VERSION_STRING "\n"
       << "  " << name << ", on LLVM/MLIR " LLVM_VERSION_STRING "\n"
       << "  Bug reports: the project's issue tracker, with the command line "
          "and "
          "the input\n";
  });
}

void mlir::xfmr::registerToolDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  xfmr::registerAllDialects(registry);
}

void mlir::xfmr::registerToolPasses() {
  mlir::registerAllPasses();
  xfmr::registerAllPasses();
  xfmr::registerAllPipelines();
}
